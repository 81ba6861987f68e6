/** What the status bar says. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { rootsOf, status } from "../src/graphs";

const lens = (line: number, title: string, command = "compilelint.showRoot") => ({
  range: { start: { line } },
  command: { title, command },
});
const ROOTS = rootsOf([
  lens(20, "one graph expected"),
  lens(5, "2 graph breaks expected"),
  lens(5, "verify", "compilelint.verify"),
]);

test("the root around the cursor counts", () => {
  assert.equal(status(ROOTS, 7).text, "$(graph) 3 graphs");
  assert.equal(status(ROOTS, 25).text, "$(graph) 1 graph");
});

test("above all roots they are added up, and the tooltip has each", () => {
  const shown = status(ROOTS, 0);
  assert.equal(shown.text, "$(graph) 4 graphs in 2 roots");
  assert.equal(shown.tooltip, "line 6: 2 graph breaks expected\nline 21: one graph expected");
});

test("a range is said as one", () => {
  const roots = rootsOf([lens(3, "3 graph breaks, 1 to 4 graphs expected")]);
  assert.equal(status(roots, 7).text, "$(graph) up to 4 graphs");
  assert.equal(status(roots, 0).text, "$(graph) up to 4 graphs in 1 root");
});

test("a file without a root says so", () => {
  assert.equal(status([], 3).tooltip, "No compile root in this file.");
});
