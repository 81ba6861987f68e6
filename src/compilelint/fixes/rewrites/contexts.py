"""Context managers made where they are entered: Dynamo traces `with torch.no_grad():`, not an object from outside."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Finding, Fix, Safety

# Whose objects hold nothing but what they are made from, and do nothing before they are entered.
_STATELESS = frozenset({"torch.no_grad", "torch.enable_grad", "torch.inference_mode"})


@rewrite("outside-context", rank=1, rules=("CL602",))
def entered_here(finding: Finding, code: Code) -> Iterator[Fix]:
    """`with self.quiet:`, which `__init__` made by `torch.no_grad()`, becomes `with torch.no_grad():`.

    Legal where the attribute, or the variable of the file, is assigned once in the whole file, in the `__init__` of the
    class or at the top, and holds `no_grad`, `enable_grad` or `inference_mode` of constants. Changes: what is entered
    is a new object each time, and another file that assigns the attribute is not heeded.
    """
    span = finding.location.span
    path = code.path(span)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if not isinstance(statement, ast.With):
        return
    entered = next((one.context_expr for one in statement.items if code.span(one.context_expr) == span), None)
    made = _made(entered, path, code)
    if entered is None or made is None or made.keywords:
        return
    target = spelled_target(made.func, code) or ""
    spelled = spell(code, target, span) if target in _STATELESS else None
    if spelled is None or not all(isinstance(one, ast.Constant) for one in made.args):
        return
    piece = code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.BaseExpression):
        return
    given = ", ".join(map(ast.unparse, made.args))
    new = cst.parse_expression(f"{spelled.text}({given})")
    yield Fix(Safety.UNSAFE, "make it where it is entered", (*spelled.edits, *piece.replaced(piece.node, new)))


def _made(entered: ast.expr | None, path: list[ast.AST], code: Code) -> ast.Call | None:
    """The call whose result a name or attribute holds, if nothing else is ever put there."""
    if isinstance(entered, ast.Attribute) and isinstance(entered.value, ast.Name) and entered.value.id == "self":
        name = entered.attr
        stores = sum(
            isinstance(one, ast.Attribute) and one.attr == name and _writes(one) for one in ast.walk(code.tree)
        )
        named = any(isinstance(one, ast.Constant) and one.value == name for one in ast.walk(code.tree))
        owner = next((one for one in path if isinstance(one, ast.ClassDef)), None)
        body = [] if owner is None else owner.body
        first = next((one for one in body if isinstance(one, FunctionNode) and one.name == "__init__"), None)
        made = next((one for one in (first.body if first else []) if _puts(one, ast.Attribute, name)), None)
        return _called(made) if stores == 1 and not named else None
    if isinstance(entered, ast.Name):
        stored = [one for one in names_in(code.tree, is_store) if one.id == entered.id]
        given = any(isinstance(one, ast.arg) and one.arg == entered.id for one in ast.walk(code.tree))
        made = next((one for one in code.tree.body if _puts(one, ast.Name, entered.id)), None)
        return _called(made) if len(stored) == 1 and not given else None
    return None


def _writes(node: ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _called(statement: ast.stmt | None) -> ast.Call | None:
    value = statement.value if isinstance(statement, ast.Assign) else None
    return value if isinstance(value, ast.Call) else None


def _puts(statement: ast.stmt, kind: type[ast.Name] | type[ast.Attribute], name: str) -> bool:
    """Whether a statement is an assignment to that one name or attribute."""
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    if not isinstance(target, kind):
        return False
    return (target.id if isinstance(target, ast.Name) else target.attr) == name
