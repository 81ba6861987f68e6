"""How many times as fast as eager a function is expected to be, from the steps and prices that were measured.

A function is not measured here: the range is that of the measured models with its breaks in them. What fills the device
gains from fused kernels, what waits for the host from CUDA graphs, and the range holds both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from compilelint.model import Finding
from compilelint.report.layout.cost import cause_of
from compilelint.report.overview.deployment.plan import Range
from compilelint.report.overview.roots import InLoop
from compilelint.torchfacts.costs import Cause, Compilation, Pace, Setting, compilation_price, paces, step_price

_LOOP = 3  # how often a line in a loop is taken to run
OPERATIONS = (10, 150)  # of one graph: a small module, and a model of some blocks


def causes(breaks: Iterable[Finding], in_loop: InLoop) -> list[Cause]:
    """What the breaks of a function cost in each step, each as often as its line is taken to run."""
    found: list[Cause] = []
    for one in breaks:
        cause = cause_of(one)
        if cause in (Cause.BREAK, Cause.BRANCH):
            found += [cause] * (_LOOP if in_loop(one) else 1)
    return found


def expected(setting: Setting, of: Sequence[Cause], recorded: bool, what: str) -> Range | None:
    """The range over the measured models, each with these causes in its step; None where nothing was measured."""
    known = [_times(pace, setting, of, recorded) for pace in paces(setting)]
    return Range(what, round(min(known), 2), round(max(known), 2)) if known else None


def _times(pace: Pace, setting: Setting, of: Sequence[Cause], recorded: bool) -> float:
    mode = "reduce-overhead" if recorded else "default"
    step = pace.recorded if recorded else pace.default
    for cause in of:
        price = step_price(cause, setting, mode)
        step += max(0.0, price.models.get(pace.model, price.median)) if price is not None else 0.0
    return pace.eager / step


def cold_start(of: Compilation = Compilation.FIRST) -> tuple[float, float] | None:
    """Seconds of the first step, for a small and for a large graph."""
    price = compilation_price(of)
    if price is None:
        return None
    low, high = sorted(price.expected(count) for count in OPERATIONS)
    return low, high


def steps_until_it_pays(setting: Setting, recorded: bool) -> tuple[int, int] | None:
    """After how many steps the first one has paid for itself, over the measured models that gain; None without any."""
    start = cold_start()
    gains = [pace.eager - (pace.recorded if recorded else pace.default) for pace in paces(setting)]
    gains = [gain for gain in gains if gain > 0.02]
    if start is None or not gains:
        return None
    return round(start[0] * 1000 / max(gains)), round(start[1] * 1000 / min(gains))


def assumptions(setting: Setting) -> str:
    """What the numbers are of."""
    found = paces(setting)
    if not found:
        return ""
    device = found[0].device.removeprefix("NVIDIA ")
    names = ", ".join(f"`{pace.model}` {pace.eager:.1f}" for pace in found)
    return (
        f"{len(found)} models on one {device} with torch {found[0].torch.partition('+')[0]}, eager ms a step: {names}"
    )
