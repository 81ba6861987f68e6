"""What a run of the host program comes to: calls of compiled objects that compile again, and why."""

from __future__ import annotations

from typing import Literal, TypeAlias

from compilelint.events.event import Event
from compilelint.model import Confidence, Location, Related
from compilelint.model.slotted import dataclass

RecompiledBy: TypeAlias = Literal["input", "instance", "state"]
"""Why a call compiles again: by what it is given, by which object it is of, by what changed since the call before."""

Differs: TypeAlias = Literal[
    "size",
    "rank",
    "dtype",
    "device",
    "requires_grad",
    "stride",
    "type",
    "value",
    "length",
    "keys",
    "class",
    "mode",
    "setting",
]
"""What of the thing that a guard asks of is another one."""

NumberUse: TypeAlias = Literal["", "bound", "index", "count", "test"]
"""What compiled code does with a number that varies: bound a slice, select a row, count a loop, decide a test."""


@dataclass(frozen=True, slots=True)
class Recompiled(Event):
    """A call of a compiled object whose guards fail, so that Dynamo compiles its code again.

    `by` says why, `differs` in what. `guard` is what the guard asks of, as Dynamo spells it (`L['x']`,
    `self.scale`), `name` the same in the words of the program. `before` and `now` say what it was and is, in words;
    `dimension` is the one of a tensor that differs in a size. `versions` are how many the run came to, `symbol` that
    Dynamo takes the number or size for a symbol from then on. `call` is the call that compiles again; the site is
    what to change: that call, or the line that changes the state. `made` is where it was compiled,
    `records` says that it asks for CUDA graphs and that its calls meet more than two values of what differs,
    `refused` what of the program makes the call an error (a stance, a setting), and `limit` how many versions the
    program allows. `use` is what the number is for, and `remade` says that the compile call ran again between the two
    calls.
    """

    by: RecompiledBy
    differs: Differs
    guard: str
    name: str
    before: str
    now: str
    dimension: int | None
    versions: int
    symbol: bool
    fullgraph: bool
    static: bool
    call: Location
    made: Location
    sure: Confidence
    records: bool = False
    refused: str = ""
    limit: int | None = None
    use: NumberUse = ""
    remade: bool = False

    @property
    def compiled_here(self) -> Related:
        """The compile call, beside the call that compiles again."""
        return Related(self.made, "compiled here")

    @property
    def called_here(self) -> Related:
        """The call that compiles again, beside the line that changes the state."""
        return Related(self.call, "this call compiles again")
