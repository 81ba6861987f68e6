// Takes docs/screens/playground-{light,dark}.png of the built page.
import { fileURLToPath } from "node:url";
import { checkedAfter, fixed, launched, served } from "./site.mjs";

const FOLDER = fileURLToPath(new URL("../../docs/screens/", import.meta.url));
const site = await served();
const browser = await launched();
for (const colorScheme of ["light", "dark"]) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 760 }, colorScheme });
  await page.goto(site.address);
  await checkedAfter(page, 0);
  await fixed(page);
  await page.getByText("score = self.gate(x).sigmoid()").hover({ position: { x: 90, y: 8 } });
  await page.locator(".belief").waitFor();
  await page.screenshot({ path: `${FOLDER}playground-${colorScheme}.png` });
  await page.close();
}
await browser.close();
site.close();
