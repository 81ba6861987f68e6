"""Hold the help that a lint gives for programs after public threads against what the thread's answer says. No torch.

    python -m benchmarks.help                     # the table of both halves, as read and by words
    python -m benchmarks.help --show read         # what is said of each program, beside the answer

The second line of a program names its thread and the answer given there, the third the words that a help with this
answer has: groups separated by `;`, alternatives within by `|`. By words a program is helped fully if a finding has a
word of each group in its help or fix, partly if of some, and not otherwise. `judged.jsonl` has
the same as a person read it (`first` at the first lint), with the reason. Programs are split by the hash of their name.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from benchmarks.reports.__main__ import half_of
from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

FOLDER = Path(__file__).resolve().parent
PROGRAMS = FOLDER / "programs"
LABELS = FOLDER / "labels-2.13.jsonl"
JUDGED = FOLDER / "judged.jsonl"
EDITED = FOLDER / "edited-2.13.jsonl"
DEGREES = ("fully", "partly", "not")

_HEAD = re.compile(r"^(?:error|warning|note)\[", re.MULTILINE)
_SAID = re.compile(r"^ *= (?:help|fix)[^\n]*(?:\n {6,}[^\n]*)*", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """A program after a public thread, with the answer that was given there."""

    name: str
    answer: str
    words: tuple[tuple[str, ...], ...]

    @property
    def half(self) -> str:
        """`read` or `unread`."""
        return half_of(self.name)


def programs() -> Iterator[Program]:
    """The programs, by name."""
    for path in sorted(PROGRAMS.glob("*.py")):
        text = path.read_text()
        _, thread, wanted, *_ = text.splitlines()
        groups = wanted.removeprefix("# help: ").split(";")
        yield Program(
            path.stem,
            thread.removeprefix("# thread: "),
            tuple(tuple(word.strip().lower() for word in group.split("|")) for group in groups),
        )


def said_of(program: Program) -> list[str]:
    """The findings of a lint of the program alone, each as a user reads it."""
    text = render(lint(Options((str(PROGRAMS / f"{program.name}.py"),))), "full")
    starts = [match.start() for match in _HEAD.finditer(text)]
    return [text[start:end] for start, end in pairwise([*starts, len(text)])]


def degree_by_words(program: Program, blocks: Iterable[str]) -> str:
    """How far the help of some findings has the words of the answer."""
    said = [" ".join(_SAID.findall(block)).lower() for block in blocks]
    best = max((sum(any(word in text for word in group) for group in program.words) for text in said), default=0)
    return "fully" if best == len(program.words) else "partly" if best else "not"


def judged() -> dict[str, dict[str, str]]:
    """By program: how far it is helped as a person read it (`helped`), and why."""
    return {row["program"]: row for row in map(json.loads, JUDGED.read_text().splitlines())}


def edited() -> dict[str, dict[str, object]]:
    """By program that `--fix --unsafe-fixes --allow-config` edits: what the edited one does."""
    return {row["program"]: row for row in map(json.loads, EDITED.read_text().splitlines())}


def table() -> list[str]:
    """A line for each half and way of judging."""
    known, edits = judged(), edited()
    counts: dict[tuple[str, str], Counter[str]] = {}
    for program in programs():
        by_words = degree_by_words(program, said_of(program))
        ways = [("by words", by_words)]
        if program.name in known:
            ways += [("as read", known[program.name]["helped"]), ("at first", known[program.name]["first"])]
        for way, helped in ways:
            counts.setdefault((program.half, way), Counter())[helped] += 1
        row = edits.get(program.name)
        outcome = "not" if row is None else "fully" if row["right"] else "partly"
        counts.setdefault((program.half, "edited"), Counter())[outcome] += 1
    return [
        f"{half:7} {way:9} {', '.join(f'{degree} {row[degree]:2}' for degree in DEGREES)} of {sum(row.values())}"
        for (half, way), row in sorted(counts.items())
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table, or what is said; 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", choices=("read", "unread"), help="print what is said of each program of a half")
    given = parser.parse_args(argv)
    if given.show is None:
        print(*table(), sep="\n")
        return 0
    for program in programs():
        if program.half == given.show:
            blocks = said_of(program)
            print(f"==== {program.name}: {degree_by_words(program, blocks)}\n{program.answer}\n")
            print("\n".join(blocks) or "no finding\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
