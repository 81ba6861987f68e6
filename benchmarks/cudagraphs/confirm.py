"""What `verify --cuda-graphs` says of the findings about CUDA graphs, held against recordings of the same programs.

    python -m benchmarks.cudagraphs.confirm OUT.jsonl [--folder F] [--labels L.jsonl] [--python PATH] [--jobs 8]
    python -m benchmarks.cudagraphs.confirm OUT.jsonl --table

A finding of a program whose label is `hostile` should be confirmed, one of a `clean` program refuted; what no run shows
is not reached. `--python` is the interpreter with a CUDA build of torch in it. A line of the output is a finding:
`case`, `label`, `code`, `line`, `outcome`, `detail`. The table counts them; notes (confidence `possible`) among them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.cudagraphs.__main__ import FOLDER, cases

_OUTCOMES = ("confirmed", "refuted", "not-reached")


def main() -> None:
    """Verify the labelled programs file by file, or print the table of what was verified."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--folder", type=Path, default=FOLDER / "programs")
    parser.add_argument("--labels", type=Path, default=FOLDER / "labels-programs.jsonl")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--jobs", type=int, default=8)
    parser.add_argument("--table", action="store_true")
    args = parser.parse_args()
    if args.table:
        print("\n".join(table([json.loads(line) for line in args.out.read_text().splitlines()])))
        return
    judged = cases(args.folder, args.labels)
    with ThreadPoolExecutor(args.jobs) as pool:
        paths = sorted({args.folder / f"{case.name.partition('/')[0]}.py" for case in judged})
        mine = {path: [case for case in judged if case.name.startswith(f"{path.stem}/")] for path in paths}
        for path, found in zip(
            paths, pool.map(lambda path: _verified(path, mine[path], args.python), paths), strict=True
        ):
            with args.out.open("a") as file:
                file.writelines(json.dumps(line) + "\n" for line in found)
            print(path.name, Counter(line["outcome"] for line in found), flush=True)


def _verified(path: Path, judged: list[Any], python: str) -> list[dict[str, Any]]:
    """The verdicts on one file's programs, each a target of its own."""
    names = [case.name.partition("/")[2] for case in judged]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sys.executable, "-m", "compilelint", "verify", *(f"{path}:make_{name}" for name in names)]
        command += ["--cuda-graphs", "--python", python, "--lint", str(path), "--roots", "all", "--isolated"]
        command += ["--output", f"json:{report}", "--exit-zero", "--timeout", "120"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if not report.exists():
            raise SystemExit(f"{path.name}: {done.stderr.strip()[-600:]}")
        document = json.loads(report.read_text())
    return list(_lines(judged, document))


def _lines(judged: list[Any], document: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for finding in document["findings"]:
        if "cudagraph" not in finding["effects"] or not finding.get("verdict"):
            continue
        line = finding["line"]
        for case in judged:
            if case.first <= line <= case.last:
                verdict = finding["verdict"]
                said = {"outcome": verdict["outcome"], "detail": verdict["detail"]}
                yield {"case": case.name, "label": case.label, "code": finding["rule"], "line": line, **said}


def table(lines: list[dict[str, Any]]) -> Iterator[str]:
    """Findings by label and outcome, then by rule."""
    yield f"| programs | findings | {' | '.join(_OUTCOMES)} |"
    yield "|---|---|---|---|---|"
    for key, value in (("label", "hostile"), ("label", "clean"), *(("code", code) for code in _codes(lines))):
        mine = [line for line in lines if line[key] == value]
        counted = Counter(line["outcome"] for line in mine)
        yield f"| {value} | {len(mine)} | {' | '.join(str(counted[one]) for one in _OUTCOMES)} |"


def _codes(lines: list[dict[str, Any]]) -> list[str]:
    return sorted({line["code"] for line in lines})


if __name__ == "__main__":
    main()
