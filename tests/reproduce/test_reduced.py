"""Delta reduction: the smallest text that still shows it, within a number of trials."""

from __future__ import annotations

import ast

import pytest

from compilelint.reproduce.reduced import Reduction

PROGRAM = '''
import torch
import unused


class Net(torch.nn.Module):
    """A network."""

    def __init__(self):
        super().__init__()
        self.scale: float = 2.0

    def other(self):
        return 1

    @property
    def name(self) -> str:
        return "net"

    def forward(self, x: int) -> int:
        for n in range(3):
            with open(n):
                if x:
                    y = wanted(x + 1, flag=True)
                    z = y * 2
        return y


def helper(a, b):
    return a


model = Net()
model(3)
'''


def reduced(oracle_word: str, trials: int = 2_000) -> tuple[str, Reduction]:
    reduction = Reduction(lambda text: oracle_word in text and _parses(text), trials, 60)
    return reduction.reduce(PROGRAM), reduction


def _parses(text: str) -> bool:
    ast.parse(text)
    return True


def test_only_what_shows_it_is_left() -> None:
    text, _ = reduced("wanted(")
    expected = ["import torch", "class Net(torch.nn.Module):", "def forward(self, x):", "y = wanted()"]
    assert [line.strip() for line in text.splitlines() if line] == expected


def test_a_definition_that_is_used_stays_with_its_use() -> None:
    def oracle(text: str) -> bool:
        space: dict[str, object] = {}
        try:
            exec(text.replace("import torch", "").replace("import unused", ""), space)
        except Exception:  # noqa: BLE001 - the candidate is whatever the reduction makes
            return False
        return space.get("answer") == 42

    program = (
        "def f(x):\n    y = x + 1\n    z = 7\n    return y\n\n\ndef g():\n    return 0\n\n\nanswer = f(41)\nb = g()\n"
    )
    text = Reduction(oracle, 2_000, 60).reduce(program)
    assert oracle(text)
    assert "def g" not in text
    assert "z = 7" not in text


def test_what_nothing_can_be_taken_from_stays_as_it_is() -> None:
    text = "wanted()"
    assert Reduction(lambda one: one == text, 100, 60).reduce(text) == text


@pytest.mark.parametrize("trials", [0, 1, 10])
def test_the_number_of_trials_is_a_bound(trials: int) -> None:
    _, reduction = reduced("wanted(", trials)
    assert reduction.trials <= trials


def test_no_candidate_is_run_twice() -> None:
    seen: list[str] = []

    def oracle(text: str) -> bool:
        seen.append(text)
        return "wanted(" in text

    Reduction(oracle, 2_000, 60).reduce(PROGRAM)
    assert len(seen) == len(set(seen))


def test_the_same_is_reduced_the_same() -> None:
    assert reduced("wanted(")[0] == reduced("wanted(")[0]
