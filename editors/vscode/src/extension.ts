/** The extension: starts `compilelint server`, and shows what only an editor can show. */

import * as vscode from "vscode";
import {
  CodeActionRequest,
  CodeLensRequest,
  ExecuteCommandRequest,
  LanguageClient,
  LanguageClientOptions,
  ServerOptions,
  TransportKind,
  WorkspaceEdit,
} from "vscode-languageclient/node";

import { Block, Node, tree } from "./blocks";
import { rootsOf, status } from "./graphs";
import { Candidate, candidates, environment, Trial, trials } from "./interpreter";
import { pythonExtension } from "./python";

const FIX_ALL = "source.fixAll.compilelint";
let client: LanguageClient | undefined;
let starting: Promise<void> = Promise.resolve();

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("compilelint", { log: true });
  const bar = vscode.window.createStatusBarItem("compilelint.graphs", vscode.StatusBarAlignment.Right, 90);
  bar.name = "compilelint: graphs";
  bar.command = "compilelint.openReport";
  const restart = (): Promise<void> => {
    starting = starting.then(() => started(context, log)).catch((error: unknown) => log.error(String(error)));
    return starting;
  };
  const screen = new FirstScreen();
  const view = vscode.window.createTreeView("compilelint.screen", { treeDataProvider: screen });
  const refresh = soon(() => show(bar));
  const refreshScreen = soon(() => (view.visible ? screen.read() : Promise.resolve()), 600);
  const python = await pythonExtension(log);
  context.subscriptions.push(
    log,
    bar,
    view,
    view.onDidChangeVisibility(refreshScreen),
    vscode.window.onDidChangeActiveTextEditor(refreshScreen),
    vscode.languages.onDidChangeDiagnostics(refreshScreen),
    vscode.commands.registerCommand("compilelint.restart", restart),
    vscode.commands.registerCommand("compilelint.showLog", () => log.show()),
    vscode.commands.registerCommand("compilelint.openReport", openReport),
    vscode.commands.registerCommand("compilelint.explainRule", explainRule),
    vscode.commands.registerCommand("compilelint.fixAll", () =>
      vscode.commands.executeCommand("editor.action.codeAction", { kind: FIX_ALL, apply: "first" }),
    ),
    vscode.workspace.onDidGrantWorkspaceTrust(restart), // what the workspace says counts from now on
    vscode.workspace.onDidChangeConfiguration((event) => {
      const ours = ["compilelint.interpreter", "compilelint.args", "python.defaultInterpreterPath"];
      if (ours.some((one) => event.affectsConfiguration(one))) {
        void restart();
      }
    }),
    vscode.workspace.onWillSaveTextDocument((event) => {
      if (wantsFixes(event.document)) {
        event.waitUntil(fixesFor(event.document));
      }
    }),
    vscode.window.onDidChangeActiveTextEditor(refresh),
    vscode.window.onDidChangeTextEditorSelection(refresh),
    vscode.languages.onDidChangeDiagnostics(refresh),
    python.onDidChange(restart),
  );
  await restart();
  await show(bar);
}

export async function deactivate(): Promise<void> {
  await starting;
  await client?.stop();
}

async function started(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<void> {
  await client?.stop().catch((error: unknown) => log.warn(String(error)));
  client = undefined;
  const home = context.extensionUri.fsPath; // no folder of the workspace: Python would import from it
  const python = await pythonExtension(log);
  const settings = vscode.workspace.getConfiguration("compilelint");
  const setting = settings.inspect<string>("interpreter");
  const trusted = vscode.workspace.isTrusted;
  const programs = candidates({
    trusted,
    setting: (trusted ? settings.get<string>("interpreter") : setting?.globalValue) || undefined,
    selected: python.interpreter(vscode.workspace.workspaceFolders?.[0]?.uri),
    byDefault: vscode.workspace.getConfiguration("python").get<string>("defaultInterpreterPath"),
    folders: (vscode.workspace.workspaceFolders ?? []).map((one) => one.uri.fsPath),
    pathVariable: process.env["PATH"] ?? "",
    windows: process.platform === "win32",
  });
  const tried = await trials(programs, home);
  for (const one of tried.filter((trial) => trial.version === undefined)) {
    log.info(`${one.candidate.command} (${one.candidate.from}) does not serve: ${one.reason}`);
  }
  const found = tried.find((trial) => trial.version !== undefined);
  if (found === undefined) {
    void missing(tried, log);
    return;
  }
  log.info(`${found.version}, run by ${found.candidate.command} (${found.candidate.from})`);
  const made = new LanguageClient("compilelint", "compilelint", server(found.candidate, home), options(log));
  client = made;
  await made.start();
}

function server(candidate: Candidate, home: string): ServerOptions {
  const more = vscode.workspace.getConfiguration("compilelint").get<string[]>("args") ?? [];
  return {
    command: candidate.command,
    args: [...candidate.args, "server", ...(vscode.workspace.isTrusted ? more : [])],
    options: { cwd: home, env: environment() },
    transport: TransportKind.stdio,
  };
}

function options(log: vscode.LogOutputChannel): LanguageClientOptions {
  return {
    documentSelector: [
      { language: "python", scheme: "file" },
      { language: "python", scheme: "untitled" },
      { language: "python", scheme: "vscode-notebook-cell" },
    ],
    outputChannel: log,
    initializationOptions: { trusted: vscode.workspace.isTrusted },
    middleware: {
      executeCommand: async (command, args, next) => {
        const answer: unknown = await next(command, args);
        if (command === "compilelint.showRoot") {
          await peek(args[0] as { uri: string }, answer as Place[]);
        }
        return answer;
      },
      workspace: {
        configuration: async (params, token, next) => {
          const values = await next(params, token);
          const python = await pythonExtension(log);
          return Array.isArray(values)
            ? values.map((value: Record<string, unknown> | null, at) => {
                const scope = params.items[at]?.scopeUri;
                const selected = python.interpreter(scope ? vscode.Uri.parse(scope) : undefined);
                return value && !value["python"] && selected && vscode.workspace.isTrusted
                  ? { ...value, python: selected }
                  : value;
              })
            : values;
        },
      },
    },
  };
}

async function missing(tried: readonly Trial[], log: vscode.LogOutputChannel): Promise<void> {
  log.error(tried.length > 0 ? "none of these has compilelint[lsp]" : "no Python was found");
  const text = "compilelint is not installed where it was looked for. Install it: pip install 'compilelint[lsp]'";
  const answer = await vscode.window.showErrorMessage(text, "Show the Log", "Choose an Interpreter");
  if (answer === "Show the Log") {
    log.show();
  } else if (answer !== undefined) {
    await vscode.commands.executeCommand("workbench.action.openSettings", "compilelint.interpreter");
  }
}

// ------------------------------------------------------------------ commands

interface Place {
  readonly uri: string;
  readonly position: { readonly line: number; readonly character: number };
}

async function peek(root: { uri: string }, places: readonly Place[]): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor && places.length > 0) {
    const at = places.map(
      (one) =>
        new vscode.Location(vscode.Uri.parse(one.uri), new vscode.Position(one.position.line, one.position.character)),
    );
    const from = editor.selection.active;
    await vscode.commands.executeCommand("editor.action.peekLocations", vscode.Uri.parse(root.uri), from, at, "peek");
  }
}

async function openReport(): Promise<void> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document || document.languageId !== "python" || !client) {
    void vscode.window.showInformationMessage("compilelint: open a Python file first.");
    return;
  }
  const html: unknown = await vscode.commands.executeCommand("compilelint.htmlReport", document.uri.toString());
  if (typeof html === "string") {
    const options = { enableScripts: true, localResourceRoots: [], enableFindWidget: true };
    const panel = vscode.window.createWebviewPanel("compilelint", "compilelint", vscode.ViewColumn.Beside, options);
    // The editor's own style for a webview colours code, which the report does itself.
    panel.webview.html = html.replace("<head>", "<head><style>code { color: inherit; background: none }</style>");
  }
}

async function explainRule(): Promise<void> {
  const code = await vscode.window.showInputBox({ prompt: "Code of a rule", placeHolder: "CL101" });
  if (code) {
    await vscode.commands.executeCommand("compilelint.explain", code.trim().toUpperCase());
  }
}

// ----------------------------------------------------------------- on saving

function wantsFixes(document: vscode.TextDocument): boolean {
  const settings = vscode.workspace.getConfiguration("compilelint", document);
  return document.languageId === "python" && settings.get<boolean>("fixAllOnSave") === true;
}

async function fixesFor(document: vscode.TextDocument): Promise<vscode.TextEdit[]> {
  if (!client?.isRunning()) {
    return [];
  }
  const end = document.lineAt(document.lineCount - 1).range.end;
  const found = await client.sendRequest(CodeActionRequest.type, {
    textDocument: { uri: document.uri.toString() },
    range: { start: { line: 0, character: 0 }, end: { line: end.line, character: end.character } },
    context: { diagnostics: [], only: [FIX_ALL] },
  });
  const edit = found?.map((one) => ("edit" in one ? one.edit : undefined)).find((one) => one !== undefined);
  return edit ? client.protocol2CodeConverter.asTextEdits(editsOf(edit, document.uri.toString())) : [];
}

function editsOf(edit: WorkspaceEdit, uri: string) {
  const changed = edit.documentChanges?.flatMap((one) =>
    "textDocument" in one && one.textDocument.uri === uri ? one.edits.filter((each) => "newText" in each) : [],
  );
  return changed ?? edit.changes?.[uri] ?? [];
}

// -------------------------------------------------------------- first screen

/** The first screen of the project of the open file, as a tree. */
class FirstScreen implements vscode.TreeDataProvider<Node> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;
  private nodes: readonly Node[] = [];

  async read(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (document?.languageId === "python" && client?.isRunning()) {
      const command = { command: "compilelint.firstScreen", arguments: [document.uri.toString()] };
      const blocks: Block[] | null = await client.sendRequest(ExecuteCommandRequest.type, command).catch(() => null);
      this.nodes = tree(blocks ?? []);
      this.changed.fire();
    }
  }

  getChildren(node?: Node): Node[] {
    return [...(node ? node.children : this.nodes)];
  }

  getTreeItem(node: Node): vscode.TreeItem {
    const { None, Expanded, Collapsed } = vscode.TreeItemCollapsibleState;
    const item = new vscode.TreeItem(node.text, node.children.length === 0 ? None : node.open ? Expanded : Collapsed);
    item.tooltip = node.text;
    if (node.at) {
      const position = new vscode.Position(node.at.line, node.at.character);
      const selection = new vscode.Range(position, position);
      const uri = vscode.Uri.parse(node.at.uri);
      item.command = { title: "Open", command: "vscode.open", arguments: [uri, { selection }] };
    }
    return item;
  }
}

// ---------------------------------------------------------------- status bar

/** The same, once, when nothing asked for it for a while: a cursor moves often. */
function soon(done: () => Promise<void>, milliseconds = 150): () => void {
  let waiting: NodeJS.Timeout | undefined;
  return () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => void done(), milliseconds);
  };
}

async function show(bar: vscode.StatusBarItem): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.document.languageId !== "python" || !client?.isRunning()) {
    bar.hide();
    return;
  }
  const textDocument = { uri: editor.document.uri.toString() };
  const lenses = await client.sendRequest(CodeLensRequest.type, { textDocument }).catch(() => null);
  if (vscode.window.activeTextEditor === editor) {
    const shown = status(rootsOf(lenses ?? []), editor.selection.active.line);
    bar.text = shown.text;
    bar.tooltip = shown.tooltip;
    bar.show();
  }
}
