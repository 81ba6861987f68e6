"""The groups that the probes are measured in, one worker process each, and their result files. Needs no torch."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILES = ("language", "stdlib", "packages", "numpy", "constructs", "tensor", "torch", "layers", "contexts", "forms")
"""Groups of snippets written by hand, by the names of their files."""
PARTS = 3
"""So many groups share torch's op database."""
SWEPT = "swept"
QUIRKS = "quirks"
GROUPS = (*FILES, *(f"operators-{part}" for part in range(PARTS)), "modules", "synthesized", SWEPT, QUIRKS)
CUDA = "cuda"
CUDA_SWEPT = "cuda-swept"
ON_DEVICE = (CUDA, CUDA_SWEPT)
"""Groups that need a CUDA device; they are measured where torch sees one."""


def measured_lines(path: Path) -> list[dict[str, Any]]:
    """The complete lines of a result file; a line that a crash cut off is dropped."""
    if not path.exists():
        return []
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue
    return lines
