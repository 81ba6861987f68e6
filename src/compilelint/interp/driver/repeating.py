"""After an edit of the bodies of functions: their calls are run again as they were made, and the events sent again.

Guarantee: either what the interpreter has sent is what a fresh run over the new bodies would send, in its order, or
UnrepeatableError is raised and the interpreter is to be thrown away. A call that is repeated must ask the tables for
what it made there itself, must make nothing new, and must call first what it called first; where its result is the one
it had, its callers are left as they are.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from compilelint.events import Event
from compilelint.interp.arguments import varying_arguments as arguments
from compilelint.interp.core.reached_files import Reach, reach_of
from compilelint.interp.core.summaries import fill
from compilelint.interp.core.summary import Summary
from compilelint.interp.devices import kept_results
from compilelint.interp.driver.interpreter import Interpreter, arguments_seen
from compilelint.interp.driver.recording import Finish, Item, Left, Reached, Record, Recorder, UnrepeatableError
from compilelint.interp.effects import state_recompiles
from compilelint.interp.text.same_result import alike
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.values import BOTTOM

if TYPE_CHECKING:
    from compilelint.interp.core.frame import Frame
    from compilelint.syntax import ir

_COMPARED = "result writes broke always_broke left_changed written_inputs wrote_dict stranded escaped use".split()


def repeat(interp: Interpreter, edited: Sequence[ir.Function], around: Iterable[ir.Class | ir.Module]) -> None:
    """Run again what functions did whose nodes hold new bodies by now; `around` are what these stand in."""
    recorder = _recorder(interp)
    if recorder.spoilt:
        raise UnrepeatableError(recorder.spoilt)
    for node in edited:
        if id(node) in recorder.read:
            raise UnrepeatableError(f"`{node.qualname}` is read by `{recorder.read[id(node)]}`")
        interp.assigned.pop(id(node), None)
    _ask_again(recorder, edited, around)
    waiting = [(one.end, id(one), one) for node in edited for one in recorder.of_node.get(id(node), ())]
    heapq.heapify(waiting)
    known = {number for _, number, _ in waiting}
    while waiting:
        _, _, record = heapq.heappop(waiting)
        before = record.frame
        if not _again(interp, record):
            for user in record.users:
                if user is None:
                    raise UnrepeatableError("something besides calls goes by the result")
                if id(user) not in known:
                    known.add(id(user))
                    heapq.heappush(waiting, (user.end, id(user), user))
        _finish_again(interp, before, record)


def _recorder(interp: Interpreter) -> Recorder:
    assert interp.recorder is not None
    return interp.recorder


def _ask_again(recorder: Recorder, edited: Sequence[ir.Function], around: Iterable[ir.Class | ir.Module]) -> None:
    nodes: set[int] = {id(node) for node in (*edited, *around)}
    for about, question, answer in list(recorder.questions.values()):
        if isinstance(about, ClassInfo):
            concerned = any(isinstance(c, ClassInfo) and id(c.node) in nodes for c in about.mro)
        else:
            concerned = id(about.node if isinstance(about, FunctionInfo) else about) in nodes
        if concerned and not alike(recorder.answer(question), answer):
            raise UnrepeatableError("what the text says of itself")


def _again(interp: Interpreter, record: Record) -> bool:
    """Run a call again; whether it comes to the same."""
    recorder, code, known = _recorder(interp), record.code, record.summary
    if record.unrepeatable or code is None or known is None:
        raise UnrepeatableError(record.unrepeatable or "not recorded")
    around = record.frame.closure
    while around is not None:
        if id(around) in recorder.changed:
            raise UnrepeatableError("what is around it has changed")
        around = around.closure
    made_first = [one for one in record.items if isinstance(one, Record) and not one.silent]
    frame = record.frame = record.first()
    fresh = Summary(code, BOTTOM, {}, False)
    frame.called, frame.trace = fresh.called, fresh.trace
    interp.symbols = record.symbols
    record.items = []
    with recorder.repeated(record, made_first):
        fill(fresh, frame, code, dict(record.names))
        if frame.effects.made:
            raise UnrepeatableError("defines functions")
        if [one for one in recorder.met if not one.silent] != made_first:
            raise UnrepeatableError("calls others first")
        if recorder.marks != record.marks:
            raise UnrepeatableError("marks others")
        if record.left_out(recorder.touched):
            raise UnrepeatableError("does not ask for what it made")
    known.called, known.trace = fresh.called, fresh.trace
    if id(known) in recorder.own:
        recorder.own[id(known)] = known, dict(fresh.called), fresh.trace.copy()
    if id(known) in recorder.own_use:
        if not alike(recorder.own_use[id(known)], fresh.use):
            raise UnrepeatableError("its decorators add to the state it uses")
        fresh.use = known.use
    if all(alike(getattr(known, name), getattr(fresh, name)) for name in _COMPARED):
        return True
    for name in _COMPARED:
        setattr(known, name, getattr(fresh, name))
    return False


def _finish_again(interp: Interpreter, before: Frame, record: Record) -> None:
    """Ask a root about its state again, if it was one."""
    recorder, summary = _recorder(interp), record.summary
    assert summary is not None
    for item in recorder.transcript:
        if isinstance(item, Finish) and (item.frame is before or item.summary is summary):
            if item.frame is before:
                item.frame = record.frame
            item.frame.called, item.frame.trace = summary.called, summary.trace
            item.items = []
            with recorder.finishing_again(item):
                state_recompiles.emit(item.frame, summary.use)
                kept_results.kept(item.frame, summary.use)
                arguments.emit(item.frame, item.code, summary.use, *arguments_seen(item.root, item.code))


def send_again(interp: Interpreter) -> dict[int, Reach]:
    """Send all events again, in their order; how far each root reaches, by `id`."""
    recorder = _recorder(interp)
    reached: dict[int, Reach] = {}
    interp.forget_sent()
    for summary, called, trace in recorder.own.values():
        summary.called, summary.trace = dict(called), trace.copy()
    _send(interp, recorder.transcript, reached)
    return reached


def _send(interp: Interpreter, items: Iterable[Item], reached: dict[int, Reach]) -> None:
    for item in items:
        if isinstance(item, Event):
            interp.hand_on(item)
        elif isinstance(item, (Record, Finish)):
            if item.items:
                _send(interp, item.items, reached)
        elif isinstance(item, Reached):
            item.adds()
            reached[id(item.root)] = reach_of(item.summary, interp.shown)
        elif isinstance(item, Left):
            interp.say_leaving()
        else:
            interp.leaving.append(item)
