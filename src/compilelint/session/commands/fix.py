"""Lint, fix, lint again, until nothing more can be fixed; then write.

Guarantee: everything happens in memory until `store`, no text is made that does not parse, a round that would bring
back an earlier text changes nothing, and the number of rounds is bounded.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from compilelint.config import Options
from compilelint.disk.write import NotWrittenError
from compilelint.fixes.engine.edits import rewritten
from compilelint.fixes.engine.write import write
from compilelint.model import Finding
from compilelint.report.layout.text import shown_line
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint
from compilelint.session.fixing.explain import Made, lines_before
from compilelint.session.fixing.propose import with_fixes
from compilelint.session.fixing.style import Style
from compilelint.syntax.parse import parse
from compilelint.syntax.source import Source, read_source, standing_in
from compilelint.syntax.unreadable import Unreadable

MAX_ROUNDS = 10


@dataclass(frozen=True, slots=True)
class Fixed:
    """What a run of fixing made.

    `report` is the lint of the fixed texts; `texts` maps each changed file to its source as it was and its text now
    (normalised newlines); `applied` counts fixes by rule; `rounds` how often was linted; `settled` that another round
    would change nothing; `in_files` counts them by file and rule; `made` are the fixes themselves.
    """

    report: Report
    texts: dict[str, tuple[Source, str]]
    applied: Counter[str]
    rounds: int
    settled: bool
    in_files: Mapping[str, Counter[str]] = field(default_factory=dict)
    made: tuple[Made, ...] = ()

    def without(self, paths: Iterable[str]) -> Fixed:
        """The same, but for what was made of some files, which were left alone after all."""
        left, gone = Counter(self.applied), set(paths)
        for path in gone:
            left -= self.in_files.get(path, Counter())
        texts = {path: made for path, made in self.texts.items() if path not in gone}
        made = tuple(one for one in self.made if one.finding.location.path in texts)
        return replace(self, texts=texts, applied=left, made=made)


@dataclass(frozen=True, slots=True)
class FileFix:
    """One file after one round: the text, and the findings whose fixes are in it."""

    source: Source
    text: str
    findings: tuple[Finding, ...]


def one_round(
    findings: Iterable[Finding], unsafe: bool, spent: dict[str, float] | None = None, style: Style | None = None
) -> list[FileFix]:
    """The texts that the fixes of some findings make, a file each; files that would not parse any more are left out.

    `spent` is the time that earlier rounds took for each file (`with_fixes`); with `style`, texts are formatted as
    their project formats its files.
    """
    by_path: dict[str, list[Finding]] = {}
    for finding in with_fixes(findings, unsafe, spent=spent):
        if finding.fix is not None:
            by_path.setdefault(finding.location.path, []).append(finding)
    made = []
    for path, found in by_path.items():
        source = read_source(path)
        if isinstance(source, Unreadable):
            continue
        result = rewritten(source, [one.fix for one in found if one.fix is not None])
        if result.text != source.text and not isinstance(parse(result.text, path), Unreadable):
            inside = tuple(one for one in found if one.fix in result.applied)
            text = result.text if style is None else style.of(source, result.text)
            made.append(FileFix(source, text, inside))
    return made


def fix(options: Options, unsafe: bool) -> Fixed:
    """Lint and fix in memory until nothing changes; `store` writes the result. Raises UsageError as `lint` does."""
    originals: dict[str, Source] = {}
    current: dict[str, Source] = {}
    applied: Counter[str] = Counter()
    in_files: dict[str, Counter[str]] = {}
    seen: set[tuple[str, str]] = set()
    spent: dict[str, float] = {}
    fixes: list[Made] = []
    style = Style()
    for number in range(1, MAX_ROUNDS + 1):
        with standing_in(current):
            report = lint(options)
            made = one_round(report.findings, unsafe, spent, style)
            changes = [one for one in made if (one.source.path, one.text) not in seen]
        if not changes:
            return Fixed(report, _texts(originals, current), applied, number, True, in_files, tuple(fixes))
        for change in changes:
            path = change.source.path
            originals.setdefault(path, change.source)
            seen.add((path, change.source.text))
            current[path] = change.source.with_text(change.text)
            fixes += _made(change, originals[path])
            codes = [finding.rule.code for finding in change.findings]
            applied.update(codes)
            in_files.setdefault(path, Counter()).update(codes)
    with standing_in(current):
        report = lint(options)
    return Fixed(report, _texts(originals, current), applied, MAX_ROUNDS, False, in_files, tuple(fixes))


def _made(change: FileFix, original: Source) -> Iterator[Made]:
    """The fixes of one round with their lines in the file as it was at first; a notebook's count in their cells."""
    at_first = lines_before(original.text, change.source.text)
    for finding in change.findings:
        line = finding.location.span.line
        if finding.location.cell is None:
            line = at_first(line)
        elif original.text != change.source.text:
            line = 0
        if finding.fix is not None:
            yield Made(finding, finding.fix, line)


def _texts(originals: dict[str, Source], current: dict[str, Source]) -> dict[str, tuple[Source, str]]:
    return {path: (source, current[path].text) for path, source in sorted(originals.items())}


def store(fixed: Fixed, within: Sequence[str]) -> dict[str, str]:
    """Write the fixed texts, each file whole or not at all; the files that were left alone, with the reason."""
    refused = {}
    for path, (source, text) in fixed.texts.items():
        try:
            write(source, text, within)
        except NotWrittenError as error:
            refused[path] = error.reason
    return refused


def _diff_lines(text: str) -> list[str]:
    """Lines with their ends; only a newline ends one (a form feed does not)."""
    found = [line + "\n" for line in text.split("\n")]
    found[-1] = found[-1][:-1]
    return [line for line in found if line]


def unified(fixed: Fixed, shown: Callable[[str], str]) -> str:
    """All changes as a unified diff, which `patch -p0` and `git apply -p0` take; `shown` makes paths as printed."""
    parts: list[str] = []
    for path, (source, text) in fixed.texts.items():
        name = shown(path)
        old, new = _diff_lines(source.text), _diff_lines(text)
        for line in difflib.unified_diff(old, new, name, name):
            line = shown_line(line)
            parts.append(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return "".join(parts)
