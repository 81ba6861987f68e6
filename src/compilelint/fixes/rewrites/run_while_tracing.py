"""A function that sets something up once runs while TorchDynamo traces the call, and is not traced itself.

`if getattr(model, "_ready", False): return`, then a lock, hooks, layers or shapes that only the data has: none of it
is for the graph, and none of it can be traced. `torch.compiler.assume_constant_result` calls such a function as it is,
with the objects themselves. In eager code the decorator only marks the function. Kept by `compilelint fix` only.
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


@rewrite("branch", rank=40, proven=True, rules=("CL101", "CL102", "CL103", "CL120", "CL602", "CL605", "CL616"))
@rewrite("construction", rank=40, proven=True)
@rewrite("dynamic-shape", rank=40, proven=True)
@rewrite("first-call", rank=40, proven=True)
@rewrite("host-read", rank=40, proven=True)
@rewrite("mask", rank=40, proven=True)
@rewrite("outside-context", rank=40, proven=True)
@rewrite("scalar-index", rank=40, proven=True)
def run_while_tracing(finding: Finding, code: Code) -> Iterator[Offer]:
    """A function or method that returns at once where all is set up gets `@torch.compiler.assume_constant_result`.

    The finding stands in it, or in what it calls.
    Legal where it stands at the top of its file or in a class there, without a decorator, begins with `if ...: return`
    that asks an attribute of a parameter, sets that or gives its object on, returns nothing anywhere, and takes no
    tensor, number or list of arguments. Changes: nothing in eager code; compiled, it runs while the call is traced,
    once for each trace, so an object that a graph serves which was traced for another one is set up only where the
    graph depends on what is set up, and what it raises is raised by the compiler.
    """
    for path, there, at in ways(finding, code):
        function = _set_up_around(at, there)
        marked = None if function is None else spell(there, "torch.compiler.assume_constant_result", at)
        if function is None or marked is None:
            continue
        line = function.lineno
        indent = there.source.line(line)[: function.col_offset]
        decorator = Edit(Span(line, 1, line, 1), f"{indent}@{marked.text}\n", path)
        imports = tuple(Edit(one.span, one.text, path) for one in marked.edits)
        yield Offer(
            Fix(Safety.UNSAFE, f"run `{function.name}` while tracing", (*imports, decorator)),
            (OnlyRuns("it may do more than set something up"),),
        )
        return


def ways(finding: Finding, code: Code) -> Iterator[tuple[str, Code, Span]]:
    """The places from a finding up to its root, in files that may be changed; the path of its own file is empty."""
    yield "", code, finding.location.span
    for step in reversed(finding.call_chain):
        place = step.location
        own = place.path == finding.location.path
        there = code if own else None if code.elsewhere is None else code.elsewhere.code(place.path)
        if there is None or place.cell is not None:
            return
        yield "" if own else place.path, there, place.span


def _set_up_around(span: Span, code: Code) -> ast.FunctionDef | None:
    """The function around a place, if it sets something up once: at the top of the file, or of a class there."""
    path = [one for one in code.path(span) if isinstance(one, (ast.FunctionDef, ast.ClassDef))]
    at = next((index for index, one in enumerate(path) if isinstance(one, ast.FunctionDef)), None)
    function = None if at is None or at > 1 else path[at]
    if not isinstance(function, ast.FunctionDef) or path[0] not in code.tree.body or function.decorator_list:
        return None
    return function if _sets_up_once(function) and _takes_objects(function) else None


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
    if not isinstance(first.body[0], ast.Return):
        return False
    owner, name = _asked(first.test)
    return owner in {one.arg for one in function.args.args} and any(_sets(one, owner, name) for one in parts)


def _asked(test: ast.expr) -> tuple[str, str]:
    """`getattr(x, "ready", False)`, `hasattr(x, "hooks")`, `x.hooks is not None`: the object and the attribute."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Is, ast.IsNot)):
        test = test.left
    owner: ast.expr | None = None
    name: object = None
    if (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id in _ASKING
        and len(test.args) > 1
    ):
        owner, name = test.args[0], getattr(test.args[1], "value", None)
    elif isinstance(test, ast.Attribute):
        owner, name = test.value, test.attr
    return (owner.id, name) if isinstance(owner, ast.Name) and isinstance(name, str) else ("", "")


def _sets(node: ast.AST, owner: str, name: str) -> bool:
    """Whether a part of a function sets an attribute, or gives its object to another function, which may."""
    if isinstance(node, ast.Attribute):
        return isinstance(node.ctx, ast.Store) and node.attr == name and ast.unparse(node.value) == owner
    given = node.args if isinstance(node, ast.Call) and ast.unparse(node.func) not in _ASKING else []
    return any(isinstance(one, ast.Name) and one.id == owner for one in given)


def _takes_objects(function: ast.FunctionDef) -> bool:
    """Whether every parameter is one that a call gives by itself, and none is annotated as a tensor or a number."""
    given = function.args
    if given.vararg is not None or given.kwarg is not None or not given.args:
        return False
    every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    return all(one.annotation is None or kind_of(one.annotation) is None for one in every)
