"""What Dynamo does with one name, as the interpreter and the checks read it. Frozen and shared between names."""

from __future__ import annotations

from dataclasses import field, replace

from compilelint.model.slotted import dataclass
from compilelint.torchfacts.calls import CallShape
from compilelint.torchfacts.conditions import Condition, holds
from compilelint.torchfacts.verdict import Verdict
from compilelint.torchfacts.vocabulary import Capture, Reason, Returns

# Raised while Dynamo looks an object up, which is at no instruction where a frame can be split: an LSTM on `self`, up
# to 2.14 (measured on 2.13; in 2.15 it is the call that breaks).
_AT_LOOKUP = frozenset({"GB0014"})


@dataclass(frozen=True, slots=True)
class Traits:
    """What a name is, the same in every torch version.

    `random` draws from a generator, `view` shares memory with an argument, `sync` waits for the device.
    """

    returns: Returns = Returns.UNKNOWN
    random: bool = False
    view: bool = False
    sync: bool = False


NO_TRAITS = Traits()


@dataclass(frozen=True, slots=True)
class Fact:
    """The verdict on one name (or on one form of a call) in one torch version, with the name's traits.

    A `mixed` fact depends on the arguments: its own answers are those of the most usual form, `worst` is the
    form to fear, and `for_call` picks the right one. `assumed` says that this form was measured in another
    torch version only.
    """

    verdict: Verdict
    traits: Traits = NO_TRAITS
    mixed: bool = False
    assumed: bool = False
    breaks: bool = field(init=False)
    breaks_fullgraph: bool = field(init=False)
    forms: tuple[tuple[Condition, Fact], ...] = ()
    alternative: Fact | None = None

    def __post_init__(self) -> None:
        # Stored rather than computed: these two are read for every call expression of a program.
        object.__setattr__(self, "breaks", self.verdict.breaks)
        object.__setattr__(self, "breaks_fullgraph", self.verdict.breaks_fullgraph)

    @property
    def reason(self) -> Reason | None:
        """Why it breaks, None where it does not."""
        return self.verdict.reason

    @property
    def gb_id(self) -> str | None:
        """The break's id in this torch version; None where it does not break or has none (torch before 2.8)."""
        return self.verdict.gb_id

    @property
    def fullgraph_gb_id(self) -> str | None:
        """The id under `fullgraph=True`, None where that mode passes or raises an error without an id."""
        full = self.verdict.full
        return full if full.startswith("GB") else None if full else self.verdict.gb_id

    @property
    def cured_by(self) -> frozenset[Capture]:
        """Capture flags that, switched on together, keep it in the graph; empty where none does."""
        return self.verdict.cured_by

    @property
    def skips_frame(self) -> bool:
        """Whether the whole frame is left to Python, silently, instead of being split here."""
        return self.verdict.skips_frame or self.verdict.gb_id in _AT_LOOKUP

    @property
    def raises(self) -> bool:
        """Whether compilation fails with an error where eager runs."""
        return self.verdict.raises

    @property
    def returns(self) -> Returns:
        """What a call gives back."""
        return self.traits.returns

    @property
    def random(self) -> bool:
        """Whether it draws from a random generator."""
        return self.traits.random

    @property
    def view(self) -> bool:
        """Whether its result shares memory with an argument."""
        return self.traits.view

    @property
    def sync(self) -> bool:
        """Whether the host waits for the device."""
        return self.traits.sync

    @property
    def data_dependent(self) -> bool:
        """Whether the outcome or the output shape depends on tensor data."""
        return self.verdict.reason in _DATA_DEPENDENT

    @property
    def worst(self) -> Fact:
        """The form to fear: this fact itself unless it is mixed."""
        return self.alternative or self

    def breaks_under(self, *, fullgraph: bool = False, captures: frozenset[Capture] = frozenset()) -> bool:
        """Whether a graph ends here under a root's configuration. `captures` are the flags set to true."""
        if self.cured_by and self.cured_by <= captures:
            return False
        return self.breaks_fullgraph if fullgraph else self.breaks

    def for_call(self, call: CallShape) -> Fact:
        """The fact for these arguments; mixed still, with `worst` set, where the call does not say enough."""
        if not self.forms:
            return self
        possible: list[Fact] = []
        for condition, fact in self.forms:
            verdict = holds(condition, call)
            if verdict is not False:
                possible.append(fact)
            if verdict:
                break
        else:
            possible.append(replace(self, mixed=False, forms=(), alternative=None))
        if all((fact.verdict, fact.traits) == (possible[0].verdict, possible[0].traits) for fact in possible):
            return possible[0]
        return replace(possible[-1], mixed=True, alternative=worst_of(possible))


def worst_of(facts: list[Fact]) -> Fact:
    """The fact that costs most: one that breaks fullgraph too, then one that breaks, then the first."""
    return max(facts, key=lambda fact: (fact.breaks, fact.breaks_fullgraph, fact.raises))


_DATA_DEPENDENT = frozenset(
    {
        Reason.BRANCH_ON_DATA,
        Reason.HOST_READ,
        Reason.DATA_DEPENDENT_OP,
        Reason.DATA_DEPENDENT_INDEX,
        Reason.DYNAMIC_SHAPE,
        Reason.ASSERT_ON_DATA,
    }
)
