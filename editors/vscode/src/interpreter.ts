/**
 * Which program runs the server. Knows nothing of the editor: what it may use is handed in.
 *
 * In a workspace that is not trusted nothing that the workspace says counts, and no program below it is started.
 */

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import * as path from "node:path";

export interface Sources {
  readonly trusted: boolean;
  /** `compilelint.interpreter`; of an untrusted workspace the user's own value alone. */
  readonly setting: string | undefined;
  /** What the Python extension has selected. */
  readonly selected: string | undefined;
  /** `python.defaultInterpreterPath`. */
  readonly byDefault: string | undefined;
  readonly folders: readonly string[];
  readonly pathVariable: string;
  readonly windows: boolean;
}

/** A program and the words before those of `compilelint`, and in words where it comes from. */
export interface Candidate {
  readonly command: string;
  readonly args: readonly string[];
  readonly from: string;
}

/** In the order in which they are tried. A setting stands alone: who names a program means no other. */
export function candidates(sources: Sources): Candidate[] {
  const found: Candidate[] = [];
  const python = (command: string | undefined, from: string): void => {
    if (command && command !== "python" && !found.some((one) => one.command === command)) {
      found.push({ command, args: ["-m", "compilelint"], from });
    }
  };
  if (sources.setting) {
    python(sources.setting, "compilelint.interpreter");
    return found;
  }
  if (sources.trusted) {
    python(sources.selected, "the Python extension");
    python(sources.byDefault, "python.defaultInterpreterPath");
  }
  const own = onPath("compilelint", sources);
  if (own) {
    found.push({ command: own, args: [], from: "PATH" });
  }
  python(onPath("python3", sources) ?? onPath("python", sources), "PATH");
  return found;
}

/** The program of a name in the folders of PATH; none that lies in a workspace folder or is named relatively. */
export function onPath(name: string, sources: Sources): string | undefined {
  const endings = sources.windows ? [".exe"] : [""];
  for (const folder of sources.pathVariable.split(sources.windows ? ";" : ":")) {
    if (!path.isAbsolute(folder) || (!sources.trusted && sources.folders.some((one) => within(folder, one)))) {
      continue;
    }
    const file = endings.map((ending) => path.join(folder, name + ending)).find((one) => existsSync(one));
    if (file) {
      return file;
    }
  }
  return undefined;
}

function within(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative === "" || (!relative.startsWith("..") && !path.isAbsolute(relative));
}

/** What became of trying a program: it speaks for itself, or says why it cannot. */
export interface Trial {
  readonly candidate: Candidate;
  readonly version?: string;
  readonly reason?: string;
}

/** Start the server with nothing to read, which ends it at once: only that shows that all it needs is installed. */
export async function tried(candidate: Candidate, home: string): Promise<Trial> {
  const ended = await outputOf(candidate, ["server"], home);
  if (ended.error) {
    const said = ended.stderr.trim().split("\n").pop();
    return { candidate, reason: said || ended.error.message };
  }
  const version = await outputOf(candidate, ["--version"], home);
  return { candidate, version: version.stdout.trim() };
}

interface Ended {
  readonly error: Error | null;
  readonly stdout: string;
  readonly stderr: string;
}

function outputOf(candidate: Candidate, words: readonly string[], home: string): Promise<Ended> {
  return new Promise((resolve) => {
    const options = { cwd: home, env: environment(), timeout: 30_000 };
    const child = execFile(candidate.command, [...candidate.args, ...words], options, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    );
    child.stdin?.on("error", () => undefined); // a program that is not there takes no end of file
    child.stdin?.end();
  });
}

/** The environment of the server: Python puts no current folder on its path, whatever is started where. */
export function environment(): NodeJS.ProcessEnv {
  return { ...process.env, PYTHONSAFEPATH: "1", PYTHONUNBUFFERED: "1" };
}

/** The programs that were tried, up to the first that works. */
export async function trials(programs: readonly Candidate[], home: string): Promise<Trial[]> {
  const found: Trial[] = [];
  for (const candidate of programs) {
    const trial = await tried(candidate, home);
    found.push(trial);
    if (trial.version !== undefined) {
      break;
    }
  }
  return found;
}
