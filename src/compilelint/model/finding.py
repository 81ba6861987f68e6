"""A finding: one rule, one place, how sure we are, and what it costs.

Severity, confidence and effect are three different axes. Severity follows from the other two (`severity_of`) unless
the user's configuration says otherwise; it is asked of the finding, so that no reporter can disagree with another.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from compilelint.model.confidence import Confidence
from compilelint.model.effect import Effect, Safety, Severity, severity_of
from compilelint.model.rewrite import Rewrite
from compilelint.model.rule import Rule
from compilelint.model.slotted import dataclass
from compilelint.model.verdict import Outcome, Verdict


class Span(NamedTuple):
    """A stretch of source: lines and columns are 1-based, columns count unicode code points, the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Location:
    """A span in a file. `path` is absolute, with `/` separators.

    In a notebook `cell` is the cell's position among all cells, from 1, and the lines of `span` are counted in it.
    """

    path: str
    span: Span
    cell: int | None = None


HERE_TOO = "here too"
"""What a related place says where a rule finds the same again, on the same line."""


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that explains the first: "`mask` becomes a tensor here"."""

    location: Location
    text: str


@dataclass(frozen=True, slots=True)
class CallSite:
    """One step of the way from a compile root to a finding: `function` makes a call at `location`."""

    location: Location
    function: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `text`; `path` names the file where it is not the finding's."""

    span: Span
    text: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Fix:
    """A rewrite that removes the finding, and what it may change.

    `configures` marks one that sets a switch of `torch._dynamo.config`, for the whole process: no cure of the code.
    `rewrite` names the rewrite that made it; empty where a rule of a pack did. Edits may lie in several files: they are
    made together or not at all, and what is written of them in their order is a program that works at every moment.
    `varied` names what the runs that prove it must vary, as proofs name it; empty where no run is needed.
    """

    safety: Safety
    title: str
    edits: tuple[Edit, ...]
    configures: bool = False
    rewrite: str = ""
    varied: tuple[str, ...] = ()

    def by_file(self, home: str) -> dict[str, tuple[Edit, ...]]:
        """The edits of each file, in the order in which the files are written; `home` is the finding's file."""
        found: dict[str, list[Edit]] = {}
        for edit in self.edits:
            found.setdefault(edit.path or home, []).append(edit)
        return {path: tuple(edits) for path, edits in found.items()}

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """The files beside the finding's own that it changes."""
        return tuple(dict.fromkeys(edit.path for edit in self.edits if edit.path))


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check says about one place.

    `effects` is ordered worst first; `break_ids` are TorchDynamo's ids (`GB0170`) in the target version;
    `roots` names the compile roots that reach the place, `root_places` the same with the file and line of each (empty
    where that is not known; `report.layout.reached` separates roots of one name by it), `call_chain` is one way;
    `function` is the qualified name of the function the place lies in. `torch_versions` names the versions in which
    it holds where several were asked for; empty means the one target. `configured` is the severity that the user's
    configuration gives it, None where that says nothing. `skips_frame` says that Dynamo compiles nothing of the
    function around the place, instead of splitting it in two. `verdict` is what a real run said, None without one.
    `rewrite` is what a fix starts from; `fix` holds its edits once they were computed (`fixes.proposals`).
    """

    rule: Rule
    message: str
    effects: tuple[Effect, ...]
    confidence: Confidence
    location: Location
    function: str = ""
    break_ids: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()
    call_chain: tuple[CallSite, ...] = ()
    related: tuple[Related, ...] = ()
    why: str = ""
    help: str = ""
    fix: Fix | None = None
    rewrite: Rewrite | None = None
    line_text: str = ""
    torch_versions: tuple[str, ...] = ()
    configured: Severity | None = None
    skips_frame: bool = False
    verdict: Verdict | None = None
    root_places: tuple[tuple[str, str, int], ...] = ()

    @property
    def effect(self) -> Effect:
        """The worst of `effects`."""
        return self.effects[0]

    @property
    def ends_graph(self) -> bool:
        """Whether a graph ends here; what raises, eager or while compiling, ends none."""
        return Effect.GRAPH_BREAK in self.effects and Effect.ERROR not in self.effects

    @property
    def fails_to_compile(self) -> bool:
        """Whether compiling raises here although eager code runs: an outcome of its own, and no graph break."""
        return Effect.GRAPH_BREAK in self.effects and Effect.ERROR in self.effects

    @property
    def severity(self) -> Severity:
        """What a run refuted is a note; else the one of the configuration, else see `severity_of`, with what a run
        confirmed counting as certain.
        """
        outcome = self.verdict.outcome if self.verdict is not None else None
        if outcome is Outcome.REFUTED:
            return Severity.NOTE
        confidence = Confidence.CERTAIN if outcome is Outcome.CONFIRMED else self.confidence
        return self.configured or severity_of(self.effect, confidence)


NoticeKind: TypeAlias = Literal[
    "baseline",
    "cache",
    "compile-call",
    "configuration",
    "defect",
    "environment",
    "export",
    "no-node",
    "no-roots",
    "no-tree",
    "nothing",
    "roots",
    "timeout",
    "torch",
    "unresolved",
]


@dataclass(frozen=True, slots=True)
class Notice:
    """Something the user should know about the run itself: what could not be resolved, which torch was assumed.

    `line` counts from 1 in the file of `path` (in a notebook's `cell`); 0 speaks of the whole file.
    """

    kind: NoticeKind
    text: str
    path: str | None = None
    line: int = 0
    cell: int | None = None
