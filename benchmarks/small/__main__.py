"""Score what a lint says of the small programs: `python -m benchmarks.small [--torch 2.15]`. Needs no torch.

All programs of a set are linted as one folder, without options. A break is found where a finding with the effect
`graph-break` and at least `likely` covers its line; halves are by the SHA-1 of the program's name.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from compilelint.config import Options
from compilelint.model import Confidence, Effect, Finding
from compilelint.session.commands.lint import lint

HERE = Path(__file__).parent
SETS = ("general", "builtins", "across")
HALVES = ("even", "odd")
VERSIONS = ("2.13", "2.15")


def programs(name: str) -> dict[str, str]:
    """The texts of a set, by program."""
    parts = re.split(r"^### (\w+)\n", (HERE / f"{name}.txt").read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def half_of(case: str) -> str:
    """The half that a program is of."""
    return HALVES[int(hashlib.sha1(case.encode()).hexdigest(), 16) % 2]


def recorded(name: str, torch_version: str) -> dict[str, set[int]]:
    """The lines that broke, by program."""
    rows = map(json.loads, (HERE / f"{name}-{torch_version}.jsonl").read_text(encoding="utf-8").splitlines())
    return {row["case"]: {line for line, _ in row["breaks"]} for row in rows}


def found(texts: dict[str, str], torch_version: str) -> dict[str, list[Finding]]:
    """What a lint of the programs as one folder says breaks, by program."""
    with tempfile.TemporaryDirectory() as folder:
        for case, text in texts.items():
            (Path(folder) / f"{case}.py").write_text(text, encoding="utf-8")
        report = lint(Options((folder,), torch_version=torch_version, no_cache=True))
    by_case: dict[str, list[Finding]] = {case: [] for case in texts}
    for one in report.findings:
        if Effect.GRAPH_BREAK in one.effects and one.confidence >= Confidence.LIKELY:
            by_case[Path(one.location.path).stem].append(one)
    return by_case


def lines(name: str, misses: str, torch_version: str) -> Iterator[str]:
    """The scores of a set by halves, behind what is missed or false in the halves that are asked for."""
    said, truth = found(programs(name), torch_version), recorded(name, torch_version)
    for half in HALVES:
        right = wrong = missed = alarmed = clean = 0
        for case in (one for one in truth if half_of(one) == half):
            spans = [range(f.location.span.line, f.location.span.end_line + 1) for f in said[case]]
            met = {line for line in truth[case] if any(line in span for span in spans)}
            false = [span for span in spans if not any(line in span for line in truth[case])]
            right, missed, wrong = right + len(met), missed + len(truth[case] - met), wrong + len(false)
            clean, alarmed = clean + (not truth[case]), alarmed + bool(false and not truth[case])
            if misses in (half, "all"):
                yield from (f"missed: {case}:{line}" for line in sorted(truth[case] - met))
                yield from (f"false: {case}:{span.start}" for span in false)
        yield (
            f"{name}, {half}: precision {right} of {right + wrong}, recall {right} of {right + missed}, "
            f"clean programs alarmed {alarmed} of {clean}"
        )


def main() -> None:
    """Print the scores."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", choices=(*HALVES, "all"), default="", help="print what is wrong in a half")
    parser.add_argument("--torch", choices=VERSIONS, default=VERSIONS[0], help="the version that was recorded")
    asked = parser.parse_args()
    for name in SETS:
        print("\n".join(lines(name, asked.misses, asked.torch)))


if __name__ == "__main__":
    main()
