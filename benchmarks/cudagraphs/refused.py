"""Writes the operations that a capture refuses, from a recording of operations; needs torch for their names.

    python -m benchmarks.cudagraphs.refused OUT.jsonl

An operation is refused where every sample with elements raised in the capture. The answer is
`torchfacts/data/cudagraphs.json`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.cudagraphs.label import label
from benchmarks.cudagraphs.record import known_operations, samples

_TAKEN = frozenset({"histc"})  # recorded by a program (`operations/histogram`); the only sample here is 0-d
_DATA = Path(__file__).resolve().parents[2] / "src/compilelint/torchfacts/data/cudagraphs.json"


def main(argv: Sequence[str]) -> int:
    """Write the file."""
    rows = [json.loads(line) for line in Path(argv[0]).read_text(encoding="utf-8").splitlines()]
    names = sorted({spelled for name in _refused(rows) for spelled in _spellings(name)})
    known = {"torch": rows[0]["torch"].partition("+")[0], "device": rows[0]["device"], "refused": names}
    _DATA.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    return 0


def _refused(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    found: dict[str, list[bool]] = {}
    for row in rows:
        name, _, number = row["case"].partition("#")
        if row["status"] in ("graphed", "partial", "skipped") and _has_elements(samples(name)[int(number)]):
            found.setdefault(name, []).append("refused" in label(row)["reasons"])
    return (name for name, answers in found.items() if all(answers) and name not in _TAKEN)


def _has_elements(sample: Any) -> bool:
    import torch

    leaves = torch.utils._pytree.tree_leaves((sample.input, sample.args, sample.kwargs))
    return all(leaf.numel() > 0 for leaf in leaves if isinstance(leaf, torch.Tensor))


def _spellings(name: str) -> Iterator[str]:
    """`torch.linalg.matrix_exp` and `torch.matrix_exp`; a variant that is chosen by an argument has none."""
    import torch

    operation = known_operations()[name]
    if operation.variant_test_name:
        return
    for dotted in (operation.name, *(alias.name for alias in operation.aliases)):
        here: Any = torch
        for part in dotted.split("."):
            here = getattr(here, part, None)
        if callable(here) and not dotted.startswith("_"):
            yield f"torch.{dotted}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
