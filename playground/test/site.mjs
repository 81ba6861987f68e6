// dist/ behind a server of plain files, below a folder of its own, and the browser of the system.
import { createReadStream, existsSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const DIST = fileURLToPath(new URL("../dist/", import.meta.url));
const TYPES = { ".html": "text/html", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript" };
const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";

export async function served() {
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)).replace("/docs/playground/", "/");
    const file = join(DIST, path.endsWith("/") ? `${path}index.html` : path);
    if (!file.startsWith(DIST) || !existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { "Content-Type": TYPES[extname(file)] ?? "application/octet-stream" });
    createReadStream(file).pipe(response);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${server.address().port}/docs/playground/`, close: () => server.close() };
}

export function launched() {
  return chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
}

// Pastes a program over what is there, and waits until it was checked; the milliseconds of the worker.
export async function typed(page, text) {
  const before = await page.evaluate(() => Number(document.documentElement.dataset.checked ?? 0));
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+A");
  await page.evaluate((pasted) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", pasted);
    const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
    document.querySelector(".cm-content").dispatchEvent(event);
  }, text);
  await checkedAfter(page, before);
  return page.evaluate(() => Number(document.documentElement.dataset.took));
}

export async function checkedAfter(page, before) {
  await page.waitForFunction((number) => Number(document.documentElement.dataset.checked) > number, before, { timeout: 60_000 });
}

export async function fixed(page) {
  await page.waitForFunction(() => {
    const { checked, fixed } = document.documentElement.dataset;
    return checked !== undefined && checked === fixed;
  });
}
