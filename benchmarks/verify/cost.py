"""What a target costs beyond the one torch import of its worker: CPU seconds of a hundred tiny models.

python -m benchmarks.verify.cost --python PYTHON
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target
from compilelint.model import Fate

_HEAD = "import torch\n\n\n"
MODEL = """\
class Tiny{number}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(8, {width})
        self.second = torch.nn.Linear({width}, 8)

    def forward(self, x):
        y = self.first(x).relu()
        {middle}
        return self.second(y) + x


"""
MIDDLES = ("y = y * 2", "y = y if y.sum() > 0 else -y", "y = y * y.max().item()", "y = y.softmax(-1)")


def seconds(count: int, python: str) -> tuple[float, float]:
    """CPU and wall seconds of one batch of `count` tiny targets, their worker included."""
    with tempfile.TemporaryDirectory() as folder:
        text = "".join(
            MODEL.format(number=number, width=8 + number % 5, middle=MIDDLES[number % len(MIDDLES)])
            for number in range(count)
        )
        Path(folder, "tiny_models.py").write_text(_HEAD + text, encoding="utf-8")
        targets = [Target(f"tiny_models:Tiny{number}") for number in range(count)]
        before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        runs = observe(targets, Settings(python=python, paths=(folder,)))
        wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
        assert all(run.fate is Fate.RAN for run in runs)
        assert sum(len(run.own_breaks) for run in runs) == sum(number % 4 in (1, 2) for number in range(count))
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def main(argv: Sequence[str] | None = None) -> int:
    """Print the cost of a worker with one target, and of each further target."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--count", type=int, default=100)
    options = parser.parse_args(argv)
    one, _ = seconds(1, options.python)
    many, wall = seconds(options.count, options.python)
    each = (many - one) / (options.count - 1)
    print(f"a worker with one target: {one:.2f} CPU s")
    print(f"one with {options.count}: {many:.1f} CPU s, {wall:.1f} s of wall time")
    print(f"each target beyond the first: {each:.2f} CPU s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
