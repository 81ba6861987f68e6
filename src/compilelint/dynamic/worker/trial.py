"""The exercises of one job: run eager and compiled, held against those of the original, and written for the proof.

The original's runs travel in the file that its eager results are saved to; a changed copy's are compared here, where
torch is, and only words, counts and places go to the file that the job names.
"""

from __future__ import annotations

import contextlib
import importlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from functools import partial
from itertools import takewhile
from typing import Any

import torch
import torch._dynamo

from compilelint.dynamic.worker import recorder
from compilelint.dynamic.worker.asked import Asked
from compilelint.dynamic.worker.conditions import Setting, setting_of
from compilelint.dynamic.worker.coverage import PLACES, watch_of
from compilelint.dynamic.worker.exercises import Exercise, called_of, exercises_for
from compilelint.dynamic.worker.exercising import Runs, differing, exercised, left_alone
from compilelint.dynamic.worker.faults import said
from compilelint.dynamic.worker.forms import interface_of, lost
from compilelint.dynamic.worker.held import Held
from compilelint.dynamic.worker.inputs import NoInputsError, sets_for
from compilelint.dynamic.worker.loading import Loaded
from compilelint.dynamic.worker.values_seen import ValuesSeen
from compilelint.dynamic.worker.variations import Word, other_words

_SHARE = 6  # of the time limit, the part that the original's eager exercises may take
_MOST_RECOMPILES = 64
_STORM = 16  # recompiles of one frame, twice what Dynamo allows by itself


@dataclass
class Trial:
    """The exercises of a job, and, for a changed copy, what the original did in each.

    `begun` is how the weights that a copy was built with differ from the original's; `varied` names what exercises
    vary, those included that could not be run. `values` is what names of functions that break held.
    """

    asked: Asked
    exercises: list[Exercise]
    original: dict[str, Any] | None
    held: Held
    words: list[Word]
    setting: Setting
    begun: Runs
    varied: frozenset[str] = frozenset()
    values: dict[str, Any] = field(default_factory=dict)

    def eager(
        self, function: Any, own_calls: Callable[[], dict[str, Any]], wary: bool = False, forks: bool = True
    ) -> dict[str, Any]:
        """Make the target's own calls, then run the exercises, all without compiling and watched.

        Called in a process of its own, or, where none `forks`, on a copy of the target. What only a first call does is
        seen in the target's own calls. `wary` leaves out exercises that end the process.
        """
        budget = float("inf") if self.original else self.asked.target.timeout / _SHARE
        with watch_of(self.asked.folders) as watch:
            watch.values = ValuesSeen() if self.original is None else None
            if not forks:
                self.held.put_back()  # after the compiled calls
            made = own_calls()
            first = self.original is None
            runs = (
                exercised(function, function, self.exercises, budget, self.held, wary, first, forks=forks)
                if made["failed"]
                else []
            )
        interface = interface_of(function) if self.original is None or runs else {}
        seen, values = json.dumps(watch.seen()), json.dumps(watch.values_seen())
        return {**made, "exercised": runs, "seen": seen, "values": values, "interface": json.dumps(interface)}

    def compiled(
        self,
        function: Any,
        called: Callable[..., Any],
        eager: dict[str, Any],
        unchanged: Sequence[str],
        frames: Collection[str],
    ) -> dict[str, Any]:
        """Run the shared ones compiled, compare, and write what came of it; what the original's results keep.

        `frames` are those that the target's own calls compiled.
        """
        by_label = {one.label: one for one in self.exercises}
        made = [by_label[one["label"]] for one in eager["exercised"]]  # as many as there was time for
        shared = [one for one in made if one.shared]
        recording = recorder.Recorder()
        with recording.recording(), _many_recompiles(), _unprofiled():
            storms = partial(_storms, recording.recompiles)
            runs = exercised(function, called, shared, held=self.held, enough=storms)
        settings, reference = self.asked.settings, self.original or eager
        settled = left_alone(reference, eager | {"settled": unchanged})
        reordered = settings.reordered or settings.backend not in ("eager", "aot_eager")
        wanted: Runs = reference["exercised"]
        own = (
            []
            if self.original is None
            else differing(wanted, eager["exercised"], settled, compiled=False, reordered=False)
        )
        own = [*self.begun, *own, *self._lost(reference, eager)]
        compiled = differing(wanted[: len(shared)], runs, settled, compiled=True, reordered=reordered)
        known = {(one["label"], one["name"]) for one in reference.get("faults", ())}
        report = {
            "runs": len(made),
            "wanted": len(wanted),
            "labels": [one.label for one in made],
            "raising": sum(bool(one["error"]) for one in eager["exercised"]),
            "compiled": len(runs),
            "differences": own + [one for one in compiled if (one["label"], one["name"]) not in known],
            "recompiles": Counter(map(_frame, recording.recompiles)),
            "frames": sorted({*frames, *recording.frames}),
            "kinds": len({one["kind"] for one in runs}),
            "seen": json.loads(eager["seen"]),
            "values": self.values,
            "places": PLACES,
            "one_value": sorted(_in_one_value(self.varied, made, eager["exercised"])),
        }
        with open(self.asked.exercise, "w", encoding="utf-8") as file:
            json.dump(report, file)
        return {"faults": compiled, "words": self.words, "setting": [*astuple(self.setting)]}

    def _lost(self, reference: dict[str, Any], eager: dict[str, Any]) -> Runs:
        """What of the original's interface a changed copy no longer has."""
        gone = lost(json.loads(reference["interface"]), json.loads(eager["interface"]))
        if gone is None:
            return []
        return [{"kind": "interface", "name": gone[0], "text": gone[1], "label": "looked at once"}]


def _storms(recompiles: Sequence[dict[str, Any]]) -> bool:
    """Whether a frame was compiled so often that more runs would show nothing but this."""
    return len(recompiles) >= _STORM and max(Counter(_frame(one) for one in recompiles).values()) >= _STORM


def _frame(recompile: dict[str, Any]) -> str:
    return recorder.frame_name(recompile["path"], recompile["line"], recompile["function"])


def _in_one_value(names: Iterable[str], made: Sequence[Exercise], runs: Runs) -> set[str]:
    """What exercises vary and no run did: each of those that vary it raised, or could not be run here."""
    varied = dict.fromkeys(names, False)
    for one, run in zip(made, runs, strict=True):
        if one.varies:
            varied[one.varies] = varied.get(one.varies, False) or not run["error"]
    return {name for name, went_well in varied.items() if not went_well}


def trial_for(asked: Asked, loaded: Loaded, begun: Runs) -> Trial | None:
    """The exercises that a job asks for; None where it asks for none, or they cannot be made."""
    if not asked.exercise:
        return None
    held = Held(loaded.function)
    original: dict[str, Any] | None = torch.load(asked.compare_with, weights_only=True) if asked.compare_with else None
    try:
        kept = {} if original is None else original
        words, setting = _of_the_text(asked, loaded)
        if original is not None:
            words = kept.get("words", [])
            setting = Setting(*kept["setting"]) if "setting" in kept else setting
        found = exercises_for(asked.target, loaded, asked.settings.device, held.variants, words, setting)
    except (NoInputsError, RuntimeError, TypeError, ValueError) as error:
        no_trial(asked, f"its inputs cannot be made again: {said(error)}")
        return None
    varied = frozenset(one.varies for one in found if one.varies)
    if original is None:
        return Trial(asked, found, None, held, words, setting, begun, varied)
    by_label = {one.label: one for one in found}
    wanted = [one["label"] for one in original.get("exercised", ())]
    same = [by_label[label] for label in takewhile(by_label.__contains__, wanted)]  # runs are compared by their places
    if not same:
        no_trial(
            asked, f"what is made of the original ({wanted[0]}) is not made of it" if wanted else "nothing ran before"
        )
        return None
    return Trial(asked, same, original, held, words, setting, begun, varied)


def no_trial(asked: Asked, cause: str) -> None:
    """Say why there are no exercises, in the place of what they gave."""
    with open(asked.exercise, "w", encoding="utf-8") as file:
        json.dump({"none": " ".join(cause.split())}, file)


def _of_the_text(asked: Asked, loaded: Loaded) -> tuple[list[Word], Setting]:
    """What exercises depend on that the text and the program of an original decide."""
    _, sets = sets_for(asked.target, loaded, 0, asked.settings.device)
    called, call = called_of(loaded), sets[0][0] if sets else ((), {})
    return other_words(called, call), setting_of(loaded.function, called, call)


def _many_recompiles() -> Any:
    """Exercises vary much more than calls do; what is compiled must stay compiled."""
    name = "recompile_limit" if hasattr(torch._dynamo.config, "recompile_limit") else "cache_size_limit"
    return torch._dynamo.config.patch(**{name: _MOST_RECOMPILES})


@contextlib.contextmanager
def _unprofiled() -> Iterator[None]:
    """Dynamo times the guards of every graph for its log, and empties the caches of the processor for that."""
    guards: Any = importlib.import_module("torch._dynamo.guards")
    before = getattr(guards, "profile_guard_manager", None)
    if before is None:
        yield
        return
    guards.profile_guard_manager = lambda *_: 0.0
    try:
        yield
    finally:
        guards.profile_guard_manager = before
