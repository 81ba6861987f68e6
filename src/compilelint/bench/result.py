"""What was measured, as data: times by round, what starting cost, memory, graphs, and what the machine was.

Seconds throughout; bytes for memory. Nothing is judged here (`advice`), and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median

from compilelint.bench.plan import Plan, Variant
from compilelint.bench.statistics import Interval, pooled, typical
from compilelint.model import Fate, TargetRun

SETTLING = 3
"""Passes over all inputs before a process is timed: compile, record CUDA graphs, replay them."""


@dataclass(frozen=True, slots=True)
class Start:
    """How a process began: the first call of all inputs, and the seconds lost before times were steady."""

    first_call: float
    lost: float
    cache_hits: int = 0
    cache_misses: int = 0


@dataclass(frozen=True, slots=True)
class Memory:
    """Bytes: resident before the model was timed and at most while it was; the same of the device, 0 without one."""

    steady: int
    peak: int
    device_steady: int = 0
    device_peak: int = 0


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far compiled results were from eager ones, over `seeds`.

    `error` is the largest norm of a difference, as a share of the norm of the eager result; `limit` is what the dtype
    allows. `unknown` says why nothing could be compared.
    """

    seeds: tuple[int, ...]
    error: float
    limit: float
    name: str = ""
    unknown: str = ""

    @property
    def holds(self) -> bool:
        """Compared and near enough."""
        return not self.unknown and self.error <= self.limit


@dataclass(frozen=True, slots=True)
class Kernels:
    """What one pass runs by torch's profiler: kernels on the device, or operators of torch on a CPU, and their time."""

    count: int
    seconds: float
    of: str


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy between devices that an eager call makes: `way` is "cuda to cpu", `frames` are the places of the user's
    code that led to it, innermost first; how often a call makes it, and its seconds a call.

    The seconds hold the wait for all work queued before: the most that copying costs there.
    """

    way: str
    frames: tuple[tuple[str, int], ...]
    count: float
    seconds: float


@dataclass(frozen=True, slots=True)
class Cause:
    """A finding whose cost the target bears: a run broke or compiled again there, or went through its lines.

    `unpriced` says why no change that fixes it was measured; empty where one was.
    """

    code: str
    path: str
    first_line: int
    last_line: int
    unpriced: str = ""


@dataclass(frozen=True, slots=True)
class Soak:
    """Long running: times in equal stretches (of one input set, the first), growth in bytes, recompiles by call."""

    calls: int
    stretches: tuple[tuple[float, ...], ...]
    growth: int
    recompiles: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Measured:
    """One variant of a target. Without rounds it did not run: `fate` and `detail` say why.

    `run` is what Dynamo did in the process with empty caches; `late` counts recompiles after warming up, in both.
    `blocks` names what was compiled in place of the whole, with how many there are. `busy` is how many processors it
    kept busy while it was timed. `copies` are seen in eager mode only, and on a device other than the CPU.
    """

    variant: Variant
    fate: Fate
    detail: str = ""
    rounds: tuple[tuple[tuple[float, ...], ...], ...] = ()
    cold: Start | None = None
    warm: Start | None = None
    memory: Memory | None = None
    agreement: Agreement | None = None
    kernels: Kernels | None = None
    run: TargetRun | None = None
    late: int = 0
    blocks: tuple[str, int] | None = None
    busy: float = 0.0
    soak: Soak | None = None
    copies: tuple[Copy, ...] = ()

    @property
    def name(self) -> str:
        """The variant's."""
        return self.variant.name

    @property
    def ran(self) -> bool:
        """It was timed."""
        return bool(self.rounds)

    def times(self, number: int) -> list[float]:
        """All times of an input set."""
        return pooled(self.rounds, number)


@dataclass(frozen=True, slots=True)
class Price:
    """What a change to the program or to Dynamo's settings is worth: times faster, and seconds a call."""

    ratio: Interval
    saved: Interval


@dataclass(frozen=True, slots=True)
class Bench:
    """All that was measured of a target.

    `sets` describes each input set, `weights` says how often each occurs. `ratios` hold, by the name of a variant, how
    many times faster it is than eager of the same precision, `overall` than plain eager. `causes` are the findings
    that the target bears the cost of.
    """

    target: str
    mode: str
    device: str
    plan: Plan
    sets: tuple[str, ...]
    weights: tuple[float, ...]
    inputs_from: str
    measured: tuple[Measured, ...]
    stack: Mapping[str, str] = field(default_factory=dict)
    ratios: Mapping[str, Interval] = field(default_factory=dict)
    overall: Mapping[str, Interval] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)
    causes: tuple[Cause, ...] = ()

    def named(self, name: str) -> Measured | None:
        """The variant of that name."""
        return next((one for one in self.measured if one.name == name), None)

    def base_of(self, one: Measured) -> Measured | None:
        """What a variant is held against."""
        return self.named(one.variant.config.base.name)

    def typical(self, one: Measured) -> float:
        """Seconds of a call, over the weighted input sets."""
        return typical(one.rounds, self.weights)

    def break_even(self, one: Measured, warm: bool = False) -> float | None:
        """How many calls make up for starting; None where it is not known to be faster."""
        base, start = self.base_of(one), one.warm if warm else one.cold
        interval = self.ratios.get(one.name)
        if base is None or start is None or interval is None or interval.low <= 1.0:
            return None
        return start.lost / (self.typical(base) - self.typical(one))


def middle(times: tuple[float, ...]) -> float:
    """The median of a stretch."""
    return median(times)
