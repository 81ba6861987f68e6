"""Which sides of a change must have run before it is proven, and which of them did not.

Both texts are read: what the change took away must have run in the original, what it brought in the changed copy.
A statement must have run; of `if`, `while`, `a if c else b` and `and`/`or` both ways must have been taken; a
`torch.where`, `torch.cond` or `masked_fill` must have met a condition that was true and one that was false. What stands
under a test of `is_compiling()` (`asking`) is left to the compiled run; what was moved as it stands (`moved`), imports
and headers of definitions need no run.
"""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from compilelint.dynamic.asking import Asking
from compilelint.dynamic.moved import checked, guarded, moved
from compilelint.dynamic.ways import way_to

Place = tuple[int, int, int, int]

_CHOOSING = frozenset({"where", "cond", "masked_fill", "masked_fill_"})
_REGISTERED = frozenset({"register_autograd", "register_effect", "register_fake", "register_kernel"})
_METHODS = (ast.FunctionDef, ast.AsyncFunctionDef)
_NO_RUN = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Global, ast.Nonlocal)


@dataclass(frozen=True, slots=True)
class Seen:
    """What eager runs went through in one file (`worker.coverage.Watch.seen`)."""

    steps: frozenset[tuple[Place | None, Place | None]] = frozenset()
    choices: tuple[tuple[Place | None, bool, bool], ...] = ()

    def joined(self, other: Seen) -> Seen:
        """What both went through together."""
        return Seen(self.steps | other.steps, (*self.choices, *other.choices))

    def ran(self, node: ast.AST) -> bool:
        """Whether an instruction of the node ran."""
        return any(place is not None and _inside(place, node) for _, place in self.steps)

    def left(self, start: ast.AST, *without: ast.AST) -> bool:
        """Whether a step led out of a node to something in none of the others."""
        return any(
            before is not None
            and after is not None
            and _inside(before, start)
            and not any(_inside(after, one) for one in (start, *without))
            for before, after in self.steps
        )


def seen_from(data: Mapping[str, Any]) -> Seen:
    """The same from what a worker wrote."""
    return Seen(
        frozenset((_place(one), _place(other)) for one, other in data["steps"]),
        tuple((_place(place), true, false) for place, true, false in data["choices"]),
    )


def _place(found: Sequence[int] | None) -> Place | None:
    return None if found is None else (found[0], found[1], found[2], found[3])


_PASSED_BY = frozenset({"was false", "was decided early"})


@dataclass(frozen=True, slots=True)
class Side:
    """Something that must have happened: at a line, in words, and whether it did; `way` is what would do."""

    line: int
    words: str
    happened: bool
    way: str = ""


def sides(old: str, new: str, before: Seen, after: Seen) -> list[Side]:
    """Every side of a change from one text to another. Both texts parse."""
    lines = old.splitlines(), new.splitlines()
    removed: set[int] = set()
    added: set[int] = set()
    for kind, start, end, first, last in difflib.SequenceMatcher(None, *lines, autojunk=False).get_opcodes():
        if kind != "equal":
            removed |= set(range(start + 1, end + 1))
            added |= set(range(first + 1, last + 1))
    trees = ast.parse(old), ast.parse(new)
    whole, asked, in_front = moved(*trees), checked(*trees), guarded(*trees)
    same = whole[0] | asked[0], whole[1] | asked[1]
    return [
        *_sides(trees[0], lines[0], removed, before, same[0], in_front),
        *_sides(trees[1], lines[1], added, after, same[1]),
    ]


def _sides(
    tree: ast.Module,
    lines: Sequence[str],
    changed: set[int],
    seen: Seen,
    same: Collection[int],
    guarded_tests: Collection[int] = (),
) -> Iterator[Side]:
    for node in _in_functions(tree):
        if not isinstance(node, (ast.stmt, ast.expr)) or id(node) in same:
            continue
        head = _head(node)
        if not changed & set(range(node.lineno, (head.end_lineno or head.lineno) + 1)):
            continue
        text = " ".join((ast.get_source_segment("\n".join(lines), head) or "").split())[:60]
        for words, happened in _of_node(node, head, seen):
            if id(node) in guarded_tests and words in _PASSED_BY:
                continue  # where the test is false, nothing happens, with a guard in front of it or without
            way = "" if happened else way_to(tree, node, head, seen.ran)
            yield Side(node.lineno, f"`{text}` {words}", happened, way)


def _in_functions(tree: ast.Module) -> Iterator[ast.AST]:
    """What stands in the bodies of functions, but for what only a compiler calls or only compiled code reaches."""
    pending: list[tuple[ast.AST, bool]] = [(tree, False)]
    asking = Asking(tree)
    compiled = _called_compiled(tree, asking)
    while pending:
        node, inside = pending.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name in compiled or any("register_" in ast.unparse(one) for one in node.decorator_list):
                continue
            pending += [(one, True) for one in node.body]
            continue
        if isinstance(node, (ast.If, ast.IfExp)) and asking.asks(node.test):
            pending += [(one, inside) for one in asking.sides(node)[0]]
            continue
        if inside and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield node
        pending += [(one, inside) for one in ast.iter_child_nodes(node)]


def _called_compiled(tree: ast.Module, asking: Asking) -> set[str]:
    """The names that are only read where compiled code alone comes, or in functions that are themselves such."""
    tests = [one for one in ast.walk(tree) if isinstance(one, (ast.If, ast.IfExp)) and asking.asks(one.test)]
    inside = sum((_read(one) for node in tests for one in asking.sides(node)[1]), Counter[str]())
    every = _read(tree) - _registering(tree)
    functions = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
    bound = Counter(one.name for one in functions)
    found: set[str] = set()
    while True:
        more = {name for name, count in inside.items() if count == every[name]} - found
        if not more:
            return found
        found |= more
        for one in functions:
            if one.name in more and bound[one.name] == 1:
                inside += sum((_read(part) for part in one.body), Counter[str]())
        for owner, call in _registered(tree):
            if owner in more:
                inside += sum((_read(part) for part in (*call.args, *call.keywords)), Counter[str]())


def _registering(tree: ast.Module) -> Counter[str]:
    """The names of operators in `@name.register_fake`, `name.register_effect(...)` and the like, which call nothing."""
    methods = [one for one in ast.walk(tree) if isinstance(one, _METHODS)]
    marks = [one for method in methods for one in method.decorator_list if isinstance(one, ast.Attribute)]
    named = sum((_read(one) for one in marks if one.attr.startswith("register_")), Counter[str]())
    return named + Counter(owner for owner, _ in _registered(tree))


def _registered(tree: ast.Module) -> Iterator[tuple[str, ast.Call]]:
    """Operators of the file that something is registered for in a statement at its top, with the call."""
    operators = {
        one.name
        for one in tree.body
        if isinstance(one, ast.FunctionDef) and any("custom_op" in ast.unparse(mark) for mark in one.decorator_list)
    }
    for one in tree.body:
        call = one.value if isinstance(one, ast.Expr) else None
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in _REGISTERED:
            owner = call.func.value
            if isinstance(owner, ast.Name) and owner.id in operators:
                yield owner.id, call


def _read(node: ast.AST) -> Counter[str]:
    return Counter(one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))


def _head(node: ast.stmt | ast.expr) -> ast.stmt | ast.expr:
    """What of a node stands on its own lines: of a compound statement the test or what it goes through."""
    if isinstance(node, (ast.If, ast.While)):
        return node.test
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return node.iter
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return node.items[0].context_expr
    return node


def _of_node(node: ast.stmt | ast.expr, head: ast.AST, seen: Seen) -> Iterator[tuple[str, bool]]:
    if isinstance(node, ast.stmt):
        if not isinstance(node, (*_NO_RUN, ast.Try, ast.Pass, ast.Match)):
            yield "ran", seen.ran(head)
        if isinstance(node, (ast.If, ast.While)):
            yield "was true", seen.ran(_head(node.body[0]))
            yield "was false", _was_false(node, seen)
    elif isinstance(node, ast.IfExp):
        yield "took its first side", seen.ran(node.body)
        yield "took its other side", seen.ran(node.orelse)
    elif isinstance(node, ast.BoolOp):
        for one, following in zip(node.values, node.values[1:], strict=False):
            yield "went on to its next part", seen.ran(following)
            yield "was decided early", seen.left(one, following)
    elif isinstance(node, ast.Call) and _name(node.func) in _CHOOSING and len(node.args) + len(node.keywords) > 1:
        met = [one for one in seen.choices if one[0] is not None and _inside(one[0], node)]
        yield "chose its first side", any(true for _, true, _ in met)
        yield "chose its other side", any(false for _, _, false in met)


def _was_false(node: ast.If | ast.While, seen: Seen) -> bool:
    if node.orelse:
        return seen.ran(_head(node.orelse[0]))
    return seen.left(node.test, *node.body)


def _name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""


def _inside(place: Place, node: ast.AST) -> bool:
    start = (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))
    end = (getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0))
    return start <= place[:2] and place[2:] <= end
