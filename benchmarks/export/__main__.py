"""Hold what `--for export` finds against the recorded exports, and write the table that it goes by.

    python -m benchmarks.export              # precision and recall by half, way and version
    python -m benchmarks.export --update     # writes session/pipeline/export_rules.json
    python -m benchmarks.export --missed     # refused programs of which nothing is said, and false alarms

The table is written from the rule pages and the half of the programs that is not held out; only that half is listed.
Needs no torch.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import compilelint.session.pipeline
from benchmarks.export.labels import PROGRAMS, VERSIONS, WAYS, Row, held_out, read
from compilelint.config import Options
from compilelint.events import DynamoConfig
from compilelint.model import Effect, Finding
from compilelint.session.commands.lint import lint
from compilelint.torchfacts import Capture

TABLE = Path(compilelint.session.pipeline.__file__).with_name("export_rules.json")
_PURPOSES = {"strict": "export-strict", "non-strict": "export"}
_REASONS = {
    "Could not guard on data-dependent expression": "Python decides here by the data of a tensor.",
    "Cannot access data pointer of Tensor": "The memory of a tensor is needed here.",
}
_FAILING = frozenset({Effect.GRAPH_BREAK, Effect.ERROR})


def spans() -> Iterator[tuple[str, str, int, int]]:
    """Of each case its file, and the lines that its program stands on: those before its `make_` function."""
    for path in sorted(PROGRAMS.glob("*.py")):
        last = 0
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("make_"):
                yield f"{path.stem}:{node.name.removeprefix('make_')}", path.as_posix(), last + 1, node.lineno - 1
                last = node.end_lineno or node.lineno


def found(options: Options) -> dict[str, list[Finding]]:
    """By case what is found in its program that stops it."""
    cases = list(spans())
    by_case: dict[str, list[Finding]] = {}
    for one in lint(options).findings:
        if _FAILING.isdisjoint(one.effects):
            continue
        for case, path, first, last in cases:
            if one.location.path == path and first <= one.location.span.line <= last:
                by_case.setdefault(case, []).append(one)
    return by_case


def _options(version: str, way: str | None) -> Options:
    plain = Options(paths=(str(PROGRAMS),), torch_version=version)
    if way is None:
        return Options(
            paths=plain.paths,
            torch_version=version,
            dynamo=DynamoConfig(fullgraph=True, export=True, captures=frozenset(Capture)),
        )
    return Options(paths=plain.paths, torch_version=version, purpose=_PURPOSES[way])


def rule_table() -> str:
    """By rule, how many programs with its findings, and pages, were refused, and in which words of export."""
    rules: dict[str, dict[str, list[int]]] = {}
    why: dict[str, str] = {}
    for version in VERSIONS:
        by_case = found(_options(version, None))
        rows = [(row, {one.rule.code for one in by_case.get(row["case"], [])}) for row in read(version)]
        written = [(row, codes) for row, codes in rows if not held_out(row["case"])]
        pages = [(row, {row["case"].removeprefix("page:")}) for row in read(version, "pages")]
        for row, code in ((row, code) for row, codes in (*written, *pages) for code in sorted(codes)):
            counts = rules.setdefault(code, {way: [0, 0] for way in WAYS})
            for way in WAYS:
                counts[way][0] += row[way]["refused"]
                counts[way][1] += 1
            if row["non-strict"]["refused"]:
                why.setdefault(code, _sentence(row["non-strict"]["text"]))
    lines = [f"  {json.dumps(code)}: {json.dumps({**rules[code], 'why': why.get(code, '')})}" for code in sorted(rules)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _sentence(text: str) -> str:
    """Why a tensor without data is not enough, in words of ours; empty where export's words are about one program."""
    return next((why for words, why in _REASONS.items() if text.startswith(words)), "")


def scores(rows: Sequence[Row], by_case: dict[str, list[Finding]], way: str) -> tuple[int, int, int, int]:
    """How many programs, refused, refused and found, found in all."""
    refused = {row["case"] for row in rows if row[way]["refused"]}
    flagged = {row["case"] for row in rows if row["case"] in by_case}
    return len(rows), len(refused), len(refused & flagged), len(flagged)


def table() -> Iterator[str]:
    """The rows of the README's table."""
    yield "| torch | way | half | programs | refused | found | recall | flagged | precision |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for version in VERSIONS:
        for way in WAYS:
            by_case = found(_options(version, way))
            for half, out in (("written from", False), ("held out", True)):
                rows = [row for row in read(version) if held_out(row["case"]) is out]
                count, refused, right, flagged = scores(rows, by_case, way)
                recall = right / refused if refused else 1.0
                precision = right / flagged if flagged else 1.0
                start = f"| {version} | {way} | {half} | {count} | {refused} | {right} | {recall:.3f} "
                yield f"{start}| {flagged} | {precision:.3f} |"


def missed() -> Iterator[str]:
    """What the half that is not held out teaches."""
    for version in VERSIONS:
        for way in WAYS:
            by_case = found(_options(version, way))
            for row in read(version):
                case, refused = row["case"], row[way]["refused"]
                if not held_out(case) and refused is not (case in by_case):
                    codes = sorted({one.rule.code for one in by_case.get(case, [])})
                    yield f"{version} {way}: {case}: {row[way]['text'] or f'works, and is flagged by {codes}'}"


def main() -> None:
    """Measure, update or list."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the table")
    parser.add_argument("--missed", action="store_true", help="list what is not found")
    asked = parser.parse_args()
    if asked.update:
        TABLE.write_text(rule_table(), encoding="utf-8")
    for line in missed() if asked.missed else table():
        print(line)


if __name__ == "__main__":
    main()
