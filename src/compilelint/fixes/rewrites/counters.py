"""Counters that compiled code reads back: a 0-d buffer, whose value no guard looks at. Unsafe.

Measured on torch 2.13.0, 14 calls: an int that a module counts makes 8 versions, whether it is used in arithmetic, in
a branch or not at all, and with `dynamic=True` as well; a buffer that counts makes one. Floats become dynamic after
the first change (2 versions), so they are left alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.known_tensors import is_tensor
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.factory_devices import after_super
from compilelint.model import Edit, Finding, Fix, Safety, Span

_SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_TESTS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
# Functions of torch that take a tensor or a number in any place.
_TAKES_BOTH = frozenset({"torch.where", "torch.add", "torch.sub", "torch.mul", "torch.div", "torch.pow"})


@rewrite("counter", rank=1, rules=("CL701",))
def counted_in_buffer(finding: Finding, code: Code) -> Iterator[Offer]:
    """`self.steps += 1` becomes `self.steps = self.steps + 1`, and `__init__` registers `steps` as a 0-d buffer.

    Legal where the class derives from `nn.Module` in so many words, `__init__` sets the attribute to a whole number
    behind `super().__init__()`, everything else that stores it in the file counts with constants, and every read is
    arithmetic, or a comparison, that meets a tensor. Changes: the count is a tensor that moves
    with the module, in pickles too (`int(module.steps)` reads it); numbers calculated from it alone are float32 instead
    of float64; a module that is built on the meta device has to set it again.
    """
    span, known = finding.location.span, finding.rewrite
    path = code.path(span)
    target = path[-1]
    owner = next((one for one in reversed(path) if isinstance(one, ast.ClassDef)), None)
    tensor = spell(code, "torch.tensor", span)
    if known is None or owner is None or tensor is None or tensor.edits:
        return
    if not isinstance(target, ast.Attribute) or not _is_self(target.value):
        return
    if not any(spelled_target(base, code) == "torch.nn.Module" for base in owner.bases):
        return
    name = target.attr
    first = _first(owner, name)
    if first is None or not all(_is_served(one, code) for one in _reads(name, code)):
        return
    edits = _steps(first, name, code)
    if edits is not None:
        value = ast.unparse(first.value)
        place, whole = code.span(first), code.source.line(first.lineno)
        if place.line == place.end_line and ";" not in whole:
            called = f"{code.quote}{name}{code.quote}"
            text = f"self.register_buffer({called}, {tensor.text}({value}), persistent=False)"
            yield Offer(
                Fix(Safety.UNSAFE, "count in a buffer", (Edit(place, text), *edits)),
                (OnlyRuns("code that reads the count may need a number"),),
            )


def _first(owner: ast.ClassDef, name: str) -> ast.Assign | None:
    """`self.steps = 0` in `__init__`, behind `super().__init__()`."""
    built = next((one for one in owner.body if isinstance(one, FunctionNode) and one.name == "__init__"), None)
    for statement in built.body if built is not None else []:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and built is not None:
            target, value = statement.targets[0], statement.value
            number = isinstance(value, ast.Constant) and type(value.value) is int
            if isinstance(target, ast.Attribute) and target.attr == name and _is_self(target.value):
                return statement if number and after_super(built, statement) else None
    return None


def _steps(first: ast.Assign, name: str, code: Code) -> list[Edit] | None:
    """The edits of all statements that count; None where another one stores the attribute."""
    edits: list[Edit] = []
    counted = [first.targets[0]]
    for node in ast.walk(code.tree):
        if isinstance(node, ast.AugAssign) and _is_of(node.target, name):
            sign = _SIGNS.get(type(node.op))
            target, value = code.span(node.target), code.span(node.value)
            if sign is None or not _is_whole(node.value) or target.line != value.line:
                return None
            text = ast.unparse(node.target)
            between = Span(target.line, target.end_column, value.line, value.column)
            edits.append(Edit(between, f" = {text} {sign} "))
            counted.append(node.target)
        elif isinstance(node, ast.Assign) and _is_of(node.targets[0], name) and _is_self_step(node):
            counted.append(node.targets[0])
    for node in ast.walk(code.tree):
        stored = isinstance(node, ast.Attribute) and node.attr == name and not isinstance(node.ctx, ast.Load)
        named = isinstance(node, ast.Constant) and node.value == name  # `setattr(self, "steps", 0)`
        if named or (stored and not any(node is one for one in counted)):
            return None
    return edits


def _is_whole(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int


def _is_of(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == name and _is_self(node.value)


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


# ----------------------------------------------------------------- reads


def _reads(name: str, code: Code) -> Iterator[ast.expr]:
    for node in ast.walk(code.tree):
        if isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Load):
            yield node


def _is_served(node: ast.expr, code: Code, deep: int = 0) -> bool:
    """Whether a 0-d tensor does where a number stands: what is calculated with it meets a tensor in the end."""
    around = code.around(node)
    while around:
        above = around.pop()
        if isinstance(above, ast.BinOp) and isinstance(above.op, _ARITHMETIC):
            if any(is_tensor(one, code) for one in (above.left, above.right) if one is not node):
                return True
        elif isinstance(above, ast.Compare):
            if len(above.ops) != 1 or not isinstance(above.ops[0], _TESTS):
                return False
        elif isinstance(above, ast.Call):
            return node is not above.func and spelled_target(above.func, code) in _TAKES_BOTH
        elif isinstance(above, ast.Assign) and len(above.targets) == 1 and above.value is node:
            own = isinstance(above.targets[0], ast.Attribute) and isinstance(node, ast.BinOp)
            counts = own and _is_self_step(above)
            return counts or _name_is_served(above.targets[0], code, deep)
        elif not isinstance(above, ast.UnaryOp) or not isinstance(above.op, ast.USub):
            return False
        assert isinstance(above, ast.expr), "statements were dealt with"
        node = above
    return False


def _is_self_step(statement: ast.Assign) -> bool:
    """`self.steps = self.steps + 1`."""
    target, value = statement.targets[0], statement.value
    return (
        isinstance(target, ast.Attribute)
        and len(statement.targets) == 1
        and isinstance(value, ast.BinOp)
        and type(value.op) in _SIGNS
        and _is_of(value.left, target.attr)
        and _is_whole(value.right)
    )


def _name_is_served(target: ast.expr, code: Code, deep: int) -> bool:
    """Whether every read of a name that was calculated from the count takes a tensor; it is bound only once."""
    function = code.function(code.span(target))
    if not isinstance(target, ast.Name) or function is None or deep > 3:
        return False
    same = list(names_in(function, lambda one: one.id == target.id))
    if sum(is_store(one) for one in same) != 1:
        return False
    return all(_is_served(one, code, deep + 1) for one in same if not is_store(one))
