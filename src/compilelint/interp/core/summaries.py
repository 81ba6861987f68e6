"""Summaries: what one call of a function comes to, and under what it is found again.

A summary stands for all calls of a function with like arguments in like surroundings (`key_of`); making one runs the
body. Does not belong here: who is called, and what a call leaves behind in its caller (`calls`).
"""

from __future__ import annotations

from collections.abc import Hashable

from compilelint.events import Context
from compilelint.interp.core import sizes
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.state import State, join_states
from compilelint.interp.core.summary import Summary
from compilelint.model import Confidence, Doubt
from compilelint.project.classes import FunctionInfo
from compilelint.values import (
    BOTTOM,
    FALSE,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Scalar,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    arms,
    join,
    join_all,
    serial_of,
    type_name,
    unsized,
)

MAX_SILENT_FOREIGN = 2  # frames in a row that are not judged, where only a value is looked up
MAX_ITERATIONS = 5
_ALL_STEPS = -1  # followed out of linted code, as deep as what settles a field may lie
_CAP = 5  # where the key of a summary says how much may be claimed


def key_of(frame: Frame, code: FunctionInfo, names: dict[str, Value]) -> tuple[Hashable, ...]:
    """What a summary depends on: the function, what it is called with, and what is known of it."""
    values = tuple([v.key for v in names.values()])
    known_by = (
        frame.modes,
        _ALL_STEPS if frame.interp.handed_fields.at_work else steps_out(frame),
        frame.context.config,
        serial_of(frame.closure),
        frame.around.cap,
        (frame.effects.wrote_dict, frame.carried),
    )
    return (id(code.node), *known_by, values)


def key_for_all(frame: Frame, code: FunctionInfo) -> tuple[Hashable, ...]:
    """The key of the one summary that a function has for all callers, in surroundings like these."""
    known_by = frame.modes, steps_out(frame), frame.context.config, serial_of(frame.closure), frame.around.cap
    return (id(code.node), *known_by, frame.effects.wrote_dict, "any")


def known(inner: Frame, key: tuple[Hashable, ...]) -> tuple[tuple[Hashable, ...], Summary | None]:
    """The summary under a key, and the key; where that one is for other surroundings, those of calls in these."""
    summaries = inner.interp.summaries
    found = summaries.get(key)
    if found is None and inner.around.cap == Confidence.LIKELY:
        # What a surer call was seen to do has been said already, and said surer.
        found = summaries.get((*key[:_CAP], Confidence.CERTAIN, *key[_CAP + 1 :]))
    if found is None or not _is_another(found, inner):
        return key, found
    key = (key, inner.floor, inner.caught)
    return key, summaries.get(key)


def _is_another(known: Summary, inner: Frame) -> bool:
    """Whether what a call came to hung on what surrounds it, which is another way around this one."""
    surer = known.calls_back and known.floor != inner.floor
    return surer or (known.heeds and known.caught is not inner.caught)


def summarize(inner: Frame, code: FunctionInfo, names: dict[str, Value], key: object) -> Summary:
    """Run the body; a recursive function is run again until its result stands, at most `MAX_ITERATIONS` times."""
    interp = inner.interp
    if interp.active.get(id(code.node), 0) >= 3:  # recursion with ever new arguments
        return Summary(code, UNKNOWN, {}, False)  # settled is False: a recorder takes it for one at work
    recorder = interp.recorder
    record = None if recorder is None else recorder.begin(inner, names, key)
    interp.active[id(code.node)] = interp.active.get(id(code.node), 0) + 1
    summary = interp.summaries[key] = Summary(code, BOTTOM, {}, False, floor=inner.floor, caught=inner.caught)
    inner.called, inner.trace = summary.called, summary.trace
    if record is not None:
        record.summary = summary
    try:
        for _ in range(MAX_ITERATIONS):
            before = summary.result
            fill(summary, inner, code, names)
            settled = not summary.used or summary.result.key == before.key
            if settled:
                break
            summary.used = False
        else:
            summary.result = UNKNOWN
    except BaseException:
        del interp.summaries[key]  # what was learnt so far is no answer for other callers
        if recorder is not None:
            recorder.broken_off()
        raise
    finally:
        interp.active[id(code.node)] -= 1
    summary.settled = True
    if not inner.modes.silent:
        interp.reached.add(id(code.node))
        if not inner.context.host_class:
            interp.trusted.add(id(code.node))
    if recorder is not None and record is not None:
        recorder.ended(record, summary)
    return summary


def fill(summary: Summary, inner: Frame, code: FunctionInfo, names: dict[str, Value]) -> None:
    """Run the body, and put into a summary what it came to."""
    summary.result, summary.writes = unsized(_run_body(inner, code, names)), _left_on(inner)
    summary.broke, summary.always_broke = inner.effects.broke, inner.effects.always_broke is True
    summary.left_changed = inner.effects.left_changed
    summary.calls_back, summary.heeds = inner.effects.calls_back, inner.effects.heeds
    summary.written_inputs = inner.effects.written_inputs
    summary.wrote_dict, summary.stranded = inner.effects.wrote_dict, inner.effects.stranded
    summary.escaped = tuple(inner.effects.escaped.values())
    summary.use = inner.effects.use


def _left_on(inner: Frame) -> dict[str, Value]:
    """What a call has stored on `self`; its symbols of sizes mean nothing outside."""
    return {name: unsized(value) for name, value in inner.effects.writes.items()}


def _run_body(inner: Frame, code: FunctionInfo, names: dict[str, Value]) -> Value:
    """The body once; twice, for training and for evaluation, where it asks for `self.training` more than once.

    What such a body computes under one test of the mode it uses under the next: followed together, the two modes
    would mix and give findings that neither has.
    """
    inner.returns = inner.yields = BOTTOM
    key = f"{inner.self_name}.training"
    modes: tuple[Const | None, ...] = (TRUE, FALSE) if code.asks_for_mode else (None,)
    arguments, on_self = _apart(names)
    for mode in modes:
        paths = dict(on_self) if mode is None else {**on_self, key: mode}
        inner.state = State(sizes.arguments(inner, arguments), paths)
        inner.run(code.node.body)
        if inner.modes.host or inner.effects.made:  # what functions made here see around them
            inner.kept = join_states([inner.kept, inner.state])
        if inner.modes.host:
            inner.interp.hosts.enters(code, inner.closure)
            inner.interp.hosts.pending += inner.effects.made
            inner.effects.made = []
        if inner.state is not None:
            inner.returns = join(inner.returns, NONE)
            inner.returned(inner.state)
    inner.state = None
    if inner.effects.use is not None and inner.effects.exits is not None:
        inner.effects.use.written = inner.effects.exits
    return _result(inner, code)


def _apart(names: dict[str, Value]) -> tuple[dict[str, Value], dict[str, Value]]:
    """Arguments, and what is carried beside them."""
    if not any("." in name for name in names):
        return names, {}
    plain = {name: value for name, value in names.items() if "." not in name}
    return plain, {name: value for name, value in names.items() if "." in name}


def _result(inner: Frame, code: FunctionInfo) -> Value:
    if code.node.is_generator:
        return Sequence("generator", None, inner.yields)
    result = inner.returns
    if inner.asked_compiling and isinstance(result, Scalar) and result.kind == "bool":
        return TRUE  # a helper around `is_compiling`: its other answers are for a torch that has no such function
    usual = inner.usual_return
    known = isinstance(result, Const)  # whichever way it goes
    if (
        usual is not None
        and usual is not NONE
        and not known
        and all(a is UNKNOWN or type_name(a) == "bool" for a in arms(result))
    ):
        mostly = Scalar("bool", usual=usual)
        return join(mostly, UNKNOWN) if UNKNOWN in arms(result) else mostly
    if code.node.returns is not None and (isinstance(result, Unknown) or result is BOTTOM):
        return promised(inner, code) if result is not BOTTOM else result
    return result


def steps_out(f: Frame) -> int:
    """How many frames in a row are not judged, the one that began among them, where only a value is looked up.

    What an attribute or a global holds soon leads far: `requests.get` into ten packages.
    """
    context: Context | None = f.context if f.modes.silent else None
    steps = 0
    while context is not None and not context.linted and steps < MAX_SILENT_FOREIGN:
        steps += 1
        context = context.caller
    return steps


def promised(f: Frame, code: FunctionInfo) -> Value:
    """What the return annotation says, for a function that is not followed."""
    returns = code.node.returns
    if returns is None:
        return UNKNOWN
    origin = f.origin(f"returned by `{code.node.name}`", code.node.head)
    value = f.interp.annotated(code.module, returns, origin)
    return _weakened(value)


def _weakened(value: Value) -> Value:
    if isinstance(value, Tensor):
        from_call = value.but(confidence=Doubt.PROMISED_BY_ANNOTATION.lower(value.confidence))
        return from_call.but(source=max(from_call.source, from_call.source.COMPUTED))
    if isinstance(value, Union):
        return join_all([_weakened(a) for a in value.arms])
    if isinstance(value, Sequence) and value.items is not None:
        return Sequence(value.kind, tuple([_weakened(v) for v in value.items]), BOTTOM)
    return value
