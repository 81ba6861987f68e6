"""Which calls treat each row of a tensor by itself, so that picking rows before or after is the same.

A row is what lies along the last dimension. Decided by the modules that the class builds: those of `torch.nn` that are
known to be such, and classes of the same file whose `forward` is made of nothing else. What has no source at hand (a
layer chosen by a configuration) is only taken on trust where the result is proven by a run.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from compilelint.fixes.engine.code import Code, FunctionNode
from compilelint.fixes.engine.imports import spelled_target

_LAYERS = frozenset(
    "Linear LayerNorm RMSNorm Identity ReLU ReLU6 LeakyReLU ELU CELU SELU GELU SiLU Mish Sigmoid Tanh Softplus "
    "Softsign Hardswish Hardsigmoid Hardtanh LogSigmoid Tanhshrink Threshold".split()
)
_ELEMENTWISE = frozenset(
    "abs add clamp cos div double elu exp float gelu half leaky_relu log log1p mish mul neg pow reciprocal relu rsqrt "
    "sigmoid silu sin softplus sqrt square sub tanh to type_as contiguous".split()
)
_OVER_A_ROW = frozenset({"mean", "sum", "var", "std", "amax", "amin"})
_WITHIN_A_ROW = frozenset({"softmax", "log_softmax"})
_PLACES = frozenset({"dtype", "device"})
_DEEP = 4

ROWS, PLAIN = "rows", "plain"


@dataclass
class RowWise:
    """What expressions of one class are, `ROWS` or `PLAIN` (no tensor of rows in it), or None where that is unknown.

    `trusted` notes that an unknown module was taken on trust, which happens only where `trust` says so.
    """

    code: Code
    owner: ast.ClassDef
    trust: bool
    trusted: bool = False
    _deep: int = 0
    _known: dict[str, bool] = field(default_factory=dict)

    def kind(self, node: ast.expr, names: Mapping[str, str], leaf: Callable[[ast.expr], bool]) -> str | None:
        """What an expression is, where `names` says it of names and `leaf` of expressions that are rows."""

        def inner(one: ast.expr) -> str | None:
            return self.kind(one, names, leaf)

        if leaf(node):
            return ROWS
        if isinstance(node, ast.Name):
            return names.get(node.id)
        if isinstance(node, ast.Constant):
            return PLAIN
        if isinstance(node, ast.Attribute):
            if (spelled_target(node, self.code) or "").startswith("torch.") or _is_self(node.value):
                return PLAIN
            return PLAIN if node.attr in _PLACES or (inner(node.value) == PLAIN and node.attr != "shape") else None
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return inner(node.operand)
        if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
            both = {inner(node.left), inner(node.right)}
            return None if None in both else ROWS if ROWS in both else PLAIN
        return self._called(node, inner) if isinstance(node, ast.Call) else None

    def _called(self, call: ast.Call, inner: Callable[[ast.expr], str | None]) -> str | None:
        func = call.func
        given = [inner(one) for one in (*call.args, *(one.value for one in call.keywords))]
        if None in given or any(one.arg is None for one in call.keywords):
            return None
        target = spelled_target(func, self.code) or ""
        if target.startswith("torch."):
            return ROWS if ROWS in given[:1] and _is_row_wise(target.rpartition(".")[2], call, 1) else None
        if not isinstance(func, ast.Attribute) or target:
            return None
        if _is_self(func.value):
            alone = len(call.args) == 1 and not call.keywords and given == [ROWS]
            return ROWS if alone and self._layer(func.attr) else None
        return ROWS if inner(func.value) == ROWS and _is_row_wise(func.attr, call, 0) else None

    def _layer(self, name: str) -> bool:
        """Whether a module that the class keeps under a name treats each row by itself."""
        if name not in self._known:
            self._known[name] = False  # a class that calls itself is not looked into for ever
            stored = [
                one
                for one in ast.walk(self.owner)
                if isinstance(one, ast.Attribute) and one.attr == name and not isinstance(one.ctx, ast.Load)
            ]
            values = [
                one.value
                for one in ast.walk(self.owner)
                if isinstance(one, ast.Assign) and len(one.targets) == 1 and one.targets[0] in stored
            ]
            self._known[name] = len(stored) == len(values) == 1 and self._built(values[0])
        return self._known[name]

    def _built(self, value: ast.expr) -> bool:
        target = spelled_target(value.func, self.code) if isinstance(value, ast.Call) else None
        if isinstance(value, ast.Call) and target is not None and target.startswith("torch.nn."):
            short = target.removeprefix("torch.nn.")
            if short == "Sequential":
                return not value.keywords and all(self._built(one) for one in value.args)
            return short in _LAYERS
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            made = next(
                (one for one in self.code.tree.body if isinstance(one, ast.ClassDef) and one.name == value.func.id),
                None,
            )
            if made is not None:
                return self._is_row_wise_class(made)
        self.trusted = self.trusted or self.trust
        return self.trust

    def _is_row_wise_class(self, made: ast.ClassDef) -> bool:
        """Whether a class of the file has a `forward` of one tensor that is row-wise from its first line on."""
        forward = next((one for one in made.body if isinstance(one, FunctionNode) and one.name == "forward"), None)
        derived = [spelled_target(base, self.code) for base in made.bases] == ["torch.nn.Module"]
        if forward is None or not derived or forward.decorator_list or self._deep >= _DEEP:
            return False
        arguments = forward.args
        if len(arguments.args) != 2 or arguments.vararg or arguments.kwarg or arguments.kwonlyargs:
            return False
        inside = RowWise(self.code, made, self.trust, _deep=self._deep + 1)
        names = {arguments.args[1].arg: ROWS}
        for statement in forward.body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                continue
            value = statement.value if isinstance(statement, (ast.Assign, ast.Return)) else None
            kind = None if value is None else inside.kind(value, names, lambda _: False)
            if kind is None:
                return False
            self.trusted = self.trusted or inside.trusted
            if isinstance(statement, ast.Return):
                return kind == ROWS
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            if not isinstance(target, ast.Name):
                return False
            names[target.id] = kind
        return False


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_row_wise(name: str, call: ast.Call, first: int) -> bool:
    """Whether a function or method of torch treats each row by itself; `first` arguments precede the dimension."""
    if any(one.arg in ("out", "inplace") for one in call.keywords):
        return False
    if name in _ELEMENTWISE:
        return True
    keywords = {one.arg: one.value for one in call.keywords}
    dim = keywords.get("dim") or (call.args[first] if len(call.args) > first else None)
    last = dim is not None and ast.unparse(dim) in ("-1", "(-1,)", "[-1]")
    kept = keywords.get("keepdim")
    if name in _WITHIN_A_ROW:
        return last
    return name in _OVER_A_ROW and last and isinstance(kept, ast.Constant) and kept.value is True
