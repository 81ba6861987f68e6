"""The texts of a project that show how its models are built: modules, tests, scripts, notebooks, documents."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum

from compilelint.disk.read import NotReadError, read_text
from compilelint.project.import_roots import import_roots, reference_of
from compilelint.syntax.notebooks import is_notebook, read_notebook
from compilelint.syntax.unreadable import Unreadable

_MOST_SOURCES = 3_000
_MOST_DOCUMENTS = 200
_MOST_FOLDERS = 2_000
_FENCED = re.compile(r"^```(?:python|py|pycon)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

Function = ast.FunctionDef | ast.AsyncFunctionDef
Chain = tuple[ast.AST, ...]
"""The module and the functions and classes around an expression, outermost first."""


class Kind(IntEnum):
    """What a text is for: what comes first is the better example. Tests build small models, documents whole ones."""

    TEST = 0
    DOCUMENT = 1
    SCRIPT = 2
    LIBRARY = 3


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A readable text. `path` is seen from the project's folder.

    `module` is its name there; empty for an example of a document and a notebook, which nothing can import.
    """

    path: str
    module: str
    tree: ast.Module
    kind: Kind
    package: bool = False

    def absolute(self, node: ast.ImportFrom) -> str:
        """The module that `from ... import` names, relative ones from this source."""
        if not node.level:
            return node.module or ""
        parts = self.module.split(".")
        kept = parts[: len(parts) - node.level + self.package]
        return ".".join([*kept, *([node.module] if node.module else [])])


def sources_in(folder: str, files: Iterable[str]) -> list[Source]:
    """The sources of a project's Python files, and the examples of its documents, those first."""
    roots = import_roots(folder)
    found = [*_examples(folder)]
    for path in [*files][:_MOST_SOURCES]:
        text = _code_of(path)
        tree = _parsed(text)
        if tree is not None:
            module = "" if is_notebook(path) else reference_of(path, roots)
            shown = os.path.relpath(path, folder).replace(os.sep, "/")
            found.append(Source(shown, module, tree, _kind(shown, text), path.endswith("/__init__.py")))
    return found


def _code_of(path: str) -> str:
    if is_notebook(path):
        notebook = read_notebook(path)
        return "" if isinstance(notebook, Unreadable) else notebook.source.text
    try:
        return read_text(path)
    except NotReadError:
        return ""


def _kind(path: str, text: str) -> Kind:
    parts = path.split("/")
    if {"test", "tests"} & set(parts[:-1]) or parts[-1].startswith(("test_", "conftest")):
        return Kind.TEST
    example = {"example", "examples", "docs", "demo"} & set(parts) or is_notebook(path)
    return Kind.SCRIPT if example or "__main__" in text else Kind.LIBRARY


def _examples(folder: str) -> Iterator[Source]:
    """The Python blocks of the project's Markdown files, prompts taken off."""
    documents = 0
    for number, (here, folders, names) in enumerate(os.walk(folder)):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "node_modules")
        for name in sorted(names):
            if not name.lower().endswith(".md") or documents == _MOST_DOCUMENTS:
                continue
            documents += 1
            path = os.path.join(here, name)
            for block in _FENCED.findall(_code_of(path)):
                tree = _parsed(_without_prompts(block))
                if tree is not None:
                    yield Source(os.path.relpath(path, folder).replace(os.sep, "/"), "", tree, Kind.DOCUMENT)
        if number == _MOST_FOLDERS:
            return


def _without_prompts(block: str) -> str:
    if ">>> " not in block:
        return block
    return "\n".join(line[4:] for line in block.splitlines() if line.startswith((">>> ", "... ")))


def _parsed(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# ----------------------------------------------------------------------- walks


def calls_in(tree: ast.Module) -> Iterator[tuple[ast.Call, Chain]]:
    """Every call with what is around it, in the order of the text."""
    waiting: list[tuple[ast.AST, Chain]] = [(tree, (tree,))]
    while waiting:
        node, chain = waiting.pop()
        if isinstance(node, ast.Call):
            yield node, chain
        inner = (*chain, node) if isinstance(node, _DEFINITIONS) else chain
        waiting += [(child, inner) for child in reversed([*ast.iter_child_nodes(node)])]


def own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """What stands in a scope itself, not in functions and classes inside of it; those are given, but not entered."""
    waiting = [*reversed([*ast.iter_child_nodes(scope)])]
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (*_DEFINITIONS, ast.Lambda)):
            waiting += reversed([*ast.iter_child_nodes(node)])
