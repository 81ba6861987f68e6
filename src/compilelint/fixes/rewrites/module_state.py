"""State that belongs to a module: buffers registered as such, layers built with the module. All unsafe."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Finding, Fix, Safety


@rewrite("buffer", rank=1, rules=("CL616",))
def registered_buffer(finding: Finding, code: Code) -> Iterator[Fix]:
    """`self.name = nn.Buffer(x)` becomes `self.register_buffer("name", x.detach())`, which is traced.

    Legal where the statement assigns nothing else. Changes: the buffer is not an instance of `nn.Buffer`.
    """
    span = finding.location.span
    node = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    if not isinstance(node, ast.Assign) or len(node.targets) != 1:
        return
    target, call = node.targets[0], node.value
    if not isinstance(target, ast.Attribute) or not isinstance(call, ast.Call):
        return
    if not (spelled_target(call.func, code) or "").endswith("nn.Buffer") or len(call.args) != 1:
        return
    if isinstance(call.args[0], ast.Starred) or any(one.arg != "persistent" for one in call.keywords):
        return
    piece = code.piece(node, code.span(call))
    line = None if piece is None else piece.statement()
    if piece is None or not isinstance(piece.node, cst.Call) or not isinstance(line, cst.SimpleStatementLine):
        return
    owner = cst.parse_expression(f"{ast.unparse(target.value)}.register_buffer")
    value = piece.node.args[0]
    plain = cst.Call(cst.Attribute(_in_parentheses(value.value), cst.Name("detach")))
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    made = piece.node.with_changes(
        func=owner,
        args=[
            cst.Arg(cst.SimpleString(f"{code.quote}{target.attr}{code.quote}"), comma=comma),
            value.with_changes(value=plain),
            *piece.node.args[1:],
        ],
    )
    changed = line.with_changes(body=[cst.Expr(made)])
    yield Fix(Safety.UNSAFE, "register the buffer", piece.replaced(line, changed))


# ---------------------------------------------------------------------- parts


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or node.lpar:
        return node
    changed = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    assert isinstance(changed, cst.BaseExpression), "parentheses do not change the kind"
    return changed
