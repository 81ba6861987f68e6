/** The real server, started as the extension starts it, driven by the libraries that carry VS Code's own client. */

import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import * as path from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import {
  CodeActionRequest,
  CodeLensRequest,
  createProtocolConnection,
  DidOpenTextDocumentNotification,
  DidChangeTextDocumentNotification,
  ExecuteCommandRequest,
  ExitNotification,
  HoverRequest,
  InitializedNotification,
  InitializeRequest,
  InlayHintRequest,
  type InitializeResult,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  DocumentDiagnosticRequest,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  WorkspaceDiagnosticRequest,
} from "vscode-languageserver-protocol/node";

import manifest from "../package.json";
import { type Block, tree } from "../src/blocks";
import { rootsOf } from "../src/graphs";
import { environment } from "../src/interpreter";
import { served } from "./python";

const NET = `import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            return x + 1
        return x
`;
const CLEAN = NET.replace("if x.sum() > 0:\n            return x + 1\n        return x", "return x + 1");

let child: ChildProcess;
let client: ProtocolConnection;
let can: InitializeResult;
const published: PublishDiagnosticsParams[] = [];
const folder = mkdtempSync(path.join(tmpdir(), "compilelint-"));
const file = path.join(folder, "net.py");
const uri = pathToFileURL(file).href;

before(async () => {
  const python = served();
  assert.ok(python, "no Python has compilelint[lsp]: pip install '../..[lsp]', or name one in COMPILELINT_PYTHON");
  writeFileSync(file, NET);
  child = spawn(python, ["-m", "compilelint", "server"], { cwd: __dirname, env: environment() });
  assert.ok(child.stdout && child.stdin);
  client = createProtocolConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
  client.onNotification(PublishDiagnosticsNotification.type, (one) => void published.push(one));
  client.listen();
  can = await client.sendRequest(InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    capabilities: { textDocument: { publishDiagnostics: { relatedInformation: true } } },
    initializationOptions: { trusted: false },
    workspaceFolders: [{ uri: pathToFileURL(folder).href, name: "folder" }],
  });
  await client.sendNotification(InitializedNotification.type, {});
  await client.sendNotification(DidOpenTextDocumentNotification.type, {
    textDocument: { uri, languageId: "python", version: 1, text: NET },
  });
});

after(async () => {
  await client.sendRequest(ShutdownRequest.type);
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await client.sendNotification(ExitNotification.type);
  assert.equal(await ended, 0);
});

async function codes(wanted: (found: string[]) => boolean): Promise<string[]> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const last = [...published].reverse().find((one) => one.uri === uri);
    const found = last?.diagnostics.map((one) => String(one.code)) ?? [];
    if (last && wanted(found)) {
      return found;
    }
    assert.ok(Date.now() < deadline, `published: ${JSON.stringify(published)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

test("diagnostics come with code and range", async () => {
  await codes((found) => found.includes("CL101"));
  const one = published.flatMap((each) => each.diagnostics).find((each) => each.code === "CL101");
  assert.deepEqual(one?.range.start, { line: 6, character: 11 });
  assert.equal(one?.codeDescription, undefined, "the project has no public address yet");
});

test("diagnostics are there to be asked for too, of a file and of all", async () => {
  const ofFile = await client.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } });
  assert.ok(ofFile.kind === "full" && ofFile.items.some((one) => one.code === "CL101"));
  const again = await client.sendRequest(DocumentDiagnosticRequest.type, {
    textDocument: { uri },
    previousResultId: ofFile.resultId,
  });
  assert.equal(again.kind, "unchanged");
  const ofAll = await client.sendRequest(WorkspaceDiagnosticRequest.type, { previousResultIds: [] });
  const [one] = ofAll.items;
  assert.ok(one?.kind === "full" && one.resultId && one.items.some((each) => each.code === "CL101"));
});

test("hover says what is believed", async () => {
  const hover = await client.sendRequest(HoverRequest.type, {
    textDocument: { uri },
    position: { line: 6, character: 19 },
  });
  assert.match(JSON.stringify(hover?.contents), /tensor/);
});

test("lenses and hints say where the graphs are; the status bar counts them", async () => {
  const lenses = await client.sendRequest(CodeLensRequest.type, { textDocument: { uri } });
  assert.deepEqual(
    rootsOf(lenses ?? []).map((root) => [root.line, root.graphs, root.varies]),
    [[5, 2, true]],
  );
  const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
  const hints = await client.sendRequest(InlayHintRequest.type, { textDocument: { uri }, range });
  assert.match(JSON.stringify(hints), /graph 2 of up to 2/);
});

test("actions suppress, explain and fix all", async () => {
  const range = { start: { line: 6, character: 11 }, end: { line: 6, character: 20 } };
  const context = { diagnostics: [] };
  const actions = await client.sendRequest(CodeActionRequest.type, { textDocument: { uri }, range, context });
  const titles = (actions ?? []).map((one) => one.title).join("\n");
  assert.match(titles, /Suppress CL101/);
  assert.match(titles, /Explain CL101/);
  const only = ["source.fixAll.compilelint"];
  const all = await client.sendRequest(CodeActionRequest.type, {
    textDocument: { uri },
    range,
    context: { diagnostics: [], only },
  });
  assert.ok((all ?? []).every((one) => "kind" in one && one.kind === only[0]));
});

test("the first screen has its blocks, and what to do leads to the line", async () => {
  const command = { command: "compilelint.firstScreen", arguments: [uri] };
  const blocks: Block[] = await client.sendRequest(ExecuteCommandRequest.type, command);
  const [compiled, work, unseen] = tree(blocks);
  assert.equal(compiled?.text, "What is compiled");
  assert.match(work?.children[0]?.text ?? "", /^CL101 /);
  assert.deepEqual(work?.children[0]?.at, { uri, line: 6, character: 11 });
  assert.match(unseen?.children[0]?.text ?? "", /^Checked: /);
});

test("the report is HTML", async () => {
  const report: unknown = await client.sendRequest(ExecuteCommandRequest.type, {
    command: "compilelint.htmlReport",
    arguments: [uri],
  });
  assert.match(String(report), /<html/);
});

test("verify is refused in a workspace that is not trusted", async () => {
  const answer: unknown = await client.sendRequest(ExecuteCommandRequest.type, {
    command: "compilelint.verify",
    arguments: [{ uri, spec: "net:Net.forward" }],
  });
  assert.deepEqual(answer, { ran: false, reason: "untrusted" });
});

test("no command of the extension has the name of one of the server's", () => {
  const own = manifest.contributes.commands.map((one) => one.command);
  const theirs = can.capabilities.executeCommandProvider?.commands ?? [];
  assert.ok(theirs.includes("compilelint.htmlReport"));
  assert.deepEqual(own.filter((one) => theirs.includes(one)), []);
});

test("an edit is judged", async () => {
  await client.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument: { uri, version: 2 },
    contentChanges: [{ text: CLEAN }],
  });
  await codes((found) => !found.includes("CL101"));
});
