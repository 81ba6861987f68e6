"""Belief against torch: every public operation, called in every form that people use, on tensors of many kinds.

The interpreter reads the same calls that torch runs. What it does not know is counted, what it believes must be so: the
kind and number of results, dtype class, rank, sizes, and how they lie in memory. The forms and sizes are not those that
the rules in `results.json` were found with.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from compilelint.interp import roots_of
from compilelint.interp.driver.witness import Witness, revealed
from compilelint.values import Const, Permuted, Scalar, Sequence, Tensor, Union, Value
from compilelint.values.words import describe
from tests.support.real_results import FORMS, INPUTS, WITHOUT_TENSORS
from tests.support.reveal import facts, program_of

ROOT = Path(__file__).parents[3]
_TOGETHER = 20  # calls in one function
_A_FILE = 2_000  # calls of a file, which has a bound for its words


class Ran(NamedTuple):
    """A call, the inputs that it ran on, and what came back."""

    call: str
    inputs: int
    outcome: Any


def names() -> list[str]:
    """Every measured operation."""
    asked = {one for one in facts().results.names if one.startswith("torch.")}
    return sorted(one for one in asked if facts().results.plain(one) is None)


def calls_of(name: str) -> list[str]:
    """The calls of an operation, as text; a method's receiver is `x`."""
    if name.startswith("torch.Tensor."):
        method = name.rpartition(".")[2]
        return [f"x.{method}({form.partition(', ')[2]})" for form in FORMS if form == "x" or form.startswith("x, ")]
    return [f"{name}({form})" for form in (*FORMS, *WITHOUT_TENSORS)]


def ran(operations: list[str]) -> list[Ran]:
    """What torch returns, of the calls that run."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.real_results"],
        input=json.dumps({name: calls_of(name) for name in operations}),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [Ran(call, number, out) for found in json.loads(done.stdout).values() for number, call, out in found]


def believed(calls: list[Ran]) -> Iterator[tuple[Ran, Value]]:
    """Each call with the value that the interpreter takes it to return."""
    lines = ["import torch"]
    at: dict[int, Ran] = {}
    for number, one in enumerate(calls):
        if number % _TOGETHER == 0:
            lines += [f"class Net{number}(torch.nn.Module):", "    def forward(self):"]
        made = "; ".join(f"{name} = {text}" for name, text in INPUTS[one.inputs].items())
        lines.append(f"        {made}; reveal_type({one.call})")
        at[len(lines)] = one
    program, modules = program_of({"app.py": "\n".join(lines) + "\n"})
    seen: dict[int, Value] = {}

    def sink(event: Any) -> None:
        for value in revealed(event):
            seen[event.site.location.span.line] = value

    interpreter = Witness(program, facts(), sink)
    interpreter.analyse(roots_of(interpreter, modules, ("auto",), None))
    assert len(seen) > len(at) * 0.9, f"{len(seen)} of {len(at)} calls were reached"
    for line, value in seen.items():
        yield at[line], value


def wrong(value: Value, out: Any) -> bool:
    """Whether a belief does not hold of an outcome; what is not known holds of everything."""
    if isinstance(value, Union):
        return all(wrong(arm, out) for arm in value.arms)
    if isinstance(value, (Scalar, Const)):
        return bool(out[0] == "t")
    if isinstance(value, Tensor):
        if out[0] != "t":
            return not (out[0] == "p" and out[1] == "other tensor")
        _, dtype, rank, order, _, actual, ones = out
        sized = value.sizes is not None and (
            len(value.sizes) != rank
            or any(one is not None and one.number != size for one, size in zip(value.sizes, actual, strict=True))
        )
        misplaced = (value.layout == "contiguous" and order != "") or (
            isinstance(value.layout, Permuted) and order != "" and not _alike(value.layout.order, order, ones)
        )
        return value.dtype not in ("", dtype) or value.rank not in (None, rank) or misplaced or sized
    if isinstance(value, Sequence) and value.kind in ("tuple", "list"):
        if out[0] != "s":
            return True
        if value.items is None:
            return any(wrong(value.element, item) for item in out[2])
        return len(value.items) != len(out[2]) or any(map(wrong, value.items, out[2]))
    return False


def _alike(believed: tuple[int, ...], order: str, ones: list[int]) -> bool:
    """Whether both orders are the same but for dimensions of size one, which may stand anywhere."""
    if "?" in order or len(believed) != len(order):
        return False
    kept = [at for at in range(len(order)) if at not in ones]
    return sorted(kept, key=lambda at: believed[at]) == sorted(kept, key=lambda at: order[at])


class Known(NamedTuple):
    """Of the tensors that came back: how many there are, of how many the dtype class is known, the rank, all sizes."""

    total: int = 0
    dtypes: int = 0
    ranks: int = 0
    sizes: int = 0

    def and_(self, other: Known) -> Known:
        return Known(*map(sum, zip(self, other, strict=True)))

    @property
    def shares(self) -> tuple[float, float, float]:
        total = max(self.total, 1)
        return self.dtypes / total, self.ranks / total, self.sizes / total


def known(value: Value, out: Any) -> Known:
    """What is known of the tensors that came back."""
    if out[0] == "t":
        arm = value if isinstance(value, Tensor) else Tensor()
        sized = arm.rank == 0 or (arm.sizes is not None and None not in arm.sizes)
        return Known(1, arm.dtype != "", arm.rank is not None, sized)
    if out[0] != "s":
        return Known()
    of = value if isinstance(value, Sequence) else None
    found = Known()
    for at, item in enumerate(out[2]):
        inside = Tensor() if of is None else of.element if of.items is None else of.items[at]
        found = found.and_(known(inside, item))
    return found


def judged(operations: list[str]) -> tuple[list[str], Known]:
    """The beliefs that do not hold, and what is known of the rest."""
    calls = ran(operations)
    failed, found = [], Known()
    parts = (calls[start : start + _A_FILE] for start in range(0, len(calls), _A_FILE))
    for one, value in chain.from_iterable(map(believed, parts)):
        if wrong(value, one.outcome):
            failed.append(
                f"{one.call}, x = {INPUTS[one.inputs]['x']}: {describe(value, placed=True)}, not {one.outcome}"
            )
            continue
        found = found.and_(known(value, one.outcome))
    return failed, found


@pytest.mark.dynamo
def test_a_sample_of_operations() -> None:
    failed, found = judged(names()[7::40])
    assert not failed, "\n".join(["", *failed])
    assert found.total > 500
    assert all(share > wanted for share, wanted in zip(found.shares, (0.9, 0.9, 0.5), strict=True))
