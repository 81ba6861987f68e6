"""Accepted numbers only improve: what is worse is named, one sentence each, and is never written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.cli.matrix import accepted, budget
from compilelint.config import UsageError
from compilelint.dynamic.merge import sides
from compilelint.fleet.accepted import NotAcceptedError, compared, numbers_of, read, text_of
from compilelint.model import Divergence, Fate, Parity, Recompile, TargetRun
from compilelint.report.report import Report, TorchTarget
from compilelint.session.commands.verify import Verification
from tests.fleet.samples import broke

RUN = TargetRun("shop:Ranker", Fate.RAN, graphs=2, breaks=(broke(7),), compile_seconds=2.0, peak_memory=100.0)
AGAIN = Recompile("f", 1, "f", 1, (), "inputs")
OTHER = Parity(1, 1, (Divergence("output", "output", 0, "x"),))
ACCEPTED = {"shop:Ranker": numbers_of(RUN)}


@pytest.mark.parametrize(
    ("run", "sentence"),
    [
        pytest.param(replace(RUN, breaks=(broke(7), broke(9))), "graph breaks: 2, accepted are 1", id="a break more"),
        pytest.param(replace(RUN, graphs=3), "graphs: 3, accepted are 2", id="a graph more"),
        pytest.param(replace(RUN, recompiles=(AGAIN,)), "recompiles: 1, accepted are 0", id="a recompile"),
        pytest.param(replace(RUN, compile_seconds=9.0), "compile seconds: 9, accepted are 2", id="slower by far"),
        pytest.param(replace(RUN, peak_memory=300.0), "MB of memory: 300, accepted are 100", id="larger by far"),
        pytest.param(replace(RUN, parity=OTHER), "results differ from eager, and did not", id="other results"),
        pytest.param(TargetRun("shop:Ranker", Fate.TIME_LIMIT), "does not run any more (time-limit)", id="hangs"),
    ],
)
def test_what_is_worse_is_one_sentence_and_is_not_written(run: TargetRun, sentence: str) -> None:
    found = compared(ACCEPTED, [run])
    assert found.regressions == (f"shop:Ranker: {sentence}",)
    assert found.better == ACCEPTED


@pytest.mark.parametrize(
    "run",
    [
        pytest.param(RUN, id="the same"),
        pytest.param(replace(RUN, compile_seconds=3.9), id="slower by what machines differ"),
        pytest.param(replace(RUN, peak_memory=180.0), id="larger by what runs differ"),
    ],
)
def test_what_varies_by_itself_is_no_regression(run: TargetRun) -> None:
    found = compared(ACCEPTED, [run])
    assert (found.regressions, found.improvements, found.better) == ((), (), ACCEPTED)


def test_what_is_better_is_taken_while_what_is_worse_is_not() -> None:
    found = compared(ACCEPTED, [replace(RUN, breaks=(), graphs=3)])
    assert found.regressions == ("shop:Ranker: graphs: 3, accepted are 2",)
    assert found.improvements == ("shop:Ranker: graph breaks: 0, accepted are 1",)
    assert found.better["shop:Ranker"] == {**ACCEPTED["shop:Ranker"], "breaks": 0}


def test_a_target_that_runs_at_last_is_an_improvement_and_may_not_stop_again() -> None:
    stuck = {"shop:Ranker": {"fate": "time-limit"}}
    found = compared(stuck, [RUN])
    assert found.improvements == ("shop:Ranker: runs now (was time-limit)",)
    assert found.better == ACCEPTED
    assert compared(found.better, [TargetRun("shop:Ranker", Fate.KILLED)]).regressions


def test_new_targets_are_named_and_those_that_did_not_run_keep_theirs() -> None:
    found = compared(ACCEPTED, [replace(RUN, target="shop:Other"), replace(RUN, target="shop:Ranker", mode="train")])
    assert found.new == ("shop:Other", "shop:Ranker (train)")
    assert found.better.keys() == {"shop:Ranker", "shop:Other", "shop:Ranker (train)"}


def test_the_file_is_read_back_and_has_a_line_for_each_target() -> None:
    text = text_of({"b": numbers_of(RUN), **ACCEPTED}, "2.13.0")
    assert read(text) == {"b": numbers_of(RUN), **ACCEPTED}
    assert [line.strip()[:3] for line in text.splitlines()[1:-1]] == ['"b"', '"sh']


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not JSON"),
        ("[]", "schema"),
        ('{"schema": 2, "targets": {}}', "schema"),
        ('{"schema": 1, "targets": {"a": {}}}', "a has no fate"),
        ('{"schema": 1, "targets": {"a": {"fate": "ran", "graphs": "two"}}}', "`graphs` of a is not a number"),
    ],
)
def test_what_is_no_such_file_is_refused(text: str, words: str) -> None:
    with pytest.raises(NotAcceptedError, match=words):
        read(text)


def test_the_gate_writes_once_passes_and_fails_by_name_and_never_loosens(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `verify --budget FILE` does around its runs, in the order of a life: write, hold, break, gain."""
    lock = str(tmp_path / "compilelint.lock.json")

    def gate(run: TargetRun, *, update: bool = False) -> bool:
        verification = Verification(Report((), 1, TorchTarget("2.13.0", ""), "/"), sides([], [run]))
        return budget(verification, accepted(lock, update), lock, update)

    with pytest.raises(UsageError, match="no such file"):
        gate(RUN)
    assert gate(RUN, update=True)
    written = Path(lock).read_text()
    assert gate(RUN)
    worse = replace(RUN, breaks=(broke(7), broke(9)), graphs=3)
    assert not gate(worse)
    assert not gate(worse, update=True)
    assert Path(lock).read_text() == written, "what is worse is never written"
    assert "worse than accepted: shop:Ranker: graph breaks: 2, accepted are 1" in capsys.readouterr().err
    better = replace(RUN, breaks=(), graphs=1)
    assert gate(better)
    assert gate(better, update=True)
    assert not gate(RUN), "what was gained is held from then on"
