"""Runs exercises and says in what two lists of runs differ: values, gradients, what is raised, random numbers, state.

Two eager runs must agree in the class of what they raise, in the message where it is the user's own code that raises
it, in the random numbers they use up, in every NaN, in what they print and log, and in the form of what they give
(`forms`). A compiled run may raise an
exception of Dynamo's own where eager raises, and is not blamed for what the original, compiled, does as well.
"""

from __future__ import annotations

import dis
import hashlib
import os
import random
import signal
import sys
import tempfile
import time
import types
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch

from compilelint.dynamic.worker.calling import copied, derivatives, differentiable, gradients
from compilelint.dynamic.worker.conditions import Condition
from compilelint.dynamic.worker.exercises import Exercise, forced, seed_all
from compilelint.dynamic.worker.faults import PACKAGE, is_answer
from compilelint.dynamic.worker.faults import called as handed
from compilelint.dynamic.worker.forms import REPLACED, Before, Form, results_in
from compilelint.dynamic.worker.held import Held
from compilelint.dynamic.worker.inputs import Call, kind_of
from compilelint.dynamic.worker.recorder import is_watchable
from compilelint.dynamic.worker.refusals import refused_by_torch
from compilelint.dynamic.worker.saying import Said
from compilelint.dynamic.worker.snapshot import Snapshot, alike, first_differences, flat, state_of

OF_DYNAMO = frozenset({"TorchRuntimeError", "Unsupported", "UserError", "InternalTorchDynamoError"})
"""What a compiled run may raise where the eager one raises something else of the same cause."""

_MOST_SECONDS = 20  # of one exercise that may end the process

Runs = list[dict[str, Any]]
Results = list[tuple[str, torch.Tensor]]
_Difference = tuple[str, str, str]


def exercised(
    function: Any,
    called: Callable[..., Any],
    exercises: Sequence[Exercise],
    seconds: float = float("inf"),
    held: Held | None = None,
    wary: bool = False,
    first: bool = False,
    enough: Callable[[], bool] = lambda: False,
    forks: bool = True,
) -> Runs:
    """Run them in their order, each with what it gave; the last of those that are shared, and the last, with the state.

    What is `held` is put back before each. After `seconds` none begins, and after two thirds of them none that is
    shared, so that what is only run here has its turn: there may be fewer than were asked for. With `wary`, a risky one
    that would end the process is left out: there is nothing to hold against it. So is, with `first` (these are those of
    the original), one that ends a process of its own. None begins once there are `enough`.
    Where no process `forks` (CUDA, threads), what changes the target gets a copy, and what may end it is left out.
    """
    started = time.monotonic()
    runs: Runs = []
    training = getattr(function, "training", None)
    was_shared = True
    last: Results = []
    for one in exercises:
        spent = time.monotonic() - started
        if spent > seconds or enough():
            break
        if one.shared and spent > seconds * 2 / 3:
            continue
        if runs and was_shared and not one.shared:
            runs[-1]["state"] = _state(function)
        was_shared = one.shared
        if held is not None:
            held.put_back()
            if one.prepare is not None:
                one.prepare()
        if one.condition is not None and one.condition.alone:
            if not forks:
                runs += _on_a_copy(function, one)
                continue
            run = _alone(partial(_run, function, called, one, last))
            if run is not None or not first:
                runs.append(run or _ended(one))
            continue
        if one.risky and not forks:
            continue
        if wary and one.risky and not _survived(partial(_run, function, called, one, last)):
            continue
        run = _run(function, called, one, last)
        if held is not None and not isinstance(function, torch.nn.Module):
            run["state"] = _state(function)
        runs.append(run)
    if runs:
        runs[-1].setdefault("state", _state(function))
    if training is not None:
        function.train(training)
    return runs


def _on_a_copy(function: Any, one: Exercise) -> Runs:
    """What an exercise gives on a copy of the target; nothing where it may end the process, or there is no copy."""
    apart = None if one.condition is None or one.condition.risky else copied(function)
    return [] if apart is None else [_run(apart, apart, one, [])]


def _alone(work: Callable[[], dict[str, Any]]) -> dict[str, Any] | None:
    """What some work gives in a process of its own, where it may change anything; None where it does not end well."""
    with tempfile.TemporaryDirectory(prefix="compilelint-") as folder:
        path = os.path.join(folder, "run")

        def kept() -> None:
            sys.settrace(None)
            torch.save(work(), path)

        if not _survived(kept) or not os.path.exists(path):
            return None
        found: dict[str, Any] = torch.load(path, weights_only=True)
        return found


def _ended(one: Exercise, error: str = "the process ended") -> dict[str, Any]:
    """A run that came to no call, or did not survive it."""
    words = {"error": error, "own": False, "drawn": "", "said": "", "lenient": bool(one.varies)}
    return {"label": one.label, "kind": "", "found": {}, "form": {}, **words}


def _survived(work: Callable[[], Any]) -> bool:
    """Whether a copy of this process lives through some work, in one thread, since those of others are not copied."""
    child = os.fork()
    if not child:
        try:
            signal.alarm(_MOST_SECONDS)
            torch.set_num_threads(1)
            work()
        finally:
            os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.WIFEXITED(status)


def _state(function: Any) -> Snapshot:
    """What the runs left; whether it trains is set by us."""
    return {name: one for name, one in state_of(function).items() if not name.endswith(".training")}


def _run(function: Any, called: Callable[..., Any], one: Exercise, last: Results) -> dict[str, Any]:
    """What an exercise gives; `last` holds what the one before gave, and then what this one gave."""
    condition = one.condition or Condition("")
    eager = called is function
    found: Snapshot = {}
    form: Form = {}
    error, own, lenient = "", False, bool(one.varies)
    if isinstance(function, torch.nn.Module):
        function.train(one.train)
    try:
        seed_all(one.seed)
        if condition.alter is not None:
            function = called = condition.alter(function, one.make)
        seed_all(one.seed)
        args, named = call = one.make()
        if condition.order:
            differentiable(call)
    except BaseException as raised:  # the user's code makes them, and a change of ours may not fit them
        if not is_answer(raised):
            raise
        return _ended(one, f"{type(raised).__name__}: {raised}"[:300])
    kind = f"{one.train} {kind_of(call)}"
    start = _state(function) if condition.alone else None
    seed_all(one.seed)
    said = Said(condition.loud, eager)
    try:
        with forced(one.draws):
            before = Before(function, last) if eager else None
            result, noted = _called(called, call, one, said)
            if before is not None:
                form = before.form(function, result, args, named)
                if noted:
                    form[condition.notes] = ", ".join(noted)[:300]
                last[:] = results_in(result)
            flat(result, "output", found)
            flat(list(args), "input", found)
            flat(dict(named), "input", found)
            drawn = _drawn()
            if condition.order:
                found.update(derivatives(function, result, call, condition.order))
            elif one.train:
                found.update(gradients(function, result))
    except BaseException as raised:  # whatever the user's code raises is what was observed
        if not is_answer(raised):
            raise
        error, drawn = f"{type(raised).__name__}: {raised}"[:300], ""
        own, found, form = _is_raised_by_the_user(raised.__traceback__), {}, {}
        last.clear()
        again = partial(_called_again, called, one, condition.loud)
        lenient = lenient and eager and not own and refused_by_torch(raised.__traceback__, again)
    words = {"error": error, "own": own, "drawn": drawn, "said": said.words, "lenient": lenient}
    written = _written(function, start) if start is not None and not error else {}
    return {"label": one.label, "kind": kind, "found": found, "form": form, "written": written, **words}


def _called(called: Callable[..., Any], call: Call, one: Exercise, said: Said) -> tuple[Any, list[str] | None]:
    """What the target gives for a call under the condition of an exercise, and what the condition notes."""
    condition = one.condition or Condition("")
    enabled = one.train or bool(condition.order)
    with torch.set_grad_enabled(enabled), condition.around() as noted, said.listening():
        return handed(called, *call), noted


def _called_again(called: Callable[..., Any], one: Exercise, loud: bool) -> None:
    """Make the call of an exercise once more, for what it raises."""
    seed_all(one.seed)
    call = one.make()
    if one.condition is not None and one.condition.order:
        differentiable(call)
    seed_all(one.seed)
    with forced(one.draws):
        _called(called, call, one, Said(loud, True))


def _written(function: Any, start: Snapshot) -> Snapshot:
    """The state that a call left otherwise than it was: that of the whole is only looked at after the last run."""
    later = _state(function).items()
    return {name: one for name, one in later if name not in start or not alike(start[name], one)}


def _is_raised_by_the_user(trace: types.TracebackType | None) -> bool:
    """Whether an exception comes from a `raise` or `assert` outside of torch and the standard library."""
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None or not is_watchable(path := trace.tb_frame.f_code.co_filename) or path.startswith(PACKAGE):
        return False  # a pretended device refuses in a file of ours, as torch does
    return dis.opname[trace.tb_frame.f_code.co_code[trace.tb_lasti]] == "RAISE_VARARGS"


def _drawn() -> str:
    """Where the sources of random numbers stand, as short text."""
    digest = hashlib.sha256(bytes(torch.get_rng_state().tolist()))  # no `.numpy()`: it need not be installed
    digest.update(repr(random.getstate()).encode())
    if torch.cuda.is_initialized():
        digest.update(bytes(torch.cuda.get_rng_state().tolist()))
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        digest.update(repr(numpy.random.get_state()[1].tolist()).encode())
        digest.update(repr(numpy.random.get_state()[2:]).encode())
    return digest.hexdigest()[:16]


def left_alone(wanted: Mapping[str, Any], got: Mapping[str, Any]) -> frozenset[str]:
    """The names of state that two outcomes need not agree in: plain values that neither changes, and new constants.

    A number or a table that a changed copy makes once, and keeps as it is, is a part of how it computes.
    """
    return frozenset({*wanted["settled"]} & {*got["settled"]} | ({*got["constant"]} - {*wanted["state"]}))


def differing(wanted: Runs, got: Runs, settled: frozenset[str], *, compiled: bool, reordered: bool) -> Runs:
    """The first difference of each run, as `kind`, `name`, `text` and `label`; `settled` state is left out."""
    found: Runs = []
    replaced = frozenset(name for one in wanted for name, what in one["form"].items() if what == REPLACED)
    for one, other in zip(wanted, got, strict=False):
        difference = _difference(one, other, settled, replaced, compiled, reordered)
        if difference is not None:
            kind, name, text = difference
            found.append({"kind": kind, "name": name, "text": text, "label": one["label"]})
    return found


def _difference(
    wanted: dict[str, Any],
    got: dict[str, Any],
    settled: frozenset[str],
    replaced: frozenset[str],
    compiled: bool,
    reordered: bool,
) -> _Difference | None:
    if wanted["lenient"] and wanted["error"]:
        return None  # torch refused what no caller asked for: whatever a copy does there is as good
    if wanted["error"] or got["error"]:
        return _errors_differ(wanted, got, compiled)
    given = {name: one for name, one in got["found"].items() if name in wanted["found"] or not _adds_nothing(name, one)}
    for name, text in first_differences(wanted["found"], given, reordered, narrow=not compiled):
        return _kind(name), name, text if name in wanted["found"] else _gained(name, given[name], text)
    eager = None if compiled else _eager_runs_differ(wanted, got, replaced)
    return eager or _states_differ(wanted, got, settled, reordered)


def _errors_differ(wanted: dict[str, Any], got: dict[str, Any], compiled: bool) -> _Difference | None:
    classes = [run["error"].partition(":")[0] for run in (wanted, got)]
    alike = classes[0] == classes[1] or (compiled and classes[0] and classes[1] in OF_DYNAMO)
    text = f"{wanted['error'] or 'nothing'} became {got['error'] or 'nothing'}"
    if alike and wanted.get("own") and not compiled and wanted["error"] != got["error"]:
        return "exception", "the message of what is raised", text
    return None if alike else ("exception", "what is raised", text)


def _eager_runs_differ(wanted: dict[str, Any], got: dict[str, Any], replaced: frozenset[str]) -> _Difference | None:
    """Whether two eager runs that give the same numbers differ in form, in what they say or in what they draw."""
    if apart := _first_apart(wanted["form"], got["form"], replaced):
        return "output", *apart
    if wanted["said"] != got["said"]:
        return "output", "what is printed and logged", f"{_short(wanted['said'])} became {_short(got['said'])}"
    if wanted["drawn"] != got["drawn"]:
        return "state", "the number of random draws", "the next draws differ"
    return None


def _states_differ(
    wanted: dict[str, Any], got: dict[str, Any], settled: frozenset[str], reordered: bool
) -> _Difference | None:
    for kind in ("written", "state"):
        left, later = (
            {name: one for name, one in run.get(kind, {}).items() if name not in settled} for run in (wanted, got)
        )
        if (left and later) or kind == "written":
            for name, text in first_differences(left, later, reordered):
                return "state", name, text
    return None


def _adds_nothing(name: str, value: Any) -> bool:
    """Whether it is a gradient of zeros for an input that had none: what is before the model gets the same of both."""
    return name.startswith("gradient of input") and isinstance(value, torch.Tensor) and not value.any()


def _gained(name: str, value: Any, text: str) -> str:
    """What it means that a weight has a gradient of zeros where it had none, which is not the same to an optimizer."""
    if not name.startswith("gradient of ") or not isinstance(value, torch.Tensor) or value.any():
        return text
    return "none became zeros; momentum and weight decay move a weight with zeros, and leave one without"


def _first_apart(wanted: Form, got: Form, replaced: frozenset[str]) -> tuple[str, str] | None:
    """The first way in which two forms differ.

    What writes a tensor may write nothing new; and only what the original replaces in some run may be replaced in each,
    since others may hold on to the tensor (views, CUDA graphs, optimizers).
    """
    for name in dict.fromkeys([*wanted, *got]):
        alone = name.startswith("self.") and not (name in wanted and name in got)
        if alone and not (got.get(name) == REPLACED and name not in replaced):
            continue
        if wanted.get(name) != got.get(name):
            return name, f"{wanted.get(name, 'nothing')} became {got.get(name, 'nothing')}"
    return None


def _short(words: str) -> str:
    return repr(words[:60]) if words else "nothing"


def _kind(name: str) -> str:
    if name.startswith("gradient of "):
        return "gradient"
    return "input" if "input" in name.partition("[")[0] else "output"
