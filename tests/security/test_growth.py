"""Ordinary shapes, twice as large: the work doubles, near enough. It is counted in calls, not in seconds."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from compilelint.config import Options
from compilelint.session.commands.lint import lint

HEAD = "import torch\n"
LAYER = HEAD + "class C0(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
MOST = 2.4

SHAPES: dict[str, tuple[int, Callable[[int], str]]] = {
    "compiled functions": (
        40,
        lambda n: HEAD + "".join(f"@torch.compile\ndef f{i}(x):\n    return x + {i}\n" for i in range(n)),
    ),
    "functions with a break": (
        25,
        lambda n: (
            HEAD + "".join(f"@torch.compile\ndef f{i}(x):\n    if x.sum() > {i}:\n        return x\n" for i in range(n))
        ),
    ),
    "branches on a number": (
        100,
        lambda n: (
            HEAD
            + "@torch.compile\ndef f(x: torch.Tensor, a: int):\n"
            + "".join(f"    if a == {i}:\n        x = x + {i}\n" for i in range(n))
            + "    return x\n"
        ),
    ),
    "branches on a tensor": (
        50,
        lambda n: (
            HEAD
            + "@torch.compile\ndef f(x):\n"
            + "".join(f"    if x.sum() > {i}:\n        x = x + {i}\n" for i in range(n))
            + "    return x\n"
        ),
    ),
    "classes that each call the one above": (
        40,
        lambda n: (
            LAYER
            + "".join(
                f"class C{i}(C{i - 1}):\n    def forward(self, x):\n        return super().forward(x) + {i}\n"
                for i in range(1, n)
            )
        ),
    ),
    "classes below each other": (
        100,
        lambda n: (
            LAYER
            + "".join(f"class C{i}(C{i - 1}):\n    def g{i}(self, x):\n        return x + {i}\n" for i in range(1, n))
        ),
    ),
    "compiled functions that each call the one before": (
        40,
        lambda n: (
            HEAD
            + "@torch.compile\ndef f0(x):\n    return x\n"
            + "".join(f"@torch.compile\ndef f{i}(x):\n    return f{i - 1}(x) + {i}\n" for i in range(1, n))
        ),
    ),
    "globals that a compiled function swaps": (
        40,
        lambda n: (
            HEAD
            + "".join(f"g{i} = 0\n" for i in range(n))
            + f"@torch.compile\ndef f(x):\n    global {', '.join(f'g{i}' for i in range(n))}\n"
            + "".join(f"    g{i}, g{(i + 1) % n} = g{(i + 1) % n}, x\n" for i in range(n))
            + "    return x\n"
        ),
    ),
    "models that are compiled under names of their own": (
        20,
        lambda n: (
            LAYER
            + "".join(f"m{i} = torch.compile(C0())\n" for i in range(n))
            + "def run(x):\n"
            + "".join(f"    x = m{i}(x)\n" for i in range(n))
        ),
    ),
    "functions that each compile under one name": (
        20,
        lambda n: (
            LAYER
            + "".join(f"def f{i}(x):\n    m = torch.compile(C0())\n    m.half()\n    return m(x)\n" for i in range(n))
        ),
    ),
    "parts of objects, and methods, that are compiled": (
        10,
        lambda n: (
            LAYER
            + "".join(f"p{i} = load()\np{i}.net = torch.compile(p{i}.net)\np{i}(1)\n" for i in range(n))
            + "".join(
                f"class D{i}:\n    @torch.compile\n    def f(self, x):\n        return x + {i}\n"
                "    def g(self, x):\n        return self.f(x)\n"
                for i in range(n)
            )
        ),
    ),
    "operands of one condition": (
        100,
        lambda n: HEAD + f"@torch.compile\ndef f(x):\n    return {' and '.join(['x'] * n)}\n",
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_work_grows_no_faster_than_the_text(shape: str, tmp_path: Path) -> None:
    size, text = SHAPES[shape]
    counts = [_calls(text(size * times), tmp_path / f"m{times}.py") for times in (1, 2, 4)]
    first, second, third = counts
    assert (third - second) / (second - first) <= MOST, counts


def _calls(text: str, path: Path) -> int:
    """How many functions of Python a lint of a file calls, in all threads; what is done once is done before."""
    path.write_text(text)
    options = Options(paths=(str(path),), torch_version="2.13", no_cache=True)
    lint(options)  # tables are loaded and modules imported once
    count = 0

    def counted(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event == "call"

    threading.setprofile(counted)
    sys.setprofile(counted)
    try:
        lint(options)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return count
