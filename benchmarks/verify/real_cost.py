"""What `verify` costs on real models, in CPU seconds a target, and what that is made of.

    python -m benchmarks.verify.real_cost [--count 24] [--python PYTHON]

The models are those of `recipes.jsonl.gz` whose names have the least hash, built and run in one batch; transformers
and diffusers must be importable. Beside it the same models are built, called twice without compiling and called twice
compiled in one plain process: what no way of verifying could leave out, and what importing costs. Prints a row each.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.fixes.halves import rank
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target
from compilelint.model import Fate

HERE = Path(__file__).parent
_TARGETS = "from rebuild import model\n\n\ndef case{number}():\n    return model({case!r})\n\n\n"
_PLAIN = """
import contextlib, io, json, sys, time

def spent(what, since):
    parts[what] = parts.get(what, 0.0) + time.process_time() - since

parts, start = {}, time.process_time()
import torch, torch._dynamo, diffusers, transformers
torch.set_num_threads(1)
spent("import of torch and the libraries", start)
from rebuild import model
for case in json.loads(sys.argv[1]):
    torch._dynamo.reset()
    start = time.process_time()
    made, calls = model(case)
    spent("building", start)
    for name, called in (("eager calls", made), ("compiled calls", torch.compile(made, backend="eager"))):
        start = time.process_time()
        with contextlib.suppress(Exception), torch.no_grad():
            for args, named in calls[:2]:
                called(*args, **named)
        spent(name, start)
print(json.dumps(parts))
"""


def main() -> None:
    """Measure, and print the rows."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--count", type=int, default=24)
    asked.add_argument("--python", default=sys.executable)
    given = asked.parse_args()
    from benchmarks.verify.rebuild import recipes

    cases = sorted(recipes(), key=rank)[: given.count]
    with tempfile.TemporaryDirectory() as folder:
        for name in ("rebuild.py", "recipes.jsonl.gz"):
            Path(folder, name).write_bytes((HERE / name).read_bytes())
        text = "".join(_TARGETS.format(number=number, case=case) for number, case in enumerate(cases))
        Path(folder, "cases.py").write_text(text, encoding="utf-8")
        targets = [
            Target(f"cases:case{number}", mode="train" if case.endswith("/train") else "eval")
            for number, case in enumerate(cases)
        ]
        before, started = _children(), time.monotonic()
        runs = observe(targets, Settings(python=given.python, paths=(folder,), cwd=folder, threads=1))
        cpu, wall = _children() - before, time.monotonic() - started
        for case, run in zip(cases, runs, strict=True):
            print(f"  {case}: {run.fate.value}, {run.seconds:.1f} s, {len(run.own_breaks)} breaks", file=sys.stderr)
        plain = subprocess.run(
            [given.python, "-W", "ignore", "-c", _PLAIN, json.dumps(cases)],
            cwd=folder,
            check=True,
            capture_output=True,
            text=True,
        )
    ran = sum(run.fate is Fate.RAN for run in runs)
    parts: dict[str, float] = json.loads(plain.stdout.splitlines()[-1])
    print(f"| {len(cases)} targets, {ran} ran | CPU s | CPU s a target |\n|---|---|---|")
    for name, seconds in {"verify, one batch": cpu, **parts, "the plain process": sum(parts.values())}.items():
        print(f"| {name} | {seconds:.1f} | {seconds / len(cases):.2f} |")
    print(f"\nverify took {wall:.0f} s of wall time")


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
