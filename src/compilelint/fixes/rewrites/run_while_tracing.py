"""A function that sets something up once runs while TorchDynamo traces the call, and is not traced itself.

`if getattr(model, "_ready", False): return`, then a lock or hooks: none of it is for the graph, and none of it can be
traced. `torch.compiler.assume_constant_result` calls such a function as it is, with the objects themselves. In eager
code the decorator only marks the function. Kept by `fix --verify` only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.host_functions import kind_of
from compilelint.model import Edit, Finding, Fix, Safety, Span

_ASKING = frozenset({"getattr", "hasattr"})


@rewrite("first-call", rank=2, proven=True, rules=("CL602", "CL616"))
@rewrite("outside-context", rank=2, proven=True)
def run_while_tracing(finding: Finding, code: Code) -> Iterator[Offer]:
    """A function that returns at once where all is set up gets `@torch.compiler.assume_constant_result`.

    Legal where it stands at the top of its file without a decorator, begins with `if ...: return` that asks an
    attribute of a parameter, returns nothing anywhere, and takes no tensor, number or list of arguments. Changes:
    nothing in eager code; compiled, it runs while the call is traced, once for each trace, so an object that a graph
    serves which was traced for another one is set up only where the graph depends on what is set up.
    """
    span = finding.location.span
    function = next((one for one in code.path(span) if isinstance(one, ast.FunctionDef)), None)
    marked = spell(code, "torch.compiler.assume_constant_result", span)
    if function is None or function not in code.tree.body or function.decorator_list or marked is None:
        return
    if not _sets_up_once(function) or not _takes_objects(function):
        return
    line = function.lineno
    decorator = Edit(Span(line, 1, line, 1), f"@{marked.text}\n")
    yield Offer(
        Fix(Safety.UNSAFE, f"run `{function.name}` while tracing", (*marked.edits, decorator)),
        (OnlyRuns("it may do more than set something up"),),
    )


def _sets_up_once(function: ast.FunctionDef) -> bool:
    """Whether a function begins with the question whether all is done, and gives nothing."""
    documented = isinstance(function.body[0], ast.Expr) and isinstance(function.body[0].value, ast.Constant)
    body = function.body[int(documented) :]
    parts = list(ast.walk(function))
    if any(isinstance(one, (ast.Yield, ast.YieldFrom, ast.Global)) for one in parts) or len(body) < 2:
        return False
    if any(isinstance(one, ast.Return) and one.value is not None for one in parts):
        return False
    first = body[0]
    if not isinstance(first, ast.If) or first.orelse or len(first.body) != 1:
        return False
    return isinstance(first.body[0], ast.Return) and _asks_an_attribute(first.test, function)


def _asks_an_attribute(test: ast.expr, function: ast.FunctionDef) -> bool:
    """`getattr(x, "ready", False)`, `hasattr(x, "hooks")`, `x.ready`, `x.hooks is not None`, of a parameter."""
    given = {one.arg for one in function.args.args}
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        test = test.left
    if isinstance(test, ast.Call) and isinstance(test.func, ast.Name) and test.func.id in _ASKING and test.args:
        owner: ast.expr | None = test.args[0]
    else:
        owner = test.value if isinstance(test, ast.Attribute) else None
    return isinstance(owner, ast.Name) and owner.id in given


def _takes_objects(function: ast.FunctionDef) -> bool:
    """Whether every parameter is one that a call gives by itself, and none is annotated as a tensor or a number."""
    given = function.args
    if given.vararg is not None or given.kwarg is not None or not given.args:
        return False
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return all(one.annotation is None or kind_of(one.annotation) is None for one in every)
