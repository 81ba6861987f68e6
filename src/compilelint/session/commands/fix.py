"""Lint, fix, lint again, until nothing more can be fixed; then write.

Guarantee: everything happens in memory until `store`, no text is made that does not parse, a round that would bring
back an earlier text changes nothing, and the number of rounds is bounded.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from compilelint.config import Options
from compilelint.disk.write import NotWrittenError
from compilelint.fixes.engine.edits import Placed, connected, rewritten_files
from compilelint.fixes.engine.write import write_together
from compilelint.model import Finding
from compilelint.report.layout.folding import GUESS, reached_by_guess, side_folder
from compilelint.report.layout.text import shown_line, shown_path
from compilelint.report.report import Report
from compilelint.session.commands.lint import files_to_lint, lint
from compilelint.session.fixing.configure import with_switches
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
    would change nothing; `made` are the fixes themselves; `tied` the files that some fix changes together. `aside`
    counts the findings with a rewrite that were left alone, since nothing is known to compile their functions.
    """

    report: Report
    texts: dict[str, tuple[Source, str]]
    applied: Counter[str]
    rounds: int
    settled: bool
    made: tuple[Made, ...] = ()
    tied: tuple[frozenset[str], ...] = ()
    aside: int = 0

    def without(self, paths: Iterable[str]) -> Fixed:
        """The same, but for what was made of some files, and of those tied to them, which were left alone after all."""
        gone = set(paths)
        gone |= {path for group in self.tied if group & gone for path in group}
        texts = {path: made for path, made in self.texts.items() if path not in gone}
        made = tuple(one for one in self.made if not gone.intersection(one.placed.files()))
        lost = Counter(one.finding.rule.code for one in self.made) - Counter(one.finding.rule.code for one in made)
        return replace(self, texts=texts, applied=self.applied - lost, made=made)


@dataclass(frozen=True, slots=True)
class Round:
    """What one round makes: the files that change, each as it was and its new text, and the findings that are fixed."""

    files: tuple[tuple[Source, str], ...] = ()
    findings: tuple[Finding, ...] = ()

    def without(self, paths: Collection[str]) -> Round:
        """The same without some files, and without all that is tied to them."""
        gone = {path for group in connected(_placed(self.findings)) if group & set(paths) for path in group}
        files = tuple(one for one in self.files if one[0].path not in gone)
        return Round(files, tuple(one for one in self.findings if not gone.intersection(_files(one))))


def one_round(
    findings: Iterable[Finding],
    unsafe: bool,
    spent: dict[str, float] | None = None,
    style: Style | None = None,
    linted: Collection[str] = (),
) -> Round:
    """The texts that the fixes of some findings make; fixes of files that would not parse any more are left out.

    `spent` is the time that earlier rounds took for each file (`with_fixes`); with `style`, texts are formatted as
    their project formats its files. Of files beside their own, fixes change those that were `linted` alone.
    """
    found = [one for one in with_fixes(findings, unsafe, spent=spent, linted=linted) if one.fix is not None]
    sources: dict[str, Source] = {}
    for path in dict.fromkeys(path for one in found for path in _files(one)):
        source = read_source(path)
        if isinstance(source, Source):
            sources[path] = source
    made = rewritten_files(_placed(found), sources, _parses)
    inside = set(made.applied)
    files = tuple(
        (sources[path], text if style is None else style.of(sources[path], text))
        for path, text in made.texts.items()
        if text != sources[path].text
    )
    return Round(files, tuple(one for one in found if not inside.isdisjoint(_placed([one]))))


def _parses(path: str, text: str) -> bool:
    return not isinstance(parse(text, path), Unreadable)


def _placed(findings: Iterable[Finding]) -> list[Placed]:
    return [Placed(one.location.path, one.fix) for one in findings if one.fix is not None]


def _files(finding: Finding) -> tuple[str, ...]:
    return tuple(path for one in _placed([finding]) for path in one.files())


def fix(options: Options, unsafe: bool, configure: bool = False, everywhere: bool = False) -> Fixed:
    """Lint and fix in memory until nothing changes; `store` writes the result. Raises UsageError as `lint` does.

    Only compiled code is changed, if anything linted is compiled: in host code a rewrite gains nothing. `everywhere`
    changes host code too. With `configure`, switches of Dynamo are set last, for
    findings that no rewrite has ended.
    """
    originals: dict[str, Source] = {}
    current: dict[str, Source] = {}
    applied: Counter[str] = Counter()
    seen: set[tuple[str, str]] = set()
    spent: dict[str, float] = {}
    fixes: list[Made] = []
    style = Style()
    linted = files_to_lint(options)
    wanted = _every if everywhere else _compiled
    for number in range(1, MAX_ROUNDS + 1):
        with standing_in(current):
            report = lint(options)
            made = one_round(wanted(report), unsafe, spent, style, linted)
            made = made.without([source.path for source, text in made.files if (source.path, text) in seen])
        if configure and not made.files:
            configure = False
            cured = with_switches(report, partial(_linted_with, options, current))
            with standing_in(current):
                made = one_round(cured, unsafe, spent, style, linted)
        if not made.files:
            return _fixed(report, originals, current, applied, number, fixes, True, wanted)
        fixes += _made(made, originals, current)
        for source, text in made.files:
            originals.setdefault(source.path, source)
            seen.add((source.path, source.text))
            current[source.path] = source.with_text(text)
        applied.update(finding.rule.code for finding in made.findings)
    with standing_in(current):
        report = lint(options)
    return _fixed(report, originals, current, applied, MAX_ROUNDS, fixes, False, wanted)


def _every(report: Report) -> Sequence[Finding]:
    return report.findings


def _compiled(report: Report) -> Sequence[Finding]:
    """The findings of a report but those of functions that are judged by guess alone, beside others that are not.

    Nor are those in tests, examples or vendored code, where the package itself is linted. A method `forward` counts as
    compiled: that of a class whose bases lie in a package that is not there is a guess.
    """
    guessed = reached_by_guess(report)
    package = any(root.known and not side_folder(root.location.path, report.base) for root in report.roots)
    return [
        one
        for one in report.findings
        if (not guessed(one) or any(map(_is_forward, one.roots)))
        and not (package and side_folder(one.location.path, report.base))
    ]


def _is_forward(root: str) -> bool:
    return root.removesuffix(GUESS).endswith(".forward")


def _linted_with(options: Options, current: Mapping[str, Source], texts: Mapping[str, Source]) -> Report:
    """The report on files whose texts are replaced by those that fixes made, and by these."""
    with standing_in({**current, **texts}):
        return lint(options)


def _fixed(
    report: Report,
    originals: dict[str, Source],
    current: dict[str, Source],
    applied: Counter[str],
    rounds: int,
    fixes: Sequence[Made],
    settled: bool,
    wanted: Callable[[Report], Sequence[Finding]],
) -> Fixed:
    texts = {path: (source, current[path].text) for path, source in sorted(originals.items())}
    tied = tuple(connected(one.placed for one in fixes))
    aside = sum(one.rewrite is not None for one in report.findings) - sum(
        one.rewrite is not None for one in wanted(report)
    )
    return Fixed(report, texts, applied, rounds, settled, tuple(fixes), tied, aside)


def _made(made: Round, originals: Mapping[str, Source], current: Mapping[str, Source]) -> Iterator[Made]:
    """The fixes of one round with their lines in the files as they were at first; a notebook's count in their cells.

    `originals` and `current` hold the files that earlier rounds changed.
    """
    at_first = {path: lines_before(one.text, current[path].text) for path, one in originals.items()}
    for finding in made.findings:
        path, line = finding.location.path, finding.location.span.line
        if path in originals and originals[path].text != current[path].text:
            line = 0 if finding.location.cell is not None else at_first[path](line)
        if finding.fix is not None:
            yield Made(finding, finding.fix, line)


def store(fixed: Fixed, within: Sequence[str]) -> dict[str, str]:
    """Write the fixed texts, each file whole or not at all, and those that a fix ties together all or none.

    The result are the files that were left alone, with the reason.
    """
    refused: dict[str, str] = {}
    order = list(dict.fromkeys(path for one in fixed.made for path in one.placed.files()))
    tied = [group for group in fixed.tied if len(group) > 1]
    alone = [frozenset((path,)) for path in fixed.texts if not any(path in group for group in tied)]
    for group in (*tied, *alone):
        paths = sorted(group & fixed.texts.keys(), key=lambda path: order.index(path) if path in order else 0)
        try:
            write_together([fixed.texts[path] for path in paths], within)
        except NotWrittenError as error:
            for path in paths:
                beside = "" if path == error.path else f" (a fix changes it together with {shown_path(error.path)})"
                refused[path] = error.reason + beside
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
