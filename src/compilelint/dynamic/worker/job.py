"""One target from its name to what was observed: import, build, make inputs, run eager, run compiled, compare.

Answers with plain data. What the user's code raises is an answer, not an error; what it does to the process is the
parent's to notice.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import json
import os
import pkgutil
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
import torch._dynamo

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker import cuda_graphs as graphs
from compilelint.dynamic.worker import installed, origin, recorder
from compilelint.dynamic.worker.asked import Asked
from compilelint.dynamic.worker.calling import Forked, Outcome, can_fork, copied, make_calls
from compilelint.dynamic.worker.coverage import watch_of
from compilelint.dynamic.worker.exercising import Runs
from compilelint.dynamic.worker.faults import PACKAGE, hands_over, is_answer, said
from compilelint.dynamic.worker.inputs import Calls, NoInputsError, calls_for, described
from compilelint.dynamic.worker.judging import judge
from compilelint.dynamic.worker.last_words import Ending
from compilelint.dynamic.worker.loading import Loaded, TargetKindError, build, find
from compilelint.dynamic.worker.seeding import seed_torch
from compilelint.dynamic.worker.trial import Trial, no_trial, trial_for
from compilelint.dynamic.worker.values_seen import of_functions
from compilelint.dynamic.worker.weights import built_again, built_otherwise, take_over, weights_of


class Ended(Exception):  # noqa: N818 - no error of ours: the target goes no further
    """The target goes no further: its fate, and why."""

    def __init__(self, fate: str, detail: str) -> None:
        super().__init__(detail)
        self.fate = fate
        self.detail = detail


def run(asked: Asked, progress: Callable[[str], None]) -> dict[str, Any]:
    """Run one target; `progress` is called with the name of each phase as it begins."""
    observed: dict[str, Any] = {"fate": "ran", "torch": torch.__version__, "mode": asked.target.mode}
    started = time.perf_counter()
    installed.watch()
    try:
        with configured(asked.settings):
            for number, seed in enumerate(asked.target.seeds):
                _run_seed(asked, seed, observed, progress, first=number == 0)
    except Ended as end:
        observed.update(fate=end.fate, detail=end.detail)
    observed["seconds"] = round(time.perf_counter() - started, 3)
    return observed


def _run_seed(
    asked: Asked, seed: int, observed: dict[str, Any], progress: Callable[[str], None], *, first: bool
) -> None:
    target, settings = asked.target, asked.settings
    torch._dynamo.reset()
    watching = bool(first and asked.exercise)
    progress("import")
    with watch_of(asked.folders).importing() if watching else contextlib.nullcontext():
        found = or_end("import-error", lambda: find(target.model))
    progress("build")
    seed_torch(seed)
    with watch_of(asked.folders) if watching else contextlib.nullcontext():
        loaded = or_end("build-error", lambda: build(found, target.arguments))
    observed["place"] = loaded.place
    if isinstance(loaded.function, torch.nn.Module):
        loaded.function.train(target.mode == "train")
        if settings.device != "cpu":
            or_end("build-error", lambda: loaded.function.to(settings.device))
    progress("inputs")
    calls = _calls(target, loaded, seed, settings)
    observed.update(inputs=described(calls.calls[0]) if calls.calls else [], inputs_from=calls.source)
    if loaded.adapter:
        observed["inputs_from"] = f"{calls.source}; built from {loaded.adapter}"
    if settings.export:
        progress("export")
        from compilelint.dynamic.worker.exporting import export

        observed.update(export(loaded.function, calls.calls))
        return
    with tempfile.TemporaryDirectory(prefix="compilelint-") as folder:
        compare(asked, loaded, calls, seed, folder, observed, progress, first=first)


def _calls(target: Target, loaded: Loaded, seed: int, settings: Settings) -> Calls:
    try:
        repeats = max(settings.repeats, graphs.WARM_CALLS) if settings.cuda_graphs else settings.repeats
        return calls_for(target, loaded, seed, repeats, settings.device)
    except NoInputsError as none:
        raise Ended("no-inputs", str(none)) from none
    except BaseException as error:  # code of the user makes them, and may raise anything
        if not is_answer(error):
            raise
        raise Ended("no-inputs", f"making the inputs failed: {where(error)}") from error


def compare(
    asked: Asked,
    loaded: Loaded,
    calls: Calls,
    seed: int,
    folder: str,
    observed: dict[str, Any],
    progress: Callable[[str], None],
    *,
    first: bool,
) -> None:
    """Run eager and compiled, and report in what they differ."""
    comparison = _Comparison(asked, loaded, calls, seed, folder, observed, progress, first)
    comparison.run_eager()
    comparison.run_compiled()
    comparison.report()
    comparison.judge()
    comparison.exercise()
    comparison.save()
    comparison.drop()


class _Comparison:
    """The two runs of one seed, step by step, and the processes that wait to run more.

    `forked` says that eager runs happen in processes of their own, forked before anything is compiled: `spare` runs
    eager once more, `exercises` the model's exercises, `warily` those again without what ends the process.
    """

    def __init__(
        self,
        asked: Asked,
        loaded: Loaded,
        calls: Calls,
        seed: int,
        folder: str,
        observed: dict[str, Any],
        progress: Callable[[str], None],
        first: bool,
    ) -> None:
        self._asked, self._target, self._settings = asked, asked.target, asked.settings
        self._function, self._train = loaded.function, asked.target.mode == "train"
        self._calls, self._seed, self._first = calls, seed, first
        self._folder, self._observed, self._progress = folder, observed, progress
        if self._settings.threads and torch.get_num_threads() != self._settings.threads:
            torch.set_num_threads(self._settings.threads)  # a target set it, maybe one before: it is ours to choose
        self._forked = can_fork(self._settings.device)
        begun = self._taken_over() if asked.compare_with and first else []
        self._two = first and bool(asked.save_to or asked.compare_with)  # programs, each in a process of its own
        self._trial = trial_for(asked, loaded, begun) if first else None
        if self._trial is not None and not self._forked:  # built once, in this process, from the original's weights
            self._trial.varied |= {"how weights are built"}
        self._weights = weights_of(self._function) if asked.save_to and first else {}
        self._reference: dict[str, Any] | None = None
        self._spare: Forked | None = None
        self._exercises: Forked | None = None
        self._warily: Forked | None = None
        self._explained: Forked | None = None
        self._searched: Forked | None = None
        self._begun = time.monotonic()
        self._fork()
        self._kept = None if self._forked else _kept_apart(self._function, calls)
        self._apart = None if self._forked or self._trial is None else _kept_apart(self._function, calls)

    def _taken_over(self) -> Runs:
        """Begin with the original's weights, and say how those that the copy was built with differ."""
        own, wanted = weights_of(self._function), take_over(self._function, self._asked.compare_with)
        if not (self._asked.exercise and self._forked):
            return []
        return built_otherwise(wanted, own, self._built_again)

    def _built_again(self) -> dict[str, torch.Tensor]:
        """The weights of the copy, built once more; none where that fails."""
        forked = self._forks("built", lambda: built_again(self._asked, self._seed))
        return forked.read() if forked.run().fate == "ran" else {}

    def _fork(self) -> None:
        """Prepare the processes that run eager, before anything is compiled."""
        if not self._forked:
            return
        function, calls, train = self._function, self._calls, self._train
        self._spare = self._forks("again", self._own_calls)
        if self._trial is not None:
            eager_trial = self._trial.eager
            self._exercises = self._forks("exercises", lambda: eager_trial(function, self._own_calls))
            if self._trial.original is None:  # where an exercise ends the process, once more without what does
                self._warily = self._forks("warily", lambda: eager_trial(function, self._own_calls, wary=True))
        if self._settings.explain and self._first and not self._target.regions:
            self._explained = self._forks("explained", lambda: _explained(function, calls, train))
        if self._settings.locate and self._settings.backend != "eager" and self._first:
            self._searched = self._forks("searched", self._beside)

    def _beside(self) -> dict[str, Any]:
        """What the captured graphs give, run as they are, and the first operation that the backend changes."""
        settings, target = self._settings, self._target
        origin.end_after(origin.limit_of(target.timeout, time.monotonic() - self._begun))
        beside = origin.Beside(train=self._train, dynamic=settings.dynamic)
        outcome, _ = _compiled(
            beside, target, settings, self._function, self._calls, self._seed, self._train, apart=False, recorded=None
        )
        return {**outcome.plain(), "text": beside.text}

    def _forks(self, name: str, run: Callable[[], dict[str, Any]]) -> Forked:
        return Forked(run, os.path.join(self._folder, name))

    def _own_calls(self) -> dict[str, Any]:
        return self._eager_calls(self._function, self._calls.calls)

    def _eager_calls(self, function: Any, calls: list[Any]) -> dict[str, Any]:
        return make_calls(function, function, calls, train=self._train, seed=self._seed, apart=self._two).plain()

    def run_eager(self) -> None:
        """Run eager in a process of its own, where there can be one. Raises Ended where the model does not run."""
        if self._forked:
            self._progress("eager")
            eager = self._forks("eager", self._own_calls)
            self._reference = _read(eager, eager.run())
            _end_if_eager_fails(
                self._reference, self._spare, self._explained, self._exercises, self._warily, self._searched
            )

    def run_compiled(self) -> None:
        """Compile and run; then eager, where that has not been run in a process of its own."""
        self._progress("compile")
        self._recording = recorder.Recorder()
        self._recorded = graphs.CudaGraphs() if self._settings.cuda_graphs else None
        self._outcome, self._compiled = _compiled(
            self._recording,
            self._target,
            self._settings,
            self._function,
            self._calls,
            self._seed,
            self._train,
            self._two,
            self._recorded,
        )
        if self._kept is not None:
            self._progress("eager")
            self._reference = self._eager_calls(*self._kept)
            if self._outcome.failed < 0:  # a capture that fails leaves a device on which nothing runs any more
                _end_if_eager_fails(self._reference)

    def report(self) -> None:
        """Put what was recorded into what was observed."""
        self._progress("compare")
        observed, outcome = self._observed, self._outcome
        if self._first:
            observed.update(self._recording.observed(), calls=len(self._calls.calls))
            if self._recorded is not None:
                self._recorded.error = outcome.error
                observed["cuda_graphs"] = self._recorded.observed()
                observed["missing"] = [*observed["missing"], *self._recorded.missing]
            if self._explained is not None:
                observed["explained"] = self._explained.read() if self._explained.run().fate == "ran" else None
                self._explained = None
        if outcome.failed == 0 and not (outcome.unsupported and self._settings.fullgraph):
            observed.update(fate=fate_of(outcome.error, "compile-error"), detail=outcome.error)

    @property
    def _went_well(self) -> bool:
        return self._observed["fate"] == "ran" and self._outcome.failed != 0

    def judge(self) -> None:
        """Compare the results, with another program's where one is given."""
        against = self._reference
        if self._asked.compare_with and self._first:
            against = torch.load(self._asked.compare_with, weights_only=True)
        if self._settings.parity and self._went_well:
            judge(self._observed, against, self._reference, self._outcome, self._spare, self._settings)
            self._spare = None
            if self._settings.locate and self._first:
                self._locate()

    def _locate(self) -> None:
        """Say of the first difference with which operation it begins."""
        found, searched = self._observed["parity"]["divergences"], self._searched
        if found and self._reference is not None and (searched is not None or self._settings.backend == "eager"):
            self._progress("locate")
            words = origin.words_of(searched, self._reference, self._recording.breaks)
            found[0] = {**found[0], "text": f"{found[0]['text']}; {words}"}
            self._searched = None

    def exercise(self) -> None:
        """Run the model's exercises, eager and compiled."""
        trial, reference = self._trial, self._reference
        if trial is None or reference is None or not self._went_well or not _goes_on(self._asked, self._observed):
            return
        self._progress("exercise")
        of_trial = self._exercised(trial)
        if of_trial is None:
            return
        reference |= {name: of_trial[name] for name in ("exercised", "seen", "interface")}
        broken = {frame[2] for one in self._recording.breaks for frame in one["stack"]}
        trial.values = of_functions(json.loads(of_trial["values"]), broken)
        reference |= trial.compiled(
            self._function, self._compiled, reference, self._outcome.settled, self._recording.frames
        )

    def _exercised(self, trial: Trial) -> dict[str, Any] | None:
        """What the eager exercises gave; None where the model cannot be copied for them."""
        if self._apart is not None:
            function, calls = self._apart
            return trial.eager(function, lambda: self._eager_calls(function, calls), forks=False)
        exercises = self._exercises
        if exercises is None:
            why = _why_no_copy(self._function, self._calls)
            no_trial(
                self._asked, f"here eager runs on a copy (threads or CUDA allow no fork), and there is none: {why}"
            )
            return None
        ending = exercises.run()
        if ending.fate == "killed" and self._warily is not None:
            self._exercises = exercises = self._warily
            self._warily = None
            ending = exercises.run()
        self._exercises = None
        return _read(exercises, ending)

    def save(self) -> None:
        """Keep what this program came to, for another one to be compared with."""
        asked, reference = self._asked, self._reference
        if asked.save_to and self._first and reference is not None:
            kept = {**reference, "first_weights": self._weights, "compiled": self._outcome.plain()}
            torch.save(kept, asked.save_to)

    def drop(self) -> None:
        """Let go of the processes that were not needed."""
        _drop(self._spare, self._explained, self._exercises, self._warily, self._searched)


def _goes_on(asked: Asked, observed: Mapping[str, Any]) -> bool:
    """Whether exercises could still prove a copy: where they cannot, what they cost is saved."""
    if asked.fewer_than is None:
        return True
    differs = observed.get("parity", {}).get("divergences")
    return not differs and recorder.count_of_places(observed["breaks"]) < asked.fewer_than


def _end_if_eager_fails(reference: dict[str, Any], *waiting: Forked | None) -> None:
    """A model that does not even run says nothing about compiling."""
    if reference["failed"] == 0:
        _drop(*waiting)
        fate = fate_of(reference["error"], "eager-error")
        raise Ended(fate, _failure(reference))


def _failure(eager: Mapping[str, Any]) -> str:
    """What the model raised without compiling, and where."""
    if eager["ends"]:
        return f"the model raised {eager['error']}{eager['place']}, run without compiling"
    place = f" ({eager['place'].strip()})" if eager["place"] else ""
    return f"the model fails without compiling: {eager['error']}{place}"


def _read(forked: Forked, ending: Ending) -> dict[str, Any]:
    """What a copy wrote; ends the target where the copy did not come to the end of its work."""
    if ending.fate == "no-answer":
        raise Ended(ending.fate, ending.detail)
    if ending.fate != "ran":
        raise Ended(ending.fate, f"the model {ending.detail}, run without compiling")
    return forked.read()


def _drop(*forked: Forked | None) -> None:
    for one in forked:
        if one is not None:
            one.drop()


def _kept_apart(function: Any, calls: Calls) -> tuple[Any, list[Any]] | None:
    """A copy of model and arguments for an eager run later on; None where they cannot be copied."""
    apart, arguments = copied(function), copied(calls.calls)
    return None if apart is None or arguments is None else (apart, arguments)


def _why_no_copy(function: Any, calls: Calls) -> str:
    for what, one in (("the model", function), ("its arguments", calls.calls)):
        try:
            copy.deepcopy(one)
        except Exception as error:  # noqa: BLE001 - of the user's classes
            return f"{what} cannot be copied: {said(error)}"
    return "the model can be copied only after a call"


def _compiled(
    recording: recorder.Recorder,
    target: Target,
    settings: Settings,
    function: Any,
    calls: Calls,
    seed: int,
    train: bool,
    apart: bool,
    recorded: graphs.CudaGraphs | None,
) -> tuple[Outcome, Callable[..., Any]]:
    """Call the compiled model, or the model with its regions compiled, with everything recorded.

    Also what was called, for those who call it again.
    """
    how = {"backend": recording.backend(settings.backend), "fullgraph": settings.fullgraph, "dynamic": settings.dynamic}
    for name in target.regions:
        for region in _regions(function, name):
            region.compile(**how)
    compiled = function if target.regions else torch.compile(function, **how)

    @hands_over
    def call_compiled(*args: Any, **named: Any) -> Any:
        return compiled(*args, **named)

    def before(number: int) -> None:
        recording.call = number
        if recorded is not None:
            torch.compiler.cudagraph_mark_step_begin()

    with recording.recording(), contextlib.nullcontext() if recorded is None else recorded.asked():
        made = make_calls(function, call_compiled, calls.calls, train=train, seed=seed, before=before, apart=apart)
    return made, call_compiled


def _regions(function: Any, name: str) -> list[Any]:
    """The submodule of that name; the members of a list of modules, since the list itself is never called."""
    try:
        found = function.get_submodule(name)
    except AttributeError:
        raise Ended("build-error", f"regions: the model has no submodule {name!r}") from None
    return list(found) if isinstance(found, torch.nn.ModuleList) else [found]


# -------------------------------------------------------------------- witness


def _explained(function: Any, calls: Calls, train: bool) -> dict[str, Any]:
    """What `torch._dynamo.explain` says of the first call: its breaks' places and its count of graphs."""
    args, named = calls.calls[0]

    def call_compiled() -> Any:
        with torch.set_grad_enabled(train):
            return torch._dynamo.explain(function)(*args, **named)

    found = call_compiled()
    places = []
    for reason in found.break_reasons:
        frames = [frame for frame in reason.user_stack if recorder.is_watchable(frame.filename)]
        if frames:
            places.append([frames[-1].filename, frames[-1].lineno])
    return {"graphs": found.graph_count, "breaks": found.graph_break_count, "places": places}


# ------------------------------------------------------------------ machinery


@contextlib.contextmanager
def configured(settings: Settings) -> Iterator[None]:
    """Dynamo's configuration as asked for, restored behind the target."""
    wanted = dict(settings.config)
    if settings.backend == "inductor":
        inductor: Any = importlib.import_module("torch._inductor.config")
        # The random numbers that eager draws. But where they are drawn decides what is recorded as a CUDA graph.
        inductor.fallback_random = not settings.cuda_graphs
    unknown = [name for name in wanted if not hasattr(torch._dynamo.config, name)]
    if unknown:
        raise Ended("build-error", f"torch {torch.__version__} has no torch._dynamo.config.{unknown[0]}")
    wanted = {name: setting_value(name, value) for name, value in wanted.items()}
    with torch._dynamo.config.patch(wanted) if wanted else contextlib.nullcontext():
        yield


def setting_value(name: str, value: Any) -> Any:
    """A value of Dynamo's configuration: functions, which come by their names, for a setting that is a set of them."""
    if isinstance(value, list) and isinstance(getattr(torch._dynamo.config, name), set):
        return {pkgutil.resolve_name(one) for one in value}
    return value


def or_end(fate: str, work: Callable[[], Any]) -> Any:
    """Run a piece of the user's code; whatever it raises ends the target."""
    try:
        return work()
    except TargetKindError as error:
        raise Ended(fate, str(error)) from error
    except MemoryError as error:
        raise Ended("memory-limit", where(error)) from error
    except ModuleNotFoundError as error:
        raise Ended(fate, f"{where(error)}{_hint(error)}") from error
    except BaseException as error:
        if not is_answer(error):
            raise
        raise Ended(fate_of(str(error), fate), where(error)) from error


def _hint(error: ModuleNotFoundError) -> str:
    """What to do about a missing module: its folder is not searched where the target itself is missing."""
    missing = (error.name or "").partition(".")[0]
    if not missing:
        return ""
    folder = f"name the folder that holds `{missing}` with --path"
    install = f"install what provides `{missing}` for {sys.executable}"
    return f"; {folder}, or {install}" if _is_asked_for(error) else f"; {install}"


def _is_asked_for(error: ModuleNotFoundError) -> bool:
    """Whether no code of the user asked for the module, so that it is the target's own."""
    frames = traceback.extract_tb(error.__traceback__)
    return not any(recorder.is_watchable(one.filename) and not one.filename.startswith(PACKAGE) for one in frames)


def fate_of(text: str, otherwise: str) -> str:
    """The fate of a target that raised this."""
    return "memory-limit" if is_out_of_memory(text) else otherwise


def is_out_of_memory(text: str) -> bool:
    """torch reports a failed allocation in a RuntimeError of its own."""
    return "can't allocate memory" in text or "out of memory" in text.lower() or text.startswith("MemoryError")


def where(error: BaseException) -> str:
    """What was raised, and the user's line that raised it."""
    text = f"{type(error).__name__}: {error}".strip()[:1000]
    frames = [one for one in traceback.extract_tb(error.__traceback__) if recorder.is_watchable(one.filename)]
    frames = [one for one in frames if not one.filename.startswith(PACKAGE)]
    if not frames:
        return text
    return f"{text} (at {frames[-1].filename}:{frames[-1].lineno})"
