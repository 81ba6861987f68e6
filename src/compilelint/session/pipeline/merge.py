"""From single judgements to findings: duplicates are merged, what a pragma suppresses is taken out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace

from compilelint.config import Options, ignored_in, severity_in
from compilelint.model import Doubt, Effect, Finding, Location, Notice, Rewrite, Rule
from compilelint.model.slotted import dataclass
from compilelint.project.compile_calls import CompileCall
from compilelint.report.report import CompileRoot
from compilelint.rulebook import MALFORMED_SUPPRESSION, UNUSED_SUPPRESSION, worst_first
from compilelint.syntax.suppressions import Pragma, Suppressions


@dataclass(slots=True)
class _Same:
    """All that was said by one rule about one place: the best finding, and what the others add."""

    best: Finding
    effects: set[Effect] = field(default_factory=set)
    break_ids: dict[str, None] = field(default_factory=dict)
    roots: dict[str, None] = field(default_factory=dict)
    root_places: dict[tuple[str, str, int], None] = field(default_factory=dict)
    versions: dict[str, None] = field(default_factory=dict)
    rewrite: Rewrite | None = None

    def add(self, other: Finding, version: str) -> None:
        self.effects.update(other.effects)
        self.break_ids.update(dict.fromkeys(other.break_ids))
        self.roots.update(dict.fromkeys(other.roots))
        self.root_places.update(dict.fromkeys(other.root_places))
        if version:
            self.versions[version] = None
        self.versions.update(dict.fromkeys(other.torch_versions))
        if other.rewrite != self.rewrite:
            own, there = self.rewrite, other.rewrite
            self.rewrite = None if own is None or there is None else own.common(there)
        if _worth(other) > _worth(self.best):
            self.best = other

    def finding(self) -> Finding:
        return replace(
            self.best,
            effects=worst_first(self.effects),
            break_ids=tuple(sorted(self.break_ids)),
            roots=tuple(self.roots),
            root_places=tuple(self.root_places),
            torch_versions=tuple(self.versions),
            rewrite=self.rewrite,
        )


def _worth(finding: Finding) -> tuple[int, int]:
    """The surest finding stands for all, and among those the one with the shortest way from a root."""
    return finding.confidence, -len(finding.call_chain)


class Folded:
    """Findings by rule and place: a line reached from forty roots is one finding with forty roots."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, Location], _Same] = {}

    def clear(self) -> None:
        """Forget all."""
        self._found.clear()

    def add(self, findings: Iterable[Finding], version: str = "") -> None:
        """Put findings in, each to its like; `version` is the torch they hold for where there are several."""
        for finding in findings:
            key = (finding.rule.code, finding.location)
            same = self._found.get(key)
            if same is None:
                same = self._found[key] = _Same(finding, rewrite=finding.rewrite)
            same.add(finding, version)

    def findings(self) -> list[Finding]:
        """One finding for each rule and place."""
        return [same.finding() for same in self._found.values()]

    @classmethod
    def of(cls, findings: Iterable[Finding]) -> list[Finding]:
        """Some findings, those of one rule and place as one."""
        folded = cls()
        folded.add(findings)
        return folded.findings()


@dataclass(frozen=True, slots=True)
class Judged:
    """What is left after the pragmas, unused and malformed ones included, and how many findings they silenced."""

    findings: list[Finding]
    suppressed: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the files come to, before settings choose among it.

    `started` counts the roots that could be started; `calls` are the compile calls of the linted files, by place, each
    with what it compiles or the reason why that is not known; `given_up` are the roots, by path and name, that took
    longer than they may; `unjudged` are functions that look like entry points and that nothing reached; `notices` say
    which roots a defect of ours ended.
    """

    findings: Sequence[Finding]
    suppressed: int
    roots: tuple[CompileRoot, ...]
    started: int
    calls: tuple[CompileCall, ...] = ()
    given_up: tuple[tuple[str, str], ...] = ()
    unjudged: tuple[CompileRoot, ...] = ()
    notices: tuple[Notice, ...] = ()


def suppressed(
    findings: Iterable[Finding], pragmas: dict[str, Suppressions], active: Iterable[Rule], every: Iterable[Rule]
) -> Judged:
    """What the pragmas leave of the findings; pragmas that silence nothing are findings themselves."""
    left: list[Finding] = []
    used: dict[str, list[tuple[Pragma, str]]] = {}
    for finding in findings:
        location, code = finding.location, finding.rule.code
        of_file = pragmas.get(location.path)
        # The span's end is exclusive, but a span never ends at the first column of the line after it.
        pragma = of_file.match(location.span.line, location.span.end_line, code) if of_file else None
        if pragma is None:
            left.append(finding)
        else:
            used.setdefault(location.path, []).append((pragma, code))
    codes = frozenset(rule.code for rule in active)
    all_active = codes == {rule.code for rule in every}
    for path, of_file in pragmas.items():
        for unused in of_file.unused(used.get(path, ()), codes, all_active):
            named = ", ".join(unused.codes) or "any rule"
            text = f"there is no finding to suppress for {named}"
            about = _about_pragma(
                UNUSED_SUPPRESSION, Location(path, unused.pragma.span), text, Doubt.SILENCES_ELSEWHERE
            )
            left.append(replace(about, rewrite=Rewrite("unused-pragma")) if unused.entirely else about)
        for malformed in of_file.malformed:
            place = Location(path, malformed.span)
            left.append(_about_pragma(MALFORMED_SUPPRESSION, place, malformed.message, Doubt.MEANT_AS_TEXT))
    return Judged([one for one in left if one.rule.code in codes], sum(len(pairs) for pairs in used.values()))


def _about_pragma(rule: Rule, location: Location, message: str, doubt: Doubt) -> Finding:
    return Finding(rule, message, rule.effects, doubt.cap, location)


def as_configured(findings: Iterable[Finding], rules: Sequence[Rule], options: Options) -> Iterator[Finding]:
    """The findings that `per-file-ignores` leaves, with the severity that the configuration gives them."""
    ignored, severity = ignored_in(rules, options), severity_in(rules, options)
    for finding in findings:
        if not ignored(finding.location.path, finding.rule.code):
            configured = severity(finding)
            yield finding if configured is None else replace(finding, configured=configured)
