"""How a file spells a library's name, and the import that it lacks.

`import torch as th` makes `torch.where` `th.where`; `from torch import nn` makes `torch.nn.functional` `nn.functional`.
Where nothing binds the library at the top of the file, an import is added below the last of the imports that open it,
behind the docstring and `from __future__`. A name that the function around the finding binds again is not used.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.model import Edit, Span
from compilelint.model.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Spelled:
    """A dotted name as this file writes it, and the edits that make it known (none where it is)."""

    text: str
    edits: tuple[Edit, ...] = ()


def spell(code: Code, dotted: str, span: Span) -> Spelled | None:
    """`dotted` as it can be written at `span`; None where the names it needs mean something else there."""
    known = bound(code)
    taken = _rebound(code, span)
    best: str | None = None
    for name, target in known.items():
        if name in taken or not (dotted == target or dotted.startswith(f"{target}.")):
            continue
        text = name + dotted.removeprefix(target)
        if best is None or (text.count("."), len(text)) < (best.count("."), len(best)):
            best = text
    if best is not None:
        return Spelled(best)
    package = dotted.partition(".")[0]
    if package in taken or package in known or _assigned(code.tree, package):
        return None
    return Spelled(dotted, (_import(code, package),))


def bound(code: Code) -> dict[str, str]:
    """What the imports at the top of the file bind: name to dotted target; a name bound twice means nothing sure."""
    if code.bound is None:
        code.bound = _bound(code.tree)
    return code.bound


def _bound(tree: ast.Module) -> dict[str, str]:
    found: dict[str, str] = {}
    unsure: set[str] = set()
    for node in tree.body:
        pairs: list[tuple[str, str]] = []
        if isinstance(node, ast.Import):
            for one in node.names:
                name = one.asname or one.name.partition(".")[0]
                pairs.append((name, one.name if one.asname else name))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            pairs = [(one.asname or one.name, f"{node.module}.{one.name}") for one in node.names]
        for name, target in pairs:
            if found.setdefault(name, target) != target:
                unsure.add(name)
    return {name: target for name, target in found.items() if name not in unsure and not _assigned(tree, name)}


def _assigned(tree: ast.Module, name: str) -> bool:
    """Whether the module binds the name by other means than imports."""
    for node in tree.body:
        if isinstance(node, (*FunctionNode, ast.ClassDef)):
            if node.name == name:
                return True
        elif any(one.id == name for one in names_in(node, is_store)):
            return True
    return False


def _rebound(code: Code, span: Span) -> set[str]:
    """The names that the functions and classes around `span` bind themselves."""
    taken: set[str] = set()
    for node in code.path(span):
        if isinstance(node, FunctionNode):
            if node not in code.rebound:
                code.rebound[node] = frozenset(_bound_in(node))
            taken |= code.rebound[node]
    return taken


def _bound_in(function: ast.AST) -> Iterator[str]:
    """The names that are bound anywhere below a function, its own parameters included."""
    for node in ast.walk(function):
        if isinstance(node, ast.Name):
            if is_store(node):
                yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from (one.asname or one.name.partition(".")[0] for one in node.names)


def _import(code: Code, package: str) -> Edit:
    """`import package` on a line of its own, below the imports that open the file, but above those of its program."""
    line = _above_own(code)
    if line:
        before = code.source.lines[: line - 1]
        if before and not before[-1].strip() and _imports_above(code, line):  # it ends the group above the blank line
            line = max(number for number, text in enumerate(before, 1) if text.strip()) + 1
        return Edit(Span(line, 1, line, 1), f"import {package}\n")
    line = after_imports(code)
    return Edit(Span(line, 1, line, 1), f"import {package}\n")


def _above_own(code: Code) -> int:
    """The line of the first of the program's own imports, if these end the run of imports at the top; else 0."""
    end = after_imports(code)
    run = [one for one in code.tree.body if isinstance(one, (ast.Import, ast.ImportFrom)) and one.lineno < end]
    first = 0
    for one in reversed(run):
        if not _is_own(one, code):
            break
        first = one.lineno
    return first


def _is_own(node: ast.Import | ast.ImportFrom, code: Code) -> bool:
    """Whether an import is relative, or of a package that the file lies in, by the names of its folders."""
    if isinstance(node, ast.Import):
        tops = {one.name.partition(".")[0] for one in node.names}
    else:
        tops = {(node.module or "").partition(".")[0]}
    folders = code.source.path.split("/")[:-1]
    return (isinstance(node, ast.ImportFrom) and node.level > 0) or tops <= set(folders)


def imports_already(code: Code, package: str) -> bool:
    """Whether an import at the top of the file loads a package, or a part of it."""
    for node in code.tree.body:
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        if any(name.partition(".")[0] == package for name in names):
            return True
    return False


def _imports_above(code: Code, line: int) -> bool:
    """Whether an import that is not of the future stands above a line."""
    return any(
        isinstance(one, (ast.Import, ast.ImportFrom)) and one.lineno < line and not _is_future(one)
        for one in code.tree.body
    )


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def after_imports(code: Code) -> int:
    """The line before which a new import belongs: behind the docstring and the unbroken run of imports at the top."""
    body = code.tree.body
    at = 0
    for index, node in enumerate(body):
        docstring = index == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if not (isinstance(node, (ast.Import, ast.ImportFrom)) or docstring):
            break
        at = node.end_lineno or node.lineno
    if at == 0 and body:
        return first_line(body[0])
    return at + 1


def first_line(statement: ast.stmt) -> int:
    """The line a statement starts in, its decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(one.lineno for one in decorators)])


def spelled_target(expression: ast.expr, code: Code) -> str | None:
    """The dotted library name that an expression such as `F.relu` spells; None where no import at the top binds it."""
    parts: list[str] = []
    node = expression
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    target = bound(code).get(node.id) if isinstance(node, ast.Name) else None
    return None if target is None else ".".join([target, *reversed(parts)])
