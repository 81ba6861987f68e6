"""Delta reduction of a script: parts are taken out or made simpler as long as a trial still shows the same.

Level by level, large parts first, as hierarchical delta debugging has it. A candidate is a text; the oracle runs it.
Deterministic: the same script and oracle give the same result.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

Oracle = Callable[[str], bool]

_DEEPEST = 14
_BODIES = ("body", "orelse", "finalbody", "handlers")


class Reduction:
    """Reduces a module within a number of trials and seconds; `trials` and `accepted` count them."""

    def __init__(self, oracle: Oracle, trials: int, seconds: float, kept: frozenset[str] = frozenset()) -> None:
        self._oracle, self._most, self._ends = oracle, trials, time.monotonic() + seconds
        self._kept = kept
        self._tried: dict[str, bool] = {}
        self.trials = self.accepted = 0

    def reduce(self, text: str) -> str:
        """The smallest text that was found; the given one where nothing could go."""
        tree = _plain(ast.parse(text))
        if not self._shows(tree):
            tree = ast.parse(text)
        before = ""
        while before != ast.unparse(tree) and not self._spent():
            before = ast.unparse(tree)
            for step in (self._statements, self._unused, self._unwrapped, self._simpler):
                tree = step(tree)
        return ast.unparse(ast.fix_missing_locations(tree))

    # ------------------------------------------------------------------- trials

    def _spent(self) -> bool:
        return self.trials >= self._most or time.monotonic() > self._ends

    def _shows(self, tree: ast.Module) -> bool:
        text = ast.unparse(ast.fix_missing_locations(tree))
        if text not in self._tried:
            if self._spent():
                return False
            self.trials += 1
            self._tried[text] = self._oracle(text)
            self.accepted += self._tried[text]
        return self._tried[text]

    # -------------------------------------------------------------------- steps

    def _statements(self, tree: ast.Module) -> ast.Module:
        """Take out statements, level by level, in halves and then one by one."""
        for level in (*range(1, _DEEPEST), 0):  # a slice holds nothing at its top that is not needed further in
            places = list(_removable(tree, level))
            size = len(places)
            while places and size >= 1 and not self._spent():
                tree, places = self._chunks(tree, places, size, level)
                size //= 2
            if places:
                tree = self._unused(tree)
        return tree

    def _chunks(self, tree: ast.Module, places: list[_Place], size: int, level: int) -> tuple[ast.Module, list[_Place]]:
        at = 0
        while at < len(places) and not self._spent():
            candidate = _without(tree, places[at : at + size])
            if self._shows(candidate):
                tree = candidate
                places = list(_removable(tree, level))
            else:
                at += size
        return tree, places

    def _unused(self, tree: ast.Module) -> ast.Module:
        """Take out definitions and imports that nothing uses any more, all at once."""
        used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
        slim = copy.deepcopy(tree)
        slim.body = [one for one in slim.body if _is_used(one, used)]
        for one in slim.body:
            if isinstance(one, (ast.Import, ast.ImportFrom)):
                one.names = [alias for alias in one.names if (alias.asname or alias.name.partition(".")[0]) in used]
        return slim if self._shows(slim) else tree

    def _unwrapped(self, tree: ast.Module) -> ast.Module:
        """Replace compound statements by what stands in them, and calls of functions that only forward by nothing."""
        at = 0
        while not self._spent():
            candidate = _unwrap(tree, at)
            if candidate is None:
                return tree
            if self._shows(candidate):
                tree = candidate
            else:
                at += 1
        return tree

    def _simpler(self, tree: ast.Module) -> ast.Module:
        """Replace expressions by a part of them."""
        at = 0
        while not self._spent():
            candidate = _simplify(tree, at)
            if candidate is None:
                return tree
            if self._shows(candidate):
                tree = candidate
            else:
                at += 1
        return tree


# ------------------------------------------------------------------ candidates

_Place = tuple[tuple[str | int, ...], int]


def _plain(tree: ast.Module) -> ast.Module:
    """Without docstrings, annotations and their imports' need."""
    tree = copy.deepcopy(tree)
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            body = node.body
            if body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                node.body = body[1:] or [ast.Pass()]
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            node.returns = None
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                argument.annotation = None
    return ast.fix_missing_locations(tree)


def _bodies(node: ast.AST) -> Iterator[tuple[str, list[ast.stmt]]]:
    for name in _BODIES:
        body = getattr(node, name, None)
        if isinstance(body, list):
            yield name, body


def _removable(tree: ast.AST, level: int, path: tuple[str | int, ...] = ()) -> Iterator[_Place]:
    """The statements at a depth, the last first, as the way to their body and their place in it."""
    for name, body in _bodies(tree):
        if level == 0:
            yield from (
                ((*path, name), at) for at in range(len(body) - 1, -1, -1) if not isinstance(body[at], ast.Pass)
            )
        else:
            for at, one in enumerate(body):
                yield from _removable(one, level - 1, (*path, name, at))


def _at(tree: ast.AST, path: tuple[str | int, ...]) -> list[ast.stmt]:
    found: object = tree
    for part in path:
        found = found[part] if isinstance(part, int) else getattr(found, part)  # type: ignore[index]
    assert isinstance(found, list)
    return found


def _without(tree: ast.Module, places: list[_Place]) -> ast.Module:
    candidate = copy.deepcopy(tree)
    gone = {id(_at(candidate, path)[at]) for path, at in places}
    for path in {path for path, _ in places}:
        body = _at(candidate, path)
        body[:] = [one for one in body if id(one) not in gone]
        if not body and path[-1] == "body" and len(path) > 1:
            body.append(ast.Pass())
    return candidate


def _is_used(statement: ast.stmt, used: set[str]) -> bool:
    if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
        return statement.name in used
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return any((alias.asname or alias.name.partition(".")[0]) in used for alias in statement.names)
    if isinstance(statement, ast.Assign) and all(isinstance(one, ast.Name) for one in statement.targets):
        simple = isinstance(statement.value, (ast.Constant, ast.Name, ast.Attribute))
        return not simple or any(one.id in used for one in statement.targets if isinstance(one, ast.Name))
    return True


def _unwrap(tree: ast.Module, number: int) -> ast.Module | None:
    """The tree with the compound statement of this number replaced by its body; None where there are fewer."""
    candidate = copy.deepcopy(tree)
    count = 0
    for node in ast.walk(candidate):
        for _, body in _bodies(node):
            for at, one in enumerate(body):
                if isinstance(one, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
                    for inner in (one.body, getattr(one, "orelse", [])):
                        if inner and count == number:
                            body[at : at + 1] = inner
                            return candidate
                        count += bool(inner)
                elif isinstance(one, (ast.FunctionDef, ast.ClassDef)) and one.decorator_list:
                    if count == number:
                        one.decorator_list = []
                        return candidate
                    count += 1
    return None


def _simplify(tree: ast.Module, number: int) -> ast.Module | None:
    """The tree with one expression replaced by a part of it, or an argument left out; None where there are fewer."""
    candidate = copy.deepcopy(tree)
    count = 0
    for node in ast.walk(candidate):
        for name, value in ast.iter_fields(node):
            for at, one in enumerate(value if isinstance(value, list) else [value]):
                for part in _parts(one):
                    if count == number:
                        if isinstance(value, list):
                            value[at] = part
                        else:
                            setattr(node, name, part)
                        return candidate
                    count += 1
        if isinstance(node, ast.Call):
            for at in range(len(node.keywords)):
                if count == number:
                    del node.keywords[at]
                    return candidate
                count += 1
    return None


def _parts(one: object) -> Iterator[ast.expr]:
    """What may stand for an expression: its operands, the receiver or the arguments of a call."""
    if isinstance(one, ast.BinOp):
        yield from (one.left, one.right)
    elif isinstance(one, ast.BoolOp):
        yield from one.values
    elif isinstance(one, ast.IfExp):
        yield from (one.body, one.orelse)
    elif isinstance(one, ast.Call):
        if isinstance(one.func, ast.Attribute):
            yield one.func.value
        yield from (argument for argument in one.args if not isinstance(argument, ast.Starred))
    elif isinstance(one, (ast.Tuple, ast.List)) and isinstance(one.ctx, ast.Load):
        yield from one.elts[:2]
    elif isinstance(one, (ast.UnaryOp,)):
        yield one.operand
