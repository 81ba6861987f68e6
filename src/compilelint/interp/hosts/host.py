"""The uncompiled host: what compile calls were met while code around compiled code ran, and what they compile.

Module bodies and functions that hold compile calls are run eagerly ("as a host"): nothing in them is judged, but
values flow, so that a compile call sees what it is given and a compiled function sees its arguments. This file keeps
what the calls came to; `hosting` decides what is run, `compilers` knows what a compile call is, `compiled_roots`
turns targets into roots.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import field
from typing import TYPE_CHECKING

from compilelint.events import DynamoConfig
from compilelint.interp.arguments.changing_arguments import Changing, changing
from compilelint.interp.hosts.host_objects import handed_in
from compilelint.interp.kinds.class_attributes import placed_outside
from compilelint.interp.regions.compiled_inside import called_inside
from compilelint.model import Location
from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.syntax import ir
from compilelint.values import (
    BOTTOM,
    UNKNOWN,
    Bottom,
    Compiled,
    FunctionRef,
    Mapping,
    Object,
    OriginKind,
    Sequence,
    Union,
    Unknown,
    Value,
    arms,
    join,
    resumed,
    serial_of,
)

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Args, Frame

MOST_TARGETS = 64  # of one compile call: a wrapper that a whole project uses
_DEEP = 4
_MOST_COLD = 2
MOST_CALLS = 16  # of one compiled object, whose arguments are joined


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


class Hosts:
    """What host evaluation of a program has met so far."""

    def __init__(self) -> None:
        self.met: dict[tuple[int, int], Met] = {}
        self.evaluated: set[tuple[int, int]] = set()  # places of `.compile(...)`, whatever it was called on
        self.modules: dict[str, Frame] = {}  # module bodies that were run or are running
        self._entered: set[tuple[int, int]] = set()  # functions that were run as hosts
        self.classes: list[ClassInfo] = []  # that host frames defined
        self.pending: list[FunctionRef] = []  # functions made in host frames, to be run if nothing calls them
        self.methods: dict[int, Value] = {}  # methods that a decorator compiles
        self.leading: set[int] = set()  # functions that hold a compile call or lead to one
        self.written: dict[str, Value] = {}  # what the call that returned last has stored on its receiver
        self.unfinished: list[list[tuple[Met, Target]]] = []  # by object under construction: what of it is compiled

    def enters(self, code: FunctionInfo, closure: Frame | None) -> None:
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

    def at(self, f: Frame, pos: int, how: str) -> Met:
        """The compile call at a place."""
        key = (id(f.module.ir), pos)
        found = self.met.get(key)
        if found is None:
            found = self.met[key] = Met(f.module, pos, how)
        return found


def compiled(f: Frame, value: Value, config: DynamoConfig, pos: int, how: str, asked: str = "") -> Value:
    """Something is given to a compile call, which asks for a mode or options; the compiled object.

    Frames that only look up what a global or an attribute holds may not know what a host does: their silence is no
    evidence that it is unknown.
    """
    if not f.host and isinstance(value, Unknown):
        return UNKNOWN
    met = f.interp.hosts.at(f, pos, how)
    out: Value = BOTTOM
    for arm in arms(value):
        if isinstance(arm, Compiled):  # compiled twice: the inner call is ignored
            arm = arm.target
        if isinstance(arm, Unknown):
            met.unknown = met.unknown or f.host
            out = join(out, UNKNOWN)
            continue
        target = met.put(arm, config)
        if target is not None and asked:
            target.asked, target.place = asked, f.module.ir.location(pos)
        if target is not None and f.function is None:
            target.local = False
        if target is not None and f.interp.hosts.unfinished:
            f.interp.hosts.unfinished[-1].append((met, target))
        out = join(out, Compiled(arm, target))
    return UNKNOWN if out is BOTTOM else out


def call_compiled(f: Frame, callee: Compiled, args: Args, pos: int, node: ir.Call | None) -> Value:
    """The compiled object is called: in a region it is what it was made of, in a host its arguments are noted."""
    if f.silent and isinstance(callee.call, Target):
        callee.call.called(args)
        if node is not None and f.host:
            callee.call.changing.update(changing(f, node, args))
    elif isinstance(callee.call, Target):
        called_inside(f, callee.call, pos)
    return f.interp.call(f, callee.target, args, pos)


def follows(f: Frame, code: FunctionInfo, closure: object) -> bool:
    """Whether a host's call is worth running: it leads to a compile call, or may make what one is given.

    What makes models lies a call or two away; deeper calls of what compiles nothing are eager work.
    """
    if id(code.node) in f.interp.hosts.leading or closure is not None:
        return True
    return code.module.linted and f.cold < _MOST_COLD


def constructs(f: Frame, init: FunctionInfo, args: Args) -> bool:
    """Whether a constructor is worth running: it leads on, or it is given something that is known."""
    if not init.module.linted:
        return False
    return id(init.node) in f.interp.hosts.leading or any(_says_something(value, 0) for value in args.all())


@contextmanager
def construction(f: Frame) -> Iterator[list[tuple[Met, Target]]]:
    """While a constructor runs: what it, and what it calls, give to compile calls."""
    seen: list[tuple[Met, Target]] = []
    f.interp.hosts.unfinished.append(seen)
    try:
        yield seen
    finally:
        f.interp.hosts.unfinished.pop()


def constructed(f: Frame, made: Object, seen: list[tuple[Met, Target]]) -> Object:
    """An instance as its constructor has left it.

    Attributes that other methods store too hold what those say. What the constructor compiled of the instance itself
    (`self.run = torch.compile(self._run)`) is that of the finished one.
    """
    cls, written = made.cls, f.interp.hosts.written
    if not isinstance(cls, ClassInfo):
        return made
    held = [(n, _kept(f, v)) for n, v in written.items() if _says_something(v, 0) and not cls.stored_later(n)]
    finished = Object(cls, made.fields, made.inside, tuple(sorted(held, key=lambda one: one[0])))
    for met, target in seen:
        met.replace(target, _finished(target.value, made, finished))
    return finished


def _finished(value: Value, made: Object, finished: Object) -> Value:
    """A compiled object or bound method, of the finished instance where it was of the one under construction."""
    if isinstance(value, FunctionRef) and value.receiver is not None and value.receiver.key == made.key:
        return FunctionRef(value.code, finished, value.closure)
    return finished if value.key == made.key else value


def _kept(f: Frame, value: Value) -> Value:
    """What an attribute holds, as code meets it that was not there when it was made."""
    return placed_outside(handed_in(f, resumed(value)), "tensor", OriginKind.HELD)


def _says_something(value: Value, depth: int) -> bool:
    """Whether something is known of a value, or of what it holds: else the class itself says more."""
    if isinstance(value, (Unknown, Bottom)):
        return False
    if depth > _DEEP:
        return True
    if isinstance(value, Sequence) and value.items is None:
        return _says_something(value.element, depth + 1)
    if isinstance(value, Mapping) and not value.entries and not value.exact:
        return _says_something(value.element, depth + 1)
    if isinstance(value, Union):
        return all(_says_something(one, depth + 1) for one in value.arms)
    return True


def calls_method(f: Frame, code: FunctionInfo) -> Compiled | None:
    """What a decorator made of a method that a host calls, if it compiles it."""
    if not f.host:
        return None
    found = f.interp.hosts.methods.get(id(code.node))
    return found if isinstance(found, Compiled) else None
