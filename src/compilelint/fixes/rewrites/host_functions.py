"""A function that computes on the host, with NumPy and Python, becomes a custom operator as a whole. Unsafe.

`custom_operators` knows single host functions; here the function is the user's own, and everything about it is read
from its source: the operator's schema from the annotations, and what its result looks like (`register_fake`) from the
one `np.zeros(...)` that it fills and returns. No line of the body changes, so that a proof has none of it to exercise:
a decorator makes a tensor of the array, and a function of the old name calls the operator.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.imports import first_line, spell, spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.custom_operators import namespace
from compilelint.model import Edit, Finding, Fix, Safety, Span

_TENSORS = frozenset({"Tensor", "LongTensor", "IntTensor", "FloatTensor", "BoolTensor"})
_NUMBERS = {"int": "SymInt", "float": "float", "bool": "bool"}
_DTYPES = {"bool": "bool", "float": "float64", "int": "int64"}
_FILLED = frozenset({"numpy.zeros", "numpy.ones", "numpy.empty"})


@rewrite("dynamic-shape", rank=11)
@rewrite("host-read", rank=4)
@rewrite("host-random", rank=1, rules=("CL102", "CL206"))
def hosted_function(finding: Finding, code: Code) -> Iterator[Offer]:
    """A function of numbers that fills `np.zeros(...)` and returns it becomes a custom operator.

    Legal where the function stands at the top of the file without decorators, every parameter is annotated as a
    number, a tuple of integers or a tensor, no parameter is written, every `return` gives the one array that
    `np.zeros`, `np.ones` or `np.empty` made, and its sizes are parameters, or unpacked from one. Changes: the call is
    opaque to the compiler; arguments must be of the annotated types; the result shares no memory with anything.
    """
    known = finding.rewrite
    if known is None or (known.name == "host-read" and not known.fact("array")):
        return  # what tensors hold may be read in other ways
    if known.name == "dynamic-shape" and not _computes_with_numpy(finding, code):
        return
    function = _outermost(code.path(finding.location.span))
    if function is None or function not in code.tree.body or function.decorator_list:
        return
    torch = spell(code, "torch", finding.location.span)
    schema, made = _schema(function), _result(function, code)
    name, wrapper = f"{function.name}_op", "_array_as_tensor"
    taken = any(one.id == name for one in names_in(code.tree, lambda _: True))
    if torch is None or torch.edits or torch.text != "torch" or schema is None or made is None or taken:
        return
    if not _is_closed(function, code):
        return
    header = _header(function, code)
    if header is None:
        return
    wrapping = f"def {wrapper}(function):\n    return lambda *given: torch.as_tensor(function(*given))\n\n\n"
    if any(isinstance(one, ast.FunctionDef) and one.name == wrapper for one in code.tree.body):
        wrapping = ""
    above, below = _around(function, name, wrapper, wrapping, header, schema, made, code)
    start, end = function.lineno, (function.end_lineno or function.lineno) + 1
    at = code.source.line(start).index(function.name)
    edits = (
        Edit(Span(start, 1, start, 1), above),
        Edit(Span(start, at + 1, start, at + 1 + len(function.name)), name),
        Edit(Span(end, 1, end, 1), below),
    )
    yield Offer(
        Fix(Safety.UNSAFE, "make the whole function a custom operator", edits),
        (OnlyRuns("no gradient goes through a custom operator"),),
    )


def _around(
    function: ast.FunctionDef,
    name: str,
    wrapper: str,
    wrapping: str,
    header: str,
    schema: str,
    made: _Result,
    code: Code,
) -> tuple[str, str]:
    """The text above the function, which makes it an operator, and below it: its fake, and what is called as before."""
    parameters = ", ".join(one.arg for one in function.args.args)
    above = (
        f"{wrapping}"
        f"@torch.library.custom_op(\n"
        f'    "{namespace(code)}::{function.name}",\n'
        f"    mutates_args=(),\n"
        f'    schema="{schema}",\n'
        f"    tags=(torch.Tag.nondeterministic_seeded,),\n"
        f")\n"
        f"@{wrapper}\n"
    )
    lines = "".join(f"    {line}\n" for line in made.unpacked)
    below = (
        f"\n\n@{name}.register_fake\n"
        f"def _({parameters}):\n"
        f"{lines}"
        f"    return torch.empty({made.sizes}, dtype=torch.{made.dtype})\n"
        f"\n\n{header}\n"
        f'    """`{name}`, a custom operator that `torch.compile` keeps in the graph, as an array."""\n'
        f"    return {name}({parameters}).numpy()\n"
    )
    return above, below


# ---------------------------------------------------------------------- parts


def _computes_with_numpy(finding: Finding, code: Code) -> bool:
    """Whether what a finding stands on is made by a call of NumPy: `np.random.rand(1).item()`."""
    node = code.path(finding.location.span)[-1]
    calls = (one for one in ast.walk(node) if isinstance(one, ast.Call))
    return any((spelled_target(one.func, code) or "").startswith("numpy.") for one in calls)


def _outermost(path: list[ast.AST]) -> ast.FunctionDef | None:
    return next((one for one in path if isinstance(one, ast.FunctionDef)), None)


class _Result:
    """The array that a function returns: how its sizes come about, and its dtype."""

    def __init__(self, unpacked: list[str], sizes: str, dtype: str) -> None:
        self.unpacked = unpacked
        self.sizes = sizes
        self.dtype = dtype


def _schema(function: ast.FunctionDef) -> str | None:
    """The operator's schema by the annotations; None where one is missing or of another kind."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.posonlyargs:
        return None
    kinds = [None if one.annotation is None else kind_of(one.annotation) for one in arguments.args]
    if not kinds or None in kinds:
        return None
    parameters = ", ".join(f"{kind} {one.arg}" for kind, one in zip(kinds, arguments.args, strict=True))
    return f"({parameters}) -> Tensor"


def kind_of(annotation: ast.expr) -> str | None:
    """`int`, `tuple[int, int]`, `torch.Tensor | None` as an operator's schema spells them; None for other types."""
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        sides = (annotation.left, annotation.right)
        given = [one for one in sides if not (isinstance(one, ast.Constant) and one.value is None)]
        kind = kind_of(given[0]) if len(given) == 1 else None
        return None if kind is None else f"{kind}?"
    if isinstance(annotation, ast.Subscript) and isinstance(annotation.value, ast.Name):
        held, outer = annotation.slice, annotation.value.id
        if outer == "Optional":
            kind = kind_of(held)
            return None if kind is None else f"{kind}?"
        items = held.elts if isinstance(held, ast.Tuple) else [held]
        whole = all(isinstance(one, ast.Name) and one.id == "int" for one in items)
        return "SymInt[]" if outer in ("tuple", "Tuple") and whole else None
    if isinstance(annotation, ast.Attribute):
        return "Tensor" if annotation.attr in _TENSORS else None
    return _NUMBERS.get(annotation.id) if isinstance(annotation, ast.Name) else None


def _result(function: ast.FunctionDef, code: Code) -> _Result | None:
    returned = [one.value for one in _own(function) if isinstance(one, ast.Return)]
    names = {one.id if isinstance(one, ast.Name) else "" for one in returned}
    if len(names) != 1 or not isinstance(function.body[-1], ast.Return):
        return None
    name = names.pop()
    stores = [one for one in function.body if isinstance(one, ast.Assign) and name in _stored(one)]
    if len(stores) != 1 or len([one for one in names_in(function, is_store) if one.id == name]) != 1:
        return None
    call = stores[0].value
    if not isinstance(call, ast.Call) or spelled_target(call.func, code) not in _FILLED or len(call.args) != 1:
        return None
    dtype = "float64"
    for keyword in call.keywords:
        dtype = _DTYPES.get(keyword.value.id, "") if isinstance(keyword.value, ast.Name) else ""
        if keyword.arg != "dtype" or not dtype:
            return None
    unpacked = _sizes_from(call.args[0], function, stores[0])
    if unpacked is None:
        return None
    sizes = ast.unparse(call.args[0])
    return _Result(unpacked, sizes, dtype)


def _sizes_from(sizes: ast.expr, function: ast.FunctionDef, before: ast.stmt) -> list[str] | None:
    """The statements that the fake needs for the sizes: unpackings of parameters; None where there is more to them."""
    parameters = {one.arg for one in function.args.args}
    found: list[str] = []
    for one in ast.walk(sizes):
        if isinstance(one, (ast.Tuple, ast.expr_context, ast.Constant)):
            continue
        if not isinstance(one, ast.Name):
            return None
        stores = [node for node in names_in(function, is_store) if node.id == one.id]
        if one.id in parameters and not stores:
            continue
        origin = next((node for node in function.body if one.id in _stored(node)), None)
        if len(stores) != 1 or not isinstance(origin, ast.Assign) or origin.lineno > before.lineno:
            return None
        if not isinstance(origin.value, ast.Name) or origin.value.id not in parameters:
            return None
        text = ast.unparse(origin)
        if text not in found:
            found.append(text)
    return found


def _is_closed(function: ast.FunctionDef, code: Code) -> bool:
    """Whether the body writes no parameter, and reads nothing from outside that can change."""
    parameters = {one.arg for one in function.args.args}
    for node in ast.walk(function):
        if isinstance(node, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom, ast.Await, ast.Delete)):
            return False
        if isinstance(node, ast.Name) and is_store(node) and node.id in parameters:
            return False
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            base: ast.expr = node
            while isinstance(base, (ast.Subscript, ast.Attribute)):
                base = base.value
            if not isinstance(base, ast.Name) or base.id in parameters:
                return False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.endswith("_"):
            return False
    assigned = {one.id for statement in code.tree.body for one in _module_stores(statement)}
    return not any(one.id in assigned for one in names_in(function, lambda name: not is_store(name)))


def _module_stores(statement: ast.stmt) -> Iterator[ast.Name]:
    if not isinstance(statement, (*FunctionNode, ast.ClassDef)):
        yield from names_in(statement, is_store)


def _own(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of a function, those of functions inside left out."""
    pending: list[ast.AST] = list(function.body)
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (*FunctionNode, ast.Lambda, ast.ClassDef)):
            pending.extend(ast.iter_child_nodes(node))


def _stored(statement: ast.stmt) -> set[str]:
    return {one.id for one in names_in(statement, is_store)} if isinstance(statement, ast.Assign) else set()


def _header(function: ast.FunctionDef, code: Code) -> str | None:
    """The signature as written, with every comment and line end, up to the colon."""
    first, body = first_line(function), function.body[0]
    if body.lineno == function.lineno:
        return None
    text = "\n".join(code.source.lines[first - 1 : body.lineno - 1]).rstrip()
    return text if text.endswith(":") else None
