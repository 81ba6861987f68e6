"""Which tests ask whether something traces: what stands under them eager code never runs, by the text of one file.

`torch.compiler.is_compiling()` and its likes ask, and so does a function of the same file that gives their answer. Of
`a or b` both must ask: under `is_compiling() or debug` eager code may come as well. Does not belong here: which sides
of a change must have run (`sides`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_ASKING = frozenset(
    "is_compiling is_dynamo_compiling is_torchdynamo_compiling is_exporting is_scripting is_tracing "
    "is_current_stream_capturing".split()
)
_DEEP = 4  # a helper of a helper of a helper
_Functions = dict[str, ast.FunctionDef]


class Asking:
    """The tests of one file, and its functions that answer for a compiler."""

    def __init__(self, tree: ast.Module) -> None:
        named = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
        # A name that is bound twice is whichever was bound last.
        self._functions: _Functions = {one.name: one for one in named}

    def asks(self, test: ast.expr) -> bool:
        """Whether a test is true, or false where it is negated, only while something traces."""
        return _asks(test, self._functions, _DEEP)

    def sides(self, node: ast.If | ast.IfExp) -> tuple[Sequence[ast.AST], Sequence[ast.AST]]:
        """Of such a test what eager code takes, and what only a tracer comes to."""
        first, other = ([*one] if isinstance(one, list) else [one] for one in (node.body, node.orelse))
        return (first, other) if self._is_negated(node.test) else (other, first)

    def lines(self, tree: ast.Module) -> set[int]:
        """The lines that only a tracer comes to."""
        found: set[int] = set()
        for node in ast.walk(tree):
            if isinstance(node, (ast.If, ast.IfExp)) and self.asks(node.test):
                for one in self.sides(node)[1]:
                    assert isinstance(one, (ast.stmt, ast.expr)), "a side of a test has a place"
                    found |= set(range(one.lineno, (one.end_lineno or one.lineno) + 1))
        return found

    def _is_negated(self, test: ast.expr) -> bool:
        return any(isinstance(one, ast.UnaryOp) and self.asks(one.operand) for one in ast.walk(test))


def _asks(node: ast.AST, functions: _Functions, deep: int) -> bool:
    if isinstance(node, ast.BoolOp):
        each = (_asks(one, functions, deep) for one in node.values)
        return all(each) if isinstance(node.op, ast.Or) and not _any_negated(node, functions, deep) else any(each)
    if isinstance(node, (ast.Attribute, ast.Name)):
        name = node.attr if isinstance(node, ast.Attribute) else node.id
        if name not in functions or isinstance(node, ast.Attribute):
            return name in _ASKING
        return False
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in functions:
        return deep > 0 and _answers(functions[node.func.id], node, functions, deep - 1)
    return any(_asks(one, functions, deep) for one in ast.iter_child_nodes(node))


def _any_negated(node: ast.BoolOp, functions: _Functions, deep: int) -> bool:
    """`not is_compiling() or odd`: eager code takes the side of the test in any case."""
    return any(
        isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not) and _asks(one.operand, functions, deep)
        for one in node.values
    )


def _answers(function: ast.FunctionDef, call: ast.Call, functions: _Functions, deep: int) -> bool:
    """Whether all that a function gives for a call is the answer of a tracer, or False."""
    unset = _left_out(function, call)
    statements = list(_statements(function.body, unset))
    given = [one.value for one in statements if isinstance(one, ast.Return) and one.value is not None]
    values: list[ast.expr] = []
    for one in given:
        values += _values_of(one.id, statements) if isinstance(one, ast.Name) else [one]
    answers = [one for one in values if not (isinstance(one, ast.Constant) and not one.value)]
    return bool(answers) and all(_asks(one, functions, deep) for one in answers)


def _left_out(function: ast.FunctionDef, call: ast.Call) -> frozenset[str]:
    """The parameters that are None in a call without any arguments."""
    if call.args or call.keywords:
        return frozenset()
    arguments = function.args.args
    defaults = function.args.defaults
    pairs = zip(arguments[len(arguments) - len(defaults) :], defaults, strict=True)
    return frozenset(name.arg for name, one in pairs if isinstance(one, ast.Constant) and one.value is None)


def _statements(body: list[ast.stmt], unset: frozenset[str]) -> Iterator[ast.stmt]:
    """The statements of a function, but for those under `if x is not None` where x is None."""
    for one in body:
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            continue
        yield one
        if isinstance(one, ast.If) and _is_set(one.test) in unset:
            yield from _statements(one.orelse, unset)
            continue
        for name in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(one, name, []), unset)
        for handler in getattr(one, "handlers", []):
            yield from _statements(handler.body, unset)


def _is_set(test: ast.expr) -> str:
    """`x` of `x is not None`."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.IsNot):
        return ""
    right = test.comparators[0]
    alone = isinstance(test.left, ast.Name) and isinstance(right, ast.Constant) and right.value is None
    return test.left.id if alone and isinstance(test.left, ast.Name) else ""


def _values_of(name: str, statements: Sequence[ast.stmt]) -> list[ast.expr]:
    """What statements give a name; what is or-ed to it is one more value. The name itself where it is unclear."""
    found: list[ast.expr] = []
    for one in statements:
        targets = one.targets if isinstance(one, ast.Assign) else [one.target] if isinstance(one, ast.AugAssign) else []
        if not any(isinstance(target, ast.Name) and target.id == name for target in targets):
            continue
        assert isinstance(one, (ast.Assign, ast.AugAssign)), "it has targets"
        plain = isinstance(one, ast.Assign) or isinstance(one.op, (ast.BitOr, ast.BitAnd))
        found.append(one.value if plain else ast.Name(name, ast.Load()))
    return found or [ast.Name(name, ast.Load())]
