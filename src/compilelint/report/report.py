"""Reports: findings in, text out. Nothing here prints, exits or judges.

`Report` is what every format is made from; the formats themselves are imported when one is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import field
from typing import TYPE_CHECKING, NamedTuple, Protocol

from compilelint.events import DEFAULT, DynamoConfig
from compilelint.model import Confidence, Finding, Location, Notice, Rule, Severity, TargetRun
from compilelint.model.slotted import dataclass
from compilelint.project.compile_calls import CompileCall

if TYPE_CHECKING:  # a lint measures nothing, and reading what measures costs more than most of its own steps
    from compilelint.bench.result import Bench


class TorchTarget(NamedTuple):
    """The torch version (or the range) whose behaviour was predicted, and in words where it comes from."""

    version: str
    source: str


class Environment(NamedTuple):
    """Where imports were looked up: its folder, and how it was chosen (`project.environment.Environment.kind`)."""

    prefix: str
    kind: str


class CompileRoot(NamedTuple):
    """A function that was judged as compiled, or that was not and looks like an entry point.

    `name` is what findings call it, `location` the place of its `def`, `compiled_at` where the code compiles it itself.
    `kind` says how it became a root (`project.roots.Root`), `spec` is what `--roots` takes for it, `config` how it is
    compiled. `of` names the class whose instance `self` is, where that inherits the function. `functions` and `files`
    count what was followed from it, itself included, `graphs` how many graphs it is expected to come to at most; 0
    where it was not judged. `captured` are the lines of the function in which an operation is captured, None where it
    is not known. `fewest` graphs are expected where arms of an `if` come to fewer; None where no arm decides. `again`
    says that there may be more, since methods are compiled for each of several modules. `unseen` are packages that it
    calls and that were not found. `ends` are the places, path and line, at which a graph of it is said to end.
    `aside` says why who compiles the models of a project has no work with it: one of `ASIDE`, empty where nothing does.
    """

    name: str
    location: Location
    compiled_at: Location | None
    kind: str = "forward"
    spec: str = ""
    config: DynamoConfig = DEFAULT
    of: str = ""
    functions: int = 0
    files: int = 0
    graphs: int = 0
    captured: tuple[int, ...] | None = None
    fewest: int | None = None
    again: bool = False
    unseen: tuple[str, ...] = ()
    ends: tuple[tuple[str, int], ...] = ()
    aside: str = ""

    @property
    def known(self) -> bool:
        """Whether it is compiled as far as can be seen, or the forward of a module; not merely if it is compiled."""
        return self.kind in _KNOWN


_KNOWN = frozenset({"explicit", "forward", "autograd"})

WEIGHTLESS, COMPILES, UNMADE = "weightless", "compiles", "unmade"
ASIDE = (WEIGHTLESS, COMPILES, UNMADE)
"""Why a module is no work: it has nothing to learn (a loss, a spectrogram); its `forward` compiles a trace of its own;
no script of the project makes it.
"""


class Pages(Protocol):
    """Pages that were made of reports before."""

    def page(self, report: Report, asked: tuple[str, bool, int | None, bool, bool], make: Callable[[], str]) -> str:
        """The page of a report, from `make` where none is known; `asked` is what it depends on beside the report."""


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of one run.

    `findings` are sorted by place; `suppressed` counts those that a pragma silenced, `hidden` those below
    `min_confidence`, `baselined` those that the baseline holds, `unchanged` those on lines that `--diff-base` does
    not ask about. `base` is the folder (absolute, `/`) that fingerprints count paths from. `torch_versions` names
    the versions, oldest first, whose findings are united here; empty for one target. `unsaved` holds the text of
    files that came in on standard input, by path. `roots` are the functions that were judged as compiled, `unjudged`
    those that look like entry points and were not, `calls` the compile calls that were found,
    `asked_roots` the items of `--roots`. `rules` is the whole rulebook, by code, for formats that describe
    rules without findings too. `targets` holds what `verify` ran, `benches` what `bench`
    measured. `environment` is where imports were looked up. `unfolded` asks the first screen to show every finding.
    `configured_targets` counts the targets that the configuration names. `pages` remembers what the report looks like;
    None where nothing is remembered. `off` are the lines, by path, first and last, that run only with the switch on
    that is named last, which the project leaves off.
    """

    findings: tuple[Finding, ...]
    files_checked: int
    torch: TorchTarget
    base: str
    notices: tuple[Notice, ...] = ()
    suppressed: int = 0
    hidden: int = 0
    min_confidence: Confidence = Confidence.LIKELY
    torch_versions: tuple[str, ...] = ()
    unsaved: tuple[tuple[str, bytes], ...] = ()
    roots: tuple[CompileRoot, ...] = ()
    unjudged: tuple[CompileRoot, ...] = ()
    calls: tuple[CompileCall, ...] = ()
    asked_roots: tuple[str, ...] = ("auto",)
    rules: tuple[Rule, ...] = ()
    baselined: int = 0
    unchanged: int = 0
    targets: tuple[TargetRun, ...] = ()
    benches: tuple[Bench, ...] = ()
    unfolded: bool = False
    configured_targets: int = 0
    environment: Environment | None = None
    pages: Pages | None = field(default=None, repr=False, compare=False)
    off: tuple[tuple[str, int, int, str], ...] = ()

    def by_severity(self) -> dict[Severity, int]:
        """How many findings of each severity, worst first, none left out."""
        counts = Counter(finding.severity for finding in self.findings)
        return {severity: counts[severity] for severity in sorted(Severity, reverse=True)}


__all__ = ["CompileRoot", "Environment", "Report", "TorchTarget"]
