/** What the status bar says: the graphs of the compile roots of a file, as the server's code lenses have them. */

export interface Lens {
  readonly range: { readonly start: { readonly line: number } };
  readonly command?: { readonly title: string; readonly command: string };
}

export interface Root {
  readonly line: number;
  /** "2 graph breaks expected", "one graph expected if compiled". */
  readonly words: string;
  readonly graphs: number;
  /** Whether a call may have fewer: "1 graph break, 1 to 2 graphs expected". */
  readonly varies: boolean;
}

const SHOW = "compilelint.showRoot";

/** The roots of a file from its lenses, in the order of their lines. */
export function rootsOf(lenses: readonly Lens[]): Root[] {
  return lenses
    .filter((lens) => lens.command?.command === SHOW)
    .map((lens) => {
      const words = lens.command?.title ?? "";
      const breaks = /^(\d+) graph break/.exec(words);
      const range = /\d+ to (\d+) graphs/.exec(words);
      const graphs = range ? Number(range[1]) : breaks ? Number(breaks[1]) + 1 : 1;
      return { line: lens.range.start.line, words, graphs, varies: range !== null };
    })
    .sort((one, other) => one.line - other.line);
}

/** Text and tooltip for a cursor: of the last root above it, or of all. Lines count from 0. */
export function status(roots: readonly Root[], cursor: number): { text: string; tooltip: string } {
  if (roots.length === 0) {
    return { text: "$(graph) compilelint", tooltip: "No compile root in this file." };
  }
  const above = [...roots].reverse().find((root) => root.line <= cursor);
  const tooltip = roots.map((root) => `line ${root.line + 1}: ${root.words}`).join("\n");
  const graphs = above ? above.graphs : roots.reduce((sum, root) => sum + root.graphs, 0);
  const of = above ? "" : ` in ${roots.length} root${roots.length === 1 ? "" : "s"}`;
  const upTo = (above ? above.varies : roots.some((root) => root.varies)) ? "up to " : "";
  return { text: `$(graph) ${upTo}${graphs} graph${graphs === 1 ? "" : "s"}${of}`, tooltip };
}
