"""What the engine says of one expression: its value, which compile roots reach it, and what happens there.

Plain data for rules: knows no syntax tree.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from compilelint.events import Event, InputGuard, Mutation, Placed, RootKind, StateChange
from compilelint.events.event import DEFAULT, DynamoConfig
from compilelint.model import Confidence, Doubt
from compilelint.model.slotted import dataclass
from compilelint.values import (
    Const,
    Dependence,
    Instance,
    Object,
    Scalar,
    Tensor,
    Unknown,
    Value,
    arms,
    tensor_arm,
)
from compilelint.values.words import describe, reason

NOT_REACHED = "not reached"

Kind: TypeAlias = Literal["tensor", "number", "module", "object", "unknown", "other", "not reached"]
"""What an expression is, in one word; what is one of several kinds is `other`, unless it may be a tensor."""

What: TypeAlias = Literal["break", "sync", "recompile", "view", "mutation"]
"""What happens at a place."""

_NUMBERS = frozenset({"bool", "int", "float", "complex"})
_SYNCS = frozenset({"to-host", "round-trip", "module-to-host", "read-into-tensor"})
_VIEWS = frozenset({"view", "expanded", "expanded-item", "multi-view"})


@dataclass(frozen=True, slots=True)
class Reach:
    """One way in which compiled code gets to a place: the root, how it became one, and its Dynamo configuration.

    `confidence` is the most that may be claimed there: `likely` where no compile call was seen.
    """

    root: str
    kind: RootKind
    config: DynamoConfig = DEFAULT

    @property
    def confidence(self) -> Confidence:
        """How sure it is that this root is compiled."""
        return Doubt.COMPILED_BY_GUESS.cap if self.kind == "unreached" else Confidence.CERTAIN


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that TorchDynamo does at a place. A break has an id of torch's registry (`GB0170`) where it is known,
    and the code of its reason (`data-dependent-branch`); both are empty for the others. `event` is what the engine
    emitted.
    """

    what: What
    event: Event
    break_id: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class NodeState:
    """What is believed of an expression. `value` is None where no compile root reaches it.

    `number_of` and the properties of tensors speak of the part of a union that is a tensor or a number.
    """

    value: Value | None = None
    reached_by: tuple[Reach, ...] = ()
    happenings: tuple[Happening, ...] = ()

    @property
    def words(self) -> str:
        """The belief as `compilelint dev reveal` prints it, `not reached` where there is none."""
        if self.value is None:
            return NOT_REACHED
        why = self.why
        return f"{describe(self.value, whole=True)}; {why}" if why else describe(self.value, whole=True)

    @property
    def why(self) -> str:
        """The steps back to where the belief began: "result of `torch.norm`, from argument `x`"; empty if plain."""
        return "" if self.value is None else reason(self.value)

    @property
    def kind(self) -> Kind:
        """In one word, see `Kind`."""
        value = self.value
        if value is None:
            return "not reached"
        if self.tensor is not None:
            return "tensor"
        if isinstance(value, Unknown):
            return "unknown"
        if isinstance(value, Scalar):
            return "number" if value.kind in _NUMBERS else "other"
        if isinstance(value, Const) and type(value.value) in (bool, int, float, complex):
            return "number"
        if isinstance(value, Object):
            return "module" if getattr(value.cls, "is_module", False) else "object"
        if isinstance(value, Instance):
            return "module" if value.name.startswith("torch.nn.") else "object"
        return "other"

    @property
    def tensor(self) -> Tensor | None:
        """The tensor that it is, or may be: dtype class, rank, device, layout, source, confidence; None for others."""
        value = self.value
        found = None if value is None else tensor_arm(value)
        return None if found is None or found.array else found

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor on every path that the engine followed to here."""
        value = self.value
        return value is not None and all(isinstance(one, Tensor) and not one.array for one in arms(value))

    @property
    def dependence(self) -> Dependence | None:
        """On what a number hangs: nothing that changes (`STATIC`), sizes (`SHAPE`) or tensor data (`DATA`)."""
        return None if self.value is None else self.value.dependence

    @property
    def is_reached(self) -> bool:
        """Whether a compile root reaches it."""
        return bool(self.reached_by)

    @property
    def confidence(self) -> Confidence:
        """The most that a rule may claim here; `possible` where nothing reaches it."""
        return max((one.confidence for one in self.reached_by), default=Doubt.NOT_KNOWN_TO_BE_COMPILED.cap)

    def happens(self, what: What) -> Happening | None:
        """The first happening of that kind."""
        return next((one for one in self.happenings if one.what == what), None)


UNREACHED = NodeState()


def happenings_of(events: Iterable[Event]) -> tuple[Happening, ...]:
    """What the events of one place come to."""
    found: dict[tuple[str, str, str], Happening] = {}
    for event in events:
        for one in _of(event):
            found.setdefault((one.what, one.break_id, one.reason), one)
    return tuple(found.values())


def _of(event: Event) -> Iterable[Happening]:
    outcome = event.outcome
    if event.breaks and outcome is not None:
        gb_id, why = outcome.gb_id or "", outcome.reason
        yield Happening("break", event, gb_id, "" if why is None else why.value)
    if (outcome is not None and outcome.sync) or (isinstance(event, Placed) and event.how in _SYNCS):
        yield Happening("sync", event)
    if (outcome is not None and outcome.view) or (isinstance(event, Placed) and event.how in _VIEWS):
        yield Happening("view", event)
    if isinstance(event, Mutation):
        yield Happening("mutation", event)
    if isinstance(event, (StateChange, InputGuard)):
        yield Happening("recompile", event)
