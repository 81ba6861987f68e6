"""What can be tried next: the fixes of the findings in texts that stand in for files, each of them once.

Does not belong here: whether a fix may stay (`session.fixing.prove`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compilelint.config import Options
from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.edits import rewritten
from compilelint.model import Confidence, Finding, Fix
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint
from compilelint.session.fixing.style import Style
from compilelint.syntax.parse import parse
from compilelint.syntax.source import Source, read_source, standing_in
from compilelint.syntax.unreadable import Unreadable

# Reports of earlier texts that are kept: a fix that is dropped leaves the texts before it.
_MOST_KEPT = 3

Key = tuple[str, str, str, str, str]


def _key_of(finding: Finding, fix: Fix) -> Key:
    return finding.rule.code, finding.location.path, finding.function, finding.line_text, fix.title


@dataclass(frozen=True, slots=True)
class Change:
    """A fix of a finding, the file as it was before it, and the text it makes."""

    finding: Finding
    fix: Fix
    source: Source
    text: str

    @property
    def key(self) -> Key:
        """What stays the same about it while other fixes move lines."""
        return _key_of(self.finding, self.fix)


class Search:
    """What can be tried: the fixes of the findings in texts that stand in for files. The last texts are linted once."""

    def __init__(self, options: Options, configure: bool = False) -> None:
        self._options = replace(options, min_confidence=Confidence.POSSIBLE)
        self._least = options.min_confidence
        self._configure = configure
        self._style = Style()
        self._linted: dict[tuple[tuple[str, str], ...], Report] = {}

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
                if wanted is not None and not _is_of(finding, wanted):
                    continue
                sure = finding.confidence >= self._least or confirmed is None or _is_of(finding, confirmed)
                if not sure:
                    continue
                source = read_source(finding.location.path)
                code = code_of(source) if finding.rewrite is not None and isinstance(source, Source) else None
                for fix in () if code is None else proposals(finding, code, proven=True, configure=self._configure):
                    key = _key_of(finding, fix)
                    if key in tried or code is None:
                        continue
                    tried.add(key)
                    text = rewritten(code.source, [fix]).text
                    if not isinstance(parse(text, code.source.path), Unreadable):
                        return Change(finding, fix, code.source, self._style.of(code.source, text))
        return None


def with_changes(texts: dict[str, Source], changes: Sequence[Change]) -> dict[str, Source]:
    """The texts with changes made one after the other; each holds the file as the one before it left it."""
    made = dict(texts)
    for one in changes:
        made[one.source.path] = one.source.with_text(one.text)
    return made


def _is_of(finding: Finding, statements: frozenset[str]) -> bool:
    """Whether a finding stands in the first line of one of the statements, or in a line that is part of it."""
    line = " ".join(finding.line_text.split())
    return bool(line) and any(line in statement or statement in line for statement in statements)
