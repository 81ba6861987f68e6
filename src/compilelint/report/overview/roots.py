"""The compile roots of a project, each with its findings: graphs and where they end, recompiles, syncs, CUDA graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from compilelint.events import DynamoConfig
from compilelint.model import Effect, Finding, Location
from compilelint.model.slotted import dataclass
from compilelint.report.layout.graph_count import GraphCount, graph_count
from compilelint.report.layout.grouping import weight
from compilelint.report.overview.measured import Ran, Speed
from compilelint.report.report import CompileRoot

_UNREACHED = " (unreached)"  # what findings call a root that only might be compiled
_GUESSED = frozenset({"unreached", "all"})

InLoop = Callable[[Finding], bool]
"""Whether the line of a finding, or a call on the way to it, stands in a loop: then it costs many times a call."""


@dataclass(frozen=True, slots=True)
class Compiled:
    """One function that is judged as compiled, however often and by however many calls.

    `calls` pairs the places that compile it with the configuration each asks for; none for what the code does not
    compile itself. `findings` are those that it reaches and those about its compile calls, `unrecorded` what keeps
    CUDA graphs from recording it if they were asked for everywhere. `graphs` says how many are expected, none where
    nothing of it is compiled. `off` are breaks that need a switch which is off by default, and are not in `breaks`;
    `aside` says why it is no work (`CompileRoot.aside`).
    """

    name: str
    spec: str
    location: Location
    kind: str
    calls: tuple[tuple[Location, DynamoConfig], ...]
    functions: int
    files: int
    findings: tuple[Finding, ...]
    unrecorded: tuple[Finding, ...]
    breaks: tuple[Finding, ...]
    graphs: GraphCount
    runs: tuple[Ran, ...] = ()
    speeds: tuple[Speed, ...] = ()
    off: tuple[Finding, ...] = ()
    aside: str = ""

    @property
    def failures(self) -> tuple[Finding, ...]:
        """What makes compiling raise: always, or because a graph must be whole here."""
        return tuple(one for one in self.findings if one.fails_to_compile or (self.whole and one.ends_graph))

    @property
    def whole(self) -> bool:
        """Whether a call that compiles it accepts one graph alone."""
        return any(config.fullgraph or config.export for _, config in self.calls)

    @property
    def skips(self) -> bool:
        """Whether one of the breaks leaves a piece of a function to Python."""
        return any(one.skips_frame for one in self.breaks)

    @property
    def recompiles(self) -> tuple[Finding, ...]:
        """What makes it compile again."""
        return tuple(one for one in self.findings if Effect.RECOMPILE in one.effects)

    @property
    def syncs(self) -> tuple[Finding, ...]:
        """Where the host waits for the device, or copies to it, in each step."""
        return tuple(one for one in self.findings if Effect.SYNC in one.effects)

    @property
    def asks_for_cuda_graphs(self) -> bool:
        """Whether a call that compiles it has a mode that records them."""
        return any(config.records_cuda_graphs for _, config in self.calls)

    @property
    def measured(self) -> bool:
        """Whether a run or a measurement speaks of it."""
        return bool(self.runs or self.speeds)

    @property
    def exported(self) -> bool:
        """Whether it is exported, and never compiled in place."""
        return bool(self.calls) and all(config.export for _, config in self.calls)

    @property
    def state(self) -> str:
        """How far it gets: `fails`, `eager` (nothing of it is compiled), `compiled` (and not recorded whole), or
        `graphable`: nothing was found that CUDA graphs cannot record.
        """
        if self.failures:
            return "fails"
        if not self.graphs.most:
            return "eager"
        return "compiled" if self.unrecorded or self.breaks else "graphable"


def compiled_functions(
    roots: Sequence[CompileRoot],
    findings: Sequence[Finding],
    unrecorded: Sequence[Finding],
    in_loop: InLoop,
    switch: Callable[[Finding], str] = lambda _: "",
) -> list[Compiled]:
    """The functions that were judged as compiled, in the order of the report's roots.

    `switch` names the switch, off by default, that a finding is behind.
    """
    same: dict[tuple[str, Location], list[CompileRoot]] = {}
    for root in roots:
        same.setdefault((root.name, root.location), []).append(root)
    every = list(same.values())
    found = _by_root(every, findings)
    kept_out = _by_root(every, unrecorded)
    return [_function(one, found[number], kept_out[number], in_loop, switch) for number, one in enumerate(every)]


def _function(
    same: Sequence[CompileRoot],
    findings: Sequence[Finding],
    unrecorded: Sequence[Finding],
    in_loop: InLoop,
    switch: Callable[[Finding], str],
) -> Compiled:
    root = max(same, key=lambda one: (one.functions, one.files))
    calls = {one.compiled_at: one.config for one in same if one.compiled_at is not None}
    breaking = [one for one in findings if one.ends_graph and not switch(one)]
    return Compiled(
        root.name,
        root.spec,
        root.location,
        root.kind,
        tuple(calls.items()),
        root.functions,
        root.files,
        tuple(findings),
        tuple(unrecorded),
        tuple(by_cost(breaking, in_loop)),
        graph_count(same) if breaking else GraphCount(1, 1),
        off=tuple(one for one in findings if one.ends_graph and switch(one)),
        aside=next((one.aside for one in same if all(each.aside for each in same)), ""),
    )


def by_cost(breaking: Sequence[Finding], in_loop: InLoop) -> list[Finding]:
    """Breaks of one function, the dearest first: what leaves it uncompiled, what repeats in a loop, what splits the
    most callers; then by weight and place.
    """

    def cost(one: Finding) -> tuple[object, ...]:
        split = len(one.call_chain)
        return not one.skips_frame, not in_loop(one), -split, weight(one), one.location.path, one.location.span

    return sorted(breaking, key=cost)


def _by_root(every: Sequence[Sequence[CompileRoot]], findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings of each function: those about its compile calls, and those that name it as their root.

    Functions of one name in several files are distinguished by the file that the way to the finding begins in.
    """
    found: list[list[Finding]] = [[] for _ in every]
    by_call: dict[tuple[str, int], set[int]] = {}
    by_name: dict[str, list[int]] = {}
    for number, same in enumerate(every):
        by_name.setdefault(same[0].name, []).append(number)
        for root in same:
            if root.compiled_at is not None:
                by_call.setdefault(_line(root.compiled_at), set()).add(number)
    for finding in findings:
        for number in sorted(_roots_of(finding, every, by_call, by_name)):
            found[number].append(finding)
    return found


def _roots_of(
    finding: Finding,
    every: Sequence[Sequence[CompileRoot]],
    by_call: Mapping[tuple[str, int], set[int]],
    by_name: Mapping[str, list[int]],
) -> set[int]:
    places = (finding.location, *(one.location for one in finding.related))
    called = set[int]().union(*(by_call.get(_line(place), ()) for place in places))
    if called:
        return called
    numbers = {
        number
        for name in finding.roots
        for number in by_name.get(name.removesuffix(_UNREACHED), ())
        if (every[number][0].kind in _GUESSED) is name.endswith(_UNREACHED)
    }
    begins = finding.call_chain[0].location.path if finding.call_chain else finding.location.path
    there = {number for number in numbers if every[number][0].location.path == begins}
    return there or numbers


def _line(location: Location) -> tuple[str, int]:
    return location.path, location.span.line
