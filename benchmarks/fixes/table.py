"""What fixes did to recorded breaks: the table of `benchmarks/fixes.md`. Needs torch to read the recordings.

    python table.py --truth TRUTH.jsonl.gz... --report LINT.json --root LIBRARY --fixed LIBRARY --old REC --new REC

`--root` is the library as it is, `--fixed` as fixed, `--old` and `--new` what `record.py` recorded of them (`--old`
eager only). A break counts as removed if no case that ran breaks in its statement any more, and in each of them the
fixed library, eager and compiled, gives the outputs, gradients and buffers of the original's eager run.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import json
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch


@dataclass
class Site:
    """A recorded break: its id, statement, and the cases that showed it."""

    break_id: str
    first: int
    last: int
    cases: set[str] = field(default_factory=set)


def main() -> None:
    """Print the table, the cases without parity, and the breaks that are new."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--truth", nargs="+", required=True)
    for name in ("report", "root", "fixed", "old", "new"):
        asked.add_argument(f"--{name}", required=True)
    given = asked.parse_args()
    sites = _sites(given.truth)
    found = _found(Path(given.report), given.root, sites)
    old, new = (_recordings(Path(folder)) for folder in (given.old, given.new))
    where = _Moved(Path(given.root), Path(given.fixed))

    broken: dict[str, set[tuple[str, int]]] = {}
    parity: dict[str, str] = {}
    for case, after in new.items():
        if after["fate"] == "ok" and case in old and old[case]["fate"] == "ok":
            broken[case] = {where.before(one["file"], one["line"]) for one in after["breaks"]}
            parity[case] = _difference(old[case], after)

    rows: dict[str, Counter[str]] = defaultdict(Counter)
    for (file, line), site in sites.items():
        row = rows[site.break_id]
        row["recorded"] += 1
        if (file, line) not in found:
            continue
        row["found"] += 1
        ran = site.cases & set(broken)
        if not ran:
            continue
        row["ran"] += 1
        still = any((file, number) in broken[case] for case in ran for number in range(site.first, site.last + 1))
        row["gone"] += not still
        row["proven"] += not still and not any(parity[case] for case in ran)
    _print(rows)
    failing = sorted(case for case, told in parity.items() if told)
    print(f"\n{len(parity)} cases compared, {len(failing)} differ")
    for case in failing:
        print(f"- {case}: {parity[case]}")
    places = set(sites)
    fresh = {
        place
        for case, all_of in broken.items()
        for place in all_of
        if not _known(place, places, sites) and place[1] > 0
    }
    print(f"\n{len(fresh)} statements break that did not break before")
    for file, line in sorted(fresh):
        if (Path(given.root) / file).is_file():
            lines = (Path(given.root) / file).read_text(encoding="utf-8").splitlines()
            print(f"- {file}:{line}: `{lines[line - 1].strip()}`")


def _sites(truth: list[str]) -> dict[tuple[str, int], Site]:
    found: dict[tuple[str, int], Site] = {}
    for path in truth:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                case = json.loads(line)
                for one in case["breaks"]:
                    if not one.get("secondary"):
                        made = Site(one["gb"], one["span"][0], one["span"][1])
                        found.setdefault((one["file"], one["line"]), made).cases.add(case["case"])
    return found


def _found(report: Path, root: str, sites: dict[tuple[str, int], Site]) -> set[tuple[str, int]]:
    """The sites that a finding of the lint of the original covers, as `score.py` counts it."""
    lines: set[tuple[str, int]] = set()
    for one in json.loads(report.read_text(encoding="utf-8"))["findings"]:
        if "graph-break" in one["effects"]:
            file = one["path"].removeprefix(root.rstrip("/") + "/")
            lines |= {(file, number) for number in range(one["line"], min(one["end_line"], one["line"] + 2) + 1)}
    return {
        place
        for place, site in sites.items()
        if any((place[0], number) in lines for number in range(site.first, site.last + 1))
    }


def _recordings(folder: Path) -> dict[str, dict[str, Any]]:
    return {path.stem.replace("~", "/"): torch.load(path, weights_only=False) for path in sorted(folder.glob("*.pt"))}


class _Moved:
    """Where a line of the fixed library stood before."""

    def __init__(self, root: Path, fixed: Path) -> None:
        self.root = root
        self.fixed = fixed
        self.maps: dict[str, dict[int, int]] = {}

    def before(self, file: str, line: int) -> tuple[str, int]:
        """The place in the original; a line that is new is that of the stretch it replaces."""
        if file not in self.maps:
            self.maps[file] = self._map(file)
        return file, self.maps[file].get(line, line)

    def _map(self, file: str) -> dict[int, int]:
        if not (self.root / file).is_file():
            return {}
        old, new = ((folder / file).read_text(encoding="utf-8").splitlines() for folder in (self.root, self.fixed))
        found: dict[int, int] = {}
        for _, start, end, first, last in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            for number in range(first, last):
                found[number + 1] = min(start + number - first, max(end - 1, start)) + 1
        return found


def _known(place: tuple[str, int], places: set[tuple[str, int]], sites: dict[tuple[str, int], Site]) -> bool:
    return any(
        place[0] == file and sites[file, line].first <= place[1] <= sites[file, line].last for file, line in places
    )


def _difference(old: dict[str, Any], new: dict[str, Any]) -> str:
    """The first thing that differs from the original's eager run; empty where all is equal."""
    for how in ("eager", "compiled"):
        if len(old["eager"]) != len(new[how]):
            return f"{how}: another number of results"
        for number, (wanted, got) in enumerate(zip(old["eager"], new[how], strict=True)):
            told = _unequal(wanted, got)
            if told:
                return f"{how}, sample {number}: {told}"
    return ""


def _unequal(wanted: dict[str, Any], got: dict[str, Any]) -> str:
    if wanted["error"] or got["error"]:
        same = wanted["error"].partition(":")[0] == got["error"].partition(":")[0]
        return "" if same else f"error {wanted['error'] or 'none'!r} became {got['error'] or 'none'!r}"
    if len(wanted["outputs"]) != len(got["outputs"]):
        return "another number of outputs"
    for number, (one, other) in enumerate(zip(wanted["outputs"], got["outputs"], strict=True)):
        if not _close(one, other):
            return f"output {number}"
    for kind in ("gradients", "state"):
        if set(wanted[kind]) != set(got[kind]):
            return f"{kind} of other names"
        for name, one in wanted[kind].items():
            if not _close(one, got[kind][name]):
                return f"{kind} {name}"
    return ""


def _close(one: torch.Tensor, other: torch.Tensor) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if not one.is_floating_point():
        return bool(torch.equal(one, other))
    return bool(torch.allclose(one, other, rtol=1e-3, atol=1e-4, equal_nan=True))


def _print(rows: dict[str, Counter[str]]) -> None:
    heads = ("recorded", "found", "ran", "gone", "proven")
    print("| id | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads))
    for name, row in sorted(rows.items(), key=lambda item: -item[1]["recorded"]):
        print(f"| {name} | " + " | ".join(str(row[head]) for head in heads) + " |")
    total = sum(rows.values(), Counter[str]())
    print("| **all** | " + " | ".join(str(total[head]) for head in heads) + " |")


if __name__ == "__main__":
    main()
