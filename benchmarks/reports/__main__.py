"""Hold a lint of whole programs against what they do: found and missed by kind, clean programs alarmed. No torch.

    python -m benchmarks.reports                                        # the first set of programs, both halves
    python -m benchmarks.reports --set around                           # the second one
    python -m benchmarks.reports --cases CASES --labels LABELS.jsonl    # another corpus with the same fields
    python -m benchmarks.reports --misses read                          # name what is missed of the read half

A line of LABELS is a program: `files` (the first is the script), `kinds` (what really happens: `break`, `recompile`,
`error`, `wrong`, `slow`, `cudagraph`; none: clean), `lines` (for each kind and file the lines of which a finding should
name one) and `pair_of` (the program of which this one is the corrected form). A kind is found if a finding that is
shown by default, of an effect of that kind, begins on one of these lines. A clean program is alarmed if anything but
advice about speed is shown of it. Programs are split by the hash of their name; of the unread half the misses are
counted, never named.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

FOLDER = Path(__file__).resolve().parent
SETS = ("programs", "around", "threads", "forums", "posts")
KINDS = ("break", "recompile", "error", "wrong", "slow", "cudagraph")
# The effects of a finding by which a kind counts as found: a run that raises and one that gives another result are
# separated by the program, not by the line.
EFFECTS = {
    "break": ("graph-break", "error"),
    "recompile": ("recompile",),
    "error": ("error", "wrong-result"),
    "wrong": ("wrong-result", "error"),
    "slow": ("slow", "recompile"),
    "cudagraph": ("cudagraph", "error", "wrong-result"),
}
_ALARMS = frozenset({"graph-break", "recompile", "error", "wrong-result", "cudagraph"})


@dataclass(frozen=True)
class Hit:
    """A finding that is shown by default."""

    file: str
    line: int
    rule: str
    effects: tuple[str, ...]


def labels_in(which: str) -> Path:
    """The file of labels of a set of programs."""
    return FOLDER / f"labels-{'' if which == SETS[0] else f'{which}-'}2.13.jsonl"


def half_of(name: str) -> str:
    """`read` or `unread`, by the hash of a program's name; a corrected form goes with its program."""
    return "read" if hashlib.sha256(name.encode()).digest()[0] % 2 == 0 else "unread"


def labels_of(path: Path) -> list[dict[str, Any]]:
    """The programs of a file of labels, each with its `half`."""
    rows = [json.loads(line) for line in path.read_text().splitlines() if line.strip()]
    for row in rows:
        row["half"] = half_of(row["pair_of"] or _name(row))
    return rows


def hits_of(cases: Path) -> list[Hit]:
    """What a lint of a folder of programs shows by default, without what is `possible` or only counted.

    Findings outside of any root (`<module>` of the survey) are shown.
    """
    document = json.loads(render(lint(Options((str(cases),))), "json"))
    return [
        Hit(os.path.basename(one["path"]), one["line"], one["rule"], tuple(one["effects"]))
        for one in document["findings"]
        if one["confidence"] != "possible"
        and not (one["roots"] and all(root.endswith("(unreached)") for root in one["roots"]))
    ]


def found(row: dict[str, Any], kind: str, hits: Iterable[Hit]) -> bool:
    """Whether a finding of the kind stands on one of the lines of a program that the label names."""
    lines = row["lines"].get(kind, {})
    return any(hit.line in lines.get(hit.file, ()) and set(hit.effects) & set(EFFECTS[kind]) for hit in hits)


def false_alarms(row: dict[str, Any], hits: Iterable[Hit]) -> list[Hit]:
    """The findings about a clean program, advice about speed aside."""
    return [hit for hit in hits if hit.file in row["files"] and set(hit.effects) & _ALARMS]


def strangers(row: dict[str, Any], hits: Iterable[Hit]) -> list[Hit]:
    """The findings about a program that has other trouble, or has it elsewhere in the file."""
    named = {(file, line) for lines in row["lines"].values() for file, numbers in lines.items() for line in numbers}
    mine = false_alarms(row, hits)
    return [
        hit
        for hit in mine
        if not any(set(hit.effects) & set(EFFECTS[kind]) for kind in row["kinds"]) and (hit.file, hit.line) not in named
    ]


def table(rows: Sequence[dict[str, Any]], hits: Sequence[Hit]) -> list[tuple[str, str, int, int]]:
    """By kind and cause: of how many programs how many are found; clean and corrected forms: how many are alarmed."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0])
    for row in rows:
        for kind in row["kinds"]:
            causes = [""] + ([row["recompile_cause"]] if kind == "recompile" and row.get("recompile_cause") else [])
            for cause in causes:
                counts[kind, cause][0] += 1
                counts[kind, cause][1] += found(row, kind, hits)
        if not row["kinds"]:
            which = "corrected" if row["pair_of"] else "alone"
            for cause in ("", which):
                counts["clean", cause][0] += 1
                counts["clean", cause][1] += bool(false_alarms(row, hits))
        else:
            counts["other alarms", ""][0] += 1
            counts["other alarms", ""][1] += bool(strangers(row, hits))
    order = (*KINDS, "clean", "other alarms")
    return [
        (kind, cause, *counts[kind, cause])  # type: ignore[misc]
        for kind, cause in sorted(counts, key=lambda key: (order.index(key[0]), key[1]))
    ]


def mistakes(rows: Sequence[dict[str, Any]], hits: Sequence[Hit]) -> list[str]:
    """A line for each kind that is missed, and for each alarm that is false."""
    lines: list[str] = []
    for row in rows:
        mine = [f"{hit.rule}:{hit.line}" for hit in hits if hit.file in row["files"]]
        for kind in row["kinds"]:
            if not found(row, kind, hits):
                wanted = sorted({line for numbers in row["lines"].get(kind, {}).values() for line in numbers})
                cause = row.get("recompile_cause") or ""
                lines.append(f"missed {kind:9} {_name(row)} {cause} lines {wanted}, shown {mine}: {row['cause']}")
        wrong = strangers(row, hits) if row["kinds"] else false_alarms(row, hits)
        if wrong:
            lines.append(f"alarm  {'':9} {_name(row)} {[f'{hit.rule}:{hit.line}' for hit in wrong]}: {row['cause']}")
    return lines


def _name(row: dict[str, Any]) -> str:
    return str(row["case"]).rpartition("/")[2]


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table of each half; 0."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=SETS, default=SETS[0], help="a set of programs of this folder")
    parser.add_argument("--cases", type=Path, help="the folder of another corpus")
    parser.add_argument("--labels", type=Path, help="its labels")
    parser.add_argument("--misses", choices=("read", "unread", "all", "none"), default="none", help="name the misses")
    parser.add_argument("--whole", action="store_true", help="of a corpus that is not split")
    given = parser.parse_args(argv)
    rows = labels_of(given.labels or labels_in(given.set))
    hits = hits_of(given.cases or FOLDER / given.set)
    for half in ("all",) if given.whole else ("read", "unread"):
        mine = [row for row in rows if half in (row["half"], "all")]
        for kind, cause, count, number in table(mine, hits):
            print(f"{half:7} {kind:13} {cause:10} {number:3} of {count:3}")
        if given.misses in (half, "all"):
            print(*mistakes(mine, hits), sep="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
