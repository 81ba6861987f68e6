"""Tensors made where they are needed: the device of a factory call, of a named device, and of what a module keeps.

Safe only where the same numbers come out on every device: constants, and ranges of integers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.lazy_cst import cst
from compilelint.fixes.engine.purity import is_pure
from compilelint.fixes.engine.registry import rewrite
from compilelint.model import Finding, Fix, Safety

# Whose elements are the same on every device; `arange` only of integers, which the engine knows.
_EXACT = frozenset({"torch.zeros", "torch.ones", "torch.full", "torch.eye", "torch.tensor", "torch.arange"})
_MADE = _EXACT | frozenset({"torch.linspace", "torch.logspace", "torch.rand", "torch.randn", "torch.randint"})
_AS_IT_GOES = frozenset({"non_blocking", "memory_format"})
_PLAIN_KEYWORDS = frozenset({"dtype", "size", "fill_value", "start", "end", "step", "steps", "low", "high"})


@rewrite("host-built", rank=1, rules=("CL301",))
def made_there(finding: Finding, code: Code) -> Iterator[Fix]:
    """`torch.arange(4).to(x.device)` becomes `torch.arange(4, device=x.device)`; `.cuda()` is `device="cuda"`.

    Legal where the call of `zeros`, `ones`, `full`, `eye`, `tensor`, `arange`, `linspace`, `logspace`, `rand`, `randn`
    or `randint` is moved at once, and has no keyword but its numbers and `dtype`; and the move names a device alone, by
    an expression without effects. Changes: nothing for constants and ranges of integers, which is safe; random numbers
    come from the device's generator, and the last digits of computed numbers may differ.
    """
    known, span = finding.rewrite, finding.location.span
    path = code.path(span)
    move = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if known is None or move is None or statement is None or code.span(move) != span:
        return
    made = move.func.value if isinstance(move.func, ast.Attribute) and move.func.attr in ("to", "cuda") else None
    device = _device(move)
    if not isinstance(made, ast.Call) or not _is_plain_factory(made, code) or device is None:
        return
    if not is_pure(device, code):
        return  # it would be computed before the tensor's own numbers are looked at
    piece = code.piece(statement, span)
    if piece is None or not isinstance(piece.node, cst.Call) or not isinstance(piece.node.func, cst.Attribute):
        return
    factory = piece.node.func.value
    text = cst.Module([]).code_for_node(piece.node)
    if not isinstance(factory, cst.Call) or "#" in text or factory.lpar:
        return
    place = piece.node.args[0].value if piece.node.args else cst.SimpleString('"cuda"')
    given = cst.Arg(place, cst.Name("device"), equal=_equal())
    new = _with_argument(factory, given).with_changes(lpar=piece.node.lpar, rpar=piece.node.rpar)
    target = spelled_target(made.func, code) or ""
    whole = target != "torch.arange" or known.fact("dtype") == "int"
    safe = target in _EXACT and whole and not known.fact("random")
    title = "make it on the device" if safe else "make it on the device, with that device's random numbers"
    yield Fix(Safety.SAFE if safe else Safety.UNSAFE, title, piece.replaced(piece.node, new))


@rewrite("device-literal", rank=1, rules=("CL306",))
def beside_peer(finding: Finding, code: Code) -> Iterator[Fix]:
    """`torch.zeros(4, device="cuda")` becomes `torch.zeros(4, device=x.device)`; `.cuda()` and `.to("cuda")` likewise.

    Legal where `x` is a parameter that is a tensor on every path to the line, and is not itself what is moved; the
    literal names no number of a device, and stands alone. Changes: the tensor lies where `x` lies, not on the current
    GPU.
    """
    known, span = finding.rewrite, finding.location.span
    peer = "" if known is None else str(known.fact("peer") or "")
    path = code.path(span)
    call = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    statement = next((one for one in reversed(path) if isinstance(one, ast.stmt)), None)
    if not peer or call is None or statement is None or code.span(call) != span:
        return
    keyword = next((one for one in call.keywords if one.arg == "device"), None)
    method = call.func if isinstance(call.func, ast.Attribute) else None
    if keyword is not None:
        old: ast.expr = keyword.value
    elif method is not None and method.attr in ("cuda", "to") and all(one.arg in _AS_IT_GOES for one in call.keywords):
        if _names(method.value, peer) or len(call.args) != (method.attr == "to"):
            return
        old = call.args[0] if call.args else call
    else:
        return
    if old is not call and not (isinstance(old, ast.Constant) and old.value == "cuda"):
        return
    piece = code.piece(statement, code.span(old))
    if piece is None or not isinstance(piece.node, cst.BaseExpression):
        return
    new: cst.BaseExpression = cst.parse_expression(f"{peer}.device")
    if isinstance(piece.node, cst.Call) and isinstance(piece.node.func, cst.Attribute):
        function = piece.node.func.with_changes(attr=cst.Name("to"))
        rest = piece.node.args
        new = piece.node.with_changes(
            func=function, args=[cst.Arg(new, comma=_comma() if rest else cst.MaybeSentinel.DEFAULT), *rest]
        )
    yield Fix(Safety.UNSAFE, f"take the device of `{peer}`", piece.replaced(piece.node, new))


@rewrite("host-kept", rank=1, rules=("CL302",))
def kept_as_buffer(finding: Finding, code: Code) -> Iterator[Fix]:
    """`self.name = torch.arange(4)` in `__init__` becomes `self.register_buffer("name", ..., persistent=False)`.

    Legal where the class derives from `nn.Module` in so many words, `self.name` is assigned there and nowhere else in
    the file, and after `super().__init__()`. Changes: the tensor moves with the module, and takes part in `half()` and
    the like; `named_buffers` lists it, `state_dict` does not.
    """
    span = finding.location.span
    path = code.path(span)
    attribute = next((one for one in reversed(path) if isinstance(one, ast.Call)), None)
    moved = attribute.func.value if attribute is not None and isinstance(attribute.func, ast.Attribute) else None
    owner = next((one for one in path if isinstance(one, ast.ClassDef)), None)
    if not isinstance(moved, ast.Attribute) or not _names(moved.value, "self") or owner is None:
        return
    if not any(spelled_target(base, code) == "torch.nn.Module" for base in owner.bases):
        return
    stores = [one for one in ast.walk(code.tree) if _stores(one, moved.attr)]
    built = next((one for one in owner.body if isinstance(one, FunctionNode) and one.name == "__init__"), None)
    made = next((one for one in (built.body if built else []) if _assigns(one, moved.attr)), None)
    if len(stores) != 1 or built is None or not isinstance(made, ast.Assign) or not after_super(built, made):
        return
    piece = code.piece(made, code.span(made.value))
    line = None if piece is None else piece.statement()
    if piece is None or not isinstance(line, cst.SimpleStatementLine) or not isinstance(piece.node, cst.BaseExpression):
        return
    name = f"{code.quote}{moved.attr}{code.quote}"
    call = cst.parse_expression(f"self.register_buffer({name}, value, persistent=False)")
    assert isinstance(call, cst.Call), "a call was parsed"
    first, second, last = call.args
    changed = line.with_changes(
        body=[cst.Expr(call.with_changes(args=[first, second.with_changes(value=piece.node), last]))]
    )
    yield Fix(Safety.UNSAFE, "keep it as a buffer of the module", piece.replaced(line, changed))


# ---------------------------------------------------------------------- parts


def _equal() -> cst.AssignEqual:
    return cst.AssignEqual(cst.SimpleWhitespace(""), cst.SimpleWhitespace(""))


def _comma() -> cst.Comma:
    return cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))


def _is_plain_factory(call: ast.Call, code: Code) -> bool:
    """A call that makes a tensor of its arguments, on the host, and nothing else."""
    if spelled_target(call.func, code) not in _MADE or any(isinstance(one, ast.Starred) for one in call.args):
        return False
    return all(one.arg in _PLAIN_KEYWORDS for one in call.keywords)


def _device(move: ast.Call) -> ast.expr | None:
    """The device of `.to(x.device)` or `.to(device=d)`: the only argument, and surely no dtype and no tensor."""
    if isinstance(move.func, ast.Attribute) and move.func.attr == "cuda":
        return None if move.args or move.keywords else ast.Constant("cuda")
    if len(move.args) + len(move.keywords) != 1:
        return None
    if move.keywords:
        return move.keywords[0].value if move.keywords[0].arg == "device" else None
    given = move.args[0]
    named = isinstance(given, ast.Constant) and isinstance(given.value, str)
    return given if named or (isinstance(given, ast.Attribute) and given.attr == "device") else None


def _with_argument(call: cst.Call, argument: cst.Arg) -> cst.Call:
    """The call with one more argument; a comma that ended the arguments stays where it was."""
    if not call.args:
        return call.with_changes(args=[argument])
    last = call.args[-1]
    if isinstance(last.comma, cst.Comma):
        gap = call.args[-2].comma if len(call.args) > 1 else _comma()  # as the arguments before are parted
        ended = argument.with_changes(comma=last.comma)
        return call.with_changes(args=[*call.args[:-1], last.with_changes(comma=gap), ended])
    tail = argument.with_changes(whitespace_after_arg=last.whitespace_after_arg)
    before = last.with_changes(comma=_comma(), whitespace_after_arg=cst.SimpleWhitespace(""))
    return call.with_changes(args=[*call.args[:-1], before, tail])


def _names(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _stores(node: ast.AST, name: str) -> bool:
    """Whether an attribute of that name is written or deleted here, by its name or by `setattr` of it."""
    if isinstance(node, ast.Attribute):
        return node.attr == name and not isinstance(node.ctx, ast.Load)
    return isinstance(node, ast.Constant) and node.value == name


def _assigns(statement: ast.stmt, name: str) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target = statement.targets[0]
    return isinstance(target, ast.Attribute) and target.attr == name and _names(target.value, "self")


def after_super(function: ast.FunctionDef | ast.AsyncFunctionDef, statement: ast.stmt) -> bool:
    """Whether `super().__init__()` stands before a statement, in the same block."""
    before = function.body[: function.body.index(statement)]
    return any(
        isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and ast.unparse(one.value).startswith("super(")
        for one in before
    )
