"""Which findings are priced by which change, and what is said of the others. Runs of the model are made up here."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compilelint.bench.result import Cause
from compilelint.config import Options
from compilelint.dynamic.merge import Side
from compilelint.dynamic.proof import Proof
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.model import Divergence, Fate, Parity, Recompile, Step, TargetRun
from compilelint.session.commands.verify import joined
from compilelint.session.fixing import price as module
from compilelint.session.fixing.price import Pricing, pricing

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = x.sin()
        z = torch.cumsum(y.cpu(), 0).to(y.device)
        self.kept = z.cpu()
        return z


class Other(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cumsum(x.sin().cpu(), 0).to(x.device)
"""
EQUAL = Parity(1, 1)
APART = Parity(1, 1, (Divergence("output", "output", 0, "all"),))


class Originals:
    """In place of the real runs: what a changed copy comes to, and what was asked for."""

    after: TargetRun
    settings: Settings
    texts: list[str]

    def __init__(self, targets: Sequence[Target], settings: Settings) -> None:
        type(self).settings, type(self).texts = settings, []

    def __enter__(self) -> Originals:
        return self

    def __exit__(self, *ended: object) -> None:
        pass

    def proofs(self, overlay: Any, changes: Mapping[str, Any] | None = None) -> tuple[Proof, ...]:
        assert self.after.place is not None
        self.texts.append(Path(overlay.inside_copy(self.after.place.path)).read_text(encoding="utf-8"))
        return (Proof(self.after, self.after),)


@pytest.fixture
def path(tmp_path: Path) -> str:
    file = tmp_path / "net.py"
    file.write_text(MODEL, encoding="utf-8")
    return file.as_posix()


def run_of(path: str, **more: Any) -> TargetRun:
    """A run of `Net`, which went through all its lines and none of `Other`'s."""
    lines = ((path, tuple(range(6, 11))),)
    return TargetRun("net:Net", Fate.RAN, torch="2.13.0", place=Step(path, 5, "Net"), traced=lines, **more)


def priced(run: TargetRun, device: str, monkeypatch: pytest.MonkeyPatch, after: Parity = EQUAL) -> Pricing:
    Originals.after = replace(run, parity=after)
    monkeypatch.setattr(module, "Originals", Originals)
    found = joined([run], Options((), torch_version="2.13"))
    with contextlib.ExitStack() as copies:
        return pricing(Target("net:Net"), Side(run, 0, 0, 0), Settings(device=device), found, copies, lambda text: None)


def unpriced(causes: Sequence[Cause]) -> dict[tuple[str, int], str]:
    return {(one.code, one.first_line): one.unpriced for one in causes}


def test_a_round_trip_that_the_run_went_through_is_priced_without_it(
    path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = priced(run_of(path), "cuda", monkeypatch)
    assert [one.change for one in found.variants] == ["CL304 at net.py:8, stay on the device"]
    assert all(one.overlay is not None for one in found.variants)
    assert "z = torch.cumsum(y, 0)\n" in Originals.texts[0]
    assert Originals.settings.reordered, "the device rounds otherwise"
    assert unpriced(found.causes) == {("CL304", 8): "", ("CL303", 8): "", ("CL303", 9): "no rewrite is known"}


def test_the_planted_copy_of_the_benchmark_is_found_and_fixed_as_one_would_write_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = Path(__file__).parents[3] / "benchmarks" / "bench" / "plain_models.py"
    lines = path.read_text(encoding="utf-8").splitlines()
    (planted,) = [number for number, line in enumerate(lines, 1) if ".cpu()" in line and "layer_norm" in line]
    run = TargetRun(
        "plain_models:Travelling",
        Fate.RAN,
        torch="2.13.0",
        place=Step(path.as_posix(), 1, "Travelling"),
        traced=((path.as_posix(), tuple(range(1, len(lines)))),),
        parity=EQUAL,
    )
    found = priced(run, "cuda", monkeypatch)
    assert [one.change for one in found.variants] == [f"CL304 at plain_models.py:{planted}, stay on the device"]
    assert Originals.texts[0].splitlines()[planted - 1].strip() == "y = functional.layer_norm(x, x.shape[-1:])"
    assert unpriced(found.causes) == {("CL304", planted): "", ("CL303", planted): ""}


def test_a_rewrite_that_gives_other_results_is_not_measured(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = priced(run_of(path), "cuda", monkeypatch, APART)
    assert found.variants == ()
    assert unpriced(found.causes)["CL304", 8] == "with its rewrite, output differs"


def test_on_a_cpu_nothing_is_copied_and_nothing_priced(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = priced(run_of(path), "cpu", monkeypatch)
    assert found.variants == ()
    assert set(unpriced(found.causes)) == {("CL304", 8), ("CL303", 8), ("CL303", 9)}
    assert set(unpriced(found.causes).values()) == {"on a CPU nothing is copied; a run with --device cuda prices it"}


def test_state_that_compiles_again_is_priced_by_the_switch(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    again = Recompile(path, 6, "Net.forward", 1, ("self.calls == 0",), "state", Step(path, 9, "forward"))
    found = priced(run_of(path, calls=2, recompiles=(again,)), "cpu", monkeypatch)
    assert [one.settings for one in found.variants] == [{"allow_unspec_int_on_nn_module": True}]
    assert unpriced(found.causes)["CL908", 9] == ""


def test_what_did_not_run_has_no_prices(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = TargetRun("net:Net", Fate.EAGER_ERROR, "boom", place=Step(path, 5, "Net"))
    assert priced(gone, "cuda", monkeypatch) == Pricing()
