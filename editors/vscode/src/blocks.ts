/** The first screen as a tree: what is compiled, what to do first, what was not seen. */

export interface Row {
  readonly text: string;
  readonly details?: readonly string[];
  readonly uri?: string;
  readonly position?: { readonly line: number; readonly character: number };
}

export interface Block {
  readonly title: string;
  readonly rows: readonly Row[];
}

/** A line of the tree, with those below it. */
export interface Node {
  readonly text: string;
  readonly open: boolean;
  readonly children: readonly Node[];
  readonly at?: { readonly uri: string; readonly line: number; readonly character: number };
}

/** The tree of the server's blocks; blocks without rows are left out. */
export function tree(blocks: readonly Block[]): Node[] {
  return blocks
    .filter((block) => block.rows.length > 0)
    .map((block) => ({ text: block.title, open: true, children: block.rows.map(node) }));
}

function node(row: Row): Node {
  const children = (row.details ?? []).map((text) => ({ text, open: false, children: [] }));
  const at = row.uri && row.position ? { at: { uri: row.uri, ...row.position } } : {};
  return { text: row.text, open: false, children, ...at };
}
