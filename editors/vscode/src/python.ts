/** The Python extension of Microsoft, where it is installed: which interpreter is selected, and that it changed. */

import * as vscode from "vscode";

/** What we use of its API (`@vscode/python-extension`). */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

export interface Python {
  interpreter(resource?: vscode.Uri): string | undefined;
  readonly onDidChange: (listener: () => void) => vscode.Disposable;
}

const NONE: Python = { interpreter: () => undefined, onDidChange: () => new vscode.Disposable(() => undefined) };

/** In an untrusted workspace it is not asked: what is selected there may be a program of the workspace. */
export async function pythonExtension(log: vscode.LogOutputChannel): Promise<Python> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (!extension || !vscode.workspace.isTrusted) {
    return NONE;
  }
  try {
    const { environments } = await extension.activate();
    return {
      interpreter: (resource) => environments.getActiveEnvironmentPath(resource).path,
      onDidChange: (listener) => environments.onDidChangeActiveEnvironmentPath(listener),
    };
  } catch (error) {
    log.warn(`the Python extension does not answer: ${String(error)}`);
    return NONE;
  }
}
