"""A count becomes a buffer only where every store and every read of it is known to take a tensor."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

PROGRAM = """import torch
from torch import nn


class M({base}):
    def __init__(self):
        {init}

    def forward(self, x: torch.Tensor):
        {count}
        {read}
{more}"""
INIT = "super().__init__()\n        self.steps = 0"


def program(
    count: str = "self.steps += 1",
    read: str = "return x * self.steps",
    more: str = "",
    init: str = INIT,
    base: str = "nn.Module",
) -> str:
    """A module that counts."""
    return PROGRAM.format(base=base, init=init, count=count, read=read, more=more)


def becomes_a_buffer(text: str, folder: Path) -> bool:
    """Whether the fixes count in a buffer; they change nothing else."""
    made, _ = fixed(text, folder)
    assert ("register_buffer" in made) is (made != text)
    return made != text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(program(), id="added to, and multiplied with"),
        pytest.param(program("self.steps = self.steps + 1"), id="counted by hand"),
        pytest.param(program("self.steps -= 1"), id="counted down"),
        pytest.param(program(read="return x * -self.steps"), id="negated"),
        pytest.param(program(read="return torch.where(self.steps > 3, x, -x)"), id="compared, for a choice"),
        pytest.param(program(read="return torch.add(x, self.steps)"), id="handed to what takes both"),
        pytest.param(program(read="rate = self.steps / 2\n        return x * rate"), id="under another name"),
    ],
)
def test_a_count_that_meets_tensors_is_kept_in_a_buffer(text: str, tmp_path: Path) -> None:
    assert becomes_a_buffer(text, tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(program(more="\n    def reset(self):\n        setattr(self, 'steps', 0)\n"), id="setattr by name"),
        pytest.param(program(more="\n    def reset(self):\n        self.steps = 0\n"), id="set back to a number"),
        pytest.param(program(more="\n    def drop(self):\n        del self.steps\n"), id="deleted"),
        pytest.param(program(more="\ndef reset(m):\n    m.steps = 3\n"), id="stored from outside"),
        pytest.param(program("self.steps //= 2"), id="divided"),
        pytest.param(program("self.steps += x.shape[0]"), id="counted by what is no constant"),
        pytest.param(program("self.steps = self.steps + 0.5"), id="counted in halves"),
        pytest.param(program(read="return x.reshape(self.steps)"), id="a size"),
        pytest.param(program(read="return x[self.steps]"), id="an index"),
        pytest.param(program(read="return x, self.steps"), id="returned"),
        pytest.param(program(read="return x if 0 < self.steps < 3 else -x"), id="a chain of comparisons"),
        pytest.param(program(read="return x if self.steps > 3 else -x"), id="a test of Python"),
        pytest.param(program(read="return x * (2 if self.steps in (1, 2) else 1)"), id="membership"),
        pytest.param(program(read="return x * [1, 2][self.steps % 2]"), id="an index of a list"),
        pytest.param(program(read="return x * (~self.steps)"), id="inverted"),
        pytest.param(program(read="n = self.steps\n        n = n + 1\n        return x * n"), id="a name bound twice"),
        pytest.param(program(init="super().__init__()\n        self.steps = 0.0"), id="a float"),
        pytest.param(program(init="super().__init__()\n        self.steps = False"), id="a flag"),
        pytest.param(program(init="self.steps = 0\n        super().__init__()"), id="set before the module is one"),
        pytest.param(program(init=f"{INIT}; self.other = 1"), id="two statements on a line"),
        pytest.param(program(base="Base", more="\n\nclass Base(nn.Module):\n    pass\n"), id="a base of the program"),
    ],
)
def test_any_other_store_or_read_keeps_the_number(text: str, tmp_path: Path) -> None:
    assert not becomes_a_buffer(text, tmp_path)
