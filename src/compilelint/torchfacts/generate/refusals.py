"""Writes `refusals.json`: `python -m compilelint.torchfacts.generate.refusals [--check | --install] [KEY ...]`.

A row of the file names a program of `benchmarks/registry` for a construct. This runs those programs under the installed
torch (`benchmarks.registry.record`, from the root of a checkout; about a second each) and takes from each how the
construct ended: with which id, whether the graph ended there, the frame was left to Python or the compilation failed.
`--install` writes that into the rows, and the recorded runs into `benchmarks/registry/labels-VERSION.jsonl`; `--check`
writes nothing and names the rows that say otherwise. With `--recorded` nothing is run: the labels of all versions are
folded as they stand, which needs no torch.

Which of a program's breaks is the row's: the one with an id that the row has in any version, else the one on the line
where another version had it. So a version that gives a construct a new id needs no edit, and of a row that is new, with
`ok` for a verdict and no id yet, it is the first. Rows without a program, and
versions whose runs are not recorded, keep what was written by hand; the row says of which versions that holds. Where a
row says that its effect is written by hand, the program has the construct in a place that itself decides what becomes
of the frame, and the run gives the id alone.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compilelint.torchfacts import store
from compilelint.torchfacts.facts import nearest
from compilelint.torchfacts.refusals import NAME, Refusal, Refusals, from_content
from compilelint.torchfacts.registry import entries
from compilelint.torchfacts.verdict import OK, Verdict
from compilelint.torchfacts.vocabulary import Reason

LABELS = Path("benchmarks/registry")
Runs = Mapping[str, Mapping[str, dict[str, Any]]]
"""By release (`2.13`) and program (`keys/key_date`) what was recorded of it."""


def recorded(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """The recorded runs of all versions in a folder of labels."""
    runs = {}
    for path in folder.glob("labels-*.jsonl"):
        runs[path.stem.removeprefix("labels-")] = rows_of(path)
    return dict(sorted(runs.items(), key=lambda item: store.key_of(item[0])))


def rows_of(path: Path) -> dict[str, dict[str, Any]]:
    """The rows of a file of labels, by program."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return {row["case"]: row for row in rows}


def verdict_of(row: Refusal, release: str, runs: Runs, data: Path = store.DATA) -> Verdict | None:
    """How the construct of a row ended in a release; None where its program was not recorded there."""
    run = runs.get(release, {}).get(row.program)
    if run is None or run["label"] == "invalid":
        return None
    ids = {verdict.gb_id for _, verdict in row.verdicts} - {None}
    lines = {one["line"] for other in runs.values() for one in _breaks(other.get(row.program)) if one["gb"] in ids}
    by_id = [one for one in _breaks(run) if one["gb"] in ids or not ids]
    found = by_id or [one for one in _breaks(run) if one["line"] in lines]
    if not found:
        return OK
    gb_id = found[0]["gb"]
    reason = _reason(row, gb_id, release, data)
    if row.effect_by_hand:
        known = [row.verdict(release), *(verdict for _, verdict in row.verdicts)]
        like = next(verdict for verdict in known if verdict.breaks)
        return Verdict(reason, gb_id, like.skips_frame, like.raises)
    raises = found[0]["kind"] == "error"
    if not raises and "splits" not in found[0]:
        return None  # recorded before that was noted
    return Verdict(reason, gb_id, not raises and not found[0]["splits"], raises)


def _breaks(run: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    return [] if run is None else run["breaks"]


def _reason(row: Refusal, gb_id: str, release: str, data: Path) -> Reason:
    """The reason that the row has with this id, else that of the registry."""
    known = [verdict.reason for _, verdict in row.verdicts if verdict.gb_id == gb_id and verdict.reason is not None]
    return known[0] if known else entries(nearest(release, store.versions(data)), data)[gb_id].reason


def folded(shipped: Refusals, runs: Runs, data: Path = store.DATA) -> Refusals:
    """The rows with what was recorded in place of what they say; a release that is new to them is added."""
    measured = tuple(sorted({*shipped.measured, *runs}, key=store.key_of))
    return Refusals(measured, {key: _folded(row, measured, runs, data) for key, row in shipped.rows.items()})


def _folded(row: Refusal, measured: tuple[str, ...], runs: Runs, data: Path) -> Refusal:
    releases = sorted({*measured, *(release for release, _ in row.verdicts)}, key=store.key_of)
    verdicts: list[tuple[str, Verdict]] = []
    by_hand = set()
    for release in releases:
        verdict = verdict_of(row, release, runs, data)
        if verdict is None:
            verdict = row.verdict(release)
            by_hand.add(release)
        if not verdicts or verdicts[-1][1] != verdict:
            verdicts.append((release, verdict))
    return replace(row, verdicts=tuple(verdicts), by_hand=frozenset(by_hand))


def text_of(refusals: Refusals) -> str:
    """How the data file spells the rows: one a line, in the order of their keys."""
    lines = []
    for key, row in sorted(refusals.rows.items()):
        content: dict[str, Any] = {"program": row.program} if row.program else {}
        content["verdicts"] = {release: str(verdict) for release, verdict in row.verdicts}
        if row.effect_by_hand:
            content["effect"] = "by hand"
        if row.by_hand:
            content["by hand"] = " ".join(sorted(row.by_hand, key=store.key_of))
        lines.append(f"{json.dumps(key)}:{json.dumps(content, separators=(',', ':'))}")
    head = f'{{\n"schema":{store.SCHEMA},\n"measured":{json.dumps(list(refusals.measured))},\n"refusals":{{\n'
    return head + ",\n".join(lines) + "\n}}\n"


def differences(shipped: Refusals, found: Refusals) -> list[str]:
    """A line for each row that has another verdict in some release than the shipped one."""
    lines = []
    for key, row in found.rows.items():
        for release in found.measured:
            old, new = shipped.rows[key].verdict(release), row.verdict(release)
            if old != new:
                lines.append(f"{key} ({row.program}), torch {release}: shipped {old}, recorded {new}")
    return lines


def _run(programs: Iterable[str], out: Path | None) -> None:
    """Run programs under this interpreter's torch; into the labels of its version, or into a file."""
    command = [sys.executable, "-m", "benchmarks.registry.record"]
    for program in programs:
        command += ["--program", program]
    command += ["--out", str(out)] if out is not None else []
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL)


def _checked(shipped: Refusals, programs: Iterable[str], runs: Runs) -> Refusals:
    """The rows as the installed torch has them now; those whose program did not run keep what they say."""
    with tempfile.TemporaryDirectory(prefix="torchfacts-") as scratch:
        out = Path(scratch) / "labels.jsonl"
        _run(programs, out)
        fresh = rows_of(out)
    releases = {".".join(row["torch"].split(".")[:2]) for row in fresh.values()}
    return folded(shipped, {**runs, **dict.fromkeys(releases, fresh)})


def main(argv: Sequence[str] | None = None) -> int:
    """Answers the exit code: 0 fine, 1 the shipped rows say otherwise."""
    parser = argparse.ArgumentParser(
        prog="python -m compilelint.torchfacts.generate.refusals",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--check", action="store_true", help="compare with the shipped rows")
    mode.add_argument("--install", action="store_true", help="write the shipped rows")
    parser.add_argument("--recorded", action="store_true", help="run nothing: fold the labels as they are")
    parser.add_argument("keys", nargs="*", help="rows whose programs are run (all)")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="with --check: each N-th program alone")
    options = parser.parse_args(argv)
    if not LABELS.is_dir():
        parser.error(f"there is no {LABELS} here: run it from the root of a checkout")
    path = store.DATA / NAME
    shipped = from_content(json.loads(path.read_text(encoding="utf-8")))
    if unknown := sorted(set(options.keys) - shipped.rows.keys()):
        parser.error(f"{path.name} has no row {unknown[0]!r}")
    wanted = [row for key, row in shipped.rows.items() if not options.keys or key in options.keys]
    programs = sorted({row.program for row in wanted} - {""})[:: options.every]
    if options.check and not options.recorded:
        found = _checked(shipped, programs, recorded(LABELS))
    else:
        if not options.recorded:
            _run(programs, None)
        found = folded(shipped, recorded(LABELS))
    lines = differences(shipped, found)
    print("\n".join(lines) or f"{len(found.rows)} rows agree", file=sys.stderr)
    if options.install:
        path.write_text(text_of(found), encoding="utf-8")
        return 0
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
