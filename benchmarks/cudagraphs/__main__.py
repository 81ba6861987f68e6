"""Holds what compilelint says of CUDA graphs against recordings of a GPU. Needs no torch.

    python -m benchmarks.cudagraphs                    the table of both sets, by halves
    python -m benchmarks.cudagraphs --misses first     what is wrong in the half that may be looked at
    python -m benchmarks.cudagraphs --folder F --labels L.jsonl      another set of programs
    python -m benchmarks.cudagraphs --models SITE      models and schedulers of the pinned packages, by root (`roots`)
    python -m benchmarks.cudagraphs --models SITE --traced CORPUS...      the same, of lines that ran
    python -m benchmarks.cudagraphs --models SITE --labels benchmarks/cudagraphs/labels-models-fresh.jsonl
    python -m benchmarks.cudagraphs --caller           with the script that compiles and calls them, without options

The lint runs with `[tool.compilelint.dynamo] mode = "reduce-overhead"`, every function of the programs a root; with
`--caller` each half is linted by itself, with default roots, and the mode is that of the compile call. A case
of a program is the code between the `make_` function before its own and the end of its own. A hostile case is found
where a finding with the effect `cudagraph` lies in it, a clean case is flagged where one does; notes (confidence
`possible`) do not count. The halves are drawn by the SHA-1 of the case name; the rules were written with the misses of
the first half in view.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.cudagraphs.callers import text_of
from benchmarks.cudagraphs.cases import Case, half_of
from benchmarks.cudagraphs.roots import judged_roots
from benchmarks.reproduce import table_of
from compilelint.config import Options
from compilelint.events import DynamoConfig
from compilelint.model import Confidence, Effect, Finding
from compilelint.session.commands.lint import lint

FOLDER = Path(__file__).resolve().parent


def cases(folder: Path, labels: Path, caller: bool = False) -> list[Case]:
    """All judged programs, with the findings in their lines."""
    if not caller:
        return _judged(folder, labels, list(_findings(folder)))
    found: list[Case] = []
    for half in ("first", "second"):
        with tempfile.TemporaryDirectory() as place:
            for path in sorted(folder.glob("*.py")):
                names = [name.partition("/")[2] for name, _, _ in _sections(path) if half_of(name) == half]
                text = path.read_text(encoding="utf-8")
                (Path(place) / path.name).write_text(text_of(text, names), encoding="utf-8")
            found += [case for case in _judged(folder, labels, list(_findings(Path(place), True))) if case.half == half]
    return found


def _judged(folder: Path, labels: Path, said: Sequence[Finding]) -> list[Case]:
    known = {row["case"]: row for row in map(json.loads, labels.read_text(encoding="utf-8").splitlines())}
    return [
        Case(name, row["label"], tuple(row["reasons"]), first, last, tuple(_within(said, path, first, last)))
        for path in sorted(folder.glob("*.py"))
        for name, first, last in _sections(path)
        if (row := known.get(name)) is not None and row["label"] != "unjudged"
    ]


def _sections(path: Path) -> Iterator[tuple[str, int, int]]:
    """Name, first and last line of each case of a file."""
    before, name = 1, ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        made = re.match(r"def make_(\w+)", line)
        if made:
            if name:
                yield f"{path.stem}/{name}", before, number - 1
                before = number
            name = made[1]
        elif name and line and not line.startswith(" "):
            yield f"{path.stem}/{name}", before, number - 1
            before, name = number, ""
    if name:
        yield f"{path.stem}/{name}", before, sys.maxsize


def _findings(folder: Path, caller: bool = False) -> Iterator[Finding]:
    options = Options((str(folder),), torch_version="2.13")
    if not caller:
        options = replace(options, roots=("all",), dynamo=DynamoConfig(mode="reduce-overhead"))
    for finding in lint(options).findings:
        if Effect.CUDAGRAPH in finding.effects and finding.confidence > Confidence.POSSIBLE:
            yield finding


def _within(findings: Iterable[Finding], path: Path, first: int, last: int) -> Iterator[Finding]:
    for one in findings:
        if Path(one.location.path).name == path.name and first <= one.location.span.line <= last:
            yield one


def row_of(name: str, half: str, judged: Sequence[Case]) -> list[object]:
    """One line of the table."""
    mine = [case for case in judged if half in ("both", case.half)]
    hostile = [case for case in mine if case.label == "hostile"]
    clean = [case for case in mine if case.label == "clean"]
    found = sum(bool(case.findings) for case in hostile)
    flagged = sum(bool(case.findings) for case in clean)
    precision = f"{found / (found + flagged):.3f}" if found + flagged else "-"
    return [
        name,
        half,
        len(hostile),
        found,
        f"{found / len(hostile):.3f}" if hostile else "-",
        len(clean),
        flagged,
        precision,
    ]


def misses(judged: Iterable[Case], half: str) -> Iterator[str]:
    """What is wrong, a line each."""
    for case in judged:
        if half in ("both", case.half) and bool(case.findings) != (case.label == "hostile"):
            said = ", ".join(f"{one.rule.code}:{one.location.span.line}" for one in case.findings)
            yield f"{case.label:8} {case.name} {said or '; '.join(case.reasons)}"


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table, or what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", choices=("first", "second", "both"))
    parser.add_argument("--folder", type=Path, default=FOLDER / "programs")
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--caller", action="store_true", help="with the script that compiles and calls the programs")
    parser.add_argument("--models", type=Path, metavar="SITE", help="the models and schedulers instead, by root")
    parser.add_argument("--traced", type=Path, metavar="CORPUS", nargs="+", default=(), help="recordings of what ran")
    parser.add_argument("--float32", action="store_true", help="models that are hostile in float32 alone count, too")
    args = parser.parse_args(argv)
    args.labels = args.labels or FOLDER / f"labels-{'models' if args.models else 'programs'}.jsonl"
    if args.models:
        judged = judged_roots(args.models, args.labels, args.misses or "both", args.traced, args.float32)
    else:
        judged = cases(args.folder, args.labels, args.caller)
    if args.misses:
        print("\n".join(misses(judged, args.misses)))
    columns = ["set", "half", "hostile", "found", "recall", "clean", "flagged", "precision"]
    print(
        table_of(
            columns,
            [row_of("models" if args.models else "programs", half, judged) for half in ("first", "second", "both")],
        )
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
