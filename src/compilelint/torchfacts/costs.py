"""What each cause was measured to cost: `costs.json`, from the recorded rows of `benchmarks/costs`.

Prices are of one device and torch version, which each price names; a cause that was not measured has none. Loads no
torch and runs nothing.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from compilelint.model.slotted import dataclass
from compilelint.torchfacts.errors import FactsError
from compilelint.torchfacts.store import DATA, read


class Cause(Enum):
    """What costs time in each step."""

    BREAK = "break"  # a graph break that reads nothing
    BRANCH = "branch"  # a graph break that waits for a tensor's data
    READ = "read"  # a host read of a result, outside of the compiled region
    COPY = "copy"  # a small tensor moved to the device
    SCALAR = "scalar"  # a 0-d host tensor, which splits a CUDA graph
    SPLIT = "split"  # a line that runs between two CUDA graphs and copies nothing
    GRAPHS = "graphs"  # no CUDA graph at all, where `reduce-overhead` would record one
    COMPILE = "compile"  # eager code in place of the default mode
    FLOAT32 = "float32"  # matrix products in full float32 precision
    CLONE = "clone"  # a copy of a result in each step
    PENDING = "pending"  # recorded calls with gradients that no backward pass follows


class Setting(Enum):
    """What a step does."""

    TRAIN = "train"  # forward, backward and optimizer
    INFER = "infer"  # one forward at batch 1, without gradients


@dataclass(frozen=True, slots=True)
class StepPrice:
    """Milliseconds a step for each occurrence of a cause; below zero where the cause saved time.

    `low` and `high` are the least and the largest of the models' medians (`models`), `median` is that of all processes.
    """

    cause: Cause
    setting: Setting
    mode: str  # `default` or `reduce-overhead`
    low: float
    median: float
    high: float
    models: Mapping[str, float]
    processes: int
    device: str
    torch: str

    @property
    def row(self) -> str:
        """Names the row of the published table that the price stands in."""
        return f"{self.cause.value}/{self.setting.value}/{self.mode}"


@dataclass(frozen=True, slots=True)
class CompilationPrice:
    """Seconds of one compilation: `base`, and `each` for every captured operation; right within `spread` times."""

    base: float
    each: float
    spread: float
    processes: int
    device: str
    torch: str

    def expected(self, operations: int) -> float:
        """Seconds for a graph of this size, by the line through what was measured."""
        return self.base + self.each * operations

    def seconds(self, operations: int) -> tuple[float, float]:
        """The least and the largest number of seconds that were measured for graphs of this size."""
        middle = self.expected(operations)
        return middle / self.spread, middle * self.spread


@dataclass(frozen=True, slots=True)
class Pace:
    """Milliseconds of a step of one model that was measured: eager, compiled, and with CUDA graphs besides."""

    model: str
    setting: Setting
    eager: float
    default: float
    recorded: float
    processes: int
    device: str
    torch: str


def paces(setting: Setting, data: Path = DATA) -> tuple[Pace, ...]:
    """The models whose steps were measured in a setting, in the order of their names."""
    return tuple(pace for pace in _prices(data)[2] if pace.setting is setting)


def step_price(cause: Cause, setting: Setting, mode: str = "default", data: Path = DATA) -> StepPrice | None:
    """The price of a cause in a setting and mode; None where it was not measured."""
    return _prices(data)[0].get((cause, setting, mode))


class Compilation(Enum):
    """What is compiled or recorded once."""

    FIRST = "cold"  # a model whole, from empty caches
    BY_BLOCK = "by-block"  # the same, each of its blocks by itself
    AGAIN = "recompile"  # the same model for another size, a training step
    AGAIN_INFER = "recompile-infer"  # the same without gradients
    RECORDED = "record"  # one more CUDA graph, for another size


def compilation_price(of: Compilation = Compilation.FIRST, data: Path = DATA) -> CompilationPrice | None:
    """The price of a compilation or of recording a graph; None where it was not measured."""
    return _prices(data)[1].get(of.value)


_Steps = dict[tuple[Cause, Setting, str], StepPrice]


@functools.lru_cache(maxsize=4)
def _prices(data: Path) -> tuple[_Steps, dict[str, CompilationPrice], tuple[Pace, ...]]:
    content: Any = read("costs.json", data)
    try:
        machines = [(device, torch) for device, torch in content["machines"]]
        steps = [
            StepPrice(
                Cause(row["cost"]),
                Setting(row["setting"]),
                row["mode"],
                row["low"],
                row["median"],
                row["high"],
                row["models"],
                row["processes"],
                *machines[row["on"]],
            )
            for row in content["steps"]
        ]
        once = {
            row["cost"]: CompilationPrice(
                row["base"], row["each"], row["spread"], row["processes"], *machines[row["on"]]
            )
            for row in content["compilations"]
        }
        whole = tuple(
            Pace(
                row["model"],
                Setting(row["setting"]),
                row["eager"],
                row["default"],
                row["reduce-overhead"],
                row["processes"],
                *machines[row["on"]],
            )
            for row in content["paces"]
        )
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise FactsError(
            f"costs.json is damaged: {error!r}", str(data / "costs.json"), "reinstall compilelint"
        ) from error
    return {(price.cause, price.setting, price.mode): price for price in steps}, once, whole
