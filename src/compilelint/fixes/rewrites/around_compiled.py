"""Calls around compiled code get the argument, or the object, that spares a recompilation or an error."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spell
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span


@rewrite("uneven-batch", rank=1, rules=("CL831",))
def whole_batches(finding: Finding, code: Code) -> Iterator[Fix]:
    """`DataLoader(data, batch_size=64)` gets `drop_last=True`.

    Legal where the call writes out its arguments, and says nothing of `drop_last` but False. Changes: the examples of a
    last, smaller batch are left out: in each epoch others if the loader shuffles, always the same if it does not.
    """
    call = called_at(finding.location.span, code)
    if call is None or _spreads(call):
        return
    given = next((one for one in call.keywords if one.arg == "drop_last"), None)
    if given is not None:
        if isinstance(given.value, ast.Constant) and given.value.value is False:
            yield Fix(Safety.UNSAFE, "drop a smaller last batch", (Edit(code.span(given.value), "True"),))
        return
    edits = _with_argument(call, "drop_last", "True", code)
    if edits:
        yield Fix(Safety.UNSAFE, "drop a smaller last batch", edits)


@rewrite("number-rate", rank=1, rules=("CL832",))
def rate_as_tensor(finding: Finding, code: Code) -> Iterator[Fix]:
    """`AdamW(parameters, lr=1e-3)` gets `lr=torch.tensor(1e-3)`.

    Legal where the call gives the rate by its name. Changes: the rate in the groups is a 0-d tensor, which a schedule
    writes in place; on a GPU the optimizer asks for `capturable=True` with it, or leaves its fused loops.
    """
    call = called_at(finding.location.span, code)
    rate = None if call is None else next((one.value for one in call.keywords if one.arg == "lr"), None)
    text = None if rate is None else code.text(rate)
    torch = spell(code, "torch.tensor", finding.location.span)
    if rate is None or text is None or torch is None:
        return
    made = (Edit(code.span(rate), f"{torch.text}({text})"), *torch.edits)
    yield Fix(Safety.UNSAFE, "make the rate a tensor", made)


@rewrite("wrapper-state", rank=1, rules=("CL808",))
def state_of_the_original(finding: Finding, code: Code) -> Iterator[Fix]:
    """`compiled.state_dict()` becomes `compiled._orig_mod.state_dict()`.

    Legal where the method is called on the wrapper, which hands out the model by that name. Changes: the keys lose the
    prefix `_orig_mod.`, so a file that was saved with it is no longer read.
    """
    call = called_at(finding.location.span, code)
    if call is not None and isinstance(call.func, ast.Attribute):
        end = code.span(call.func.value)
        at = Span(end.end_line, end.end_column, end.end_line, end.end_column)
        yield Fix(Safety.UNSAFE, "take the state of the original model", (Edit(at, "._orig_mod"),))


def called_at(span: Span, code: Code) -> ast.Call | None:
    """The call that stands at a span; None where another node does."""
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.Call)), None)
    return node if node is not None and code.span(node) == span else None


def _spreads(call: ast.Call) -> bool:
    """Whether arguments come from a sequence or mapping, or a sampler makes the batches."""
    named = {one.arg for one in call.keywords}
    starred = any(isinstance(one, ast.Starred) for one in call.args)
    return starred or bool(named & {None, "batch_sampler"}) or len(call.args) > 2


def _with_argument(call: ast.Call, name: str, value: str, code: Code) -> tuple[Edit, ...]:
    """The edits that give a call with arguments one more, by name."""
    span = code.span(call)
    statement = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    piece = None if statement is None else code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.Call) or not piece.node.args:
        return ()
    *others, last = piece.node.args
    behind = last.comma
    between = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    if isinstance(behind, cst.Comma) and others and isinstance(others[-1].comma, cst.Comma):
        between = others[-1].comma
    equal = cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))
    more = cst.Arg(cst.Name(value), cst.Name(name), equal, comma=behind, whitespace_after_arg=last.whitespace_after_arg)
    plain = last.with_changes(comma=between, whitespace_after_arg=cst.SimpleWhitespace(""))
    return piece.replaced(piece.node, piece.node.with_changes(args=[*others, plain, more]))
