"""A commit message for each idiom that fixing rewrites: what broke and where, what is assumed, changed and checked.

An idiom is a rewrite (`fixes.rewrites`); what it assumes and changes are the words of its rule page, and how a fix was
checked is what this run did: nothing was run, or `compilelint fix` kept it. The subject has at most 72 characters, the
body lines of 72. Does not belong here: which fixes are made (`session.commands.fix`, `session.fixing.prove`).
"""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from compilelint.fixes.engine.declarations import Declaration, declarations
from compilelint.fixes.engine.edits import Placed
from compilelint.fixes.engine.registry import registered
from compilelint.model import Effect, Finding, Fix, Location, Safety
from compilelint.report.layout.text import escaped

_WIDTH = 72
_MOST_PLACES = 20
_LAW = "results, exceptions, dtypes, devices and state stay the same for every input, in eager code and compiled"
_SAFE = f"nothing was run. The rewrite is safe, since {_LAW}."
_LAWFUL = (
    "nothing was run. What the rewrite assumes of eager code holds by the text; what it changes is listed above. "
    "`compilelint fix` runs it under TorchDynamo."
)
_EFFECTS = {
    Effect.WRONG_RESULT: "gives a wrong result",
    Effect.ERROR: "fails",
    Effect.GRAPH_BREAK: "ends the graph",
    Effect.RECOMPILE: "makes TorchDynamo compile again",
    Effect.SYNC: "makes the device wait",
    Effect.CUDAGRAPH: "keeps CUDA graphs away",
    Effect.SLOW: "costs time",
}


@dataclass(frozen=True, slots=True)
class Made:
    """A fix that was made: of which finding, at which line of the file as it was before all fixes (0: not known).

    `proof` is what `compilelint fix` kept it for, in words; empty where nothing was run.
    """

    finding: Finding
    fix: Fix
    line: int
    proof: str = ""

    @property
    def placed(self) -> Placed:
        """The fix with the file of its finding."""
        return Placed(self.finding.location.path, self.fix)


def lines_before(before: str, now: str) -> Callable[[int], int]:
    """From a line of what became of a text to the line of that text; where it is new, to the one that it replaced."""
    if before == now:
        return lambda line: line
    matched = difflib.SequenceMatcher(None, before.split("\n"), now.split("\n"), autojunk=False).get_opcodes()

    def found(line: int) -> int:
        for _, start, end, first, last in matched:
            if first <= line - 1 < last:
                return min(start + line - 1 - first, max(end - 1, start)) + 1
        return 0

    return found


def line_again(original: str, finding: Finding) -> int:
    """The line of a text that reads like the finding's, the nearest one; 0 where none does."""
    wanted, line = finding.line_text.strip(), finding.location.span.line
    alike = [number for number, one in enumerate(original.split("\n"), 1) if one.strip() == wanted]
    return min(alike, key=lambda number: abs(number - line), default=0)


def messages(made: Sequence[Made], torch: str, shown: Callable[[str], str], targets: Sequence[str] = ()) -> list[str]:
    """A commit message for each idiom, in the order in which they were first made.

    `torch` is the version (or range) that the analysis was for, or that `targets` were run with; `shown` makes paths as
    printed.
    """
    by_idiom: dict[tuple[str, str, bool], list[Made]] = {}
    for one in made:
        by_idiom.setdefault((one.fix.rewrite, one.fix.title, bool(one.proof)), []).append(one)
    return [_message(found, torch, shown, targets) for found in by_idiom.values()]


def _message(made: Sequence[Made], torch: str, shown: Callable[[str], str], targets: Sequence[str]) -> str:
    every = (path for one in made for path in (one.finding.location.path, *one.fix.elsewhere))
    paths = list(dict.fromkeys(escaped(shown(path)) for path in every))
    paragraphs = [
        _subject(escaped(made[0].fix.title), paths),
        _filled(_opening(made, torch)),
        "\n".join(_places(made, shown)),
        *_beside(made, shown),
        *map(_filled, _declared(made[0].fix)),
        _filled("Checked: " + _checked(made, torch, targets)),
    ]
    return "\n\n".join(paragraphs) + "\n"


def _subject(title: str, paths: Sequence[str]) -> str:
    """The title as a sentence, with the file or how many there are where that fits."""
    head = title[:1].upper() + title[1:]
    behind = [f" in {len(paths)} files"]
    if len(paths) == 1:
        behind = [f" in {paths[0]}", f" in {paths[0].rpartition('/')[2]}"]
    for one in behind:
        if len(head) + len(one) <= _WIDTH:
            return head + one
    return textwrap.shorten(head, _WIDTH, placeholder=" ...")


def _opening(made: Sequence[Made], torch: str) -> str:
    does = [_EFFECTS[one] for one in dict.fromkeys(one.finding.effect for one in made) if one in _EFFECTS]
    if not does:
        return "What compilelint finds:"
    return f"Compiled, this {' or '.join(does)}, as compilelint predicts for torch {torch}:"


def _places(made: Sequence[Made], shown: Callable[[str], str]) -> Iterator[str]:
    """A line for each place: where, what the finding says of it, its rule, and TorchDynamo's ids."""
    for one in made[:_MOST_PLACES]:
        finding = one.finding
        place = escaped(shown(finding.location.path)) + _spoken(finding.location, one.line)
        ids = ", ".join((finding.rule.code, *finding.break_ids))
        yield textwrap.fill(
            f"{place}: {escaped(finding.message)} ({ids})",
            _WIDTH,
            initial_indent="- ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    if len(made) > _MOST_PLACES:
        yield f"- and {len(made) - _MOST_PLACES} more"


def _beside(made: Sequence[Made], shown: Callable[[str], str]) -> Iterator[str]:
    """The files that fixes of findings in other ones change."""
    paths = dict.fromkeys(escaped(shown(path)) for one in made for path in one.fix.elsewhere)
    if paths:
        yield _filled(f"The change is one with that in {', '.join(paths)}.")


def _spoken(location: Location, line: int) -> str:
    cell = "" if location.cell is None else f":cell {location.cell}"
    return f"{cell}:{line}" if line else cell


def _declared(fix: Fix) -> list[str]:
    declared = declaration_of(fix)
    if declared is None:
        return []
    note = [declared.note] if declared.note else []
    return [
        f"{declared.title} {' '.join(note)}".strip(),
        f"Assumes: {declared.assumes}",
        f"Changes: {declared.changes}",
    ]


def declaration_of(fix: Fix) -> Declaration | None:
    """What the rewrite that made a fix says of itself; None where a rule of a pack made it."""
    found = registered(fix.rewrite)
    return None if found is None else declarations([found])[0]


def _checked(made: Sequence[Made], torch: str, targets: Sequence[str]) -> str:
    if made[0].proof:
        proofs = list(dict.fromkeys(escaped(one.proof) for one in made))
        on = escaped(", ".join(targets))
        return f"kept by `compilelint fix` with torch {torch} on {on}: {'; '.join(proofs)}."
    safe = sum(one.fix.safety is Safety.SAFE for one in made)
    if made[0].fix.configures and not made[0].fix.rewrite:
        return "nothing was run. Linted with the switch, the files show nothing new that ends a graph or fails."
    if declaration_of(made[0].fix) is None:
        return f"nothing was run. The rule's own pack calls {safe} of {len(made)} fixes safe."
    if safe in (0, len(made)):
        return _SAFE if safe else _LAWFUL
    return f"{_LAWFUL} For {safe} of {len(made)} it is safe, since {_LAW}."


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH, break_long_words=False, break_on_hyphens=False)


def joined(found: Iterable[str]) -> str:
    """Messages one after the other, each under a line that says which it is; nothing where there is none."""
    every = list(found)
    parts = [f"# Commit message {number} of {len(every)}\n\n{one}\n" for number, one in enumerate(every, 1)]
    return "".join(parts)
