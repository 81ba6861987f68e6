"""What `compilelint bench` counts as well: everything ran, and compiled results agree with eager ones."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Future
from dataclasses import replace
from typing import Any

import pytest

from compilelint.bench.measure import NoCompilerError
from compilelint.bench.plan import Config, Plan, Variant
from compilelint.bench.result import Agreement, Bench, Measured
from compilelint.config import Options, UsageError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.fleet.observe import Fleet
from compilelint.model import Fate
from compilelint.report.report import Report, TorchTarget
from compilelint.session.commands import bench as command
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


class Engine:
    """Performs each call when all are submitted, the last first, as a cluster may."""

    def __init__(self) -> None:
        self.asked: list[tuple[Callable[..., Any], Any, Future[Any]]] = []

    def submit(self, function: Callable[..., Any], argument: Any) -> Future[Any]:
        self.asked.append((function, argument, Future()))
        if len(self.asked) == 3:
            for one, given, future in reversed(self.asked):
                future.set_result(one(given))
        return self.asked[-1][2]

    def renew(self) -> None:
        raise AssertionError("nothing broke")


def measures(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The models that are measured from here on, each at once."""
    measured: list[str] = []

    def measure(target: Target, settings: Settings, plan: Plan, *rest: object, more: object = ()) -> Bench:
        measured.append(target.model)
        return Bench(
            target.model, "eval", "cpu", plan, ("2x3",), (1.0,), "given", (ran(None),), stack={"torch": "2.13"}
        )

    monkeypatch.setattr(command, "measure", measure)
    return measured


def test_an_executor_measures_each_target_wholly_and_once_and_their_order_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured = measures(monkeypatch)
    targets = [Target(f"app:Net{number}") for number in range(3)]
    engine, said = Engine(), list[str]()
    plan = Plan((Config(), Config("default")), 4)
    asked = (targets, Settings(python="python"), plan, Options(()), said.append)
    found = command.bench(*asked, prices=False, runs=False, fleet=Fleet(engine))
    assert measured == ["app:Net2", "app:Net1", "app:Net0"], "the engine's own order, each once"
    assert [one.target for one in found.report.benches] == ["app:Net0", "app:Net1", "app:Net2"]
    assert found.well
    assert said[-1].endswith("measured, 3 of 3")


class KilledWorker(Exception):  # noqa: N818 - Dask's name, which is all that is known of it here
    """Stands for Dask's."""


class Loses(Engine):
    """Performs each call at once, but for the failures that are planned for a target, one for each attempt."""

    def __init__(self, **plan: list[Exception]) -> None:
        super().__init__()
        self.plan = plan
        self.renewed = 0

    def submit(self, function: Callable[..., Any], argument: Any) -> Future[Any]:
        future: Future[Any] = Future()
        failures = self.plan.get(argument[0].model.rpartition(":")[2])
        if failures:
            future.set_exception(failures.pop(0))
        else:
            future.set_result(function(argument))
        return future

    def renew(self) -> None:
        self.renewed += 1


def over(engine: Loses, said: list[str]) -> Benched:
    plan = Plan((Config(), Config("default")), 4)
    targets = [Target(f"app:Net{number}") for number in range(3)]
    given = (targets, Settings(python="python"), plan, Options(()), said.append)
    return command.bench(*given, prices=False, runs=False, fleet=Fleet(engine))


def test_what_a_lost_process_held_is_measured_again_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    measured, said, engine = measures(monkeypatch), list[str](), Loses(Net1=[BrokenExecutor("died")])
    found = over(engine, said)
    assert (sorted(measured), engine.renewed) == (["app:Net0", "app:Net1", "app:Net2"], 1)
    assert [one.target for one in found.report.benches] == ["app:Net0", "app:Net1", "app:Net2"]
    assert found.well
    assert [line.rpartition(", ")[2] for line in said] == ["1 of 3", "2 of 3", "3 of 3"]


def test_a_target_that_takes_its_processes_along_is_reported_and_the_others_measured(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measures(monkeypatch)
    found = over(Loses(Net1=[KilledWorker("attempted twice")]), [])
    assert [one.measured[0].fate for one in found.report.benches] == [Fate.RAN, Fate.KILLED, Fate.RAN]
    assert {one.fate for one in found.report.benches[1].measured} == {Fate.KILLED}
    assert not found.well


def test_what_a_process_of_the_cluster_lacks_is_one_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*asked: object, more: object) -> Bench:
        raise NoCompilerError("none works here", "install one")

    monkeypatch.setattr(command, "measure", measure)
    with pytest.raises(UsageError, match=r"app:Net\d: none works here"):
        over(Loses(), [])
