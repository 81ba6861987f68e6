"""What `compilelint bench` counts as well: everything ran, and compiled results agree with eager ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.bench.plan import Config, Plan, Variant
from compilelint.bench.result import Agreement, Bench, Measured
from compilelint.model import Fate
from compilelint.report.report import Report, TorchTarget
from compilelint.session.commands.bench import Benched

NEAR, FAR = Agreement((0,), 1e-9, 1e-5), Agreement((0,), 0.1, 1e-5)
UNKNOWN = replace(FAR, unknown="it returns no tensor")
ROUNDS = (((0.1,),),)


def ran(mode: str | None, agreement: Agreement | None = None, change: str = "") -> Measured:
    return Measured(Variant(Config(mode), change), Fate.RAN, rounds=ROUNDS, agreement=agreement)


def failed(mode: str | None) -> Measured:
    return Measured(Variant(Config(mode)), Fate.KILLED, "killed")


@pytest.mark.parametrize(
    ("measured", "well"),
    [
        pytest.param([ran(None)], True, id="eager alone was asked for"),
        pytest.param([failed(None), ran("default", NEAR)], False, id="eager did not run"),
        pytest.param([ran(None), failed("default")], False, id="nothing was compiled"),
        pytest.param([ran(None), failed("default"), ran("max-autotune", NEAR)], True, id="one of two was compiled"),
        pytest.param([ran(None), ran("default", FAR)], False, id="the results differ"),
        pytest.param([ran(None), ran("default", NEAR), ran("max-autotune", FAR)], False, id="those of one differ"),
        pytest.param([ran(None), ran("default", UNKNOWN)], True, id="nothing could be compared"),
        pytest.param([ran(None), ran("default")], True, id="nothing was compared"),
        pytest.param([ran(None), ran("default", NEAR), ran("default", FAR, "a fix")], True, id="what a fix would give"),
    ],
)
def test_a_bench_is_well_where_it_ran_and_agrees(measured: list[Measured], well: bool) -> None:
    plan = Plan((Config(), Config("default")), 3)
    bench = Bench("app:Net", "eval", "cpu", plan, ("2x3",), (1.0,), "given", tuple(measured))
    report = Report((), 1, TorchTarget("2.13.0", "asked for"), "/", benches=(bench,))
    assert Benched(report).well is well
    other = replace(bench, measured=(failed(None),))
    assert not Benched(replace(report, benches=(bench, other))).well, "one that is not well is enough"
