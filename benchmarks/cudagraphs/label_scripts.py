"""Labels of scripts from what `record_scripts.py` recorded: `python -m benchmarks.cudagraphs.label_scripts ROWS OUT`.

hostile: a result was overwritten (in either run), a graph was left out or split, or sizes kept all calls from a replay.
broken: only breaks of Dynamo's graphs, each of which was recorded. unjudged: it did not end in time, or raised for
another reason. clean: the rest, recorded and replayed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

_REASONS = {
    "has been overwritten": "overwritten",
    "distinct sizes": "sizes",
    "mutated inputs": "mutated-input",
    "cpu device": "cpu",
    "DeviceCopy": "device-copy",
}
_WHOLE_MODELS = ("hf_", "gpt_", "vit_", "unet_")


def label(row: dict[str, Any]) -> dict[str, Any]:
    """One row of the labels."""
    said = [row["error"] or "", row["strict"] or "", *(one["reason"] for one in row.get("skips", ()))]
    parts = row.get("partitions", ())
    replayed = "x" in row["trail"]
    reasons = [
        reason
        for words, reason in _REASONS.items()
        if any(words in text for text in (*said, *(one["reason"] for one in parts)))
        if reason != "sizes" or not replayed
    ]
    reasons += ["split"] if parts and not reasons else []
    if reasons:
        found = "hostile"
    elif row["error"] or not replayed:
        found = "unjudged"
    else:
        found = "broken" if row["breaks"] else "clean"
    places = [place for one in (*row.get("skips", ()), *parts) for place in one["places"]] + row.get("error_at", [])
    return {
        "case": row["case"],
        "kind": "model" if row["case"].startswith(_WHOLE_MODELS) else "program",
        "label": found,
        "reasons": reasons,
        "places": sorted({int(place.rpartition(":")[2]) for place in places}),
        "trail": row["trail"][:30],
        "graphs": row.get("graphs"),
        "breaks": row.get("breaks"),
        "error": (row["error"] or row["strict"] or "")[:120] or None,
        "torch": row.get("torch"),
        "device": row.get("device"),
    }


def main() -> None:
    """Read the rows, write the labels."""
    source, out = map(Path, sys.argv[1:3])
    rows = [label(json.loads(line)) for line in source.read_text(encoding="utf-8").splitlines()]
    out.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


if __name__ == "__main__":
    main()
