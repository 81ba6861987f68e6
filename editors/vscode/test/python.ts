/** The Python that runs the server in tests. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";

/** A Python that serves: the one that is named, that of the checkout's environment, or one on PATH. */
export function served(): string | undefined {
  const checkout = path.resolve(__dirname, "../../..");
  const own = ["bin/python", "Scripts/python.exe"].map((one) => path.join(checkout, ".venv", one)).filter(existsSync);
  const tried = [process.env["COMPILELINT_PYTHON"], ...own, "python3", "python"].filter((one) => one !== undefined);
  return tried.find((one) => spawnSync(one, ["-c", "import compilelint.server.app"]).status === 0);
}
