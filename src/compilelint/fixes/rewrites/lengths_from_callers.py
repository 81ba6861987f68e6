"""A helper whose result is as long as its data says is given the length by the call that knows it, while compiling.

The helper and the call mostly stand in different files. Eager code does what it did: the call gives None there, or a
size that is not used, and the helper's new parameter is None by default. Unsafe, and only kept where each fix is
proven: the text does not say that the caller's tensor has the length.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.callers import (
    asked_when_compiling,
    tensors_of,
    ways_to,
    with_keyword,
    with_parameter,
)
from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.fake_outputs import Look, look_at_end
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.custom_operators import namespace
from compilelint.fixes.rewrites.host_functions import kind_of
from compilelint.model import Edit, Finding, Fix, Safety, Span

LENGTH = "length"
MOST = 3  # tensors of a caller that are tried


@rewrite("dynamic-shape", rank=8, proven=True, rules=("CL120",))
def repeats_of_known_length(finding: Finding, code: Code) -> Iterator[Offer]:
    """`torch.repeat_interleave(x, counts)` in a helper gets an `output_size` that the caller has as a tensor's size.

    All repeats of the helper by the same counts get it, and `torch.arange(counts.sum())` too.
    Legal where the helper is a plain function at the top of its file, the repeats stand in statements of its body, and
    the call on the way to the finding, in this file or another linted one, is a plain one in a function with a
    parameter that is annotated as a tensor and not passed on. Changes: nothing in eager code; compiled, a tensor of
    another size raises RuntimeError from an assertion; the helper has one more parameter, None by default.
    """
    helper = _helper(finding, code)
    if helper is None or not isinstance(helper.body[-1], ast.Return):
        return
    torch = spell(code, "torch", finding.location.span)
    repeats = [one for one in ast.walk(helper) if isinstance(one, ast.Call) and _is_repeat(one, code)]
    here = next((one for one in repeats if _holds(one, finding.location.span)), None)
    counts = here.args[1] if here is not None else None
    if torch is None or torch.edits or not isinstance(counts, ast.Name):
        return
    alike = [one for one in repeats if ast.dump(one.args[1]) == ast.dump(counts)]
    totals = [one for one in ast.walk(helper) if isinstance(one, ast.Call) and _is_range_of(one, counts.id, code)]
    first = next((one for one in helper.body if any(node in alike for node in ast.walk(one))), None)
    parameter = with_parameter(helper, LENGTH, code)
    if parameter is None or first is None or not _is_given_once(helper, counts.id):
        return
    indent = code.source.line(first.lineno)[: first.col_offset]
    compiling = f"{LENGTH} is not None and {torch.text}.compiler.is_compiling()"
    asserted = (
        f"{indent}if {compiling}:\n{indent}{code.indent}{torch.text}._assert_async({counts.id}.sum() == {LENGTH}, "
        f"{code.quote}`{LENGTH}` is not the sum of `{counts.id}`{code.quote})\n"
    )
    total = next((one for one in ("total", "total_length") if not _stores(helper, one)), None)
    if total is None:
        return
    if totals:
        asserted += f"{indent}{total} = {LENGTH} if {compiling} else {counts.id}.sum()\n"
    edits = [parameter, Edit(Span(first.lineno, 1, first.lineno, 1), asserted)]
    for one in alike:
        span = code.span(one)
        edits.append(
            Edit(
                Span(span.end_line, span.end_column - 1, span.end_line, span.end_column - 1), f", output_size={LENGTH}"
            )
        )
    for one in totals:
        edits.append(Edit(code.span(one.args[0]), total))
    yield from offers(finding, helper, code, edits, f"give `{helper.name}` the length of its repeats")


@rewrite("host-read", rank=6, proven=True, rules=("CL102",))
def operator_of_known_length(finding: Finding, code: Code) -> Iterator[Offer]:
    """A helper that reads sizes from data becomes, while compiling, an operator whose length the caller knows.

    The helper stays as it is, and the operator calls it; `register_fake` is written from the calls that make the
    result, with the caller's number as its first size.
    Legal where the helper is a plain function at the top of its file that returns one tensor of known form at its end,
    its parameters are annotated as tensors or numbers, or are None by default and only asked about first, and the call
    on the way to the finding, in this file or another linted one, is a plain one in a function with a parameter that
    is annotated as a tensor and not passed on. Changes: nothing in eager code; compiled, the call is opaque and has no
    gradient, and a result of another size raises RuntimeError; the helper has one more parameter, None by default.
    """
    helper = _helper(finding, code)
    returned = helper.body[-1] if helper is not None else None
    if helper is None or not isinstance(returned, ast.Return) or returned.value is None:
        return
    torch = spell(code, "torch", finding.location.span)
    name = f"_{helper.name}_op"
    kinds, start = _kinds(helper), _start(helper)
    taken = any(isinstance(one, ast.FunctionDef) and one.name == name for one in code.tree.body)
    if torch is None or torch.edits or torch.text != "torch" or taken or kinds is None or start is None:
        return
    read = {one.id for statement in helper.body[start:] for one in ast.walk(statement) if isinstance(one, ast.Name)}
    if read & _unset(helper) or any(_leaves(one) for one in helper.body[start:-1]):
        return
    tensors = {one: kind == "Tensor" for one, (kind, _) in kinds.items()}
    look = look_at_end(helper.body[start:-1], returned.value, tensors, code)
    parameter = with_parameter(helper, LENGTH, code)
    if look is None or parameter is None or look.sizes[:1] != (None,) or None in look.sizes[1:]:
        return
    first = helper.body[start]
    indent = code.source.line(first.lineno)[: first.col_offset]
    asked = [f"{LENGTH} is not None", "torch.compiler.is_compiling()"]
    asked += [f"isinstance({one}, int)" for one, (_, united) in kinds.items() if united]
    call = f"{indent}{code.indent}return {name}({', '.join([*kinds, LENGTH])})\n"
    end = (helper.end_lineno or helper.lineno) + 1
    edits = [
        parameter,
        Edit(Span(first.lineno, 1, first.lineno, 1), f"{indent}if {' and '.join(asked)}:\n{call}"),
        Edit(
            Span(end, 1, end, 1), _operator(helper, name, {one: kind for one, (kind, _) in kinds.items()}, look, code)
        ),
    ]
    yield from offers(finding, helper, code, edits, f"give `{helper.name}` the length of its result")


def offers(finding: Finding, helper: ast.FunctionDef, code: Code, edits: list[Edit], title: str) -> Iterator[Offer]:
    """The helper's edits with a call's, one offer for each caller and tensor that it may have the length of."""
    for way in ways_to(finding, helper, LENGTH, code):
        caller = way.caller
        for name in tensors_of(caller)[: 1 if way.other else MOST]:
            size = f"{name}.shape[0]"
            where = f" in `{caller.code.source.path.rpartition('/')[2]}`" if way.other else ""
            named = f"{title}: `{size}` of `{caller.function.name}`{where}"
            # where a loop of the caller breaks, its frame is not compiled at all, and only the helper's is
            for value, words in ((asked_when_compiling(caller, size), named), (size, f"{named}, in eager code too")):
                given_size = None if value is None else with_keyword(caller, f"{LENGTH}={value}")
                if given_size is not None:
                    yield Offer(
                        Fix(Safety.UNSAFE, words, (*edits, *way.edits, given_size)),
                        (OnlyRuns(f"`{size}` may be another number"),),
                    )


# ---------------------------------------------------------------------- the helper


def _helper(finding: Finding, code: Code) -> ast.FunctionDef | None:
    """The plain function at the top of the file around a finding."""
    found = next((one for one in code.path(finding.location.span) if isinstance(one, ast.FunctionDef)), None)
    if found is None or found not in code.tree.body or found.decorator_list:
        return None
    return found


def _holds(node: ast.expr, span: Span) -> bool:
    return node.lineno <= span.line and span.end_line <= (node.end_lineno or node.lineno)


def _is_repeat(call: ast.Call, code: Code) -> bool:
    """`torch.repeat_interleave(x, counts)`, with nothing that says its length."""
    return spelled_target(call.func, code) == "torch.repeat_interleave" and len(call.args) == 2 and not call.keywords


def _is_range_of(call: ast.Call, counts: str, code: Code) -> bool:
    plain = len(call.args) == 1 and spelled_target(call.func, code) == "torch.arange"
    return plain and ast.unparse(call.args[0]) == f"{counts}.sum()"


def _is_given_once(helper: ast.FunctionDef, name: str) -> bool:
    """Whether a name has one value in a function: one statement gives it, or it is a parameter and none does."""
    given = [*helper.args.posonlyargs, *helper.args.args, *helper.args.kwonlyargs]
    return _stores(helper, name) == (not any(one.arg == name for one in given))


def _stores(helper: ast.FunctionDef, name: str) -> int:
    return sum(
        isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store) for one in ast.walk(helper)
    )


def _unset(helper: ast.FunctionDef) -> set[str]:
    """The parameters that are None where a call leaves them out and have no kind that an operator takes."""
    given = helper.args
    pairs = list(zip([*given.posonlyargs, *given.args][::-1], given.defaults[::-1], strict=False))
    pairs += [(one, default) for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True) if default]
    empty = {one.arg: one for one, default in pairs if isinstance(default, ast.Constant) and default.value is None}
    return {name for name, one in empty.items() if one.annotation is None or kind_of(one.annotation) is None}


def _kinds(helper: ast.FunctionDef) -> dict[str, tuple[str, bool]] | None:
    """The parameters that the operator takes: the kind of each, and whether it may be a tensor in place of a number."""
    given = helper.args
    if given.vararg is not None or given.kwarg is not None or given.kwonlyargs or given.posonlyargs:
        return None
    found: dict[str, tuple[str, bool]] = {}
    for one in given.args:
        if one.arg in _unset(helper):
            continue
        kind = None if one.annotation is None else kind_of(one.annotation)
        sides = _sides(one.annotation)
        united = kind is None and sorted(kind_of(side) or "" for side in sides) == ["SymInt", "Tensor"]
        if kind not in ("Tensor", "SymInt", "float", "bool") and not united:
            return None
        found[one.arg] = ("SymInt" if united else str(kind), united)
    return found if any(kind == "Tensor" for kind, _ in found.values()) else None


def _sides(annotation: ast.expr | None) -> list[ast.expr]:
    union = isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr)
    return [annotation.left, annotation.right] if union and isinstance(annotation, ast.BinOp) else []


def _start(helper: ast.FunctionDef) -> int | None:
    """The first statement that is no docstring and no `if x is not None` about a parameter that is left out."""
    unset = _unset(helper)
    for index, one in enumerate(helper.body):
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
            continue
        if isinstance(one, ast.If) and not one.orelse and _asks_whether_set(one.test, unset):
            continue
        return index
    return None


def _asks_whether_set(test: ast.expr, unset: set[str]) -> bool:
    """`x is not None`, or that and more behind it."""
    first = test.values[0] if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else test
    return isinstance(first, ast.Compare) and any(ast.unparse(first) == f"{one} is not None" for one in unset)


def _leaves(statement: ast.stmt) -> bool:
    return any(isinstance(one, (ast.Return, ast.Yield, ast.YieldFrom, ast.Await)) for one in ast.walk(statement))


def _operator(helper: ast.FunctionDef, name: str, kinds: dict[str, str], look: Look, code: Code) -> str:
    """The operator that calls the helper, and what its result looks like."""
    schema = ", ".join([*(f"{kind} {one}" for one, kind in kinds.items()), f"SymInt {LENGTH}"])
    given = ", ".join([*kinds, LENGTH])
    passed = ", ".join(f"{one}={one}" for one in kinds)
    sizes = ", ".join([LENGTH, *(str(one) for one in look.sizes[1:])])
    device = "" if look.device is None else f", device={look.device}"
    indent = code.indent
    return (
        f'\n\n@torch.library.custom_op(\n{indent}"{namespace(code)}::{helper.name}",\n{indent}mutates_args=(),\n'
        f'{indent}schema="({schema}) -> Tensor",\n)\n'
        f"def {name}({given}):\n"
        f"{indent}found = {helper.name}({passed})\n"
        f"{indent}torch._check(found.shape == ({sizes}{',' if len(look.sizes) == 1 else ''}))\n"
        f"{indent}torch._check(found.dtype == {look.dtype})\n"
        f"{indent}return found\n"
        f"\n\n@{name}.register_fake\ndef _({given}):\n"
        f"{indent}return torch.empty(({sizes}{',' if len(look.sizes) == 1 else ''}), dtype={look.dtype}{device})\n"
    )
