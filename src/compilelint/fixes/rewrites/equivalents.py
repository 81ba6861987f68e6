"""Calls with a twin that Dynamo traces: the same result by another name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import bound, spell, spelled_target
from compilelint.fixes.engine.laws import IsTensor, Offer
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Confidence, Edit, Finding, Fix, Safety, Span


@rewrite("copy", rank=1, rules=("CL608",))
def own_copy(finding: Finding, code: Code) -> Iterator[Fix]:
    """`copy.copy(d)` becomes `d.copy()`.

    Legal where the engine knows a plain dict, list or set, whose `copy` is what `copy.copy` calls. Changes: nothing.
    """
    known = finding.rewrite
    call = _call(finding.location.span, code)
    if known is None or not known.fact("plain") or call is None or len(call.args) != 1 or call.keywords:
        return
    if spelled_target(call.func, code) != "copy.copy" or isinstance(call.args[0], ast.Starred):
        return
    statement = _statement(finding.location.span, code)
    piece = None if statement is None else code.piece(statement, code.span(call))
    if piece is None or not isinstance(piece.node, cst.Call):
        return
    value = piece.node.args[0].value
    if not isinstance(value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.Dict, cst.List, cst.Set)):
        return
    made = cst.Call(cst.Attribute(value, cst.Name("copy")), lpar=piece.node.lpar, rpar=piece.node.rpar)
    yield Fix(Safety.SAFE, "use its own `copy`", piece.replaced(piece.node, made))


@rewrite("copy", rank=2, rules=("CL608",))
def cloned(finding: Finding, code: Code) -> Iterator[Offer]:
    """`copy.copy(x)` and `copy.deepcopy(x)` become `x.clone()`.

    Legal where the engine knows a tensor on every path. Changes: the clone of `copy.copy` has memory of its own, and a
    gradient flows through it, which ended at the copy.
    """
    known = finding.rewrite
    call = _call(finding.location.span, code)
    if known is None or not known.fact("always") or call is None or len(call.args) != 1 or call.keywords:
        return
    value, text = call.args[0], code.text(call.args[0])
    if text is not None and isinstance(value, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)):
        fix = Fix(Safety.UNSAFE, "clone the tensor", (Edit(code.span(call), f"{text}.clone()"),))
        yield Offer(fix, () if finding.confidence is Confidence.CERTAIN else (IsTensor(value),))


@rewrite("random-filled", rank=1, rules=("CL690",))
def drawn_by_randint(finding: Finding, code: Code) -> Iterator[Fix]:
    """`torch.empty(4, dtype=torch.int64).random_(9)` becomes `torch.randint(9, (4,), dtype=torch.int64)`.

    Legal where the tensor is made there by sizes and with a dtype, which bounds `random_` by what it is given. Changes:
    nothing: `torch.randint` draws by the same call.
    """
    span = finding.location.span
    call = _call(span, code)
    made = call.func.value if call is not None and isinstance(call.func, ast.Attribute) else None
    if call is None or not isinstance(made, ast.Call) or spelled_target(made.func, code) != "torch.empty":
        return
    size = _size_of(made, code)
    given = [*call.args, *(one.value for one in made.keywords)]
    texts = [text for one in given if (text := code.text(one)) is not None]
    names = [one.arg for one in made.keywords]
    if size is None or call.keywords or len(call.args) not in (1, 2) or len(texts) < len(given) or None in names:
        return
    bounds, rest = texts[: len(call.args)], texts[len(call.args) :]
    drawn = spell(code, "torch.randint", span)
    if drawn is not None and "dtype" in names:
        arguments = [*bounds, size, *(f"{name}={text}" for name, text in zip(names, rest, strict=True))]
        edits = (Edit(span, f"{drawn.text}({', '.join(arguments)})"), *drawn.edits)
        yield Fix(Safety.SAFE, "draw with `torch.randint`", edits)


def _size_of(made: ast.Call, code: Code) -> str | None:
    """The size that `torch.empty` is given, as one tuple; None where a name may hold a whole size or one number."""
    texts = [code.text(one) for one in made.args]
    if not texts or any(text is None or text.startswith("*") for text in texts):
        return None
    if len(texts) > 1:
        return f"({', '.join(map(str, texts))})"
    only = made.args[0]
    if isinstance(only, ast.Tuple) or (isinstance(only, ast.Attribute) and only.attr == "shape"):
        return texts[0]
    return f"({texts[0]},)" if isinstance(only, ast.Constant) else None


@rewrite("scripted-type-test", rank=1, rules=("CL601",))
def plain_type_test(finding: Finding, code: Code) -> Iterator[Fix]:
    """`torch.jit.isinstance(x, List[int])` becomes `isinstance(x, list)`.

    Legal where the type is written out as one of the containers of Python. Changes: the items are asked nothing, so a
    list of other items passes.
    """
    call = _call(finding.location.span, code)
    if call is None or len(call.args) != 2 or call.keywords or not isinstance(call.args[1], ast.Subscript):
        return
    kind = call.args[1].value
    name = (spelled_target(kind, code) or "").removeprefix("typing.").lower()
    name = name or (kind.id if isinstance(kind, ast.Name) else "")
    value = code.text(call.args[0])
    if name in ("list", "dict", "tuple", "set") and value is not None and "isinstance" not in bound(code):
        text = f"isinstance({value}, {name})"
        yield Fix(Safety.UNSAFE, "ask for the container alone", (Edit(code.span(call), text),))


@rewrite("unused-pragma", rank=1, rules=("CL902",))
def no_pragma(finding: Finding, code: Code) -> Iterator[Fix]:
    """A suppression that suppresses nothing is deleted, with the comment if nothing else stands in it.

    Legal where all codes it names are unused, which the finding says. Changes: a comment only.
    """
    span = finding.location.span
    line = code.source.line(span.line)
    comment = line[span.column - 1 : span.end_column - 1]
    if span.line != span.end_line or not comment.startswith("#") or span.end_column - 1 != len(line.rstrip()):
        return
    before = line[: span.column - 1].rstrip()
    if before:
        yield Fix(
            Safety.SAFE,
            "delete the suppression",
            (Edit(Span(span.line, len(before) + 1, span.line, len(line) + 1), ""),),
        )
    else:
        yield Fix(Safety.SAFE, "delete the suppression", (Edit(Span(span.line, 1, span.line + 1, 1), ""),))


def _call(span: Span, code: Code) -> ast.Call | None:
    """The call that stands at a span."""
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.Call)), None)
    return node if node is not None and code.span(node) == span else None


def _statement(span: Span, code: Code) -> ast.stmt | None:
    return next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
