"""Shows what `--device cuda` observes: two plain models with a planted `.cpu()` and `.item()`, as JSON.

Needs torch with CUDA and the standard library; of compilelint only `compilelint.dynamic` and `compilelint.model`.

    PYTHONPATH=src python benchmarks/verify/cuda.py
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target, input_set
from compilelint.model import Fate, TargetRun

MODELS = '''\
import torch


class ToHost(torch.nn.Module):
    """Goes to the host and back, which Dynamo traces through; only `Reads` breaks."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(64, 64)

    def forward(self, x):
        y = self.layer(x)
        scale = y.abs().amax().cpu()
        return y / scale.to(y.device)


class Reads(ToHost):
    def forward(self, x):
        y = self.layer(x)
        if y.mean() > 1e9:
            y = y + 1
        return y * y.abs().amax().item()
'''


def row_of(run: TargetRun) -> dict[str, Any]:
    """One run without machine paths."""
    return {
        "target": run.target,
        "fate": run.fate.value,
        "detail": run.detail,
        "torch": run.torch,
        "inputs": list(run.inputs),
        "graphs": run.graphs,
        "ops": list(run.ops),
        "breaks": [[one.line, one.break_id, one.reason, one.statement] for one in run.own_breaks],
        "recompiles": len(run.recompiles),
        "parity": None
        if run.parity is None
        else [run.parity.compared, run.parity.unknown, len(run.parity.divergences)],
        "compile_seconds": run.compile_seconds,
        "within_budget": run.within_budget,
    }


def main() -> int:
    """Print a record a target and a backend; 1 where a model did not run, differs, or breaks elsewhere than planted."""
    planted = {"ToHost": set(), "Reads": {"if y.mean() > 1e9:", "return y * y.abs().amax().item()"}}
    well = True
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "planted.py").write_text(MODELS, encoding="utf-8")
        for backend in ("eager", "inductor"):
            settings = Settings(python=sys.executable, paths=(folder,), device="cuda", backend=backend)
            targets = [
                Target(f"planted:{name}", (input_set(["32x64"], "here"),), mode="train", timeout=400.0)
                for name in planted
            ]
            for name, run in zip(planted, observe(targets, settings), strict=True):
                print(json.dumps({"device": settings.device, "backend": backend, **row_of(run)}))
                agrees = run.parity is not None and run.parity.holds
                same = {one.statement for one in run.own_breaks} == planted[name]
                well = well and run.fate is Fate.RAN and agrees and same
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
