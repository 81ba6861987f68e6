"""Where the report goes to a file, one line a target says what went wrong, where, and what to do."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.bench.result import Agreement
from compilelint.model import Divergence, Fate, ObservedBreak, Parity, Recompile, Step, TargetRun
from compilelint.report.layout.failures import of_benches, of_runs
from tests.bench.samples import bench_of, failed, measured

RAN = TargetRun("m:Net", Fate.RAN, graphs=1)
BREAK = ObservedBreak("/p/net.py", 8, 8, 8, "forward", "print(x)", "GB0059", "r", "no <print>", "", (), None, 0)


def test_a_target_that_is_ready_is_not_listed() -> None:
    assert list(of_runs([RAN, replace(RAN, breaks=(BREAK,), max_breaks=1)])) == []


def test_a_target_that_did_not_run_has_its_place_and_a_hint() -> None:
    gone = TargetRun("m:Net", Fate.NO_INPUTS, "no inputs are known\nmore", place=Step("/p/net.py", 3, "Net"))
    assert list(of_runs([gone])) == [
        "m:Net (/p/net.py:3): not run: no inputs are known; give its inputs, as in --input 2x3x224x224"
    ]


def test_a_hint_that_is_given_already_is_not_given_twice() -> None:
    detail = "ModuleNotFoundError: No module named 'm'; name the folder that holds `m` with --path"
    assert list(of_runs([TargetRun("m:Net", Fate.IMPORT_ERROR, detail)])) == [f"m:Net: not run: {detail}"]


@pytest.mark.parametrize(
    ("run", "line"),
    [
        pytest.param(
            replace(RAN, breaks=(BREAK,)),
            "m:Net: graph breaks: 1, allowed: 0, the first at /p/net.py:8",
            id="breaks",
        ),
        pytest.param(
            replace(RAN, recompiles=(Recompile("/p/net.py", 1, "f", 1, (), "inputs"),), max_recompiles=0),
            "m:Net: recompiles: 1, allowed: 0",
            id="recompiles",
        ),
        pytest.param(
            replace(RAN, parity=Parity(1, 1, (Divergence("output", "output[0]", 0, "3 of 4 elements differ"),))),
            "m:Net: output[0] differs between eager and compiled: 3 of 4 elements differ",
            id="results",
        ),
    ],
)
def test_a_target_that_missed_what_was_asked_says_what(run: TargetRun, line: str) -> None:
    assert list(of_runs([run])) == [line]


@pytest.mark.parametrize("fate", [one for one in Fate if one not in (Fate.RAN, Fate.NO_ANSWER)])
def test_every_way_to_fail_has_a_hint(fate: Fate) -> None:
    (line,) = of_runs([TargetRun("m:Net", fate, "boom")])
    assert line.startswith("m:Net: not run: boom; ")


def test_hidden_characters_are_made_visible() -> None:
    (line,) = of_runs([TargetRun("m:Net", Fate.EAGER_ERROR, "\x1b[2Jboom")])
    assert "\x1b" not in line


def test_what_could_not_be_measured_is_listed_with_the_hint() -> None:
    lines = list(of_benches([bench_of(failed("eager", "no module"), failed("default", "no module"))]))
    assert lines == ["m:Net: not measured: no module; fix what it names, or drop that configuration"]
    (line,) = of_benches([bench_of(measured("eager", 1e-3), failed("default", "boom"))])
    assert line == "m:Net: `default` not measured: boom; fix what it names, or drop that configuration"


def test_other_results_are_listed_and_a_good_measurement_is_not() -> None:
    wrong = measured("default", 1e-3, agreement=Agreement((0,), 0.5, 1e-4, "output[0]"))
    (line,) = of_benches([bench_of(measured("eager", 2e-3), wrong), bench_of(measured("eager", 2e-3))])
    assert line == "m:Net: `default` gives different results: output[0] is off by 5.0e-01, allowed is 1e-04"


def test_what_says_nothing_about_a_target_is_said_elsewhere_once() -> None:
    runs = [TargetRun(name, Fate.NO_ANSWER, "a defect of compilelint: boom") for name in ("m:One", "m:Two")]
    failing = TargetRun("m:Net", Fate.EXITED, "boom")
    assert list(of_runs([*runs, failing])) == list(of_runs([failing]))
