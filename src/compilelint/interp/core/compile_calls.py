"""The compile calls that host evaluation of a program met, what each is given, and what hosts have run.

Does not belong here: what a compile call does with its arguments (`hosts`), and what is run as a host (`hosting`).
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import field
from typing import Protocol

from compilelint.events import DynamoConfig, GuardedInput
from compilelint.interp.core.args import Args
from compilelint.interp.core.state import State
from compilelint.model import Location
from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.values import BOTTOM, FunctionRef, Value, join, serial_of

MOST_TARGETS = 64  # of one compile call: a wrapper that a whole project uses
MOST_CALLS = 16  # of one compiled object, whose arguments are joined


@dataclass(frozen=True, slots=True)
class Changing:
    """How an argument changes (`number`, `text` or `longer`), and the loop that changes it.

    `count` is how many values it has there, None where that is not written down.
    """

    how: GuardedInput
    loop: Location
    count: int | None = None


@dataclass(eq=False, slots=True)
class Target:
    """Something that a compile call is given, how it is configured, and the arguments of the calls seen of it."""

    value: Value
    config: DynamoConfig
    calls: list[Args] = field(default_factory=list)
    changing: dict[int | str, Changing] = field(default_factory=dict)  # arguments, by position or keyword
    local: bool = True  # made and called inside functions: no other file can call it
    asked: str = ""  # the mode or options that its compile call asks for, as text
    place: Location | None = None  # of that call
    raising: bool | None = None  # whether each call that a host makes is under `error_on_graph_break(True)`

    @property
    def called_config(self) -> DynamoConfig:
        """The configuration under which its calls compile."""
        return self.config.raising(True) if self.raising else self.config

    def called(self, args: Args) -> None:
        """The compiled object is called with these."""
        if len(self.calls) < MOST_CALLS:
            self.calls.append(args)


@dataclass(eq=False, slots=True)
class Met:
    """A compile call that was evaluated: everything that it was given, from all callers."""

    module: ModuleInfo
    pos: int
    how: str
    targets: dict[Hashable, Target] = field(default_factory=dict)
    unknown: bool = False  # something that it was given is not known

    def put(self, value: Value, config: DynamoConfig) -> Target | None:
        """One more thing that the call is given; None beyond the bound."""
        key = (value.key, config)
        found = self.targets.get(key)
        if found is None and len(self.targets) < MOST_TARGETS:
            found = self.targets[key] = Target(value, config)
        return found

    def replace(self, target: Target, value: Value) -> None:
        """More is known of something that the call was given."""
        before, after = (target.value.key, target.config), (value.key, target.config)
        if before != after and self.targets.get(before) is target:
            del self.targets[before]
            target.value = value
            known = self.targets.setdefault(after, target)
            if known is not target:  # two objects that look the same: calls of either are calls of both
                for args in target.calls:
                    known.called(args)
                known.changing.update(target.changing)
                target.calls, known.local = known.calls, known.local and target.local


class Body(Protocol):
    """The frame of a module body: what its names hold while it runs, and what they held when it was done."""

    state: State | None
    kept: State | None


class Hosts:
    """What host evaluation of a program has met so far."""

    def __init__(self) -> None:
        self.met: dict[tuple[int, int], Met] = {}
        self.evaluated: set[tuple[int, int]] = set()  # places of `.compile(...)`, whatever it was called on
        self.modules: dict[str, Body] = {}  # module bodies that were run or are running
        self._entered: set[tuple[int, int]] = set()  # functions that were run as hosts
        self.classes: list[ClassInfo] = []  # that host frames defined
        self.pending: list[FunctionRef] = []  # functions made in host frames, to be run if nothing calls them
        self.methods: dict[int, Value] = {}  # methods that a decorator compiles
        self.leading: set[int] = set()  # functions that hold a compile call or lead to one
        self.written: dict[str, Value] = {}  # what the call that returned last has stored on its receiver
        self.unfinished: list[list[tuple[Met, Target]]] = []  # by object under construction: what of it is compiled

    def enters(self, code: FunctionInfo, closure: object) -> None:
        """A function is run, seen from the frame that it was made in."""
        self._entered.add((id(code.node), serial_of(closure)))

    def has_run(self, code: FunctionInfo, closure: object) -> bool:
        """Whether a function has been run as a host."""
        return (id(code.node), serial_of(closure)) in self._entered

    def held(self, module: ModuleInfo, name: str) -> Value | None:
        """What a global holds where the module body has been run as a host, so far; None if nothing is known."""
        frame = self.modules.get(module.name)
        if frame is None:
            return None
        state = frame.state or frame.kept
        return None if state is None else state.names.get(name)

    def store(self, module: ModuleInfo, name: str, value: Value) -> None:
        """A function assigns a global: what the module held may still be there."""
        frame = self.modules.get(module.name)
        state = None if frame is None else frame.state or frame.kept
        if state is not None:
            state.names[name] = join(state.names.get(name, BOTTOM), value)

    def at(self, module: ModuleInfo, pos: int, how: str) -> Met:
        """The compile call at a place."""
        key = (id(module.ir), pos)
        found = self.met.get(key)
        if found is None:
            found = self.met[key] = Met(module, pos, how)
        return found
