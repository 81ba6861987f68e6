// Python in a worker: answers the page's questions in the order in which they come.
//
// Pyodide starts from the memory that the build has saved, with compilelint loaded: a second in place of ten.
import { loadPyodide } from "pyodide";
import { info } from "pyodide/pyodide-lock.json";
import { mount } from "./pack.js";

const base = new URL("./", self.location.href).href;
const versioned = (name) => `${base}${name}?v=${BUILD}`; // files of two builds never meet
const fetchPlain = self.fetch;
let [loaded, total] = [0, 0];

// The bytes of a file, counted for who waits.
async function fetched(name) {
  const answer = await fetchPlain(versioned(name));
  if (!answer.ok) throw new Error(`${name} cannot be loaded (${answer.status})`);
  total += Number(answer.headers.get("Content-Length"));
  const counting = new TransformStream({
    transform(part, next) {
      loaded += part.length;
      next.enqueue(part);
      postMessage({ loaded, total });
    },
  });
  return answer.body.pipeThrough(counting);
}

const unpacked = async (name) => (await fetched(`${name}.bin`)).pipeThrough(new DecompressionStream("gzip"));
const bytesOf = async (stream) => new Uint8Array(await new Response(stream).arrayBuffer());

// Pyodide asks for its code by this name; here it lies compressed.
self.fetch = async (resource, ...options) => {
  if (!String(resource).endsWith("/pyodide.asm.wasm")) return fetchPlain(resource, ...options);
  return new Response(await unpacked("pyodide.asm.wasm"), { headers: { "Content-Type": "application/wasm" } });
};

// Pyodide's memory begins smaller than the saved one, and `_loadSnapshot` does not make it grow.
function moduleWith(snapshot) {
  return async (settings) => {
    const { default: create } = await import(versioned("pyodide.asm.mjs"));
    const module = await create(settings);
    const wanted = (await snapshot).length;
    if (module.HEAP8.length < wanted) module.growMemory(wanted);
    return module;
  };
}

async function start() {
  const snapshot = unpacked("python.snapshot").then(bytesOf);
  const pack = unpacked("site.pack").then(bytesOf);
  const python = await loadPyodide({
    indexURL: base,
    stdLibURL: versioned("python_stdlib.zip"),
    lockFileContents: { info, packages: {} }, // there is no package beside ours
    createPyodideModule: moduleWith(snapshot),
    _loadSnapshot: snapshot,
  });
  mount(python, await pack);
  return python.globals.get("answers");
}

const answers = start();
answers.then(
  (python) => postMessage({ ready: JSON.parse(python.about()) }),
  (error) => postMessage({ failed: String(error) }),
);

self.onmessage = async ({ data: { id, ask, given } }) => {
  try {
    const begin = performance.now();
    const answer = JSON.parse((await answers)[ask](...given));
    postMessage({ id, answer, took: performance.now() - begin });
  } catch (error) {
    const isDeep = error instanceof RangeError || /call stack|RecursionError/.test(String(error));
    postMessage({ id, failed: isDeep ? "it is nested too deeply for a browser" : String(error) });
  }
};
