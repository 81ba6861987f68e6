"""Attention over chunks whose lengths are data: one call over the whole sequence while compiling, chunks kept apart.

`torch.split(q, lengths.tolist())` makes as many chunks as the data says, so no graph holds them. What is computed for
each chunk by itself is the same as one computation with a mask that hides the other chunks. Unsafe, and only tried
where each fix is proven: that the callee takes its mask so cannot be seen. Eager code stays as it is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import after_imports, spell, spelled_target
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

_HELPER = "_mask_between_chunks"
_TEXT = '''

def _mask_between_chunks(lengths, query, *others):
    """What hides chunks from each other in attention of (batch, heads, length, size): 0, or the least.

    What is not finite ruins its own chunk, as it does alone.
    """
    numbers = {torch}.arange(lengths.shape[0], device=lengths.device)
    chunk = {torch}.repeat_interleave(numbers, lengths, output_size=query.shape[2])
    apart = chunk[:, None] != chunk[None, :]
    mask = {torch}.zeros(apart.shape, dtype=query.dtype, device=query.device)
    mask = mask.masked_fill(apart, {torch}.finfo(query.dtype).min)
    rows, *columns = [~one.isfinite().all(-1).flatten(0, 1).all(0) for one in (query, *others)]
    ruined = rows[:, None] | {torch}.stack(columns).any(0)[None, :]
    return mask.masked_fill(ruined & ~apart, float({quote}nan{quote}))[None, None]

'''
_MASKS = ("attention_mask", "attn_mask")
# Where the length stands in (batch, heads, length, size), which is how attention functions take their arguments.
_LENGTH = (2, -2)


@rewrite("host-read", rank=1, proven=True, rules=("CL102",))
def chunks_at_once(finding: Finding, code: Code) -> Iterator[Fix]:
    """`torch.split(x, lengths.tolist(), dim=2)` and the calls on its chunks become one call with a mask, compiled.

    Legal where a comprehension splits several tensors of (batch, heads, length, size) by the same lengths, and the
    chunks are only met side by side, by `zip(*...)` of a loop or a comprehension, in one call that takes two of them or
    more and has a keyword `attention_mask` or `attn_mask` (None, or a name: then only where it is None), and
    `is_causal=False` unless the call is torch's own. Changes: scores are computed between all chunks and hidden, and
    what is not finite makes all of its chunk NaN, in every head; dropout draws other numbers; what is kept of each
    chunk beside the result (attention weights) is of the whole.
    """
    path = code.path(finding.location.span)
    split = next((one for one in reversed(path) if isinstance(one, ast.Call) and _is_split(one, code)), None)
    function = code.function(finding.location.span)
    torch = spell(code, "torch", finding.location.span)
    if split is None or function is None or torch is None or torch.edits:
        return
    lengths = _lengths(split)
    name = _splits(split, path)
    call = None if name is None else _call_on_chunks(name, function)
    if lengths is None or call is None or any(one.id == _HELPER for one in names_in(function, is_store)):
        return
    mask = next((one for one in call.keywords if one.arg in _MASKS), None)
    if mask is None or not _keeps_order(call, code):
        return
    compiling = f"{torch.text}.compiler.is_compiling()"
    if isinstance(mask.value, ast.Name):
        compiling = f"{compiling} and {mask.value.id} is None"
    elif not (isinstance(mask.value, ast.Constant) and mask.value.value is None):
        return
    whole, tensors = ast.unparse(split.args[0]), _tensors(split, path, function)
    if tensors is None:
        return
    edits = [
        _before(split, f"({whole}.nan_to_num(0.0, 0.0, 0.0),) if {compiling} else ", code),
        _before(mask.value, f"{_HELPER}({lengths}, {', '.join(tensors)}) if {compiling} else ", code),
    ]
    if not any(isinstance(one, ast.FunctionDef) and one.name == _HELPER for one in code.tree.body):
        line = after_imports(code)
        edits.insert(
            0, Edit(Span(line, 1, line, 1), _TEXT.replace("{torch}", torch.text).replace("{quote}", code.quote))
        )
    yield Fix(Safety.UNSAFE, "attend to all chunks at once, with a mask between them, while compiling", tuple(edits))


def _is_split(call: ast.Call, code: Code) -> bool:
    return spelled_target(call.func, code) == "torch.split" and len(call.args) >= 2


def _lengths(split: ast.Call) -> str | None:
    """The name of the tensor of lengths in `torch.split(x, lengths.tolist(), dim=2)`."""
    given = split.args[1]
    along = split.args[2] if len(split.args) == 3 else next((k.value for k in split.keywords if k.arg == "dim"), None)
    if along is None or ast.unparse(along) not in map(str, _LENGTH):
        return None
    read = isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) and given.func.attr == "tolist"
    whose = given.func.value if read and isinstance(given, ast.Call) and isinstance(given.func, ast.Attribute) else None
    return whose.id if isinstance(whose, ast.Name) else None


def _splits(split: ast.Call, path: list[ast.AST]) -> str | None:
    """The name that all the chunks are kept under: `splits = [torch.split(x, ...) for x in (q, k, v)]`."""
    made = next((one for one in reversed(path) if isinstance(one, ast.ListComp)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if made is None or made.elt is not split or not isinstance(statement, ast.Assign) or statement.value is not made:
        return None
    loop = made.generators[0]
    alone = len(made.generators) == 1 and not loop.ifs and isinstance(loop.target, ast.Name)
    if not alone or not isinstance(split.args[0], ast.Name) or ast.unparse(loop.target) != split.args[0].id:
        return None
    target = statement.targets[0]
    return target.id if len(statement.targets) == 1 and isinstance(target, ast.Name) else None


def _loop_over(name: str, function: ast.AST) -> tuple[list[str], list[ast.AST]] | None:
    """What the chunks are called in the one loop over `zip(*name)`, and the nodes that are run for each of them."""
    uses = [one for one in names_in(function, lambda one: not is_store(one)) if one.id == name]
    if len(uses) != 1 or len([one for one in names_in(function, is_store) if one.id == name]) != 1:
        return None
    for node in ast.walk(function):
        heads: list[tuple[ast.expr, ast.expr, list[ast.AST]]] = []
        if isinstance(node, ast.For):
            heads = [(node.target, node.iter, list(node.body))]
        elif isinstance(node, ast.ListComp) and len(node.generators) == 1 and not node.generators[0].ifs:
            heads = [(node.generators[0].target, node.generators[0].iter, [node.elt])]
        for target, source, body in heads:
            if ast.unparse(source) == f"zip(*{name})" and isinstance(target, ast.Tuple):
                return [one.id for one in target.elts if isinstance(one, ast.Name)], body
    return None


def _call_on_chunks(name: str, function: ast.AST) -> ast.Call | None:
    """The one call that the chunks are given to; None where they are used in other ways too."""
    met = _loop_over(name, function)
    if met is None:
        return None
    chunks, body = met
    uses = [one for part in body for one in names_in(part, lambda one: one.id in chunks)]
    calls = [
        one
        for part in body
        for one in ast.walk(part)
        if isinstance(one, ast.Call) and sum(given in uses for given in one.args) == len(uses) >= 2
    ]
    return calls[0] if len(calls) == 1 and len(uses) == len(chunks) else None


def _tensors(split: ast.Call, path: list[ast.AST], function: ast.AST) -> list[str] | None:
    """The names of the tensors that are split, the first of which asks; None where one is given again later."""
    made = next((one for one in reversed(path) if isinstance(one, ast.ListComp)), None)
    source = made.generators[0].iter if made is not None else None
    if not isinstance(source, (ast.Tuple, ast.List)) or not all(isinstance(one, ast.Name) for one in source.elts):
        return None
    names = [one.id for one in source.elts if isinstance(one, ast.Name)]
    later = names_in(function, lambda one: one.id in names and is_store(one) and one.lineno >= split.lineno)
    return names if len(names) > 1 and not list(later) else None


def _keeps_order(call: ast.Call, code: Code) -> bool:
    """Whether the call is plainly not causal: a mask would take the place of the order of tokens."""
    causal = next((one.value for one in call.keywords if one.arg == "is_causal"), None)
    if causal is None:
        return spelled_target(call.func, code) == "torch.nn.functional.scaled_dot_product_attention"
    return isinstance(causal, ast.Constant) and causal.value is False


def _before(node: ast.expr, text: str, code: Code) -> Edit:
    span = code.span(node)
    return Edit(Span(span.line, span.column, span.line, span.column), text)
