"""What to do first: findings in the order in which work on them pays, like ones together."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from compilelint.model import Confidence, Effect, Finding, Location, Outcome
from compilelint.model.slotted import dataclass
from compilelint.report.layout.cost import Cost, cost_of
from compilelint.report.layout.grouping import Group, grouped, weight
from compilelint.report.overview.roots import Compiled, InLoop

COMPILED, GUESSED, UNASKED = 0, 2, 3
"""Tiers of tasks: of what the code compiles, of functions that nothing compiles, and of CUDA graphs that nothing asks
for; between the first two, of models that nothing compiles.
"""

_KNOWN = frozenset({"explicit"})
_MODELS = frozenset({"forward", "autograd", "glob"})


@dataclass(frozen=True, slots=True)
class Task:
    """A finding to work on, with the others that one change of the same kind answers.

    `roots` are the compiled functions that gain, `mode` the mode of `torch.compile` under which it counts (empty: any),
    `asked` says whether the code asks for that mode, `reason` why it stands where it stands, `tier` whether it is of
    what the code compiles (0), of models (1), of functions that nothing compiles (2), or merely of CUDA graphs that
    nothing asks for (3). `cost` is what each of its findings is expected to cost, `in_loop` says that a loop
    repeats it, `off` names the switch, off by default, that it is behind.
    """

    finding: Finding
    others: tuple[Finding, ...]
    roots: tuple[str, ...]
    mode: str
    asked: bool
    reason: str
    tier: int
    cost: Cost | None = None
    in_loop: bool = False
    off: str = ""

    def only(self, wanted: Callable[[Finding], bool]) -> Task | None:
        """The same for the findings that are wanted; None where none is."""
        left = [one for one in (self.finding, *self.others) if wanted(one)]
        return replace(self, finding=left[0], others=tuple(left[1:])) if left else None


def gain(task: Task) -> str:
    """What it is expected to gain, with the rows of the published prices; or that there is no price."""
    cost = task.cost
    if cost is None and task.finding.effect is Effect.ERROR:
        return "the code runs; as written, this line or a use of its result raises"
    if cost is None:
        return "right results" if task.finding.effect is Effect.WRONG_RESULT else "not priced"
    saved = cost.words.partition(" (")[0]
    if task.in_loop:
        saved = saved.replace("ms a step", "ms each time that the line runs")
    places = f" at each of {len(task.others) + 1:,} places" if task.others else ""
    return f"{saved}{places} ({', '.join(cost.rows)})"


_NEGLIGIBLE = 0.05  # milliseconds: 3 % of the shortest training step that prices were measured on (1.4 ms)


def is_negligible(task: Task) -> bool:
    """Whether a measured price says that it is not worth the while."""
    cost = task.cost
    return cost is not None and cost.unit == "ms a step" and cost.high * (len(task.others) + 1) < _NEGLIGIBLE


def tasks(
    functions: Sequence[Compiled],
    loose: Iterable[Finding],
    in_loop: InLoop,
    switch: Callable[[Finding], str] = lambda _: "",
) -> list[Task]:
    """The work, first things first; what a run refuted is none, and what nothing compiles comes last.

    First what the log of a run shows, by what it cost there. Then what the code itself compiles, then models that it
    does not; in each what raises or is wrong, then what is expected to gain most by the measured prices, sure things
    before doubtful ones; what has no price by its effect.
    What is behind a switch that is off by default, which `switch` names, comes after the rest of its tier.
    """
    of: dict[int, list[Compiled]] = {}
    every: dict[int, Finding] = {}
    order: dict[int, int] = {}
    for one in functions:
        for place, finding in enumerate((*one.breaks, *one.findings, *one.unrecorded)):
            order.setdefault(id(finding), place)
            every[id(finding)] = finding
            if one not in of.setdefault(id(finding), []):
                of[id(finding)].append(one)
    for finding in loose:
        every.setdefault(id(finding), finding)
    open_ = [
        one
        for one in _distinct(every.values())
        if one.effect is not Effect.TOOL and not (one.verdict and one.verdict.outcome is Outcome.REFUTED)
    ]

    def rank(finding: Finding) -> tuple[object, ...]:
        found = of.get(id(finding), [])
        return (
            _logged(finding),
            _tier(finding, found),
            bool(switch(finding)),
            _class(finding, found),
            not _confirmed(finding),
            -_expected(finding, found, in_loop),
            _effect(finding),
            not finding.skips_frame,
            not in_loop(finding),
            order.get(id(finding), 0) if finding.ends_graph else 0,
            -len(found),
            weight(finding),
            finding.location.path,
            finding.location.span,
        )

    alike: dict[tuple[object, ...], list[Task]] = {}
    ranked = sorted(open_, key=rank)
    apart = [[one for one in ranked if bool(switch(one)) is off] for off in (False, True)]
    for group in (*grouped(apart[0]), *grouped(apart[1])):
        task = _task(group, [root for part in _all(group) for root in of.get(id(part), [])], in_loop)
        task = replace(task, off=switch(group.first))
        key = (task.finding.rule.code, task.finding.help, task.reason, task.mode, task.tier, task.off)
        alike.setdefault(key, []).append(task)
    return sorted(
        (_joined(same) for same in alike.values()), key=lambda task: (_logged(task.finding), task.tier, bool(task.off))
    )


def _joined(same: Sequence[Task]) -> Task:
    """Tasks that read alike in several functions as one: what helps in the first helps in all."""
    first, *rest = same
    others = [finding for one in rest for finding in (one.finding, *one.others)]
    names = dict.fromkeys(name for one in same for name in one.roots)
    return replace(first, others=(*first.others, *others), roots=tuple(names))


def _distinct(findings: Iterable[Finding]) -> list[Finding]:
    """What stands in two lists, once: of CUDA graphs that are asked for, both runs speak."""
    kept: dict[tuple[str, Location], Finding] = {}
    for one in findings:
        kept.setdefault((one.rule.code, one.location), one)
    return list(kept.values())


def _all(group: Group) -> tuple[Finding, ...]:
    return group.first, *group.others


def _confirmed(finding: Finding) -> bool:
    return finding.verdict is not None and finding.verdict.outcome in (Outcome.CONFIRMED, Outcome.RUN_ONLY)


def _logged(finding: Finding) -> float:
    """Its place among the causes of a run, the most expensive first; what no log orders comes after them."""
    return finding.verdict.place if finding.verdict is not None and finding.verdict.place else math.inf


def _tier(finding: Finding, found: Sequence[Compiled]) -> int:
    """What is compiled, what may well be, what only might; last what costs nothing until CUDA graphs are asked for."""
    if _logged(finding) < math.inf:
        return COMPILED
    kinds = {one.kind for one in found}
    if _is_not_asked(finding, found):
        return 3
    if kinds & _KNOWN:
        return 0
    if kinds & _MODELS or not found:
        return 1
    return 2


def _is_not_asked(finding: Finding, found: Sequence[Compiled]) -> bool:
    cuda = Effect.CUDAGRAPH in finding.effects
    return cuda and bool(found) and not any(one.asks_for_cuda_graphs for one in found)


def _class(finding: Finding, found: Sequence[Compiled]) -> int:
    raises = finding.fails_to_compile or (finding.ends_graph and any(one.whole for one in found))
    if raises or (finding.effect is Effect.ERROR and finding.confidence != Confidence.POSSIBLE):
        return 0
    return 1 if finding.effect is Effect.WRONG_RESULT else 2


def _effect(finding: Finding) -> int:
    return _ORDER.index(finding.effect)


_STEPS = 100_000  # that a compilation is taken to be spread over
_SURE = {Confidence.CERTAIN: 1.0, Confidence.LIKELY: 0.7, Confidence.POSSIBLE: 0.2}
_LOOP = 3.0  # how often a line in a loop is taken to run


def _expected(finding: Finding, found: Sequence[Compiled], in_loop: InLoop) -> float:
    """Milliseconds a step that it is expected to gain, for the order alone; 0 where there is no price."""
    cost = _cost(finding, found)
    if cost is None:
        return 0.0
    once = 1_000 / _STEPS if cost.unit == "s once" else _LOOP if in_loop(finding) else 1.0
    return round(cost.typical * once * _SURE[finding.confidence], 3)


def _cost(finding: Finding, found: Sequence[Compiled]) -> Cost | None:
    return cost_of(finding, any(one.asks_for_cuda_graphs for one in found))


_ORDER = (
    Effect.WRONG_RESULT,
    Effect.GRAPH_BREAK,
    Effect.ERROR,
    Effect.RECOMPILE,
    Effect.CUDAGRAPH,
    Effect.SYNC,
    Effect.SLOW,
    Effect.TOOL,
)


def _task(group: Group, found: Sequence[Compiled], in_loop: InLoop) -> Task:
    finding = group.first
    modes = {config.mode for one in found for _, config in one.calls if config.mode}
    recording = any(one.asks_for_cuda_graphs for one in found)
    cuda = Effect.CUDAGRAPH in finding.effects
    mode = _mode(modes, recording) if cuda else ""
    names = tuple(dict.fromkeys(one.name for one in found))
    reason = _reason(finding, found, in_loop)
    cost = _cost(finding, found)
    return Task(finding, group.others, names, mode, recording, reason, _tier(finding, found), cost, in_loop(finding))


def _mode(modes: Iterable[str], recording: bool) -> str:
    found = sorted(mode for mode in modes if mode in _RECORDING)
    return found[0] if recording and found else "reduce-overhead"


_RECORDING: Mapping[str, int] = {"reduce-overhead": 0, "max-autotune": 1}


def _reason(finding: Finding, found: Sequence[Compiled], in_loop: InLoop) -> str:
    """Why it stands where it stands, in words; empty where its effect says all."""
    if finding.verdict is not None and finding.verdict.place:
        return finding.verdict.detail
    if finding.fails_to_compile:
        return "compiling raises here"
    if finding.ends_graph and any(one.whole for one in found):
        return "raises, since one graph is asked for (`fullgraph=True` or export)"
    where = "in a loop: " if in_loop(finding) else ""
    if finding.ends_graph:
        return where + ("the rest of its function runs eagerly" if finding.skips_frame else "a graph ends here")
    return "in a loop" if where and Effect.SYNC in finding.effects else ""
