"""What a rewrite assumes, and the one place that decides whether it holds: in eager Python, on every path.

A rewrite yields an `Offer`: a fix, and what it assumes of the program. Without proof, a fix is only offered where every
assumption holds by the text alone; `fix` tries the others too, and keeps what its runs prove. Decided on the
safe side, from how values are made: what the engine believes under TorchDynamo, a name or an annotated union says
nothing about eager Python.
"""

from __future__ import annotations

import ast
import itertools
from typing import Protocol

from compilelint.fixes.engine.beliefs import Beliefs
from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.imports import spelled_target
from compilelint.fixes.engine.known_tensors import is_tensor
from compilelint.model import Fix
from compilelint.model.slotted import dataclass

NOTHING = Beliefs()
"""Of a finding of which nothing is believed."""

# Reductions and questions that Python's numbers do not have: who answers is no bool and no int.
_ASKED_OF_TENSORS = frozenset(
    "abs all amax amin any argmax argmin isfinite isinf isnan max mean min norm prod std sum var".split()
)
_ASKED_OF_TORCH = frozenset(f"torch.{name}" for name in _ASKED_OF_TENSORS)
# Element by element, of one tensor, raising for no value, with a finite derivative wherever there is one.
_BY_ELEMENT = frozenset("abs clone cos detach exp neg relu sigmoid sin square tanh".split())
_LIKE = frozenset({"torch.zeros_like", "torch.ones_like", "torch.empty_like"})
_FLOATS = frozenset("cos exp sigmoid sin softmax tanh".split())  # floats from whatever they are given
_DEEP = 8


class Assumption(Protocol):
    """Something that must hold in eager Python; `unmet` says in words why it may not, or nothing.

    `varied` names what runs must have varied to show that it holds, as proofs name it (`not varied: dtype`).
    """

    @property
    def varied(self) -> tuple[str, ...]:
        """Empty where any run that comes to the line shows it."""

    def unmet(self, code: Code) -> str:
        """Why it is not known to hold; empty where it is."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A fix, and what must hold for it to change nothing else in eager Python."""

    fix: Fix
    assumes: tuple[Assumption, ...]

    def unmet(self, code: Code) -> str:
        """The first assumption that is not known to hold, in words."""
        return next((why for one in self.assumes if (why := one.unmet(code))), "")

    def varied(self, code: Code) -> tuple[str, ...]:
        """What runs must have varied to show that the assumptions hold that the text leaves open."""
        return tuple(sorted({name for one in self.assumes if one.unmet(code) for name in one.varied}))


@dataclass(frozen=True, slots=True)
class IsTensor:
    """The expression gives a tensor, not a Python number or bool, wherever it is computed."""

    node: ast.expr

    @property
    def varied(self) -> tuple[str, ...]:
        """Nothing: a number raises, or gives another result."""
        return ()

    def unmet(self, code: Code) -> str:
        """Not known to be a tensor."""
        return "" if _answers_as_tensor(self.node, code) else f"`{ast.unparse(self.node)}` may not be a tensor"


@dataclass(frozen=True, slots=True)
class Alike:
    """Both sides are made element by element of one tensor, so they have its shape and dtype, and none can raise.

    What `test` asks is a tensor on both sides of it. Nothing in the sides divides (but by a number that is spelled and
    is not zero), indexes, or takes a logarithm or a root, so that what is computed in vain leaves neither an error nor
    a NaN in a gradient.
    """

    one: ast.expr
    other: ast.expr
    test: ast.expr
    beliefs: Beliefs = NOTHING

    @property
    def varied(self) -> tuple[str, ...]:
        """In the dtype that a program is tried with, sides that differ in it may agree."""
        return ("dtype",)

    def unmet(self, code: Code) -> str:
        """Not known to be alike."""
        asked = _asked(self.test, code)
        first, second = (base_of(side, code, asked, self.beliefs) for side in (self.one, self.other))
        if first is None or second is None or first != second:
            return f"`{ast.unparse(self.one)}` and `{ast.unparse(self.other)}` may differ in shape or dtype, or raise"
        return ""


@dataclass(frozen=True, slots=True)
class OnlyRuns:
    """Nothing in the text decides it; `why` says what eager code would see."""

    why: str
    varied: tuple[str, ...] = ()

    def unmet(self, code: Code) -> str:
        """Always open."""
        return self.why


def _answers_as_tensor(node: ast.expr, code: Code) -> bool:
    if is_tensor(node, code):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.Invert, ast.USub)):
        return _answers_as_tensor(node.operand, code)
    if isinstance(node, ast.Compare):
        if any(isinstance(one, (ast.Is, ast.IsNot, ast.In, ast.NotIn)) for one in node.ops):
            return False
        sides = [node.left, *node.comparators]
        return all(any(_answers_as_tensor(one, code) for one in pair) for pair in itertools.pairwise(sides))
    if isinstance(node, ast.BinOp):
        return _answers_as_tensor(node.left, code) or _answers_as_tensor(node.right, code)
    if isinstance(node, ast.Call):
        target = spelled_target(node.func, code)
        if target is not None:
            return target in _ASKED_OF_TORCH
        return isinstance(node.func, ast.Attribute) and node.func.attr in _ASKED_OF_TENSORS
    if isinstance(node, ast.Name):
        value = _only_value(node, code)
        return value is not None and _answers_as_tensor(value, code)
    return False


def _only_value(node: ast.Name, code: Code) -> ast.expr | None:
    """What a name was given, if one plain assignment before it, in its function, is all that gives it anything."""
    function = next((one for one in reversed(code.around(node)) if isinstance(one, ast.FunctionDef)), None)
    if function is None or any(isinstance(one, ast.arg) and one.arg == node.id for one in ast.walk(function)):
        return None
    stores = list(names_in(function, lambda one: one.id == node.id and is_store(one)))
    made = [
        one
        for one in ast.walk(function)
        if isinstance(one, ast.Assign) and len(one.targets) == 1 and one.targets[0] in stores
    ]
    return made[0].value if len(stores) == len(made) == 1 and made[0].lineno < node.lineno else None


def _asked(test: ast.expr, code: Code) -> frozenset[str]:
    """What a test calls a method of tensors on: a Python number or bool would have raised there."""
    return frozenset(
        ast.unparse(one.func.value)
        for one in ast.walk(test)
        if isinstance(one, ast.Call)
        and isinstance(one.func, ast.Attribute)
        and one.func.attr in _ASKED_OF_TENSORS
        and spelled_target(one.func, code) is None
    )


def base_of(node: ast.expr, code: Code, asked: frozenset[str] = frozenset(), beliefs: Beliefs = NOTHING) -> str | None:
    """The tensor that an expression has the shape and dtype of, as source text; None where it may have others."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        text = ast.unparse(node)
        return text if text in asked or beliefs.is_tensor(node) or is_tensor(node, code) else None
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return base_of(node.operand, code, asked, beliefs)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        return _base_of_two(node, code, asked, beliefs)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div) and _is_number(node.right) and _value(node.right):
        return _base_of_two(node, code, asked, beliefs)  # no NaN and no error can come of it
    if not isinstance(node, ast.Call):
        return None
    target = spelled_target(node.func, code)
    if target in _LIKE:
        return base_of(node.args[0], code, asked, beliefs) if len(node.args) == 1 and not node.keywords else None
    if target is not None and target.startswith(("torch.", "torch.nn.functional.")):
        return (
            _base_of_call(target.rpartition(".")[2], node.args[0], node.args[1:], node.keywords, code, asked, beliefs)
            if node.args
            else None
        )
    if target is None and isinstance(node.func, ast.Attribute):
        return _base_of_call(node.func.attr, node.func.value, node.args, node.keywords, code, asked, beliefs)
    return None


def _base_of_two(node: ast.BinOp, code: Code, asked: frozenset[str], beliefs: Beliefs) -> str | None:
    """Of a sum or product: one of a tensor and a number of its kind, or of two that have the same base."""
    left, right = node.left, node.right
    numbers = [one for one in (left, right) if _is_number(one)]
    if len(numbers) == 1:
        tensor = right if numbers[0] is left else left
        base = base_of(tensor, code, asked, beliefs)
        whole = type(_value(numbers[0])) is int and not isinstance(node.op, ast.Div)
        keeps = _is_float(tensor, code, beliefs) or (whole and _is_whole(tensor, beliefs))
        return base if base is not None and keeps else None
    first, second = base_of(left, code, asked, beliefs), base_of(right, code, asked, beliefs)
    return first if first is not None and first == second else None


def _is_whole(node: ast.expr, beliefs: Beliefs) -> bool:
    """Whether a tensor holds whole numbers, and no truth values: whole numbers added to it change no dtype."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)):
        sides = [one for one in (node.left, node.right) if not _is_number(one)]
        return bool(sides) and all(_is_whole(one, beliefs) for one in sides)
    return beliefs.dtype(node) == "int"


def _base_of_call(
    name: str,
    value: ast.expr,
    args: list[ast.expr],
    keywords: list[ast.keyword],
    code: Code,
    asked: frozenset[str],
    beliefs: Beliefs,
) -> str | None:
    base = base_of(value, code, asked, beliefs)
    if base is None or not _is_float(value, code, beliefs):
        return None  # of whole numbers and bools, some of these make floats, or raise
    if name in _BY_ELEMENT:
        return base if not args and not keywords else None
    bounds = [*args, *(one.value for one in keywords if one.arg in ("min", "max"))]
    clamped = name == "clamp" and len(bounds) == len(args) + len(keywords)
    return base if clamped and all(_is_number(one) for one in bounds) else None


def _is_number(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else node
    return isinstance(inner, ast.Constant) and type(inner.value) in (int, float)


def _value(node: ast.expr) -> int | float:
    """The number that is spelled."""
    number: int | float = ast.literal_eval(node)
    return number


def _is_float(node: ast.expr, code: Code, beliefs: Beliefs, deep: int = 0) -> bool:
    """Whether a tensor holds floats for certain: as is believed, or by a function that knows no other kind."""
    if beliefs.dtype(node) == "float":
        return True
    if deep > _DEEP:
        return False
    if isinstance(node, ast.Name):
        value = _last_value(node, code)
        return value is not None and _is_float(value, code, beliefs, deep + 1)
    if isinstance(node, ast.UnaryOp):
        return _is_float(node.operand, code, beliefs, deep + 1)
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return isinstance(node.op, ast.Div) or any(_is_float(one, code, beliefs, deep + 1) for one in sides)
    if isinstance(node, ast.Call):
        return (spelled_target(node.func, code) or ast.unparse(node.func)).rpartition(".")[2] in _FLOATS
    return False


def _last_value(node: ast.Name, code: Code) -> ast.expr | None:
    """The expression that the nearest plain assignment above gives a name.

    `tanh` never gives whole numbers, though the dtype of its result is not known.
    """
    path = code.around(node)
    for index in range(len(path) - 1, 0, -1):
        inner, outer = path[index], path[index - 1]
        block = getattr(outer, "body", None)
        if not isinstance(inner, ast.stmt) or not isinstance(block, list) or inner not in block:
            continue
        for statement in reversed(block[: block.index(inner)]):
            stored = list(names_in(statement, lambda one: one.id == node.id and is_store(one)))
            if stored:
                plain = isinstance(statement, ast.Assign) and len(stored) == 1 and statement.targets == stored
                return statement.value if plain and isinstance(statement, ast.Assign) else None
        if not isinstance(outer, (ast.If, ast.With)):
            return None
    return None
