"""Whether a changed copy of a project still does what the original does: the proof behind `compilelint fix`.

The original runs once, eager and compiled; its eager results, gradients, state and first weights are kept. A copy runs
from the same weights on the same inputs, and its compiled results are held against the original's eager ones.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from compilelint.dynamic.no_worker import scratch_folder
from compilelint.dynamic.observations import Overlay
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe, sharing
from compilelint.dynamic.sides import Seen, seen_from
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker_process import Work
from compilelint.model import Divergence, Fate, TargetRun

Observing = Callable[[Sequence[Work], Settings], list[TargetRun]]
"""Runs targets and returns what was seen, in their order."""


@dataclass(frozen=True, slots=True)
class Exercised:
    """What the exercises of a target gave: how many ran eager and compiled, how many raise in eager, what differs.

    `recompiles` counts them by frame (its file and its function), `frames` are all that were compiled, and `kinds` says
    how many calls there were that differ in what Dynamo guards, which is all but the numbers in tensors.
    `seen` says by file, under its path in the original, what the eager runs went through, and `values`, of an original
    alone, what names of its functions held (`worker.values_seen`). `places` is False where the
    interpreter is too old to distinguish sides. `one_value` names what no run could vary (a dtype, a device).
    """

    runs: int
    compiled: int
    raising: int
    recompiles: Mapping[str, int]
    differences: tuple[Divergence, ...]
    frames: frozenset[str] = frozenset()
    kinds: int = 1
    seen: Mapping[str, Seen] = field(default_factory=dict)
    places: bool = True
    one_value: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Proof:
    """One target before and after a change. `after.parity` compares the copy with the original's eager run.

    `original` and `changed` are the exercises of both; None where there were none, for the cause in `unexercised`.
    """

    before: TargetRun
    after: TargetRun
    original: Exercised | None = None
    changed: Exercised | None = None
    unexercised: str = ""

    @property
    def same(self) -> bool:
        """The copy ran and gave what the original gives without compiling."""
        return self.after.fate is Fate.RAN and self.after.parity is not None and self.after.parity.holds

    @property
    def compared(self) -> bool:
        """Both ran and could be compared at all; where not, nothing is proven either way."""
        ran = self.before.fate is Fate.RAN and self.after.fate is Fate.RAN
        return ran and self.after.parity is not None and not self.after.parity.unknown

    @property
    def removed(self) -> int:
        """How many breaks fewer; negative where the change brings some."""
        return len(self.before.own_breaks) - len(self.after.own_breaks)

    @property
    def differences(self) -> tuple[Divergence, ...]:
        """What the copy does otherwise."""
        return () if self.after.parity is None else self.after.parity.divergences


class Originals:
    """The original runs of some targets, to hold changed copies against. Use with `with`: it keeps a folder of results.

    `settings.paths` must name the source folders of the project (those that belong on `sys.path`), so that a copy can
    take their place. `observing` runs targets; elsewhere it must see the folder of temporary files. `watched` are the
    files and folders that may change: only there is it seen which sides ran. Without `exercising` the originals make
    their own calls alone, and no copy can be exercised. Raises what `observing` raises (NoWorkerError).
    """

    def __init__(
        self,
        targets: Sequence[Target],
        settings: Settings,
        observing: Observing = observe,
        watched: Sequence[str] = (),
        exercising: bool = True,
    ) -> None:
        self._targets = tuple(targets)
        self._settings = settings
        self._observe = observing
        self._watched = tuple(os.path.abspath(one) for one in watched)
        self._exercising = exercising
        self._folder = ""
        self._held = contextlib.ExitStack()
        self.runs: tuple[TargetRun, ...] = ()
        self.exercised: tuple[Exercised | None, ...] = ()
        self._causes: tuple[str, ...] = ()

    def __enter__(self) -> Originals:
        try:
            self._folder = self._held.enter_context(scratch_folder())
            self._held.enter_context(sharing())
            work = [
                Work(
                    target,
                    save_to=self._file(number),
                    exercise=self._file(number, "original") if self._exercising else "",
                    watched=self._watched,
                )
                for number, target in enumerate(self._targets)
            ]
            self.runs = tuple(self._observed(work))
            self.exercised = tuple(_read(one.exercise, None) for one in work)
            self._causes = tuple(_cause(one.exercise) for one in work)
        except BaseException:  # `__exit__` is not called for what `__enter__` raises, Ctrl-C too
            self._held.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.close()

    def proofs(
        self,
        overlay: Overlay,
        changes: Mapping[str, Any] | None = None,
        only: Collection[int] | None = None,
        fewer_than: Sequence[int] | None = None,
    ) -> tuple[Proof, ...]:
        """Run the targets from a changed copy; a proof for each, in their order. `changes` are a job's.

        `only` are the numbers of those that run. With `fewer_than`, a count for each target, one that breaks in no
        fewer places, or does otherwise in its own calls, is not exercised.
        """
        numbers = [number for number in range(len(self._targets)) if only is None or number in only]
        work = [
            Work(
                self._targets[number],
                overlay,
                compare_with=self._file(number) if os.path.exists(self._file(number)) else "",
                exercise=self._file(number, "changed") if self._exercising else "",
                changes=changes or {},
                watched=tuple(map(overlay.inside_copy, self._watched)),
                fewer_than=None if fewer_than is None else fewer_than[number],
            )
            for number in numbers
        ]
        for one in work:
            if one.exercise and os.path.exists(one.exercise):
                os.remove(one.exercise)  # of an earlier copy
        after = self._observed(work)
        changed = [_read(one.exercise, overlay) for one in work]
        causes = [self._causes[number] or _cause(one.exercise) for number, one in zip(numbers, work, strict=True)]
        before = [(self.runs[number], self.exercised[number]) for number in numbers]
        return tuple(
            Proof(run, now, exercised, other, cause)
            for (run, exercised), now, other, cause in zip(before, after, changed, causes, strict=True)
        )

    def _observed(self, work: Sequence[Work]) -> list[TargetRun]:
        """The runs; one that a signal ended runs once more, since what ends it twice is no accident."""
        runs = self._observe(work, self._settings)
        ended = [number for number, run in enumerate(runs) if run.fate is Fate.KILLED]
        if ended:
            again = self._observe([work[number] for number in ended], self._settings)
            for number, run in zip(ended, again, strict=True):
                runs[number] = run
        return runs

    def _file(self, number: int, kind: str = "") -> str:
        return os.path.join(self._folder, f"{number}.{kind}.json" if kind else f"{number}.pt")


def _written(path: str) -> dict[str, Any]:
    """What a worker wrote of its exercises; nothing where something went wrong before."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def _cause(path: str) -> str:
    """Why there were no exercises, if a worker says so."""
    return str(_written(path).get("none", ""))


def _read(path: str, overlay: Overlay | None) -> Exercised | None:
    """The exercises that a worker wrote; None where there were none."""
    found = _written(path)
    if not found or "none" in found:
        return None
    there: Callable[[str], str] = os.path.abspath if overlay is None else overlay.inside_original
    seen = {there(name): seen_from(one) for name, one in found["seen"].items()}
    differences = tuple(
        Divergence(one["kind"], one["name"], 0, f"{one['text']} (in the exercise: {one['label']})")
        for one in found["differences"]
    )
    return Exercised(
        found["runs"],
        found["compiled"],
        found["raising"],
        {there(name): count for name, count in found["recompiles"].items()},
        differences,
        frozenset(map(there, found["frames"])),
        found["kinds"],
        seen,
        found["places"],
        tuple(found["one_value"]),
        {there(name): one for name, one in found["values"].items()},
    )
