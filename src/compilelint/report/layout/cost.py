"""What a finding is expected to cost, from measured prices, with what the number assumes.

A price is of one card and torch version, and a finding knows neither the model's size nor what the line leads to: the
range is that of the models that were measured. What was not measured has no cost, and nothing is said of it.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from compilelint.model import HERE_TOO, Effect, Finding
from compilelint.model.patterns import late_pattern
from compilelint.model.slotted import dataclass
from compilelint.report.layout.reached import ReachedRoots, key_of
from compilelint.report.report import Report
from compilelint.torchfacts.costs import Cause, Compilation, Setting, StepPrice, compilation_price, step_price

Unit: TypeAlias = Literal["ms a step", "s once"]
_OPERATIONS = (10, 150)  # of one graph: a small module, and a model of some blocks
# Breaks at which Python waits for a tensor's data: the families of rules whose subject is that data.
_WAITING = ("CL1", "CL304")
_COPIES = frozenset({"CL301", "CL302", "CL303", "CL308"})
_BY_RULE = {
    "CL823": Cause.SPLIT,
    "CL820": Cause.GRAPHS,
    "CL824": Cause.GRAPHS,
    "CL825": Cause.GRAPHS,
    "CL826": Cause.PENDING,
    "CL838": Cause.FLOAT32,
}
_COPIED_NUMBER = late_pattern(r" takes .*\bnumber\b")  # by CL823, which also speaks of lines that run between graphs
_OF_GRAPHS = frozenset({Cause.GRAPHS, Cause.SCALAR, Cause.SPLIT, Cause.PENDING})
_RECORDS_SIZES = "CL822"
_COUNTED = ("no", "one", "two", "three", "four", "five")


@dataclass(frozen=True, slots=True)
class Cost:
    """A range of milliseconds in each step, or of seconds once; `rows` names the published prices behind it.

    `typical` is the mean of the prices' medians, by which work is put in order.
    """

    low: float
    high: float
    typical: float
    unit: Unit
    assumes: str
    rows: tuple[str, ...]
    each: str = "each compilation"  # what takes those seconds

    @property
    def words(self) -> str:
        """`0.6 to 1.0 ms a step in training ...`, as reports show it."""
        if self.unit == "s once":
            return f"{_seconds(self.low)} to {_seconds(self.high)} s for {self.each} ({self.assumes})"
        return f"{_number(self.low)} to {_number(self.high)} ms a step ({self.assumes})"


def cost_of(finding: Finding, recording: bool = False) -> Cost | None:
    """The cost of a finding each time that its line is reached; None where no price was measured.

    `recording` says that a root which reaches it asks for CUDA graphs.
    """
    if Effect.ERROR in finding.effects or Effect.WRONG_RESULT in finding.effects:
        return None  # what fails is not slow
    if finding.rule.code == _RECORDS_SIZES:
        return _once("each further size", Compilation.RECORDED)
    cause = cause_of(finding)
    if cause is None:
        again = Effect.RECOMPILE in finding.effects
        return _once("each compilation", Compilation.AGAIN, Compilation.AGAIN_INFER) if again else None
    graphs = recording or cause in _OF_GRAPHS
    mode = "reduce-overhead" if graphs else "default"
    found = [(setting, step_price(cause, setting, mode)) for setting in Setting]
    priced = [(setting, price) for setting, price in found if price is not None]
    if not priced:
        return None
    prices = [price for _, price in priced]
    places = 1 + sum(other.text == HERE_TOO for other in finding.related)
    return Cost(
        max(0.0, min(price.low for price in prices)),
        max(0.0, *(price.high for price in prices)) * places,  # the breaks of one line may merge, or not
        max(0.0, sum(price.median for price in prices) / len(prices)) * places,
        "ms a step",
        _assumptions(priced, graphs, places),
        tuple(price.row for price in prices),
    )


def cause_of(finding: Finding) -> Cause | None:
    """What of it costs time in each step; None where nothing that was measured does."""
    code = finding.rule.code
    if code == "CL823" and _COPIED_NUMBER.search(finding.message):
        return Cause.SCALAR
    if code in _BY_RULE:
        return _BY_RULE[code]
    if Effect.GRAPH_BREAK in finding.effects:
        return Cause.BRANCH if code.startswith(_WAITING) else Cause.BREAK
    if code in _COPIES:
        return Cause.COPY
    return Cause.READ if Effect.SYNC in finding.effects else None


def _once(each: str, *kinds: Compilation) -> Cost | None:
    prices = [price for one in kinds if (price := compilation_price(one)) is not None]
    if not prices:
        return None
    assumes = f"graphs of {_OPERATIONS[0]} to {_OPERATIONS[1]} operations on one {_card(prices[0].device)}"
    ends = sorted(max(0.0, price.expected(count)) for price in prices for count in _OPERATIONS)
    return Cost(ends[0], ends[-1], sum(ends) / len(ends), "s once", assumes, tuple(one.value for one in kinds), each)


def _assumptions(priced: list[tuple[Setting, StepPrice]], graphs: bool, places: int) -> str:
    words = {Setting.TRAIN: "training", Setting.INFER: "inference at batch 1"}
    of_each = [f"{words[setting]} {price.median:.2g}" for setting, price in priced]
    mode = ", with CUDA graphs" if graphs else ""
    models = len({name for _, price in priced for name in price.models})
    of_one = f" for each of {places} places" if places > 1 else ""
    return f"medians: {', '.join(of_each)}{mode}{of_one}; {_COUNTED[models]} models on one {_card(priced[0][1].device)}"


def _card(device: str) -> str:
    return device.removeprefix("NVIDIA ")


def _number(value: float) -> str:
    return f"{value:.1f}" if value >= 0.1 else f"{value:.2f}" if value >= 0.005 else "0"


def _seconds(value: float) -> str:
    return f"{value:.0f}" if value >= 1 else f"{value:.2f}"


def costs(report: Report) -> list[Cost | None]:
    """The cost of each finding of a report, in their order."""
    recording = {key_of(root) for root in report.roots if root.config.records_cuda_graphs}
    reached = ReachedRoots(report)
    return [cost_of(one, bool(recording) and not recording.isdisjoint(reached.of(one))) for one in report.findings]


def cost_data(cost: Cost | None) -> dict[str, Any] | None:
    """The same for programs."""
    if cost is None:
        return None
    return {
        "low": round(cost.low, 3),
        "high": round(cost.high, 3),
        "unit": cost.unit,
        "assumes": cost.assumes,
        "rows": list(cost.rows),
    }
