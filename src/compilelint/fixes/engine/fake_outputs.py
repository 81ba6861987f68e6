"""What the tensors that a piece of a function makes look like: sizes, dtype and device as `register_fake` gives them.

Read from the syntax, statement by statement, for calls that make tensors of known form. What is not known for sure is
a size of None (asked of the data), and where not even the number of dimensions is known there is no look at all. The
operator that is written from it checks its results against it in every run (`rewrites.rest_as_operator`), so a look
that is wrong raises and never misleads a compiler.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import replace

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.imports import spelled_target
from compilelint.model.slotted import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    """A tensor: each size as text, None where only a run knows; dtype and device as text, None for torch's own choice.

    A number has no sizes and no dtype.
    """

    sizes: tuple[str | None, ...] = ()
    dtype: str | None = None
    device: str | None = None


@dataclass(frozen=True, slots=True)
class _Listed:
    """A list: what it holds, and how many, as text; None where only a run knows it."""

    held: Look | None = None
    count: str | None = None


_Known = Look | _Listed | None
_FILLED = frozenset(f"torch.{name}" for name in ("zeros", "ones", "empty"))
_SAME = frozenset("cumsum clamp abs clone contiguous roll flip int_repr".split())
_SHAPED = frozenset("reshape view expand repeat".split())
_NUMBERS = frozenset("len int float max min sum abs round".split())


def looks(region: Sequence[ast.stmt], given: Mapping[str, bool], code: Code) -> dict[str, Look]:
    """The looks of the tensors that `region` makes, by name, as they are at its end.

    `given` are the names that it takes from outside, and whether each is a tensor; none of these has a look.
    """
    reader = _Reader(given, code)
    for statement in region:
        reader.run(statement, None)
    return {name: one for name, one in reader.known.items() if isinstance(one, Look) and one.dtype is not None}


def look_at_end(region: Sequence[ast.stmt], node: ast.expr, given: Mapping[str, bool], code: Code) -> Look | None:
    """The look of an expression behind `region`; None where it is not known. `given` as for `looks`."""
    reader = _Reader(given, code)
    for statement in region:
        reader.run(statement, None)
    found = reader.look(node)
    return found if isinstance(found, Look) and found.dtype is not None else None


class _Reader:
    def __init__(self, given: Mapping[str, bool], code: Code) -> None:
        self.given = given
        self.code = code
        self.known: dict[str, _Known] = {}
        self.written: dict[str, str] = {}  # names for what a given tensor says of itself: `device = x.device`
        self.lengths: dict[str, int] = {}  # names of tuples: how many items
        self.arms: list[tuple[str, bool]] = []  # the given flags that the statement stands under, and their sides
        self.grown_under: dict[str, tuple[str, bool]] = {}  # of a list, the flag under which it got its first item

    def run(self, node: ast.stmt, times: str | None, inside: bool = False) -> None:
        """One statement; `times` says how often a loop around it runs it, `inside` that it stands in a block."""
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name):
                    self.known[target.id] = None if node.value is None else self.look(node.value)
                    self._named(target.id, node.value)
                elif isinstance(target, (ast.Tuple, ast.List)) and self._is_grid(node.value, len(target.elts)):
                    for one in target.elts:
                        if isinstance(one, ast.Name):
                            self.known[one.id] = self._grid(node.value)
                elif isinstance(target, (ast.Tuple, ast.List)):
                    for one in target.elts:
                        if isinstance(one, ast.Name):
                            self.known[one.id] = None
        elif isinstance(node, ast.Expr):
            self._grown(node.value, times, inside)
        elif isinstance(node, ast.For):
            often = None if inside else self._length(node)
            for inner in node.body:
                self.run(inner, often, inside=often is None)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and self.given.get(node.test.id) is False:
            for block, side in ((node.body, True), (node.orelse, False)):
                self.arms.append((node.test.id, side))
                for inner in block:
                    self.run(inner, None, inside=True)
                self.arms.pop()
        elif isinstance(node, (ast.If, ast.With, ast.While)):
            for inner in [*node.body, *getattr(node, "orelse", [])]:
                self.run(inner, None, inside=True)

    def _named(self, name: str, value: ast.expr | None) -> None:
        """What a plain name is short for, where that helps later."""
        self.written.pop(name, None)
        self.lengths.pop(name, None)
        if isinstance(value, ast.Tuple):
            self.lengths[name] = len(value.elts)
        base = value.value if isinstance(value, ast.Attribute) and value.attr in ("device", "dtype") else None
        if value is not None and isinstance(base, ast.Name) and self.given.get(base.id) and base.id not in self.known:
            self.written[name] = ast.unparse(value)

    def _is_grid(self, value: ast.expr | None, count: int) -> bool:
        """`torch.meshgrid(x, y, indexing="ij")`, taken apart into as many tensors as it is given."""
        return (
            isinstance(value, ast.Call)
            and spelled_target(value.func, self.code) == "torch.meshgrid"
            and len(value.args) == count
        )

    def _grid(self, value: ast.expr | None) -> _Known:
        first = self.look(value.args[0]) if isinstance(value, ast.Call) else None
        return (
            replace(first, sizes=(None,) * len(value.args))
            if isinstance(first, Look) and isinstance(value, ast.Call) and first.dtype
            else None
        )

    def _length(self, loop: ast.For) -> str | None:
        """How often a loop over the rows of a given tensor runs; None for other loops, and for those that may stop."""
        source = loop.iter
        if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) and source.func.id == "enumerate":
            source = source.args[0]
        if not isinstance(source, ast.Name) or not self.given.get(source.id) or source.id in self.known:
            return None
        stops = any(isinstance(one, (ast.Break, ast.Continue)) for one in ast.walk(loop))
        return None if stops or loop.orelse else f"{source.id}.shape[0]"

    def _grown(self, call: ast.expr, times: str | None, inside: bool) -> None:
        """`names.append(x)` and `names.extend(y)`."""
        func = call.func if isinstance(call, ast.Call) else None
        if (
            not isinstance(call, ast.Call)
            or not isinstance(func, ast.Attribute)
            or not isinstance(func.value, ast.Name)
        ):
            return
        kept = self.known.get(func.value.id)
        if not isinstance(kept, _Listed) or func.attr not in ("append", "extend", "insert", "pop", "remove", "clear"):
            return
        held = kept.held
        one = self.look(call.args[0]) if func.attr == "append" and call.args else None
        if held is None:
            held = one if isinstance(one, Look) else None
            if self.arms:
                self.grown_under[func.value.id] = self.arms[-1]
        elif isinstance(one, Look) and one.sizes != held.sizes:
            held = self._either(func.value.id, held, one)
        sure = func.attr == "append" and not inside and times is not None and kept.count == "0"
        self.known[func.value.id] = _Listed(held, times if sure else None)

    def _either(self, name: str, held: Look, other: Look) -> Look:
        """What a list holds that gets its items under a flag and under its opposite: sizes by the flag."""
        first, now = self.grown_under.get(name), self.arms[-1] if self.arms else None
        if first is None or now is None or first != (now[0], not now[1]) or len(held.sizes) != len(other.sizes):
            return held  # the operator checks itself against it
        pairs = zip(*((held.sizes, other.sizes) if first[1] else (other.sizes, held.sizes)), strict=True)
        sizes = tuple(a if a == b else None if None in (a, b) else f"{a} if {first[0]} else {b}" for a, b in pairs)
        return replace(held, sizes=sizes)

    # ------------------------------------------------------------------ expressions

    def look(self, node: ast.expr) -> _Known:
        """What an expression gives, as far as it is known."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        if isinstance(node, ast.Constant):
            return Look() if isinstance(node.value, (int, float)) else None
        if isinstance(node, ast.List):
            held = [self.look(one) for one in node.elts]
            first = next((one for one in held if isinstance(one, Look)), None)
            return _Listed(first, str(len(held)))
        if isinstance(node, ast.BinOp):
            return self._broadcast(self.look(node.left), self.look(node.right))
        if isinstance(node, ast.Compare):
            left = self.look(node.left)
            return replace(left, dtype="torch.bool") if isinstance(left, Look) and left.dtype else None
        if isinstance(node, ast.Subscript):
            return self._picked(node)
        return self._called(node) if isinstance(node, ast.Call) else None

    def _broadcast(self, left: _Known, right: _Known) -> _Known:
        tensors = [one for one in (left, right) if isinstance(one, Look) and one.dtype is not None]
        if len(tensors) == 1:
            return tensors[0]  # a number, or what is unknown and then checked
        if len(tensors) == 2:
            return tensors[0] if len(tensors[0].sizes) >= len(tensors[1].sizes) else tensors[1]
        return Look() if isinstance(left, Look) and isinstance(right, Look) else None

    def _picked(self, node: ast.Subscript) -> _Known:
        """`x[x != c]` has one dimension, whatever `x` has."""
        base, mask = self.look(node.value), node.slice
        same = isinstance(mask, ast.Compare) and ast.dump(mask.left) == ast.dump(node.value)
        return replace(base, sizes=(None,)) if same and isinstance(base, Look) else None

    def _called(self, call: ast.Call) -> _Known:
        target = spelled_target(call.func, self.code)
        if target is not None and target.startswith("torch."):
            return self._made(target, call)
        if isinstance(call.func, ast.Name):
            return Look() if call.func.id in _NUMBERS else None
        if not isinstance(call.func, ast.Attribute):
            return None
        base = self.look(call.func.value)
        return self._method(base, call.func.attr, call.args) if isinstance(base, Look) and base.dtype else None

    def _made(self, target: str, call: ast.Call) -> _Known:
        dtype, device = (self._keyword(call, name) for name in ("dtype", "device"))
        if target in _FILLED:
            sizes = call.args[0].elts if call.args and isinstance(call.args[0], (ast.Tuple, ast.List)) else call.args
            return Look(tuple(self._size(one) for one in sizes), dtype or "torch.float32", device)
        if target == "torch.arange":
            return Look((None,), dtype or "torch.int64", device)
        first = self.look(call.args[0]) if call.args else None
        if target == "torch.tensor" and isinstance(first, _Listed):
            plain = first.held is not None and not first.held.sizes
            known = dtype or (first.held.dtype if first.held is not None else None)
            return Look((first.count,), known, device) if plain and known else None
        if target in ("torch.cat", "torch.stack"):
            return self._joined(target, call, first)
        if target in ("torch.unique_consecutive", "torch.unique") and len(call.args) == 1 and not call.keywords:
            return replace(first, sizes=(None,)) if isinstance(first, Look) and first.dtype else None
        if target == "torch.nn.functional.pad" and isinstance(first, Look) and first.dtype:
            return replace(first, sizes=(None,) * len(first.sizes))
        return None

    def _joined(self, target: str, call: ast.Call, listed: _Known) -> _Known:
        """`torch.cat` along one of the dimensions of what is listed, `torch.stack` along a new one."""
        along = self._number(call, 1, "dim", 0)
        held = listed.held if isinstance(listed, _Listed) else None
        if not isinstance(listed, _Listed) or held is None or held.dtype is None or along is None:
            return None
        stacked = target == "torch.stack"
        ranks = len(held.sizes) + stacked
        if not -ranks <= along < ranks:
            return None
        along %= ranks
        new = listed.count if stacked else None
        return replace(held, sizes=(*held.sizes[:along], new, *held.sizes[along + (not stacked) :]))

    def _method(self, base: Look, name: str, args: list[ast.expr]) -> _Known:
        if name in _SAME:
            return base
        if name == "flatten" and not args:
            return replace(base, sizes=(None,))
        if name in _SHAPED:
            return self._shaped(base, name, args)
        if name == "permute":
            return replace(base, sizes=(None,) * len(args))
        if name == "transpose":
            return replace(base, sizes=(None,) * len(base.sizes))
        if name in ("long", "int"):
            return replace(base, dtype="torch.int64" if name == "long" else "torch.int32")
        if name == "unsqueeze" and len(args) == 1 and ast.unparse(args[0]) in ("0", "1"):
            at = int(ast.unparse(args[0]))
            return replace(base, sizes=(*base.sizes[:at], "1", *base.sizes[at:])) if at <= len(base.sizes) else None
        if name in ("max", "min") and not args:
            return replace(base, sizes=())
        if name == "sum":
            return self._summed(base, args)
        return None

    def _shaped(self, base: Look, name: str, args: list[ast.expr]) -> _Known:
        """The result of a method that is given sizes."""
        given = args[0].elts if len(args) == 1 and isinstance(args[0], (ast.Tuple, ast.List)) else args
        if any(isinstance(one, ast.Starred) for one in given):
            return None
        if len(given) == 1 and isinstance(given[0], ast.Name) and given[0].id in self.lengths:
            return replace(base, sizes=(None,) * self.lengths[given[0].id])
        if name == "repeat":  # by 1 a size stays
            shift = len(given) - len(base.sizes)
            own = [base.sizes[at - shift] if at >= shift else "1" for at in range(len(given))]
            ones = [isinstance(one, ast.Constant) and one.value == 1 for one in given]
            return replace(base, sizes=tuple(a if one else None for a, one in zip(own, ones, strict=True)))
        fixed = name in ("reshape", "view", "expand")
        return replace(base, sizes=tuple(self._size(one) if fixed else None for one in given))

    def _summed(self, base: Look, args: list[ast.expr]) -> _Known:
        dtype = "torch.int64" if base.dtype in ("torch.bool", "torch.int32", "torch.int64") else base.dtype
        along = args[0] if args else None
        if along is None:
            return Look((), dtype, base.device)
        lost = len(along.elts) if isinstance(along, (ast.List, ast.Tuple)) else 1
        return Look((None,) * (len(base.sizes) - lost), dtype, base.device)

    def _keyword(self, call: ast.Call, name: str) -> str | None:
        text = next((ast.unparse(one.value) for one in call.keywords if one.arg == name), None)
        return None if text is None else self.written.get(text, text)

    def _number(self, call: ast.Call, place: int, name: str, default: int) -> int | None:
        given = call.args[place] if len(call.args) > place else None
        given = given or next((one.value for one in call.keywords if one.arg == name), None)
        if given is None:
            return default
        value = ast.literal_eval(given) if isinstance(given, (ast.Constant, ast.UnaryOp)) else None
        return value if isinstance(value, int) else None

    def _size(self, node: ast.expr) -> str | None:
        """A size that can be said beforehand: a literal, or one of a given tensor."""
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return str(node.value)
        base = node.value if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant) else None
        shape = base.value if isinstance(base, ast.Attribute) and base.attr == "shape" else None
        known = isinstance(shape, ast.Name) and bool(self.given.get(shape.id)) and shape.id not in self.known
        return ast.unparse(node) if known else None
