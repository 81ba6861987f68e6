"""The uncompiled host: what compile calls were met while code around compiled code ran, and what they compile.

Module bodies and functions that hold compile calls are run eagerly ("as a host"): nothing in them is judged, but
values flow, so that a compile call sees what it is given and a compiled function sees its arguments. This file keeps
what the calls came to; `hosting` decides what is run, `compilers` knows what a compile call is, `compiled_roots`
turns targets into roots.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from compilelint.events import RAISES, DynamoConfig
from compilelint.interp.arguments.changing_arguments import changing
from compilelint.interp.core.compile_calls import Met, Target
from compilelint.interp.hosts.host_objects import handed_in
from compilelint.interp.kinds.class_attributes import placed_outside
from compilelint.interp.regions.compiled_inside import called_inside
from compilelint.project.classes import ClassInfo, FunctionInfo
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
)

if TYPE_CHECKING:
    from compilelint.interp.core.args import Args
    from compilelint.interp.core.frame import Frame

_DEEP = 4
_MOST_COLD = 2


def compiled(f: Frame, value: Value, config: DynamoConfig, pos: int, how: str, asked: str = "") -> Value:
    """Something is given to a compile call, which asks for a mode or options; the compiled object.

    Frames that only look up what a global or an attribute holds may not know what a host does: their silence is no
    evidence that it is unknown.
    """
    if not f.modes.host and isinstance(value, Unknown):
        return UNKNOWN
    met = f.interp.hosts.at(f.module, pos, how)
    out: Value = BOTTOM
    for arm in arms(value):
        if isinstance(arm, Compiled):  # compiled twice: the inner call is ignored
            arm = arm.target
        if isinstance(arm, Unknown):
            met.unknown = met.unknown or f.modes.host
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
    if f.modes.silent and isinstance(callee.call, Target):
        callee.call.called(args)
        if f.modes.host:
            callee.call.raising = callee.call.raising is not False and RAISES in f.context.config.switches
        if node is not None and f.modes.host:
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
    if not f.modes.host:
        return None
    found = f.interp.hosts.methods.get(id(code.node))
    return found if isinstance(found, Compiled) else None
