"""Measure the plain models on a CUDA device: `python benchmarks/bench/cuda.py FOLDER`, with `src` on PYTHONPATH.

`--part architectures` needs torch and nothing else of a checkout's requirements. `--part planted` lints the models too,
so that what was planted is found and priced as `compilelint bench` does it, and needs libcst. Writes
FOLDER/cuda-PART.md and FOLDER/cuda-PART.json again after each model, so that a run that is cut short keeps what it has;
a model for which the time does not last is named.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

from compilelint.bench.measure import bench
from compilelint.bench.plan import Plan, configs_from
from compilelint.bench.result import Bench
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target, input_set
from compilelint.report.layout.benches import bench_markdown
from compilelint.report.layout.benches_json import bench_json

HERE = Path(__file__).resolve().parent

COMPILED = "default,regional,reduce-overhead"
FOUR = {"width": 768, "layers": 4, "heads": 12}
PLANTED = {"width": 512, "layers": 4, "heads": 8, "vocabulary": 8192}


class Case(NamedTuple):
    """A model to measure: its class and arguments, inputs and configurations."""

    part: str
    name: str
    kind: str
    arguments: dict[str, Any]
    inputs: str
    configs: str = COMPILED
    mode: str = "eval"


CASES = (
    Case("architectures", "GPT-2-like, 4 layers", "Decoder", FOUR, "4x512:int64"),
    Case("architectures", "ResNet-26-like", "Residual", {"depths": (2, 2, 2, 2)}, "16x3x224x224"),
    Case("architectures", "ViT-B/16-like, 4 layers", "Vision", FOUR, "16x3x224x224"),
    Case("architectures", "BERT-like, 4 layers", "Encoder", FOUR, "8x256:int64"),
    Case("architectures", "ConvNeXt-like", "ConvNext", {"depths": (2, 2, 4, 2)}, "16x3x224x224"),
    Case("planted", "a break in the block", "Breaking", PLANTED, "4x256:int64", "default"),
    Case("planted", "`.cpu()` in the block", "Travelling", PLANTED, "4x256:int64", "default"),
    Case("planted", "a counter", "Counting", PLANTED, "4x256:int64", "default"),
    Case("planted", "GPT-2-like in training", "Decoder", PLANTED, "4x256:int64", "default", mode="train"),
    Case("planted", "GPT-2-like with AMP", "Decoder", FOUR, "4x512:int64", "default,default+amp"),
)


def main() -> None:
    """Measure until the time is up."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folder", type=Path)
    asked.add_argument("--minutes", type=float, default=7.6, help="begin no model that may not end in time")
    asked.add_argument("--device", default="cuda", choices=["cuda", "cpu"])
    asked.add_argument("--part", default="architectures", choices=["architectures", "planted"])
    asked.add_argument("--only", default="", help="models whose name holds this")
    asked.add_argument("--small", action="store_true", help="sizes for a try")
    given = asked.parse_args()
    started = time.monotonic()
    given.folder.mkdir(parents=True, exist_ok=True)
    settings = Settings(python=sys.executable, paths=(str(HERE),), cwd=str(HERE), device=given.device, threads=0)
    done: list[Bench] = []
    left: list[str] = []
    longest = 0.0
    for case in CASES:
        began = time.monotonic()
        if case.part != given.part or given.only not in case.name:
            continue
        # What was slowest may come again.
        if began - started + longest > given.minutes * 60:
            left.append(case.name)
            continue
        done.append(_measured(case, settings, given))
        longest = max(longest, time.monotonic() - began)
        _write(given, done, left, time.monotonic() - started)
    _write(given, done, left, time.monotonic() - started)


def _measured(case: Case, settings: Settings, given: Any) -> Bench:
    arguments, inputs, configs = case.arguments, case.inputs, case.configs
    if given.small:
        small = {"width": 32, "heads": 4, "layers": 2} if "layers" in arguments else {"width": 16}
        arguments = {**arguments, **small}
        inputs = inputs.replace("512:", "64:").replace("256:", "64:").replace("16x3", "2x3")
    if given.device == "cpu":
        configs = ",".join(one for one in configs.split(",") if "reduce-overhead" not in one)
    sets = (input_set([inputs], case.name),)
    target = Target(f"plain_models:{case.kind}", sets, case.name, arguments, mode=case.mode, seeds=(0, 1))
    plan = Plan(configs_from(configs.split(","), given.device), rounds=8, seconds=0.2, limit=240)
    begun = time.monotonic()

    def progress(text: str) -> None:
        print(f"{time.monotonic() - begun:6.1f} s  {text}", flush=True)

    if case.part == "planted":
        from compilelint.config import Options  # the linter, whose packages not every machine with a GPU has
        from compilelint.session.commands.bench import bench as find_and_measure

        (found,) = find_and_measure([target], settings, plan, Options(()), progress).report.benches
        return found
    return bench(target, settings, plan, progress)


def _write(given: Any, done: list[Bench], left: list[str], took: float) -> None:
    name = f"{given.device}-{given.part}"
    command = f"PYTHONPATH=src python benchmarks/bench/{os.path.basename(__file__)} FOLDER --part {given.part}"
    text = f"Made by `{command}` in {took:.0f} s.\n\n{bench_markdown(done)}"
    text += "".join(f"\nNot measured, for want of time: {one}.\n" for one in left)
    (given.folder / f"{name}.md").write_text(text, encoding="utf-8")
    (given.folder / f"{name}.json").write_text(bench_json(done), encoding="utf-8")


if __name__ == "__main__":
    main()
