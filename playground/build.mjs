// Writes dist/: the page, Pyodide, our package as bytecode, and the memory of a Python that has it loaded.
//
// Needs Python with pip (PYTHON names another one than python3): the wheel of ../ is made, LibCST is downloaded.
// LibCST's Rust extension is replaced by python/native.py, which says why.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { loadPyodide } from "pyodide";
import { SITE, mount } from "./src/pack.js";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");
const wheels = join(here, "build");
const pyodide = join(here, "node_modules", "pyodide");
const LIBCST = "libcst==1.9.0";
// What the static pass of one file never loads.
const UNUSED = [
  ...["bench", "cli", "dynamic", "fleet", "mcp", "monitor.py", "pytest_plugin.py", "reproduce", "server", "trace"],
].map((name) => `compilelint/${name}`).concat("libcst/tests", "libcst/codemod", "libcst/_parser/tests");

function pip(...words) {
  const quiet = ["--quiet", "--disable-pip-version-check", "--no-deps"];
  execFileSync(process.env.PYTHON ?? "python3", ["-m", "pip", words[0], ...quiet, ...words.slice(1)], { stdio: "inherit" });
}

function fetchWheels() {
  rmSync(wheels, { recursive: true, force: true });
  pip("wheel", "--wheel-dir", wheels, join(here, ".."));
  const platform = ["--platform", "manylinux_2_28_x86_64", "--python-version", "3.14", "--only-binary", ":all:"];
  pip("download", "--dest", wheels, ...platform, LIBCST);
}

// The files below SITE as Python needs them: bytecode and data, no sources.
async function compiled() {
  const python = await loadPyodide();
  for (const name of readdirSync(wheels)) {
    python.unpackArchive(new Uint8Array(readFileSync(join(wheels, name))), "zip", { extractDir: SITE });
  }
  for (const name of ["answers.py", "native.py"]) {
    const folder = name === "native.py" ? `${SITE}/libcst` : SITE;
    python.FS.writeFile(`${folder}/${name}`, readFileSync(join(here, "python", name)));
  }
  const list = python.runPython(`
import compileall, os, shutil
from pathlib import Path

def compiled(site, unused):
    for name in unused:
        path = Path(site, name)
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert compileall.compile_dir(site, quiet=1, legacy=True, optimize=2, stripdir=site)
    found = []
    for path in sorted(Path(site).rglob("*")):
        wanted = path.suffix not in (".py", ".so") and ".dist-info" not in str(path) and "__pycache__" not in path.parts
        if path.is_file() and wanted:
            found.append(str(path))
    return found

compiled
`)(SITE, python.toPy(UNUSED)).toJs();
  return list.map((path) => ({ path, bytes: python.FS.readFile(path) }));
}

// One file: the length of the index, the index (path and size), then the bytes of all files.
function packed(files) {
  const index = new TextEncoder().encode(JSON.stringify(files.map(({ path, bytes }) => [path, bytes.length])));
  const length = new Uint8Array(Uint32Array.of(index.length).buffer);
  return Buffer.concat([length, index, ...files.map(({ bytes }) => bytes)]);
}

// The memory of a Python that has answered once, so that a browser begins where it ends.
async function snapshot(pack, program) {
  const python = await loadPyodide({ _makeSnapshot: true });
  mount(python, pack);
  python.globals.set("program", program);
  python.runPython(`
import gc, json
from answers import Answers

answers = Answers()
for torch in json.loads(answers.about())["torch"][:1]:
    answers.check(program, torch)
    answers.fixes()
    answers.hover(1, 1)
answers = Answers()
del program
gc.collect()
`);
  return python.makeMemorySnapshot();
}

const write = (name, bytes) => writeFileSync(join(dist, name), bytes);
// Not `.gz`: some servers announce that as an encoding, and the browser then unpacks it before we do.
const compressed = (name, bytes) => write(`${name}.bin`, gzipSync(bytes, { level: 9 }));

async function python() {
  fetchWheels();
  const pack = packed(await compiled());
  compressed("site.pack", pack);
  compressed("python.snapshot", await snapshot(pack, readFileSync(join(here, "src", "examples", "branches.py"), "utf8")));
  compressed("pyodide.asm.wasm", readFileSync(join(pyodide, "pyodide.asm.wasm")));
  for (const name of ["pyodide.asm.mjs", "python_stdlib.zip"]) cpSync(join(pyodide, name), join(dist, name));
}

async function page() {
  const hash = createHash("sha256");
  for (const name of readdirSync(join(here, "src")).filter((one) => one.includes("."))) hash.update(readFileSync(join(here, "src", name)));
  for (const name of ["site.pack.bin", "python.snapshot.bin"]) hash.update(readFileSync(join(dist, name)));
  const version = hash.digest("hex").slice(0, 12);
  write("index.html", readFileSync(join(here, "src", "index.html"), "utf8").replaceAll("BUILD", version));
  cpSync(join(here, "src", "page.css"), join(dist, "page.css"));
  await build({
    define: { BUILD: JSON.stringify(version) },
    entryPoints: [join(here, "src", "page.js"), join(here, "src", "worker.js")],
    outdir: dist,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    loader: { ".py": "text" },
    external: ["node:*"],
    logLevel: "warning",
    legalComments: "linked",
  });
}

// `--page` leaves Python as an earlier build has made it.
if (!process.argv.includes("--page")) {
  rmSync(dist, { recursive: true, force: true });
  mkdirSync(dist);
  await python();
}
await page();
const total = readdirSync(dist).reduce((sum, name) => sum + statSync(join(dist, name)).size, 0);
console.log(`dist: ${(total / 1e6).toFixed(1)} MB`);
