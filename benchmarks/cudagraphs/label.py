"""Turns recordings into labels: which cases CUDA graphs do not take whole, why, and where.

    python -m benchmarks.cudagraphs.label OUT.jsonl RECORDING.jsonl...

A later recording of a case replaces an earlier one. A case is `hostile` where Inductor left graphs out, split them or
raised for what a capture cannot do, `clean` where it recorded everything, else `unjudged`: it failed in eager mode, no
graph was captured, or nothing was recorded for no reason that Inductor gives (it was compiled again in every call).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# What a run that records says of an operation or result that a graph cannot hold.
_REFUSALS = {
    "has been overwritten by a subsequent run": "overwritten",
    "Cannot copy between CPU and CUDA tensors during CUDA graph capture": "refused",
    "operation failed due to a previous error during capture": "refused",
    "storage data ptrs are not allocated in pool": "host memory",
}


# Operators whose kernel, written in Python, reads on the host: each of the 18 models that an H100 refused calls one.
_REFUSED_KERNELS = frozenset({"transformers.grouped_mm_fallback.default"})


def main(argv: Sequence[str]) -> int:
    """Write one line a case, sorted by name."""
    rows: dict[str, dict[str, Any]] = {}
    for path in argv[1:]:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            row = label(json.loads(line))
            if row["label"] != "unjudged" or row["case"] not in rows:
                rows[row["case"]] = row
    Path(argv[0]).write_text("".join(json.dumps(rows[name]) + "\n" for name in sorted(rows)), encoding="utf-8")
    return 0


def label(row: Mapping[str, Any]) -> dict[str, Any]:
    """`case`, `torch`, `device`, `label`, `reasons` and `places` (`file:line`) of one recorded line."""
    reasons = {one["reason"].removeprefix("skipping cudagraphs due to ").strip() for one in row.get("skips", ())}
    reasons |= {one["reason"] for one in row.get("partitions", ())}
    reasons |= {said for text, said in _REFUSALS.items() if text in (row.get("error") or "")}
    if row["device"] == "none" and _REFUSED_KERNELS & set(row.get("kernels", ())):
        reasons.add("refused")
    places = {place for kind in ("skips", "partitions") for one in row.get(kind, ()) for place in one["places"]}
    left_out = row["status"] in ("partial", "skipped", "error") or "refused" in reasons
    hostile = bool(reasons) and left_out and bool(row.get("graphs"))
    judged = "hostile" if hostile else "clean" if row["status"] == "graphed" else "unjudged"
    known = {key: row.get(key, "") for key in ("case", "torch", "device")}
    return {**known, "label": judged, "reasons": sorted(reasons), "places": sorted(places)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
