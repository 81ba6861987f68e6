"""Compares the shipped tables with the recorded ones, and writes a random sample of expectations for the tests.

Usage: python -m benchmarks.facts.sample RECORDED_FOLDER --seed 20261 --out tests/torchfacts/recorded.json
Reads recorded texts by a second, independent route (not `convert.verdict_of`). Compares all entries, exits 1 where
the tables disagree; `MEASURED_AGAIN` are the entries that a later measurement answered otherwise.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.facts.keys import MIXED, api_keys, stdlib_keys, syntax_keys
from compilelint.torchfacts import TorchFacts, load

SAMPLE = 600
# A capture flag cures these for some inputs only; the two measurements took different inputs.
MEASURED_AGAIN = {
    (version, key)
    for version in ("2.13.0", "2.15.0")
    for key in ("torch.nn.functional.gaussian_nll_loss", "layer:torch.nn.GaussianNLLLoss")
}


def expectation(text: str) -> dict[str, Any]:
    """What a recorded text says, as plain fields."""
    parts = text.replace("; to enable, set", ", to enable, set").split(";")
    options = dict(part.split("=", 1) for part in parts[1:] if "=" in part)
    head = parts[0]
    breaks = head != "ok"
    full = options.get("full")
    gb_id = head.rpartition(":")[2]
    if head == "Data-dependent branching":
        gb_id = "GB0170"  # torch 2.8 registers it under a placeholder type, which the recording could not look up
    return {
        "breaks": breaks,
        "breaks_fullgraph": full != "ok" if full else breaks,
        "skips_frame": head.startswith("skipframe:"),
        "raises": head.startswith("error:"),
        "gb_id": gb_id if gb_id.startswith("GB") else None,
        "cured_by": sorted(
            {"S": "capture_scalar_outputs", "D": "capture_dynamic_output_shape_ops"}[c] for c in options.get("cfg", "")
        ),
    }


def recorded_entries(content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Key and text of every recorded entry that stands for one key alone."""
    for text, labels in content["api"].items():
        for label in labels:
            if text != "mixed" and label not in MIXED:
                yield from ((key, text) for key in api_keys(label))
    for part, keys_of in (("stdlib", stdlib_keys), ("syntax", syntax_keys)):
        for label, text in content[part].items():
            yield from ((key, text) for key in keys_of(label))


def answer(facts: TorchFacts, key: str) -> dict[str, Any] | None:
    """The table's answer in the same fields; None where it has none."""
    verdict = facts.verdict(key)
    if verdict is None:
        return None
    return {
        "breaks": verdict.breaks,
        "breaks_fullgraph": verdict.breaks_fullgraph,
        "skips_frame": verdict.skips_frame,
        "raises": verdict.raises,
        "gb_id": verdict.gb_id,
        "cured_by": sorted(flag.value for flag in verdict.cured_by),
    }


def main() -> int:
    """Answers the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recorded", type=Path)
    parser.add_argument("--seed", type=int, default=20261)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    rows: list[tuple[str, str, dict[str, Any]]] = []
    for path in sorted(options.recorded.glob("facts-[0-9]*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        answers: dict[str, set[str]] = {}
        for key, text in recorded_entries(content):
            answers.setdefault(key, set()).add(text)
        # Two labels that share a key and disagree are for the converter to decide, not for this check.
        rows += [(content["torch"], key, expectation(texts.pop())) for key, texts in answers.items() if len(texts) == 1]
    wrong = []
    for version, key, expected in rows:
        if (version, key) not in MEASURED_AGAIN and (found := answer(load(version), key)) != expected:
            wrong.append(f"{version} {key}: recorded {expected}, table {found}")
    print("\n".join(wrong[:40]))
    print(f"{len(rows)} entries compared, {len(wrong)} disagree")
    if options.out and not wrong:
        chosen = random.Random(options.seed)
        breaking = [row for row in rows if row[2]["breaks"] and row[:2] not in MEASURED_AGAIN]
        clean = [row for row in rows if not row[2]["breaks"] and row[:2] not in MEASURED_AGAIN]
        sample = sorted(
            chosen.sample(breaking, SAMPLE // 2) + chosen.sample(clean, SAMPLE // 2), key=lambda row: row[:2]
        )
        lines = ",\n".join(json.dumps([version, key, expected]) for version, key, expected in sample)
        options.out.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
