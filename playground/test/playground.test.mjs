// The built page in a real browser. Run `npm run build` before.
import assert from "node:assert/strict";
import { readdirSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { checkedAfter, fixed, launched, served, typed } from "./site.mjs";

const FIRST_ANSWER_MS = 10_000;
const CHANGE_MS = 300;
const PROGRAM = `import torch


@torch.compile
def f(x: torch.Tensor):
    y = x * 2
    print(y.shape)
    return y + x.sum().item()
`;

let site, browser, page;
const asked = [];
const errors = [];

before(async () => {
  site = await served();
  browser = await launched();
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  page = await context.newPage();
  page.setDefaultTimeout(60_000);
  context.on("request", (request) => asked.push(request.url()));
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
});

after(async () => {
  await browser.close();
  site.close();
});

const codes = () => page.locator(".finding .head button:first-child").allTextContents();
const attribute = (name) => page.evaluate((word) => document.documentElement.dataset[word], name);

test("the folder is at most 25 MB", () => {
  const dist = fileURLToPath(new URL("../dist/", import.meta.url));
  const total = readdirSync(dist).reduce((sum, name) => sum + statSync(dist + name).size, 0);
  assert.ok(total <= 25e6, `${total} bytes`);
});

// The fastest of three starts, each in a browser context with nothing cached: a busy machine delays one at times.
test("the first answer comes within ten seconds", async (t) => {
  const starts = [];
  while (starts.length < 3 && !(starts.at(-1) <= FIRST_ANSWER_MS)) {
    const context = await browser.newContext();
    const fresh = await context.newPage();
    const begin = performance.now();
    await fresh.goto(site.address);
    await checkedAfter(fresh, 0);
    starts.push(Math.round(performance.now() - begin));
    await context.close();
  }
  t.diagnostic(`first answer after ${starts.join(", ")} ms`);
  assert.ok(Math.min(...starts) <= FIRST_ANSWER_MS, `${starts} ms`);
  await page.goto(site.address);
  await checkedAfter(page, 0);
  assert.deepEqual(await codes(), ["CL101", "CL201"]);
});

test("findings stand in the editor, the graphs in strips", async () => {
  await typed(page, PROGRAM);
  assert.deepEqual(await codes(), ["CL201", "CL102"]);
  assert.match(await page.locator(".root h2").textContent(), /^f 2 graph breaks, 3 graphs expected$/);
  assert.deepEqual(await page.locator(".strip button").evaluateAll((all) => all.map((one) => one.className)), [
    "graph",
    "break",
    "break",
  ]);
  assert.deepEqual(await page.locator(".cm-lintRange").allTextContents(), ["print(y.shape)", "x.sum().item()"]);
  assert.equal(await page.locator(".cm-graphs .break").count(), 2);
});

test("a change is answered within 300 ms", async (t) => {
  const times = [];
  for (let number = 3; number < 13; number++) times.push(await typed(page, PROGRAM.replace("x * 2", `x * ${number}`)));
  times.sort((one, other) => one - other);
  t.diagnostic(`changes took ${times.join(", ")} ms`);
  assert.ok(times[times.length / 2] <= CHANGE_MS, `${times} ms`);
});

test("a fix is shown as a diff, and applied", async () => {
  await typed(page, PROGRAM);
  await fixed(page);
  assert.match(await page.locator(".diff").textContent(), /\+ {4}if not torch\.compiler\.is_compiling\(\):/);
  const before = Number(await attribute("checked"));
  await page.locator(".apply").click();
  await checkedAfter(page, before);
  assert.deepEqual(await codes(), ["CL102"]);
});

test("what is believed of an expression is shown under the pointer", async () => {
  await typed(page, PROGRAM);
  await page.locator(".cm-line", { hasText: "y = x * 2" }).getByText("y = x * 2").hover({ position: { x: 78, y: 8 } });
  await page.locator(".belief").waitFor();
  assert.match(await page.locator(".belief").textContent(), /tensor/);
});

test("the version of torch is asked for", async () => {
  const versions = await page.locator("#torch option").allTextContents();
  assert.equal(versions[0], "2.15.0");
  assert.equal(versions.at(-1), "2.6.0");
  await typed(page, PROGRAM);
  for (const version of versions) {
    const before = Number(await attribute("checked"));
    await page.locator("#torch").selectOption(version);
    await checkedAfter(page, before);
    assert.deepEqual(await codes(), ["CL201", "CL102"], version);
  }
  await page.locator("#torch").selectOption(versions[0]);
});

test("every example is answered as in its idiom", async () => {
  const titles = await page.locator("#example option:not([disabled])").allTextContents();
  assert.ok(titles.length >= 8);
  for (const title of titles) {
    const before = Number(await attribute("checked"));
    await page.locator("#example").selectOption({ label: title });
    await checkedAfter(page, before);
    const found = await codes();
    assert.equal(found.length === 0, title === "One graph", `${title}: ${found}`);
  }
});

test("a link holds the program", async () => {
  const other = PROGRAM.replace("print(y.shape)", "print('grüße 🙂', y)");
  await typed(page, other);
  await page.locator("#torch").selectOption("2.8.0");
  await page.locator("#share").click();
  await page.waitForFunction(() => location.hash.length > 1);
  const link = page.url();
  const second = await page.context().newPage();
  await second.goto(link);
  await checkedAfter(second, 0);
  const text = await second.locator(".cm-line").evaluateAll((all) => all.map((one) => one.textContent).join("\n"));
  assert.equal(text, other);
  assert.equal(await second.locator("#torch").inputValue(), "2.8.0");
  await second.close();
});

test("wrong syntax is answered in the tool's words, and mended", async () => {
  await typed(page, "def f(:\n    pass\n");
  assert.deepEqual(await codes(), ["CL901"]);
  assert.match(await page.locator(".finding").textContent(), /invalid syntax/);
  await typed(page, PROGRAM);
  assert.deepEqual(await codes(), ["CL201", "CL102"]);
});

test("what is typed is never taken for HTML", async () => {
  await typed(page, PROGRAM.replace("print(y.shape)", "print('<img src=x onerror=alert(1)>', y)"));
  await fixed(page);
  assert.equal(await page.locator("#answer img").count(), 0);
});

test("a huge program is refused, a deep one answered or refused", async (t) => {
  await typed(page, "x = 1\n".repeat(15_000));
  assert.match(await page.locator("#status").textContent(), /longer than/);
  const nested = { brackets: `x = ${"(".repeat(150)}1${")".repeat(150)}\n`, sum: `x = 1${" + 1".repeat(400)}\n` };
  for (const [name, deep] of Object.entries(nested)) {
    await typed(page, PROGRAM + deep);
    assert.deepEqual(await codes(), ["CL201", "CL102"], name);
  }
  await typed(page, `${PROGRAM}x = 1${" + 1".repeat(3_000)}\n`);
  t.diagnostic(`3,000 terms: ${await page.locator("#status").textContent()}`);
  assert.match(await page.locator("#answer").textContent(), /nested too deeply/);
  await typed(page, PROGRAM);
  assert.deepEqual(await codes(), ["CL201", "CL102"]);
  assert.ok(errors.every((text) => /fatal error|call stack/.test(text)), errors.join("\n"));
  errors.length = 0;
});

test("the page of a rule opens", async () => {
  await page.locator(".finding .head button:first-child").first().click();
  await page.locator("dialog h2", { hasText: "Why it matters" }).waitFor();
  await page.keyboard.press("Escape");
});

test("nothing but its own files is asked for, and nothing fails", () => {
  assert.deepEqual(asked.filter((url) => !url.startsWith(site.address) && !url.startsWith("data:")), []);
  assert.deepEqual(errors, []);
});
