"""What a call reads and changes of the state that outlives it, slot by slot.

A slot is an attribute of a class of the program, a global, a variable of an enclosing function, a mutable default, or
the contents of one of these: instances of one class share their slots. Does not belong here: which reads and writes
count (`state_slots`), and whether a change matters (`state_recompiles`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal, TypeAlias

from compilelint.events import Site, StateHow, StateWhere
from compilelint.model import Doubt
from compilelint.model.slotted import dataclass
from compilelint.values import Value

Slot = tuple[Hashable, ...]

ChangeHow: TypeAlias = Literal["write", "step", "delete", "grow", "shrink", "key", "next"]


@dataclass(frozen=True, slots=True)
class Change:
    """One way in which a slot is changed.

    `name` is the state as Dynamo's guards spell it, `where` its home; `how` is `write`, `step` (the new value follows
    from the old), `delete`, `grow`, `shrink`, `key` (a dict or set gains a key) or `next`. `initial` is what the slot
    holds before the first call, None where it does not exist.
    `op` is the operator of a step, `literal` that it goes by an int as written, or under a constant key; `joined` that
    tensors are concatenated to it. `conditional` says that a test stands before it, `doubted` that the test fails with
    the initial values, `tested` that it looks at the slot itself, `training` that it is `self.training`, `alone` that
    nothing but the changing statement looks at the slot. `fails` says how a tensor fails its guard by what only the
    source shows; `amount` is what a step by an int as written adds; `doubt` is what else makes it less than certain.
    """

    slot: Slot
    name: str
    where: StateWhere
    how: ChangeHow
    site: Site
    value: Value
    initial: Value | None
    op: str = ""
    joined: bool = False
    conditional: bool = False
    doubted: bool = False
    alone: bool = False
    tested: bool = False
    literal: bool = False
    training: bool = False
    fails: StateHow | Literal[""] = ""
    amount: int = 0
    doubt: Doubt | None = None


class Use:
    """The slots that a frame reads while they hold what an earlier call left, and how it changes them.

    `calls` is how many calls lie between the frame and each changing statement. The site of a change cannot say, since
    its chain is that of the first caller of its function.
    """

    __slots__ = ("calls", "changes", "numbered", "reads", "written")

    def __init__(self) -> None:
        self.reads: set[Slot] = set()
        self.changes: dict[Slot, dict[Hashable, Change]] = {}
        self.calls: dict[tuple[Slot, Hashable], int] = {}
        self.numbered: dict[Slot, Site] = {}  # attributes that hold the number of a layer, where they are read
        self.written: frozenset[Slot] = frozenset()  # on every path to the end

    def copy(self) -> Use:
        """The same, as it is now."""
        found = Use()
        found.reads, found.calls, found.numbered = set(self.reads), dict(self.calls), dict(self.numbered)
        found.changes = {slot: dict(known) for slot, known in self.changes.items()}
        found.written = self.written
        return found

    def add(self, change: Change, calls: int = 0) -> None:
        """Put a change to its like; a loop meets the same one again, and of two ways to it the shorter one counts."""
        slot, key = change.slot, _key(change)
        known = self.changes.setdefault(slot, {})
        self.calls[slot, key] = min(calls, self.calls[slot, key]) if key in known else calls
        known[key] = change

    def calls_to(self, change: Change) -> int:
        """How many calls lie between the frame and the statement that makes a change."""
        return self.calls[change.slot, _key(change)]


def _key(change: Change) -> Hashable:
    return id(change.site.context.where), change.site.pos, change.how
