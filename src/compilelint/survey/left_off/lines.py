"""The lines that run only with a switch on: arms of `if`, and what nothing else mentions."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TypeAlias

from compilelint.model.slotted import dataclass
from compilelint.project.file_kinds import is_benchmark, is_test
from compilelint.survey.left_off.given import Names, named, switches
from compilelint.survey.scopes import expressions, own_expressions, parts, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import blocks_of

Range: TypeAlias = tuple[str, int, int, str]
"""Path, first and last line, and the switch that they need."""

_CALLED_UNSEEN = frozenset({"forward", "main", "backward", "setup_context", "jvp", "vmap"})
_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class _Arm:
    """Lines that a test of one of these names decides."""

    names: tuple[str, ...]
    path: str
    first: int
    last: int


class LeftOff:
    """Fed with the files of a project, one after the other; no node of them is held on to."""

    def __init__(self) -> None:
        self._names = Names()
        self._arms: list[_Arm] = []
        self._defined: dict[str, list[tuple[str, int, int]]] = {}
        self._mentions: dict[str, list[tuple[str, int]]] = {}

    def read(self, module: ir.Module) -> None:
        """Take in one more file; tests and benchmarks try what is off, too."""
        if is_test(module.path) or is_benchmark(module.path):
            return
        self._names.read(module)
        waiting: list[ir.Body] = [module.body]
        while waiting:
            body = waiting.pop()
            self._arms += _arms(module, body)
            for s, _ in statements(body):
                if isinstance(s, (ir.Function, ir.Class)):
                    waiting.append(s.body)
                    span = module.span(s.pos)
                    self._defined.setdefault(s.name, []).append((module.path, span.line, span.end_line))
                for expr in expressions(own_expressions(s)):
                    if name := _mentioned(expr):
                        self._mentions.setdefault(name, []).append((module.path, module.line(expr.pos)))

    def ranges(self, on: Collection[str]) -> tuple[Range, ...]:
        """The lines that are off, where `on` are the names that configurations and commands set."""
        off = switches(self._names.resolved(), on)
        found: dict[str, list[tuple[int, int, str]]] = {}
        for arm in self._arms:
            if name := next((off[one] for one in arm.names if one in off), ""):
                found.setdefault(arm.path, []).append((arm.first, arm.last, name))
        for _ in range(_ROUNDS if found else 0):
            fresh = [self._is_behind(name, found) for name in self._defined]
            if not any(fresh):
                break
        return tuple((path, *one) for path, ranges in sorted(found.items()) for one in sorted(set(ranges)))

    def _is_behind(self, name: str, found: dict[str, list[tuple[int, int, str]]]) -> bool:
        """Put down what is mentioned only where a switch is on, or in itself; whether that is news."""
        mentions = self._mentions.get(name, ())
        if not mentions or name in _CALLED_UNSEEN or name.startswith("__"):
            return False
        own = self._defined[name]
        switch = ""
        for path, line in mentions:
            if any(path == at and first <= line <= last for at, first, last in own):
                continue
            inside = next((one for first, last, one in found.get(path, ()) if first <= line <= last), "")
            if not inside:
                return False
            switch = switch or inside
        fresh = False
        for path, first, last in own if switch else ():
            here = found.setdefault(path, [])
            if not any(a <= first and last <= b for a, b, _ in here):
                here.append((first, last, switch))
                fresh = True
        return fresh


def _mentioned(expr: ir.Expr) -> str:
    if isinstance(expr, ir.Const):
        last = expr.value.rpartition(".")[2].rpartition(":")[2] if isinstance(expr.value, str) else ""
        return last if last.isidentifier() else ""
    return expr.id if isinstance(expr, ir.Name) else expr.name if isinstance(expr, ir.Attr) else ""


def _arms(module: ir.Module, body: ir.Body) -> Iterator[_Arm]:
    """The arms of a body, and what follows an arm that leaves it."""
    waiting = [body]
    while waiting:
        block = waiting.pop()
        for place, s in enumerate(block):
            waiting += blocks_of(s)
            if not isinstance(s, ir.If):
                continue
            for test, arm in s.arms:
                if names := _needed(test):
                    yield _Arm(names, module.path, *_lines(module, arm))
            test, arm = s.arms[0]
            if isinstance(test, ir.Unary) and test.op == "not" and (name := named(test.operand)):
                if s.other and len(s.arms) == 1:
                    yield _Arm((name,), module.path, *_lines(module, s.other))
                if isinstance(arm[-1], (ir.Return, ir.Raise)) and block[place + 1 :]:
                    yield _Arm((name,), module.path, *_lines(module, block[place + 1 :]))


def _needed(test: ir.Expr) -> tuple[str, ...]:
    """The names that a test cannot be true without."""
    values = test.values if isinstance(test, ir.BoolOp) and test.op == "and" else (test,)
    return tuple(name for one in values if (name := named(one)))


def _lines(module: ir.Module, body: ir.Body) -> tuple[int, int]:
    """The first and the last line of statements."""
    last = module.span(body[0].pos).end_line
    waiting: list[ir.Body] = [body]
    while waiting:
        for s in waiting.pop():
            ends = [module.span(s.pos).end_line, *(module.span(one.pos).end_line for one in parts_of(s))]
            last = max(last, *ends)
            waiting += blocks_of(s)
            if isinstance(s, (ir.Function, ir.Class)):
                waiting.append(s.body)
    return module.span(body[0].pos).line, last


def parts_of(s: ir.Stmt) -> list[ir.Expr]:
    """The expressions directly in a statement that is no block."""
    return [] if blocks_of(s) or isinstance(s, (ir.Function, ir.Class)) else list(parts(s))
