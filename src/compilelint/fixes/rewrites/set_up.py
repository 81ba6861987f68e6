"""What a module sets up in its first call is set up in `__init__`: hooks on its parts. Kept by `fix --verify` only."""

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

    The test in the method stays and finds that nothing is left to do.
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
    if not _is_constant(given.get(flag), False) or not _is_asked_for(owner, method.name, flag):
        return
    if not _reads(method) <= given.keys() | _methods(owner) | _OF_EVERY_MODULE or _is_called(init, method.name):
        return
    if _stores_of(owner, flag) != 2:  # `__init__` and the method itself: nothing asks for another round
        return
    first, last = init.body[0], init.body[-1]
    line = (last.end_lineno or last.lineno) + 1
    indent = code.source.line(first.lineno)[: first.col_offset]
    yield Offer(
        Fix(
            Safety.UNSAFE,
            "set the module up in `__init__`",
            (Edit(Span(line, 1, line, 1), f"{indent}self.{method.name}()\n"),),
        ),
        (OnlyRuns("a hook would see what comes before the first call"),),
    )


# ---------------------------------------------------------------------- parts

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


def _is_asked_for(owner: ast.ClassDef, name: str, flag: str) -> bool:
    """Whether the class calls the method in one place, all that `if not self.FLAG:` does."""
    calls = [one for one in ast.walk(owner) if isinstance(one, ast.Attribute) and one.attr == name]
    for node in ast.walk(owner):
        if isinstance(node, ast.If) and isinstance(node.test, ast.UnaryOp) and isinstance(node.test.op, ast.Not):
            only = node.body[0]
            call = only.value if isinstance(only, ast.Expr) and len(node.body) == 1 and not node.orelse else None
            if isinstance(call, ast.Call) and _own(call.func) == name and not call.args and not call.keywords:
                return _own(node.test.operand) == flag and len(calls) == 1
    return False


def _is_called(init: ast.FunctionDef, name: str) -> bool:
    """Whether `__init__` calls the method, or the module itself, so that it was set up already."""
    return any(isinstance(one, ast.Call) and _own(one.func) in (name, "forward") for one in ast.walk(init))


def _reads(method: ast.FunctionDef) -> set[str]:
    """The attributes of `self` that a method reads."""
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
