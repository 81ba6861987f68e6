/** Which program runs the server, and which never does. */

import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { test } from "node:test";

import { candidates, onPath, type Sources, trials } from "../src/interpreter";
import { served } from "./python";

const NOTHING: Sources = {
  trusted: true,
  setting: undefined,
  selected: undefined,
  byDefault: undefined,
  folders: [],
  pathVariable: "",
  windows: false,
};

function program(name: string, text = "#!/bin/sh\n"): string {
  const folder = mkdtempSync(path.join(tmpdir(), "compilelint-"));
  const file = path.join(folder, name);
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

const commands = (sources: Partial<Sources>): string[] =>
  candidates({ ...NOTHING, ...sources }).map((one) => one.command);

test("a setting stands alone", () => {
  assert.deepEqual(commands({ setting: "/a/python", selected: "/b/python", byDefault: "/c/python" }), ["/a/python"]);
});

test("then the Python extension, then the default interpreter, then PATH", () => {
  const own = program("compilelint");
  const python = program("python3");
  const pathVariable = [path.dirname(own), path.dirname(python)].join(":");
  assert.deepEqual(commands({ selected: "/b/python", byDefault: "/c/python", pathVariable }), [
    "/b/python",
    "/c/python",
    own,
    python,
  ]);
});

test("an untrusted workspace has no say", () => {
  assert.deepEqual(commands({ trusted: false, selected: "/b/python", byDefault: "/c/python" }), []);
});

test("no program of an untrusted workspace is started, and none that is named relatively", () => {
  const python = program("python3");
  const folders = [path.dirname(path.dirname(python))];
  const sources = { ...NOTHING, folders, pathVariable: `.:bin:${path.dirname(python)}` };
  assert.equal(onPath("python3", { ...sources, trusted: false }), undefined);
  assert.equal(onPath("python3", sources), python);
});

test("the first that serves is taken, and the others say why they do not", async () => {
  const without = program("python", "#!/bin/sh\necho 'No module named compilelint' >&2\nexit 1\n");
  const has = program("python", "#!/bin/sh\necho compilelint 1.2.3\n");
  const [first, second, ...rest] = await trials(candidates({ ...NOTHING, selected: without, byDefault: has }), tmpdir());
  assert.equal(first?.reason, "No module named compilelint");
  assert.equal(second?.version, "compilelint 1.2.3");
  assert.deepEqual(rest, []);
  const [gone] = await trials([{ command: "/nowhere/python", args: [], from: "a test" }], tmpdir());
  assert.match(gone?.reason ?? "", /ENOENT/);
});

test("what lies in the workspace is not imported by the one that is asked", async (context) => {
  const real = served();
  assert.ok(real, "no Python has compilelint[lsp]: pip install '../..[lsp]', or name one in COMPILELINT_PYTHON");
  const folder = mkdtempSync(path.join(tmpdir(), "compilelint-"));
  mkdirSync(path.join(folder, "compilelint"));
  writeFileSync(path.join(folder, "compilelint", "__init__.py"), `open(${JSON.stringify(`${folder}/mark`)}, "w")\n`);
  const before = process.cwd();
  process.chdir(folder);
  context.after(() => process.chdir(before));
  const [found] = await trials([{ command: real, args: ["-m", "compilelint"], from: "a test" }], __dirname);
  assert.match(found?.version ?? "", /^compilelint \d/);
  assert.throws(() => chmodSync(path.join(folder, "mark"), 0o600), /ENOENT/);
});
