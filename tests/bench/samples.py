"""Measurements made up for tests: times around a middle, the same every time."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

from compilelint.bench.plan import Config, Plan, Variant
from compilelint.bench.result import Agreement, Bench, Kernels, Measured, Memory, Price, Start
from compilelint.bench.statistics import difference, ratio
from compilelint.model import Fate, Recompile, TargetRun

ROUNDS = 8


def measured(name: str, middle: float, *, scatter: float = 0.02, change: str = "", **more: Any) -> Measured:
    """A configuration whose calls take about `middle` seconds."""
    numbers = random.Random(f"{name} {change}")
    rounds = tuple((tuple(middle * numbers.lognormvariate(0.0, scatter) for _ in range(15)),) for _ in range(ROUNDS))
    config = config_of(name)
    compiled = config.mode is not None
    return Measured(
        Variant(config, change),
        Fate.RAN,
        rounds=rounds,
        cold=Start(20.0, 20.0, 0, 1) if compiled else Start(middle, 0.0),
        warm=Start(2.0, 2.0, 1, 0) if compiled else Start(middle, 0.0),
        memory=Memory(300 << 20, 320 << 20),
        agreement=more.pop("agreement", Agreement((0, 1, 2), 1e-7, 1e-4, "output") if compiled else None),
        kernels=Kernels(12, 0.001, "operators"),
        run=more.pop("run", TargetRun("m:Net", Fate.RAN, graphs=1) if compiled else None),
        busy=1.0,
        **more,
    )


def config_of(name: str) -> Config:
    parts = name.split("+")
    mode = None if parts[0] == "eager" else "default"
    return Config(mode, "dynamic" in parts, "regional" in parts, "amp" in parts)


def failed(name: str, detail: str) -> Measured:
    return Measured(Variant(config_of(name)), Fate.COMPILE_ERROR, detail)


def bench_of(*found: Measured, **more: Any) -> Bench:
    """All of them as one target, with their ratios and prices."""
    plan = Plan(tuple(one.variant.config for one in found), ROUNDS)
    bench = Bench("m:Net", "eval", "cpu", plan, ("2x8:float32",), (1.0,), "as asked for", found, {"torch": "2.13.0"})
    ratios, overall, prices = {}, {}, {}
    for one in found[1:]:
        base, plain = bench.base_of(one), bench.named(one.variant.config.name)
        if one.ran and base is not None:
            ratios[one.name] = ratio(base.rounds, one.rounds, (1.0,))
            overall[one.name] = ratio(found[0].rounds, one.rounds, (1.0,))
        if one.ran and one.variant.change and plain is not None:
            prices[one.name] = Price(
                ratio(plain.rounds, one.rounds, (1.0,)), difference(plain.rounds, one.rounds, (1.0,))
            )
    return replace(bench, ratios=ratios, overall=overall, prices=prices, **more)


def recompiled(cause: str) -> TargetRun:
    again = Recompile("/p/net.py", 7, "Net.forward", 1, ("self.calls == 0",), cause)
    return TargetRun("m:Net", Fate.RAN, graphs=2, recompiles=(again,))
