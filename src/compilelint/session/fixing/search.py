"""What can be tried next: the fixes of the findings in texts that stand in for files, each of them once.

Does not belong here: whether a fix may stay (`session.fixing.prove`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compilelint.config import Options
from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.edits import Placed, rewritten_files
from compilelint.fixes.engine.observed import Observed
from compilelint.fixes.engine.registry import reads_runs
from compilelint.fixes.rewrites.compiling_guards import SILENCING
from compilelint.model import Confidence, Finding, Fix
from compilelint.report.report import Report
from compilelint.session.commands.lint import files_to_lint, lint
from compilelint.session.fixing.style import Style
from compilelint.syntax.parse import parse
from compilelint.syntax.source import Source, read_source, standing_in
from compilelint.syntax.unreadable import Unreadable

# Reports of earlier texts that are kept: a fix that is dropped leaves the texts before it.
_MOST_KEPT = 3

Key = tuple[str, ...]


def _key_of(finding: Finding, fix: Fix) -> Key:
    """What is the same wherever lines move to; statements that begin alike differ in what is written for them."""
    texts = (edit.text for edit in fix.edits)
    return finding.rule.code, finding.location.path, finding.function, finding.line_text, fix.title, *texts


@dataclass(frozen=True, slots=True)
class Change:
    """A fix of a finding, and the files that it changes: each as it was before it, and the text it makes."""

    finding: Finding
    fix: Fix
    files: tuple[tuple[Source, str], ...]

    @property
    def key(self) -> Key:
        """What stays the same about it while other fixes move lines."""
        return _key_of(self.finding, self.fix)


class Search:
    """What can be tried: the fixes of the findings in texts that stand in for files. The last texts are linted once."""

    def __init__(self, options: Options, configure: bool = False, keep_output: bool = False) -> None:
        self._keep_output = keep_output
        self._options = replace(options, min_confidence=Confidence.POSSIBLE)
        self._least = options.min_confidence
        self._configure = configure
        self._style = Style()
        self._files: tuple[str, ...] | None = None
        self._linted: dict[tuple[tuple[str, str], ...], Report] = {}
        self.observed: Observed | None = None  # what names held, once the program ran
        self.refused: dict[str, str] = {}  # by file, why no fix changes it though one would have to

    def linted(self, texts: Mapping[str, Source]) -> Report:
        """The report on the linted paths with these texts in place, with what is only possible."""
        key = tuple(sorted((path, source.text) for path, source in texts.items()))
        if key not in self._linted:
            with standing_in(texts):
                report = lint(self._options)
            kept = list(self._linted.items())[-_MOST_KEPT:]
            self._linted = dict([*kept, (key, report)])
        return self._linted[key]

    def report(self, texts: Mapping[str, Source]) -> Report:
        """The same report without findings that are less sure than was asked for."""
        every = self.linted(texts)
        return replace(every, findings=tuple(one for one in every.findings if one.confidence >= self._least))

    def next(
        self,
        texts: Mapping[str, Source],
        tried: set[Key],
        wanted: frozenset[str] | None = None,
        confirmed: frozenset[str] | None = None,
    ) -> Change | None:
        """A fix that was not `tried` yet, and the text it makes; of one of the `wanted` statements, if any are.

        It counts as tried from here on. A finding that is less sure than was asked for needs a run that `confirmed`
        its statement; without any runs it may be confirmed yet.
        """
        report = self.linted(texts)
        with standing_in(texts):
            for finding in report.findings:
                if wanted is not None and not is_of(finding, wanted):
                    continue
                sure = finding.confidence >= self._least or confirmed is None or is_of(finding, confirmed)
                if not sure:
                    continue
                source = read_source(finding.location.path)
                known = finding.rewrite is not None and isinstance(source, Source)
                code = code_of(source, self._may_change()) if known and isinstance(source, Source) else None
                if code is not None:
                    code.observed = self.observed
                for fix in () if code is None else proposals(finding, code, proven=True, configure=self._configure):
                    key = _key_of(finding, fix)
                    if key in tried or (self._keep_output and fix.rewrite in SILENCING):
                        continue
                    tried.add(key)
                    files = self._changed(Placed(finding.location.path, fix))
                    if files:
                        return Change(finding, fix, files)
                if code is not None and code.elsewhere is not None:
                    self.refused.update(code.elsewhere.refused)
        return None

    def awaits_runs(self) -> bool:
        """Whether a rewrite may have a fix once the program ran, which it cannot compute before."""
        findings = self.linted({}).findings
        return any(one.rewrite is not None and reads_runs(one.rewrite.name) for one in findings)

    def _may_change(self) -> tuple[str, ...]:
        """The files that fixes may change: those that are linted."""
        if self._files is None:
            self._files = files_to_lint(self._options)
        return self._files

    def _changed(self, placed: Placed) -> tuple[tuple[Source, str], ...]:
        """The files of a fix with the texts it makes; none where one of them cannot be, or would not parse."""
        sources = {path: source for path in placed.files() if isinstance(source := read_source(path), Source)}
        made = rewritten_files([placed], sources, lambda path, text: not isinstance(parse(text, path), Unreadable))
        return tuple((sources[path], self._style.of(sources[path], text)) for path, text in made.texts.items())


def with_changes(texts: dict[str, Source], changes: Sequence[Change]) -> dict[str, Source]:
    """The texts with changes made one after the other; each holds the file as the one before it left it."""
    made = dict(texts)
    for one in changes:
        for source, text in one.files:
            made[source.path] = source.with_text(text)
    return made


def is_of(finding: Finding, statements: frozenset[str]) -> bool:
    """Whether a finding stands in the first line of one of the statements, or in a line that is part of it."""
    line = " ".join(finding.line_text.split())
    return bool(line) and any(line in statement or statement in line for statement in statements)
