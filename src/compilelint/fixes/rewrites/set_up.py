"""What a module sets up in its first call is set up in `__init__`: hooks on its parts. Kept by `fix` only."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span


@rewrite("first-call", rank=1, proven=True, rules=("CL616",))
def set_up_in_init(finding: Finding, code: Code) -> Iterator[Offer]:
    """`if not self.ready: self._set_up()` in a method: `__init__` ends with `self._set_up()`, which registers hooks.

    The test in the method stays and finds that nothing is left to do. Where the method may return before it, for what
    `__init__` was given (`if self.layer == -1: return ...`), `__init__` asks that too.
    Legal where the class derives from `nn.Module` in so many words, `__init__` sets the flag to False and never returns
    early, the method that sets up takes nothing, ends by setting the flag to True, and reads only what `__init__` sets
    before, methods, and what every module has. Changes: the hooks are there from the beginning, so they see calls of
    the hooked part before the first call of the module, and a part that is replaced in between has none.
    """
    path = code.path(finding.location.span)
    owner = next((one for one in path if isinstance(one, ast.ClassDef)), None)
    method = code.function(finding.location.span)
    if owner is None or method not in owner.body or not isinstance(method, ast.FunctionDef):
        return
    if not any(spelled_target(base, code) == "torch.nn.Module" for base in owner.bases) or owner.decorator_list:
        return
    init = next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    flag = _flag_of(method)
    if init is None or flag is None or not _takes_nothing(method) or not _is_whole(init):
        return
    given = _set_in(init)
    before = _asked_before(owner, method.name, flag)
    if not _is_constant(given.get(flag), False) or before is None or _is_called(init, method.name):
        return
    read = _reads(method).union(*map(_reads, before))
    if not read <= given.keys() | _methods(owner) | _OF_EVERY_MODULE:
        return
    if _stores_of(owner, flag) != 2:  # `__init__` and the method itself: nothing asks for another round
        return
    first, last = init.body[0], init.body[-1]
    line = (last.end_lineno or last.lineno) + 1
    indent = code.source.line(first.lineno)[: first.col_offset]
    text = f"{indent}self.{method.name}()\n"
    if before:
        text = f"{indent}if {' and '.join(map(_denied, before))}:\n{code.indent}{text}"
    yield Offer(
        Fix(Safety.UNSAFE, "set the module up in `__init__`", (Edit(Span(line, 1, line, 1), text),)),
        (OnlyRuns("a hook would see what comes before the first call", ("hooks",)),),
    )


# ---------------------------------------------------------------------- parts

_OTHERWISE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OF_EVERY_MODULE = frozenset("children modules named_children named_modules named_parameters parameters".split())


def _flag_of(method: ast.FunctionDef) -> str | None:
    """The attribute that the last statement of a method sets to True."""
    last = method.body[-1]
    if not isinstance(last, ast.Assign) or len(last.targets) != 1 or not _is_constant(last.value, True):
        return None
    return _own(last.targets[0])


def _takes_nothing(method: ast.FunctionDef) -> bool:
    given = method.args
    alone = [one.arg for one in given.args] == ["self"] and not (given.posonlyargs or given.kwonlyargs)
    returns = any(isinstance(one, (ast.Return, ast.Yield, ast.YieldFrom)) for one in ast.walk(method))
    return alone and given.vararg is None and given.kwarg is None and not method.decorator_list and not returns


def _is_whole(init: ast.FunctionDef) -> bool:
    """Whether what is added at the end of `__init__` always runs, behind `super().__init__()`."""
    ends = any(isinstance(one, ast.Return) for one in ast.walk(init)) or isinstance(init.body[-1], ast.Raise)
    calls = (one for one in init.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call))
    called = any(ast.unparse(one).startswith("super(") for one in calls)
    return called and not ends and not init.decorator_list and init.body[0].lineno > init.lineno


def _set_in(init: ast.FunctionDef) -> dict[str, ast.expr]:
    """What `__init__` gives attributes on every way, by name; the last value of each."""
    found: dict[str, ast.expr] = {}
    for statement in init.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                name = _own(target)
                if name is not None:
                    found[name] = statement.value
    return found


def _asked_before(owner: ast.ClassDef, name: str, flag: str) -> list[ast.expr] | None:
    """The tests for which the method that calls for the set-up returns before it; None where it is called otherwise.

    It is called in one place of the class, and that is all that `if not self.FLAG:` does.
    """
    if sum(isinstance(one, ast.Attribute) and one.attr == name for one in ast.walk(owner)) != 1:
        return None
    for method in owner.body:
        statements = method.body if isinstance(method, ast.FunctionDef) else []
        for at, node in enumerate(statements):
            if isinstance(node, ast.If) and _asks_for(node, name, flag):
                return _tests_before(statements[:at])
    return None


def _asks_for(node: ast.If, name: str, flag: str) -> bool:
    negated = isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not)
    only = node.body[0]
    call = only.value if isinstance(only, ast.Expr) and len(node.body) == 1 and not node.orelse else None
    called = isinstance(call, ast.Call) and _own(call.func) == name and not call.args and not call.keywords
    return called and negated and isinstance(node.test, ast.UnaryOp) and _own(node.test.operand) == flag


def _tests_before(statements: list[ast.stmt]) -> list[ast.expr] | None:
    """The tests of early returns among some statements; None where what they ask is not the module's own alone."""
    tests = []
    for one in statements:
        if not any(isinstance(inner, ast.Return) for inner in ast.walk(one)):
            continue
        if not isinstance(one, ast.If) or one.orelse or not isinstance(one.body[-1], ast.Return):
            return None
        if any(isinstance(inner, ast.Name) and inner.id != "self" for inner in ast.walk(one.test)):
            return None
        if any(isinstance(inner, (ast.Call, ast.NamedExpr)) for inner in ast.walk(one.test)):
            return None
        tests.append(one.test)
    return tests


def _denied(test: ast.expr) -> str:
    """The test that holds where another does not, as one would write it."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return ast.unparse(test.operand) if _own(test.operand) else f"({ast.unparse(test.operand)})"
    other = _OTHERWISE.get(type(test.ops[0])) if isinstance(test, ast.Compare) and len(test.ops) == 1 else None
    if isinstance(test, ast.Compare) and other is not None:
        return ast.unparse(ast.Compare(test.left, [other()], test.comparators))
    return f"not {ast.unparse(test)}" if _own(test) else f"not ({ast.unparse(test)})"


def _is_called(init: ast.FunctionDef, name: str) -> bool:
    """Whether `__init__` calls the method, or the module itself, so that it was set up already."""
    return any(isinstance(one, ast.Call) and _own(one.func) in (name, "forward") for one in ast.walk(init))


def _reads(method: ast.AST) -> set[str]:
    """The attributes of `self` that are read."""
    reads = (one for one in ast.walk(method) if isinstance(one, ast.Attribute) and isinstance(one.ctx, ast.Load))
    return {name for one in reads if (name := _own(one)) is not None}


def _methods(owner: ast.ClassDef) -> set[str]:
    return {one.name for one in owner.body if isinstance(one, FunctionNode) and not one.decorator_list}


def _stores_of(owner: ast.ClassDef, name: str) -> int:
    stores = (one for one in ast.walk(owner) if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load))
    return sum(one.attr == name for one in stores)


def _own(node: ast.expr) -> str | None:
    """The name of an attribute of `self`."""
    plain = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"
    return node.attr if plain and isinstance(node, ast.Attribute) else None


def _is_constant(node: ast.expr | None, value: bool) -> bool:
    return isinstance(node, ast.Constant) and node.value is value
