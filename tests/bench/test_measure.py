"""Real models, measured under the real torch.compile: what is seen of each, and that one failure costs one row."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from compilelint.bench.advice import advise
from compilelint.bench.measure import bench
from compilelint.bench.plan import Plan, configs_from
from compilelint.bench.result import Bench
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target, input_set
from compilelint.dynamic.worker_process import Worker
from compilelint.model import Fate

pytestmark = [pytest.mark.dynamo, pytest.mark.slow]

MANY = 100_000

MODELS = """\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return x + torch.relu(self.layer(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList(Block() for _ in range(3))
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.drop(x)


class Lying(nn.Module):
    calls = 0

    def forward(self, x):
        self.calls += 1
        return (x + 1 if torch.compiler.is_compiling() else x + 2), x * self.calls


def plain(x):
    return x.sin().cos()
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("models")
    (found / "models.py").write_text(MODELS)
    return found


def measure(folder: Path, name: str, names: str, *words: str, mode: str = "eval", soak: int = 0) -> Bench:
    sets = tuple(input_set([word], "here") for word in words or ("4x16",))
    settings = Settings(python=sys.executable, paths=(str(folder),), cwd=str(folder))
    configs = configs_from(names.split(","), "cpu")
    plan = Plan(configs, rounds=4, seconds=0.02, soak=soak, most_processes=2, most_calls=MANY)
    return bench(Target(f"models:{name}", sets, mode=mode), settings, plan)


def test_a_model_is_timed_in_rounds(folder: Path) -> None:
    found = measure(folder, "Net", "default", soak=40)
    eager, default = found.measured
    assert [one.fate for one in found.measured] == [Fate.RAN] * 2
    assert [len(one.rounds) for one in found.measured] == [4] * 2
    for rounds in zip(*(one.rounds for one in found.measured), strict=True):
        # A process takes them from how long a call of eager takes in it, so the next process may take others.
        (number,) = {len(times) for sets in rounds for times in sets}
        assert 3 < number < MANY, "equal numbers in a round, which no limit makes equal"
    assert all(time > 0 for one in found.measured for time in one.times(0))
    assert default.run is not None
    assert (default.run.graphs, len(default.run.own_breaks), default.late) == (1, 0, 0)
    assert default.cold is not None
    assert default.warm is not None
    assert default.cold.lost > default.warm.lost > 0
    assert (default.cold.cache_hits, default.cold.cache_misses) == (0, 1)
    assert (default.warm.cache_hits, default.warm.cache_misses) == (1, 0)
    assert default.agreement is not None
    assert default.agreement.holds
    assert default.agreement.seeds == (0, 1, 2)
    assert eager.memory is not None
    assert eager.memory.peak >= eager.memory.steady > 50 << 20
    assert eager.kernels is not None
    assert default.kernels is not None
    assert default.kernels.count < eager.kernels.count, "fused"
    assert default.soak is not None
    assert (default.soak.calls, len(default.soak.stretches), default.soak.recompiles) == (40, 10, ())
    assert found.stack["torch"].startswith("2.")
    assert found.stack["threads"] == "1"


@dataclass
class Watched:
    """A bench, what was said on the way, and the precompiled headers (name, ns) that lay beside each process."""

    found: Bench
    said: list[str]
    left: list[set[tuple[str, int]]]


@pytest.fixture(scope="module")
def lying(folder: Path, headers_once: None) -> Watched:
    """The model whose compiled results differ and that counts its calls, in two processes."""
    left: list[set[tuple[str, int]]] = []

    class Watching(Worker):
        def __exit__(self, *how: object) -> None:
            super().__exit__(*how)
            headers = Path(self.scratch).glob("torchinductor_*/precompiled_headers/*")
            left.append({(one.name, one.stat().st_mtime_ns) for one in headers})

    settings = Settings(python=sys.executable, paths=(str(folder),), cwd=str(folder))
    plan = Plan(configs_from(["default"], "cpu"), rounds=4, seconds=0.02, most_processes=2, seeds=(0,))
    said: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("compilelint.bench.measure.Worker", Watching)
        found = bench(Target("models:Lying", (input_set(["4x16"], "here"),)), settings, plan, said.append)
    return Watched(found, said, left)


def test_a_second_start_finds_the_precompiled_headers_of_the_first(lying: Watched) -> None:
    first, _, last, _ = lying.left  # of compiled code and of eager, which are ended in reverse order
    assert first
    assert last == first, "neither made again nor lost"


def test_what_it_is_at_is_said_before_any_wait(lying: Watched) -> None:
    assert lying.said[0] == "models:Lying: starting processes for eager and default (each imports torch)"
    starts = [line for line in lying.said if re.search(r"default, \d graphs, 0 breaks, first call ", line)]
    assert len(starts) == 2, "each process says what it found before it is timed"
    first_times, all_times = (line for line in lying.said if "so far" in line)
    assert first_times.endswith("in one process each, so without an interval")
    assert "without" not in all_times


def test_results_that_differ_are_found_and_never_advised(lying: Watched) -> None:
    _, default = lying.found.measured
    assert default.agreement is not None
    assert not default.agreement.holds
    assert default.agreement.name == "output[0]", "and not the one that counts calls"
    assert advise(lying.found).kind == "eager"


def test_a_counter_is_seen_to_compile_again(lying: Watched) -> None:
    _, default = lying.found.measured
    assert default.run is not None
    assert {one.cause for one in default.run.recompiles} == {"state"}
    assert default.late > 0
    assert any("for its own state" in reason and "calls" in reason for reason in advise(lying.found).reasons)


def test_training_is_timed_by_its_block_with_gradients_and_compared_in_spite_of_dropout(folder: Path) -> None:
    found = measure(folder, "Net", "regional", mode="train")
    _, regional = found.measured
    assert regional.ran
    assert regional.blocks == ("Block", 3)
    assert regional.run is not None
    assert regional.run.graphs == 2, "three blocks share what was compiled for one without and one with a gradient of x"
    assert regional.agreement is not None
    assert regional.agreement.unknown == ""
    assert regional.agreement.holds, regional.agreement
    assert regional.agreement.seeds == (0, 1, 2)


@pytest.fixture(scope="module")
def varied(folder: Path, headers_once: None) -> Bench:
    return measure(folder, "plain", "default,dynamic,regional", "4x16", "7x16")


def test_sizes_that_vary_are_compiled_again_and_dynamic_is_not(varied: Bench) -> None:
    _, default, dynamic, _ = varied.measured
    assert default.run is not None
    assert dynamic.run is not None
    assert [one.cause for one in default.run.recompiles] == ["inputs"]
    assert dynamic.run.recompiles == ()
    assert len(default.rounds[0]) == 2, "each input set by itself"


def test_what_does_not_apply_costs_its_own_row(varied: Bench) -> None:
    eager, default, dynamic, regional = varied.measured
    assert eager.ran
    assert default.ran
    assert dynamic.ran
    assert regional.fate is Fate.BUILD_ERROR
    assert "repeats no block" in regional.detail
