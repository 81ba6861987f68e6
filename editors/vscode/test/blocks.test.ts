/** The first screen as a tree. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { tree } from "../src/blocks";

test("rows with a place lead there, details are below them", () => {
  const [compiled] = tree([
    {
      title: "What to do first",
      rows: [{ text: "CL101 m", details: ["do: x"], uri: "file:///n.py", position: { line: 6, character: 11 } }],
    },
  ]);
  assert.equal(compiled?.text, "What to do first");
  const [row] = compiled?.children ?? [];
  assert.deepEqual(row?.at, { uri: "file:///n.py", line: 6, character: 11 });
  assert.deepEqual(row?.children.map((one) => one.text), ["do: x"]);
});

test("a row without a place leads nowhere, and an empty block is not shown", () => {
  const shown = tree([{ title: "What is compiled", rows: [{ text: "1 function" }] }, { title: "empty", rows: [] }]);
  assert.equal(shown.length, 1);
  assert.equal(shown[0]?.children[0]?.at, undefined);
});
