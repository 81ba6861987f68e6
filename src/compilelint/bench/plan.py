"""What is measured: the ways to run a target by their names, and how often and how long each is timed.

Pure data. `PlanError` says what is wrong with a name, and what to do.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from compilelint.dynamic.observations import Overlay

MODES = ("default", "reduce-overhead", "max-autotune", "max-autotune-no-cudagraphs")
"""The modes of `torch.compile`."""
RECORDING = ("reduce-overhead", "max-autotune")
"""Modes that record CUDA graphs, which no other device has."""
ADDED = ("dynamic", "regional", "amp")
"""What is joined to a mode by `+`; alone, it stands beside `default`."""
EAGER = "eager"
PROCESSES = 5
"""How often everything is started again: what one process says is not what the next one says, by a few percent."""


class PlanError(Exception):
    """A configuration that cannot be measured: `what` is wrong, and the `hint` says what to do."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}; {hint}")
        self.what = what
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Config:
    """One way to run a model: eager (`mode` None) or compiled, whole or by its repeated block, with or without AMP."""

    mode: str | None = None
    dynamic: bool = False
    regional: bool = False
    amp: bool = False

    @property
    def name(self) -> str:
        """As it is written on the command line."""
        parts = [one for one in ADDED if getattr(self, one)]
        if self.mode != "default" or parts in ([], ["amp"]):
            parts.insert(0, self.mode or EAGER)
        return "+".join(parts)

    @property
    def base(self) -> Config:
        """What it is held against: eager of the same precision."""
        return Config(amp=self.amp)

    @property
    def call(self) -> str:
        """The code that turns it on."""
        if self.mode is None:
            return "model(...)"
        mode = "" if self.mode == "default" else f'mode="{self.mode}"'
        arguments = ", ".join(filter(None, [mode, "dynamic=True" if self.dynamic else ""]))
        if self.regional:
            return f"for block in blocks: block.compile({arguments})"
        return f"torch.compile(model{', ' if arguments else ''}{arguments})"


@dataclass(frozen=True, slots=True)
class Variant:
    """A configuration to be timed, and what was changed for it: Dynamo's settings, a copy of the project, or the
    `model` that stands in for the target's.

    `change` says so in words, and is empty for the project as it is.
    """

    config: Config
    change: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)
    overlay: Overlay | None = None
    model: str = ""

    @property
    def name(self) -> str:
        """Unique among the variants of a target."""
        return f"{self.config.name} with {self.change}" if self.change else self.config.name


@dataclass(frozen=True, slots=True)
class Plan:
    """How a target is measured.

    Every configuration is timed in `rounds` rounds, spread over up to `most_processes` processes: the first compiles
    with empty caches, the others find them filled. A round takes about `seconds` of each configuration. `soak` further
    calls look for drift. `limit` is the time in seconds that any one step may take. Results are compared with eager
    ones over `seeds`, and a round holds no more than `most_calls` of each.
    """

    configs: tuple[Config, ...]
    rounds: int = 10
    seconds: float = 0.4
    soak: int = 0
    limit: float = 600.0
    most_processes: int = PROCESSES
    seeds: tuple[int, ...] = (0, 1, 2)
    most_calls: int = 200

    @property
    def processes(self) -> tuple[int, ...]:
        """How many rounds each process times, the one with empty caches first."""
        count = max(2, min(self.most_processes, self.rounds))
        return tuple((self.rounds * (one + 1)) // count - (self.rounds * one) // count for one in range(count))


def quick(plan: Plan) -> Plan:
    """The plan for a first verdict: few short rounds in three processes, and one seed to compare.

    Two processes would be quicker by a tenth, and their intervals three times as wide: Student's t has one degree of
    freedom then.
    """
    return replace(plan, rounds=6, seconds=0.1, most_processes=3, seeds=(0,), most_calls=40)


def default_names(device: str) -> tuple[str, ...]:
    """What is measured where nothing is asked for."""
    return ("default", "dynamic", "regional", *(("reduce-overhead",) if device == "cuda" else ()))


def configs_from(names: Iterable[str], device: str) -> tuple[Config, ...]:
    """Configurations by name, eager and the bases of the others first, each once. Raises PlanError."""
    asked = [_config(name.strip(), device) for name in names]
    needed = [Config(), *(one.base for one in asked if one.base.amp)]
    return tuple(dict.fromkeys([*needed, *asked]))


def _config(name: str, device: str) -> Config:
    parts = name.split("+")
    known = (EAGER, *MODES, *ADDED)
    for part in parts:
        if part not in known:
            alike = difflib.get_close_matches(part, known, n=1)
            hint = f"did you mean {alike[0]}?" if alike else f"use {', '.join(known)}, joined by +"
            raise PlanError(f"unknown configuration {part!r}" + (f" in {name!r}" if len(parts) > 1 else ""), hint)
    modes = [part for part in parts if part not in ADDED]
    added = {part: True for part in parts if part in ADDED}
    if len(modes) > 1 or len(modes) + len(added) < len(parts):
        raise PlanError(f"{name!r} names several modes", "write one mode, as in max-autotune-no-cudagraphs+amp")
    mode = modes[0] if modes else "default"
    if mode == EAGER and (set(added) - {"amp"}):
        raise PlanError(f"{name!r} is eager and compiled at once", "write eager, eager+amp, or dynamic")
    if mode in RECORDING and device != "cuda":
        hint = "use default, max-autotune-no-cudagraphs, or --device cuda"
        raise PlanError(f"{mode!r} records CUDA graphs, and the device is {device}", hint)
    return Config(None if mode == EAGER else mode, **added)
