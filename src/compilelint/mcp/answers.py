"""The shapes of the answers, which become the output schemas of the tools, and how large they may get.

An answer is a page: texts and lists are clipped, and findings beyond a size are left for the next call (`next_offset`).
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

MOST_FINDINGS = 100
MOST_CHARACTERS = 40_000  # of one answer, as JSON; about 10,000 tokens
MOST_ENTRIES = 30
MOST_TEXT = 600
MOST_DIFF = 8_000
MOST_PAGE = 16_000


class Fixable(BaseModel):
    """A rewrite that removes a finding; the tool `fix` makes it."""

    safety: Literal["safe", "unsafe"] = Field(description="whether results, errors and state stay as they are")
    title: str


class Finding(BaseModel):
    """One finding. Lines and columns count from 1."""

    rule: str
    name: str
    severity: Literal["error", "warning", "note"]
    confidence: Literal["certain", "likely", "possible"]
    since: list[str] = Field([], description="what keeps the confidence from being higher")
    effect: str = Field(description="wrong-result, error, graph-break, recompile, sync, cudagraph, slow or tool")
    path: str
    line: int
    column: int
    message: str
    why: str
    help: str
    function: str
    reached_from: list[str] = Field(description="the compile roots that reach the line")
    break_ids: list[str] = Field(description="TorchDynamo's ids; the tool `explain` takes them")
    fix: Fixable | None = None
    verdict: str = Field("", description="after `verify`: confirmed, refuted or not-reached")


class Root(BaseModel):
    """A function that is compiled, or checked as if it were."""

    name: str
    path: str
    line: int
    findings: int


class LintAnswer(BaseModel):
    """A page of findings, worst first, and what they are a page of."""

    files: int
    torch: str
    total: int
    offset: int
    next_offset: int | None = Field(description="ask again with this offset for the next page")
    by_severity: dict[str, int]
    by_rule: dict[str, int]
    findings: list[Finding]
    roots: list[Root] = Field(description="the compile roots with most findings")
    judged: list[str] = Field(description="what was checked, and what was not")
    notices: list[str]


class ExplainAnswer(BaseModel):
    """What a rule, or a break id of torch, means."""

    code: str
    name: str
    summary: str
    page: str = Field(description="Markdown")


class FileChange(BaseModel):
    """What fixing makes of one file."""

    path: str
    diff: str
    clipped: bool = Field(description="whether the diff is longer than shown")
    written: bool
    refused: str = Field("", description="why it was not written, though asked to")


class FixAnswer(BaseModel):
    """What was fixed, or would be."""

    written: bool
    fixed: dict[str, int] = Field(description="findings fixed, by rule")
    files: list[FileChange]
    more_files: int = Field(description="changed files that are not shown")
    left: int = Field(description="findings that are left in the named paths")


class Belief(BaseModel):
    """What the engine believes of an expression."""

    expression: str
    line: int
    column: int
    kind: str
    belief: str
    reached_from: list[str]
    happens: list[str] = Field(description="break, sync, recompile, view, mutation; breaks with their id and reason")


class RevealAnswer(BaseModel):
    """The expressions that begin on a line, outer before inner."""

    path: str
    beliefs: list[Belief]
    more: int


class Break(BaseModel):
    """A graph break that TorchDynamo really made."""

    path: str
    line: int
    function: str
    break_id: str
    reason: str
    explanation: str


class Run(BaseModel):
    """What became of the target."""

    target: str
    fate: str
    detail: str
    torch: str
    inputs: list[str]
    graphs: int
    breaks: list[Break]
    recompiles: list[str]
    parity: str = Field(description="whether compiled and eager results agree")
    within_budget: bool


class VerifyAnswer(BaseModel):
    """What a real run under TorchDynamo showed."""

    ready: bool
    runs: list[Run]
    findings: list[Finding]
    more_findings: int
    error: str = ""


class Proved(BaseModel):
    """One target without and with a patch; counts are pairs, before and after."""

    target: str
    fate: str
    equal: bool | None
    breaks: tuple[int, int]
    graphs: tuple[int, int]
    operations: tuple[int, int]
    recompiles: tuple[int, int]


class ProveAnswer(BaseModel):
    """Whether a patch does what the original does, what speaks against it, and how far it was exercised."""

    proven: bool
    objection: str
    exercised: str
    targets: list[Proved]
    error: str = ""


def clipped(text: str, most: int = MOST_TEXT) -> str:
    """A text of bounded length, with `...` where something was cut off."""
    return text if len(text) <= most else text[: most - 3] + "..."
