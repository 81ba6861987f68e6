"""What a part comes to: all at once, or first but for what other parts say of it.

Whether a function is reached from a root that is no guess, in whatever part, decides how sure some findings are and
nothing else. So they are made both ways, and chosen when all parts are known: nothing is analysed again for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from compilelint.model import Finding, Notice
from compilelint.project.compile_calls import CompileCall
from compilelint.project.reads import Reads
from compilelint.report.report import CompileRoot
from compilelint.session.pipeline.merge import Folded
from compilelint.syntax.unreadable import Unreadable

Reached: TypeAlias = Mapping[str, bool]
"""Functions that were run, by place; whether from a root that is no guess."""

Stage: TypeAlias = tuple[int, str]
"""The number of a torch version, and a stage of `Request.stages`."""


class DependsOn(NamedTuple):
    """What an outcome took of linted files of other parts, by path, and of what other parts had reached.

    `asked` are the functions, by place, of which it was asked at a stage whether they are reached, `trusted` those of
    which also counts whether from a root that is no guess.
    """

    reads: Mapping[str, Reads]
    asked: Mapping[Stage, Sequence[str]]
    trusted: Mapping[Stage, Sequence[str]]


class Outcome(NamedTuple):
    """What a part comes to, and all that it took from the disk.

    `unjudged` are functions that look like entry points and that this part did not reach, `notices` what a defect of
    ours ended. `asked` are the names that were looked up (whether as a package too), `missed` the packages that are
    not there, `digests` the hashes of the files that were read; `lacking` those of files that were only searched, and
    for which words in vain; `torn` says that they are no single state of the disk. `depends_on` says more exactly on
    what an outcome depends that is to be remembered.
    """

    findings: list[Finding]
    roots: tuple[CompileRoot, ...]
    started: int
    asked: dict[str, bool]
    missed: tuple[str, ...]
    digests: dict[str, str]
    lacking: dict[str, tuple[str, list[str]]]
    torn: bool
    unreadable: tuple[Unreadable, ...]
    calls: tuple[CompileCall, ...]
    given_up: tuple[tuple[str, str], ...] = ()  # roots that took too long: path and name
    unjudged: tuple[CompileRoot, ...] = ()
    notices: tuple[Notice, ...] = ()
    depends_on: DependsOn | None = None


class Surer(NamedTuple):
    """What is found, for a torch `version`, if another part trusts one of these functions when the stage begins."""

    stage: Stage
    places: frozenset[str]
    findings: Sequence[Finding]
    version: str


class Unsettled(NamedTuple):
    """An outcome without its findings, what was found in any case, and what else if other parts say so."""

    outcome: Outcome
    folded: Folded
    surer: Sequence[Surer]

    def settled(self, reached: Mapping[Stage, Reached]) -> Outcome:
        """The outcome where this was reached when the stages began."""
        for one in self.surer:
            if any(reached[one.stage].get(place) for place in one.places):
                self.folded.add(one.findings, one.version)
        return self.outcome._replace(findings=self.folded.findings())
