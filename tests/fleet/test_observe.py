"""Every result once, whatever becomes of the processes on the way: with engines that lose, break and lie on purpose."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.fleet import attempts, hands
from compilelint.fleet.attempts import MOST_RENEWALS, LostFleetError
from compilelint.fleet.journal import Journal
from compilelint.fleet.observe import Fleet
from compilelint.model import Fate

SETTINGS = Settings(python=sys.executable)
TARGETS = [Target(f"shop:Model{number}") for number in range(5)]
SECRET = b"s" * 32


class KilledWorker(Exception):  # noqa: N818 - Dask's name, which is all that is known of it here
    """Stands for Dask's."""


class Raw(NamedTuple):
    """An answer that is sent as it is."""

    answer: Any


class Engine:
    """Answers at once; what `plan` holds for a target happens first, one thing for each attempt."""

    def __init__(self, **plan: list[Any]) -> None:
        self.plan = {name: list(things) for name, things in plan.items()}
        self.asked: list[str] = []
        self.renewed = 0

    def submit(self, function: Callable[..., Any], argument: Any) -> Future[Any]:
        assert function is hands.perform
        name = argument["job"]["target"]["model"].rpartition(":")[2]
        self.asked.append(name)
        future: Future[Any] = Future()
        thing = self.plan[name].pop(0) if self.plan.get(name) else {}
        if isinstance(thing, Future):
            return thing
        if isinstance(thing, Raw):
            future.set_result(thing.answer)
        elif isinstance(thing, BaseException):
            future.set_exception(thing)
        else:
            observed = {"fate": "ran", "graphs": int(name[-1]), "breaks": []}
            future.set_result({"observed": observed, "output": "", "torch_path": "/t", "host": "h", **thing})
        return future

    def renew(self) -> None:
        self.renewed += 1


def test_every_target_has_its_result_in_the_order_asked_for() -> None:
    engine = Engine()
    seen: list[int] = []
    runs = Fleet(engine).observe(TARGETS, SETTINGS, lambda number, run: seen.append(number))
    assert [run.graphs for run in runs] == [0, 1, 2, 3, 4]
    assert sorted(seen) == [0, 1, 2, 3, 4]


def test_what_kills_its_processes_is_given_up_alone() -> None:
    runs = Fleet(Engine(Model2=[KilledWorker("attempted twice")])).observe(TARGETS, SETTINGS)
    assert [run.fate for run in runs] == [Fate.RAN, Fate.RAN, Fate.KILLED, Fate.RAN, Fate.RAN]
    assert runs[2].output == "attempted twice"


def test_an_engine_that_breaks_is_made_again_and_asked_for_what_is_left() -> None:
    engine = Engine(Model1=[BrokenExecutor("died")], Model3=[BrokenExecutor("died")])
    runs = Fleet(engine).observe(TARGETS, SETTINGS)
    assert [run.graphs for run in runs] == [0, 1, 2, 3, 4]
    assert engine.renewed >= 1
    assert sorted(engine.asked) == sorted([f"Model{one}" for one in range(5)] + ["Model1", "Model3"])


def test_an_engine_that_only_breaks_is_given_up() -> None:
    engine = Engine(**{f"Model{one}": [BrokenExecutor("died")] * 9 for one in range(5)})
    with pytest.raises(LostFleetError, match="broke"):
        Fleet(engine).observe(TARGETS, SETTINGS)
    assert engine.renewed == MOST_RENEWALS


@pytest.mark.parametrize(
    ("thing", "words"),
    [
        pytest.param(CancelledError(), "--resume", id="the scheduler is gone"),
        pytest.param(ModuleNotFoundError("compilelint"), "install the same compilelint", id="nothing is installed"),
        pytest.param(
            {"refused": "it has no folder /p", "hint": "share"}, "h cannot run shop:Model3: it", id="no folder"
        ),
    ],
)
def test_what_holds_for_every_target_ends_the_run_with_one_message(thing: Any, words: str) -> None:
    with pytest.raises(LostFleetError, match=words):
        Fleet(Engine(Model3=[thing])).observe(TARGETS, SETTINGS)


def _deep() -> list[Any]:
    found: list[Any] = []
    for _ in range(100_000):
        found = [found]
    return found


def _own() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


POISON: dict[str, Any] = {
    "a number": 7,
    "nothing": None,
    "a list": [1],
    "no fields": {},
    "a field that is missing": {"observed": {"fate": "ran"}, "output": ""},
    "a fate of another type": {"observed": {"fate": 3}, "output": "", "torch_path": ""},
    "a fate that is none": {"observed": {"fate": "won"}, "output": "", "torch_path": "", "host": "h"},
    "breaks that are numbers": {"observed": {"fate": "ran", "breaks": [1]}, "output": "", "torch_path": ""},
    "an output that is bytes": {"observed": {"fate": "ran"}, "output": b"x", "torch_path": ""},
    "a refusal of another type": {"refused": 1, "host": "h"},
    "lists in each other": {"observed": {"fate": "ran", "breaks": _deep()}, "output": "", "torch_path": ""},
    "a list within itself": {"observed": {"fate": "ran", "breaks": _own()}, "output": "", "torch_path": ""},
    "keys that are no text": {(1, 2): 3},
    "digits by the thousand": {"observed": {"fate": "ran", "graphs": 10**5000}, "output": "", "torch_path": ""},
}


@pytest.mark.parametrize("answer", POISON.values(), ids=POISON.keys())
def test_a_poisoned_answer_costs_its_target_alone(tmp_path: Path, answer: Any) -> None:
    with Journal(tmp_path, SECRET) as journal:
        runs = Fleet(Engine(Model2=[Raw(answer)]), journal).observe(TARGETS, SETTINGS)
    assert [run.fate for run in runs] == [Fate.RAN, Fate.RAN, Fate.NO_ANSWER, Fate.RAN, Fate.RAN]


def test_a_poisoned_answer_is_asked_again_when_the_run_is_resumed(tmp_path: Path) -> None:
    with Journal(tmp_path, SECRET) as journal:
        Fleet(Engine(Model2=[Raw(7)]), journal).observe(TARGETS, SETTINGS)
    engine = Engine()
    with Journal(tmp_path, SECRET, journal.run) as journal:
        runs = Fleet(engine, journal).observe(TARGETS, SETTINGS)
    assert engine.asked == ["Model2"]
    assert runs[2].fate is Fate.RAN


def test_a_refusal_compares_no_folder_that_the_task_does_not_name(tmp_path: Path) -> None:
    refusal = {"refused": "its files", "host": "h", "place": str(tmp_path), "files": {"x": "y"}}
    with pytest.raises(LostFleetError) as lost:
        Fleet(Engine(Model3=[Raw(refusal)])).observe(TARGETS, SETTINGS)
    assert str(tmp_path) not in lost.value.what


def test_a_process_that_hangs_is_waited_for_no_longer_than_a_task_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The others have answered, and are kept."""
    monkeypatch.setattr(attempts, "STARTING", 0.05)
    quick = [replace(one, timeout=0.05) for one in TARGETS]
    with Journal(tmp_path, SECRET) as journal, pytest.raises(LostFleetError, match="nothing of the cluster answered"):
        Fleet(Engine(Model3=[Future()]), journal).observe(quick, SETTINGS)
    assert len(journal.answers) == 4


@pytest.fixture
def resumed(tmp_path: Path) -> Iterator[Journal]:
    """A run whose engine was lost at the fourth target."""
    with Journal(tmp_path, SECRET) as journal, pytest.raises(LostFleetError):
        Fleet(Engine(Model3=[CancelledError()]), journal).observe(TARGETS, SETTINGS)
    with Journal(tmp_path, SECRET, journal.run) as journal:
        yield journal


def test_a_resumed_run_asks_only_for_what_has_no_answer(resumed: Journal) -> None:
    known, engine = len(resumed.answers), Engine()
    seen: list[int] = []
    runs = Fleet(engine, resumed).observe(TARGETS, SETTINGS, lambda number, run: seen.append(number))
    assert [run.graphs for run in runs] == [0, 1, 2, 3, 4]
    assert sorted(seen) == [0, 1, 2, 3, 4]
    assert len(engine.asked) == 5 - known
    assert "Model3" in engine.asked


def test_a_run_with_other_settings_takes_nothing_over(resumed: Journal) -> None:
    engine = Engine()
    Fleet(engine, resumed).observe(TARGETS, Settings(python=sys.executable, repeats=5), None)
    assert len(engine.asked) == 5


def test_a_run_over_changed_files_takes_nothing_over(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text("A = 1\n")
    settings = Settings(python=sys.executable, paths=(str(tmp_path),))
    with Journal(tmp_path / "runs", SECRET) as journal:
        Fleet(Engine(), journal).observe(TARGETS, settings)
        again = Engine()
        Fleet(again, journal).observe(TARGETS, settings)
        (tmp_path / "shop.py").write_text("A = 2222\n")
        changed = Engine()
        Fleet(changed, journal).observe(TARGETS, settings)
    assert (len(again.asked), len(changed.asked)) == (0, 5)
