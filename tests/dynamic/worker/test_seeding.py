"""The state of torch's generators is read and compared by torch alone: the extra `dynamic` brings no NumPy."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.dynamo


def test_a_draw_and_a_device_that_came_into_use_are_seen_and_nothing_else_is() -> None:
    import torch

    from compilelint.dynamic.worker.seeding import drew_since, generators

    before = generators()
    torch.ones(3).sin()
    assert not drew_since(before)
    torch.rand(1)
    assert drew_since(before)
    assert drew_since([*generators(), torch.zeros(1)])


WITHOUT_NUMPY = """
import sys
sys.modules["numpy"] = None  # as where it is not installed, for Python and for torch's own code
import torch
from compilelint.dynamic.worker.calling import make_calls
from compilelint.dynamic.worker.exercises import Exercise
from compilelint.dynamic.worker.exercising import exercised

try:
    torch.ones(1).numpy()
except RuntimeError:
    print("no NumPy")
made = make_calls(torch.rand_like, torch.rand_like, [((torch.ones(3),), {})], train=False, seed=0)
print(made.error, made.drew)
(run,) = exercised(torch.sin, torch.sin, [Exercise("one", lambda: ((torch.ones(2),), {}), 0, False)])
print(run["error"], len(run["drawn"]))
"""


def test_calls_and_exercises_run_where_numpy_is_not_installed() -> None:
    command = [sys.executable, "-c", WITHOUT_NUMPY]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (ran.stdout.splitlines(), ran.returncode) == (["no NumPy", " True", " 16"], 0), ran.stderr
