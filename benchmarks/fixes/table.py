"""What fixes did to recorded breaks: the table of `benchmarks/fixes.md`. Needs torch to read the recordings.

    python table.py --truth TRUTH.jsonl.gz... --report LINT.json --root LIBRARY --old REC --variant LIBRARY REC...

`--root` is the library as it is, and `--old` what `record.py` recorded of it (eager only). A variant is a library as
fixed, with a recording of it (with or without the switches that `fix --verify` tries); there may be several, since
`fix --verify` keeps what is right for a place. Columns, each place counted once:

- `ran`: a case that shows the place ran in the original and in some variant.
- `gone`: in some variant no case breaks in its statement any more. A variant only counts for a place if it was recorded
  for all cases of the place that ran in any.
- `equal`: and in each of these cases the variant, eager and compiled, gives the outputs, gradients and buffers of the
  original's eager run.
- `proven`: and nothing breaks in any of these cases that is in no recording of the original.

A sample on which the original raises is no input that `fix --verify` takes; `--valid` leaves such samples out.
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


@dataclass
class Variant:
    """A fixed library as recorded: for each case where it breaks (as places of the original), and what differs."""

    broken: dict[str, set[tuple[str, int]]]
    parity: dict[str, str]
    fresh: dict[str, set[tuple[str, int]]]


def main() -> None:
    """Print the table, and for each variant the cases without parity and the breaks that are new."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--truth", nargs="+", required=True)
    for name in ("report", "root", "old"):
        asked.add_argument(f"--{name}", required=True)
    asked.add_argument("--variant", nargs=2, action="append", required=True, metavar=("LIBRARY", "REC"))
    asked.add_argument("--valid", action="store_true", help="leave out samples on which the original raises")
    asked.add_argument("--places", action="store_true", help="also print every place that ran and is not proven")
    given = asked.parse_args()
    sites = _sites(given.truth)
    root = Path(given.root)
    found = _found(Path(given.report), given.root, sites)
    variants = [_variant(Path(rec), given, Path(fixed), sites) for fixed, rec in given.variant]
    compared = set().union(*(one.parity for one in variants))

    rows: dict[str, Counter[str]] = defaultdict(Counter)
    left: list[tuple[str, int]] = []
    for place, site in sites.items():
        row = rows[site.break_id]
        row["recorded"] += 1
        if place not in found:
            continue
        row["found"] += 1
        ran = site.cases & compared
        if not ran:
            continue
        row["ran"] += 1
        best = max((_outcome(place, site, ran, one) for one in variants), default=0)
        row["gone"] += best >= 1
        row["equal"] += best >= 2
        row["proven"] += best == 3
        if best < 3:
            left.append(place)
    _print(rows)
    print(f"\n{len(compared)} cases compared")
    for (fixed, rec), one in zip(given.variant, variants, strict=True):
        _print_variant(f"{Path(fixed).name}, {Path(rec).name}", one, root)
    for file, line in sorted(left) if given.places else ():
        print(f"- {file}:{line} {sites[file, line].break_id}: {_line(root, file, line)}")


def _variant(rec: Path, given: argparse.Namespace, fixed: Path, sites: dict[tuple[str, int], Site]) -> Variant:
    found = Variant({}, {}, {})
    where = _Moved(Path(given.root), fixed)
    places = set(sites)
    for path in sorted(rec.glob("*.pt")):
        case, original = path.stem.replace("~", "/"), Path(given.old) / path.name
        after = torch.load(path, weights_only=False)
        before = torch.load(original, weights_only=False) if original.is_file() else {"fate": "not recorded"}
        if after["fate"] == before["fate"] == "ok":
            broken = {where.before(one["file"], one["line"]) for one in after["breaks"]}
            found.broken[case] = broken
            found.parity[case] = _difference(before, after, given.valid)
            found.fresh[case] = {one for one in broken if not _known(one, places, sites) and one[1] > 0}
    return found


def _outcome(place: tuple[str, int], site: Site, ran: set[str], variant: Variant) -> int:
    """0 if the variant still breaks there or was not recorded for all of `ran`; 1 gone, 2 equal too, 3 proven."""
    if not ran <= set(variant.parity):
        return 0
    file, _ = place
    if any((file, number) in variant.broken[case] for case in ran for number in range(site.first, site.last + 1)):
        return 0
    if any(variant.parity[case] for case in ran):
        return 1
    return 2 if any(variant.fresh[case] for case in ran) else 3


def _print_variant(name: str, variant: Variant, root: Path) -> None:
    failing = sorted(case for case, difference in variant.parity.items() if difference)
    print(f"\n{name}: {len(variant.parity)} cases compared, {len(failing)} differ")
    for case in failing:
        print(f"- {case}: {variant.parity[case]}")
    fresh = set().union(*variant.fresh.values()) if variant.fresh else set()
    print(f"{len(fresh)} statements break that did not break before")
    for file, line in sorted(fresh):
        print(f"- {file}:{line}: `{_line(root, file, line)}`")


def _line(root: Path, file: str, line: int) -> str:
    path = root / file
    return path.read_text(encoding="utf-8").splitlines()[line - 1].strip() if path.is_file() else ""


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


def _difference(old: dict[str, Any], new: dict[str, Any], valid: bool = False) -> str:
    """The first thing that differs from the original's eager run; empty where all is equal.

    `valid`: samples on which the original raises are left out.
    """
    for how in ("eager", "compiled"):
        if len(old["eager"]) != len(new[how]):
            return f"{how}: another number of results"
        for number, (wanted, got) in enumerate(zip(old["eager"], new[how], strict=True)):
            difference = "" if valid and wanted["error"] else _unequal(wanted, got)
            if difference:
                return f"{how}, sample {number}: {difference}"
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
    heads = ("recorded", "found", "ran", "gone", "equal", "proven")
    print("| id | " + " | ".join(heads) + " |\n|---|" + "---|" * len(heads))
    for name, row in sorted(rows.items(), key=lambda item: -item[1]["recorded"]):
        print(f"| {name} | " + " | ".join(str(row[head]) for head in heads) + " |")
    total = sum(rows.values(), Counter[str]())
    print("| **all** | " + " | ".join(str(total[head]) for head in heads) + " |")


if __name__ == "__main__":
    main()
