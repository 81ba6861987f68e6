"""A verification as data for the board: a head with precision and recall by library, then a row a model.

JSON lines of plain data, which outlive the machine: places are relative to the folder around a model's package.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from compilelint.disk.data import NotParsedError, json_of
from compilelint.disk.shape import Each, Maybe, misfit
from compilelint.dynamic import scoring
from compilelint.dynamic.merge import Side, meets
from compilelint.dynamic.record import case_of, root_of
from compilelint.model import Effect, Fate, Finding, ObservedBreak, TargetRun
from compilelint.report.formats.json import findings_data
from compilelint.report.report import Report
from compilelint.session.commands.verify import Verification

Row = dict[str, Any]

_LONGEST = 200
_MOST_BYTES = 256 << 20
_INTERVAL = ("estimate", "low", "high")
_COUNTS = ("cases", "breaking_cases", "break_lines", "found", "true_positives", "false_positives")

# What has to stand in a file, for its readers index it.
_HEAD = {
    "name": str,
    "torch": str,
    "asked": int,
    "known": int,
    "scores": Each({**dict.fromkeys(_COUNTS, int), "precision": float, "recall": float}),
}
_MODEL = {"model": str, "library": str, "mode": str, "torch": str, "fate": str, "detail": Maybe(str)}
_RAN = {
    **_MODEL,
    "graphs": int,
    "breaks": [{"rules": [str], "id": str, "place": str, "words": str}],
    "refuted": int,
    "recompiles": int,
    "parity": str,
    "compile_seconds": float,
}
_BENCHES = {
    "benches": [
        {
            "target": str,
            "mode": str,
            "configurations": [
                {"name": str, "change": (str, None), "faster_than_eager": (None, dict.fromkeys(_INTERVAL, float))}
            ],
        }
    ]
}


def rows_of(verification: Verification, name: str, known: int = 0) -> list[Row]:
    """The head and the rows of one run, called `name`; `known` is how many targets there are, run or not."""
    runs = [side.run for side in verification.sides]
    static = [one for one in verification.report.findings if _predicts(one)]
    rows = [_row(side, static) for side in verification.sides]
    torch = next((run.torch for run in runs if run.torch), "")
    head = {
        "kind": "run",
        "name": name,
        "torch": torch,
        "asked": len(runs),
        "known": max(known, len(runs)),
        "scores": _scores(verification.report, runs),
    }
    return [head, *rows]


def _predicts(finding: Finding) -> bool:
    return Effect.GRAPH_BREAK in finding.effects and not finding.rule.code.startswith("CL9")


def _row(side: Side, static: Sequence[Finding]) -> Row:
    run = side.run
    root = root_of(run)
    row: Row = {
        "kind": "model",
        "model": run.target,
        "library": library_of(run),
        "mode": run.mode,
        "torch": run.torch,
        "fate": run.fate.value,
    }
    if run.fate is not Fate.RAN:
        return {**row, "detail": run.detail.strip().partition("\n")[0][:_LONGEST]}
    return {
        **row,
        "graphs": run.graphs,
        "breaks": [_break(one, static, root) for one in run.own_breaks],
        "refuted": side.refuted,
        "recompiles": len(run.recompiles),
        "parity": "not compared" if run.parity is None or run.parity.unknown else _parity(run),
        "compile_seconds": round(run.compile_seconds, 2),
    }


def _parity(run: TargetRun) -> str:
    return "equal" if run.parity is not None and run.parity.holds else "differs"


def library_of(run: TargetRun) -> str:
    """The package that a model comes from, else the head of its name."""
    if run.place is None or run.fate is not Fate.RAN:  # what was not built has the place of its factory
        return run.target.partition("/")[0].partition(".")[0].partition(":")[0]
    return os.path.relpath(run.place.path, root_of(run) or "/").partition(os.sep)[0].removesuffix(".py")


def _break(seen: ObservedBreak, static: Sequence[Finding], root: str) -> Row:
    codes = sorted({one.rule.code for one in static if meets(one, seen)})
    place = os.path.relpath(seen.path, root) if root and seen.path.startswith(root) else os.path.basename(seen.path)
    return {"rules": codes, "id": seen.break_id, "place": f"{place}:{seen.line}", "words": seen.words[:_LONGEST]}


def _scores(report: Report, runs: Sequence[TargetRun]) -> dict[str, Row]:
    """Precision and recall of what was predicted, by library: judged on the lines that its models ran through."""
    found = [one for one in findings_data(report) if not one["rule"].startswith("CL9")]
    scores = {}
    for library in sorted({library_of(run) for run in runs if run.fate is Fate.RAN and run.place is not None}):
        own = [run for run in runs if run.fate is Fate.RAN and run.place is not None and library_of(run) == library]
        hits = scoring.hits_of({"findings": found}, root_of(own[0]), "graph-break", "likely")
        inside = [one for one in hits if one.file.partition("/")[0].removesuffix(".py") == library]
        truth = scoring.truth_of(map(case_of, own))
        table = scoring.summary(truth, scoring.judge(truth, inside), inside, "likely")
        scores[library] = {name: table[name] for name in (*_COUNTS, "precision", "recall")}
    return scores


def together(runs: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """Runs of one name are the parts of one run, as shards are: the latest row of each model, and their counts added.

    What two parts ran through counts once for each of them.
    """
    parts: dict[str, list[Sequence[Row]]] = {}
    for run in runs:
        parts.setdefault(run[0]["name"], []).append(run)
    return [list(few[0]) if len(few) == 1 else _joined(few) for few in parts.values()]


def _joined(parts: Sequence[Sequence[Row]]) -> list[Row]:
    latest: dict[tuple[str, str], Row] = {}
    for row in (row for _, *rows in parts for row in rows):
        key = (row["model"], row["mode"])
        if row["fate"] == "ran" or latest.get(key, row)["fate"] != "ran":  # a part that failed takes nothing away
            latest[key] = row
    heads = [part[0] for part in parts]
    scores: dict[str, Row] = {}
    for library, one in (pair for head in heads for pair in head["scores"].items()):
        before = scores.get(library, {})
        scores[library] = {name: before.get(name, 0) + count for name, count in one.items() if name in _COUNTS}
    for one in scores.values():
        right, judged = one["true_positives"], one["true_positives"] + one["false_positives"]
        one["precision"] = round(right / judged, 4) if judged else 0.0
        one["recall"] = round(one["found"] / one["break_lines"], 4) if one["break_lines"] else 0.0
    known = max(len(latest), *(head["known"] for head in heads))
    return [{**heads[-1], "asked": len(latest), "known": known, "scores": scores}, *latest.values()]


def speeds_of(data: bytes) -> dict[tuple[str, str], Row]:
    """By target and mode, how many times as fast as eager the fastest configuration of a `bench --output json` is.

    Raises NoBoardError.
    """
    try:
        document = json_of(data)
    except NotParsedError as error:
        raise NoBoardError(f"it is not JSON: {error.message}") from error
    if wrong := misfit(document, _BENCHES):
        raise NoBoardError(f"there are no measurements in it: {wrong}")
    benches = [(one["target"], one["mode"], one["configurations"]) for one in document["benches"]]
    return {(target, mode): fastest for target, mode, all_ in benches if (fastest := _fastest(all_))}


def _fastest(configurations: Sequence[Row]) -> Row:
    """Of those that were compiled without a change to the model; empty where none ran."""
    ran = [one for one in configurations if one["faster_than_eager"] and not one["change"]]
    if not ran:
        return {}
    best = max(ran, key=lambda one: float(one["faster_than_eager"]["estimate"]))
    return {"configuration": best["name"], **{name: round(best["faster_than_eager"][name], 2) for name in _INTERVAL}}


def with_speeds(runs: Sequence[Sequence[Row]], speeds: Mapping[tuple[str, str], Row]) -> list[list[Row]]:
    """The runs, each model that was measured with its speed."""

    def timed(row: Row) -> Row:
        speed = speeds.get((str(row.get("model")), str(row.get("mode"))))
        return {**row, "speed": speed} if speed else row

    return [[timed(row) for row in run] for run in runs]


def text_of(rows: Sequence[Mapping[str, Any]]) -> str:
    """JSON lines."""
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def data_of(rows: Sequence[Mapping[str, Any]], path: str) -> bytes:
    """The same as the bytes of a file, compressed where its name ends so; the same rows are the same bytes."""
    data = text_of(rows).encode("utf-8", "backslashreplace")
    return gzip.compress(data, mtime=0) if path.endswith(".gz") else data


class NoBoardError(ValueError):
    """A file holds no rows; the text says why."""


def read(data: bytes) -> list[Row]:
    """The rows of a file. Raises NoBoardError."""
    try:
        text = _unpacked(data) if data[:2] == b"\x1f\x8b" else data
        rows = [json_of(line) for line in text.decode("utf-8").splitlines() if line]
    except NotParsedError as error:
        raise NoBoardError(f"it is not JSON lines: {error.message}") from error
    except (zlib.error, ValueError) as error:
        raise NoBoardError(f"it is not JSON lines: {error}") from error
    if not rows or not isinstance(rows[0], dict) or rows[0].get("kind") != "run":
        raise NoBoardError('its first line is not {"kind": "run", ...}')
    for number, row in enumerate(rows, 1):
        ran = isinstance(row, dict) and row.get("fate") == Fate.RAN.value
        if wrong := misfit(row, _HEAD if number == 1 else _RAN if ran else _MODEL):
            raise NoBoardError(f"in line {number}, {wrong}")
    return rows


def _unpacked(data: bytes) -> bytes:
    """A gzipped file's bytes. Raises zlib.error, and ValueError for a file that is cut off or unpacks to very much."""
    unpacking = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    text = unpacking.decompress(data, _MOST_BYTES)
    if unpacking.unconsumed_tail:
        raise ValueError(f"it unpacks to more than {_MOST_BYTES >> 20} MiB")
    if not unpacking.eof:
        raise ValueError("it is cut off")
    return text
