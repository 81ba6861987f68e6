"""State that belongs to a module: buffers registered as such, layers built with the module. All unsafe."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Edit, Finding, Fix, Safety, Span

_LOOPS = (ast.For, ast.AsyncFor, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


@rewrite("buffer", rank=1, rules=("CL616",))
def registered_buffer(finding: Finding, code: Code) -> Iterator[Fix]:
    """`self.name = nn.Buffer(x)` becomes `self.register_buffer("name", x.detach())`, which is traced.

    Legal where the statement assigns nothing else. Changes: the buffer is no instance of `nn.Buffer`.
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


@rewrite("construction", rank=1, rules=("CL605",))
def built_once(finding: Finding, code: Code) -> Iterator[Offer]:
    """`nn.Linear(4, self.width)(x)` in a method becomes `self.linear(x)`, and `__init__` builds the layer.

    Legal where the class derives from `nn.Module` in so many words, the arguments are constants and attributes that
    `__init__` sets and nothing else in the file does, no loop surrounds the call, and `__init__` calls
    `super().__init__()` and never returns early. Changes: the layer is built once, so its weights stay the same from
    call to call, are drawn when the module is made, are trained, and are saved with it.
    """
    span = finding.location.span
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    owner = next((one for one in path if isinstance(one, ast.ClassDef)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if call is None or owner is None or statement is None or code.span(call) != span or span.line != span.end_line:
        return
    short = (spelled_target(call.func, code) or "").rpartition("nn.")[2]
    init = _init(owner, code)
    method = code.function(span)
    if init is None or not short.isidentifier() or short == "Parameter" or method is init or method not in owner.body:
        return
    if any(isinstance(one, _LOOPS) for one in path) or not _is_known_in(init, call, code):
        return
    name = _free_name(short.lower(), code)
    piece = code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.Call):
        return
    last, first = init.body[-1], init.body[0]
    text = code.source.line(span.line)[span.column - 1 : span.end_column - 1]
    line = (last.end_lineno or last.lineno) + 1
    indent = code.source.line(first.lineno)[: first.col_offset]
    yield Offer(
        Fix(
            Safety.UNSAFE,
            "build the layer once, with the module",
            (
                Edit(Span(line, 1, line, 1), f"{indent}self.{name} = {text}\n"),
                *piece.replaced(piece.node, cst.parse_expression(f"self.{name}")),
            ),
        ),
        (OnlyRuns("the layer draws its random numbers at another time"),),
    )


# ---------------------------------------------------------------------- parts


def _in_parentheses(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or node.lpar:
        return node
    changed = node.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
    assert isinstance(changed, cst.BaseExpression), "parentheses do not change the kind"
    return changed


def _init(owner: ast.ClassDef, code: Code) -> ast.FunctionDef | None:
    """The `__init__` of a module class, if a layer can be added at its end."""
    if not any(spelled_target(base, code) == "torch.nn.Module" for base in owner.bases):
        return None
    found = next((one for one in owner.body if isinstance(one, ast.FunctionDef) and one.name == "__init__"), None)
    if found is None or found.decorator_list or any(isinstance(one, ast.Return) for one in ast.walk(found)):
        return None
    calls = (one for one in found.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call))
    called = any(ast.unparse(one).startswith("super(") for one in calls)
    return found if called and found.body[0].lineno > found.lineno else None


def _is_known_in(init: ast.FunctionDef, call: ast.Call, code: Code) -> bool:
    """Whether the arguments are constants, or attributes that are set in `__init__` and nowhere else."""
    for one in [*call.args, *(keyword.value for keyword in call.keywords)]:
        if isinstance(one, ast.Constant):
            continue
        if not isinstance(one, ast.Attribute) or not isinstance(one.value, ast.Name) or one.value.id != "self":
            return False
        stores = [node for node in ast.walk(code.tree) if _is_store_of(node, one.attr)]
        if len(stores) != 1 or not any(stores[0] is node for top in init.body for node in _targets(top)):
            return False
    return all(keyword.arg is not None for keyword in call.keywords)


def _is_store_of(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Constant):
        return node.value == name  # `setattr(self, "name", ...)` and the like
    return isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load)


def _targets(statement: ast.stmt) -> list[ast.expr]:
    return statement.targets if isinstance(statement, ast.Assign) else []


def _free_name(wanted: str, code: Code) -> str:
    """An attribute that nothing in the file is called by: `linear`, `linear_2`, ..."""
    taken = {one.attr for one in ast.walk(code.tree) if isinstance(one, ast.Attribute)}
    taken |= {one.value for one in ast.walk(code.tree) if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    taken |= {one.name for one in ast.walk(code.tree) if isinstance(one, FunctionNode)}
    taken |= {one.id for one in names_in(code.tree, is_store)}
    number, name = 2, wanted
    while name in taken:
        name, number = f"{wanted}_{number}", number + 1
    return name
