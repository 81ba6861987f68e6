"""Numbers that go into a tensor as Python ints and are read back from it: the read asks the list instead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.python_sizes import held_by, may_be_empty, why_unknown
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

_REDUCED = {"amax": "max", "amin": "min", "max": "max", "min": "min", "sum": "sum"}
_READ = frozenset({*_REDUCED, "device", "dtype", "item", "numel", "shape", "size", "tolist"})


@rewrite("host-read", rank=8, rules=("CL102",))
def read_from_the_list(finding: Finding, code: Code) -> Iterator[Offer]:
    """`lengths.max().item()` of `lengths = torch.tensor([len(one) for one in rows])` becomes `max(lengths_list)`.

    So do `min`, `sum` and `tolist()`; the list has a name of its own.
    Legal where the tensor is made in the same function, on every way to the read, of a list of whole numbers that
    Python knows (lengths, sizes, constants), and nothing in between may change it. Changes: none; an empty list, or
    sizes of what may be no tensor, need a proof.
    """
    read = next((one for one in reversed(code.path(finding.location.span)) if _is_read(one)), None)
    function = code.function(finding.location.span)
    if not isinstance(read, ast.Call) or not isinstance(read.func, ast.Attribute) or function is None:
        return
    asked, how = _asked(read.func)
    made = None if asked is None else _made_above(asked, code)
    held = None if made is None else held_by(made.value, code)
    if asked is None or made is None or held is None:
        return
    why = why_unknown(held, function, code)
    name = f"{asked.id}_list"
    if why is None or any(one.id == name for one in names_in(function, lambda _: True)):
        return
    line = code.source.line(made.lineno)
    indent = line[: len(line) - len(line.lstrip())]
    given, place = code.span(held), code.span(made)
    if place.column - 1 != len(indent):
        return
    text = _text(given, code)
    new = f"{name}.copy()" if not how else f"{how}({name})"
    if how and may_be_empty(held):
        why = why or f"`{name}` may be empty, for which another error is raised"
    edits = (
        Edit(Span(made.lineno, 1, made.lineno, 1), f"{indent}{name} = {text}\n"),
        Edit(given, name),
        Edit(code.span(read), new),
    )
    assumes = (OnlyRuns(why),) if why else ()
    yield Offer(Fix(Safety.UNSAFE, "read the number from the list", edits), assumes)


# ---------------------------------------------------------------------- parts


def _is_read(node: ast.AST) -> bool:
    """`x.item()` or `x.tolist()`."""
    if not isinstance(node, ast.Call) or node.args or node.keywords:
        return False
    return isinstance(node.func, ast.Attribute) and node.func.attr in ("item", "tolist")


def _asked(read: ast.Attribute) -> tuple[ast.Name | None, str]:
    """The name that is read, and the function of Python's that reads the same of its list; "" for all of it."""
    value = read.value
    if read.attr == "tolist":
        return (value, "") if isinstance(value, ast.Name) else (None, "")
    if not isinstance(value, ast.Call) or value.args or value.keywords or not isinstance(value.func, ast.Attribute):
        return None, ""
    how = _REDUCED.get(value.func.attr)
    return (value.func.value, how) if how and isinstance(value.func.value, ast.Name) else (None, "")


def _made_above(name: ast.Name, code: Code) -> ast.Assign | None:
    """The statement that gives a name its tensor, in a block around the read, if nothing in between may change it."""
    path = code.around(name)
    for index in range(len(path) - 1, 0, -1):
        inner, outer = path[index], path[index - 1]
        block = next((one for one in _blocks(outer) if inner in one), None)
        if block is None or not isinstance(inner, ast.stmt):
            continue
        above = block[: block.index(inner)]
        at = next((at for at in reversed(range(len(above))) if _stores(above[at], name.id)), None)
        if at is not None:
            made = above[at]
            plain = isinstance(made, ast.Assign) and len(made.targets) == 1 and isinstance(made.targets[0], ast.Name)
            between = [*above[at + 1 :], inner]
            if plain and isinstance(made, ast.Assign) and all(_only_reads(one, name.id, code) for one in between):
                return made
            return None
        if isinstance(outer, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return None
    return None


def _blocks(node: ast.AST) -> Iterator[list[ast.stmt]]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def _stores(statement: ast.stmt, name: str) -> bool:
    return any(True for _ in names_in(statement, lambda one: one.id == name and is_store(one)))


def _only_reads(statement: ast.stmt, name: str, code: Code) -> bool:
    """Whether a statement neither binds a name nor gives its tensor to what may write into it.

    The statement that reads it may use it in other ways behind the read.
    """
    for one in names_in(statement, lambda one: one.id == name):
        above = code.around(one)[-1]
        if not isinstance(above, ast.Attribute) or above.attr not in _READ:
            return False
    return True


def _text(span: Span, code: Code) -> str:
    """The source of a span, its lines as they are written."""
    lines = [code.source.line(number) for number in range(span.line, span.end_line + 1)]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return "\n".join(lines)
