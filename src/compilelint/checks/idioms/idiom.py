"""An idiom, and the place that it is recognised by: an event with the IR around it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from compilelint.checks.written import operands
from compilelint.events import Branch, Call, Event, Syntax
from compilelint.syntax import ir
from compilelint.syntax.spelling import parts_of, path_to
from compilelint.syntax.walk import blocks_of, dotted_name, last_name
from compilelint.torchfacts import TorchFacts
from compilelint.values import Origin, OriginKind, tensor_arm

_Choice: TypeAlias = "ir.If | ir.While | ir.IfExp"


class Idiom(NamedTuple):
    """A way to write something, by a name that its program has in `rules/idioms`; `{}` in `help` is what is asked.

    `unproven` says why it has no program: the help where nothing is known of the statement.
    """

    name: str
    rules: tuple[str, ...]
    help: str
    fits: Callable[[Place], bool]
    unproven: str = ""


class Place:
    """An event in its statement. Where the source has no expression for it, every question is answered with nothing."""

    def __init__(self, event: Event, facts: TorchFacts) -> None:
        self.event = event
        self.facts = facts

    @cached_property
    def path(self) -> tuple[Any, ...]:
        """The nodes around the event's expression, outermost first, itself last, where it really happens."""
        site = self.event.site
        while site.inner is not None:
            site = site.inner
        return path_to(site.context.where, site.pos)

    @property
    def above(self) -> Any:
        """The node that the expression is a part of; None where it is none."""
        return self.path[-2] if len(self.path) > 1 else None

    @property
    def name(self) -> str:
        """The dotted name of what is called; empty for other events."""
        return self.event.name if isinstance(self.event, Call) else ""

    @property
    def operation(self) -> str:
        """What is done, in one word: the last part of a call's name, `int` of the form `int(tensor)`."""
        if isinstance(self.event, Syntax):
            return self.event.form.partition("(")[0]
        return self.name.rpartition(".")[2]

    @property
    def asked(self) -> ir.Expr | None:
        """The expression whose data is wanted: `x` of `if x`, `bool(x)` and `x.item()`."""
        node = self.path[-1] if self.path else None
        if isinstance(self.event, Branch) or not isinstance(node, ir.Call):
            return node
        if isinstance(node.func, ir.Attr) and not node.args:
            return node.func.value
        return node.args[0] if node.args else None

    @cached_property
    def function(self) -> ir.Function | None:
        """The function around."""
        return next((one for one in reversed(self.path) if isinstance(one, ir.Function)), None)

    @cached_property
    def test(self) -> _Choice | None:
        """The innermost statement or conditional expression in whose test the expression stands."""
        for outer, inner in zip(self.path[-2::-1], self.path[:0:-1], strict=True):
            if isinstance(outer, ir.If) and any(inner is test for test, _ in outer.arms):
                return outer
            if isinstance(outer, (ir.While, ir.IfExp)) and inner is outer.test:
                return outer
            if not isinstance(outer, _PARTS_OF_A_TEST):
                return None
        return None

    @cached_property
    def arm(self) -> ir.Body:
        """What an `if` does where its test, in which the expression stands, comes out; empty for all else."""
        choice = self.test
        if not isinstance(choice, ir.If):
            return ()
        below = self.path[self.path.index(choice) + 1]
        return next((body for test, body in choice.arms if test is below), ())

    @cached_property
    def flags_set(self) -> frozenset[str]:
        """Attributes that the arm gives a constant, bound or in place: `self.ready.fill_(1)`, `self.ready = True`."""
        return frozenset(_set_to_constants(self.arm))

    @cached_property
    def behind(self) -> ir.Body:
        """The statements that follow the innermost statement in its block."""
        statements = [one for one in self.path if isinstance(one, _STATEMENTS)]
        if not statements:
            return ()
        own, outer = statements[-1], statements[-2] if len(statements) > 1 else None
        blocks = blocks_of(outer) if outer is not None else []
        if isinstance(outer, (ir.Function, ir.Class)):
            blocks = [outer.body]
        for block in blocks:
            for number, one in enumerate(block):
                if one is own:
                    return block[number + 1 :]
        return ()

    @cached_property
    def callers(self) -> tuple[tuple[str, bool], ...]:
        """The calls that take the value as an argument, by the last part of their names; True for the first argument.

        Where the statement gives the value to a name, those that take the name in this function.
        """
        return tuple(self._takers())

    def _takers(self) -> Iterator[tuple[str, bool]]:
        for outer, inner in zip(self.path[-2::-1], self.path[:0:-1], strict=True):
            if isinstance(outer, ir.Call) and inner is not outer.func:
                yield last_name(outer), bool(outer.args) and outer.args[0] is inner
            if isinstance(outer, ir.Assign) and outer.value is inner and self.function is not None:
                for target in outer.targets:
                    for name in target.items if isinstance(target, ir.Display) else (target,):
                        if isinstance(name, ir.Name):
                            yield from _takers_of(name.id, self.function)
            if not isinstance(outer, _PASSED_ON):
                return

    @cached_property
    def is_cut_by(self) -> bool:
        """Whether the value, or the name that the statement gives it to, is an end of a slice in this function."""
        for outer, inner in zip(self.path[-2::-1], self.path[:0:-1], strict=True):
            if isinstance(outer, ir.Slice):
                return True
            if isinstance(outer, ir.Assign) and outer.value is inner and self.function is not None:
                names = {one.id for one in outer.targets if isinstance(one, ir.Name)}
                slices = [one for one in nodes(self.function.body) if isinstance(one, ir.Slice)]
                return any(isinstance(one, ir.Name) and one.id in names for one in nodes(slices))
            if not isinstance(outer, _PASSED_ON):
                return False
        return False

    @property
    def is_written(self) -> bool:
        """Whether the expression is what a statement assigns to: `x[...] = y`, `x[...] += y`."""
        above, own = self.above, self.path[-1] if self.path else None
        targets = above.targets if isinstance(above, ir.Assign) else ()
        return any(one is own for one in targets) or (isinstance(above, ir.AugAssign) and above.target is own)

    def bounds(self, name: str) -> bool:
        """Whether a dotted name is in an end of a slice somewhere in the function."""
        body = () if self.function is None else self.function.body
        slices = [one for one in nodes(body) if isinstance(one, ir.Slice)]
        return any(isinstance(one, (ir.Attr, ir.Name)) and dotted_name(one) == name for one in nodes(slices))

    def uses_of(self, name: str) -> tuple[str, ...]:
        """What the function does with a name: the attribute that it takes, or the function it calls, or else ""."""
        found = []
        for node in () if self.function is None else nodes(self.function.body):
            for part in parts_of(node):
                if isinstance(part, ir.Name) and part.id == name:
                    named = (
                        node.name if isinstance(node, ir.Attr) else last_name(node) if isinstance(node, ir.Call) else ""
                    )
                    if not (isinstance(node, ir.Assign) and any(one is part for one in node.targets)):
                        found.append(named)
        return tuple(found)

    def is_within(self, *kinds: type[Any]) -> bool:
        """Whether the expression stands in a node of one of these kinds, in its own statement."""
        for node in reversed(self.path[:-1]):
            if isinstance(node, kinds):
                return True
            if isinstance(node, _STATEMENTS):
                return False
        return False

    @property
    def is_drawn(self) -> bool:
        """Whether torch draws a number on the way to the first tensor of the event, in its last steps."""
        return any(
            (fact := self.facts.callable(f"torch.Tensor{one.what}" if one.what[:1] == "." else f"torch.{one.what}"))
            is not None
            and fact.random
            for one in islice(self.origins(), _STEPS_BACK)
            if one.kind in (OriginKind.RESULT, OriginKind.MADE)
        )

    def origins(self) -> Iterator[Origin]:
        """Where the first tensor of the event comes from, the last step first."""
        arm = next((arm for value in operands(self.event) if (arm := tensor_arm(value)) is not None), None)
        origin = None if arm is None else arm.origin
        while origin is not None:
            yield origin
            origin = origin.parent


def _takers_of(name: str, function: ir.Function) -> Iterator[tuple[str, bool]]:
    """The calls in a function that take a name as an argument."""
    for node in nodes(function.body):
        if isinstance(node, ir.Call):
            values = [*node.args, *(value for _, value in node.keywords)]
            if any(isinstance(one, ir.Name) and one.id == name for one in values):
                first = node.args[0] if node.args else None
                yield last_name(node), isinstance(first, ir.Name) and first.id == name


def _set_to_constants(body: ir.Body) -> Iterator[str]:
    """The dotted names of attributes that get a constant, or whose tensor is filled with one."""
    for node in nodes(body):
        if isinstance(node, ir.Assign) and _is_constant(node.value):
            yield from map(dotted_name, (target for target in node.targets if isinstance(target, ir.Attr)))
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and node.func.name in ("fill_", "copy_"):
            owner = node.func.value
            tensor = owner.value if isinstance(owner, ir.Attr) and owner.name == "data" else owner
            if len(node.args) == 1 and _is_constant(node.args[0]):
                yield dotted_name(tensor)


def _is_constant(value: ir.Expr) -> bool:
    """A literal, or a call with nothing but a literal: `torch.tensor(True)`."""
    if isinstance(value, ir.Call) and len(value.args) == 1:
        value = value.args[0]
    return isinstance(value, ir.Const)


def nodes(nodes: Iterable[Any]) -> Iterator[Any]:
    """Nodes with all that stands in them."""
    left = list(nodes)
    while left:
        node = left.pop()
        yield node
        left.extend(parts_of(node))


_STEPS_BACK = 200
_PARTS_OF_A_TEST = (ir.Unary, ir.BoolOp, ir.Compare, ir.Call, ir.Attr, ir.Binary, ir.Index)
_PASSED_ON = (ir.Display, ir.Star, ir.Unary, ir.Binary, ir.Call, ir.Index)
_STATEMENTS = (
    ir.Assign,
    ir.AugAssign,
    ir.AnnAssign,
    ir.ExprStmt,
    ir.Return,
    ir.If,
    ir.For,
    ir.While,
    ir.Try,
    ir.With,
    ir.Raise,
    ir.Assert,
    ir.Delete,
    ir.Match,
    ir.Function,
    ir.Class,
)
