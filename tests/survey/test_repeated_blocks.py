"""Models that repeat one block: how many make a repetition, and where they are looked for."""

from __future__ import annotations

import pytest

from compilelint.events import Compile
from tests.support.survey_events import events_of

PROGRAM = """
class Block(nn.Module):
    def forward(self, x): return x

class Model(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.blocks = nn.ModuleList([{made}])
    def forward(self, x):
        for block in self.blocks: x = block(x)
        return x

def main():
    model = torch.compile(Model(3))
    return model
"""


def repeats(made: str) -> list[str]:
    """What the survey says of the compile call of a model with these blocks."""
    return [event.where for event in events_of(PROGRAM.format(made=made)) if isinstance(event, Compile)]


@pytest.mark.parametrize(
    ("made", "how_many"),
    [
        ("Block() for _ in range(5)", 0),
        ("Block() for _ in range(6)", 1),
        ("Block() for _ in range(7)", 1),
        ("Block(), Block(), Block(), Block(), Block()", 0),
        ("Block(), Block(), Block(), Block(), Block(), Block()", 1),
        ("Block() for _ in range(n)", 1),
    ],
)
def test_as_many_blocks_as_were_measured_are_a_repetition(made: str, how_many: int) -> None:
    assert len(repeats(made)) == how_many


@pytest.mark.parametrize(
    "around",
    [
        pytest.param("def train(loss):\n    loss.backward()\n", id="the file trains, beside which a start is nothing"),
        pytest.param("def train(trainer):\n    trainer.fit()\n", id="a trainer does"),
        pytest.param(
            "fast = False\ndef run():\n    if fast:\n        m = torch.compile(Model(3))\n        return m\n",
            id="behind a switch that is off",
        ),
    ],
)
def test_blocks_are_silent_where_a_start_does_not_count(around: str) -> None:
    program = PROGRAM.format(made="Block() for _ in range(6)")
    if "fast" in around:
        program = program[: program.index("def main")]
    assert [event for event in events_of(program + around) if isinstance(event, Compile)] == []


def test_a_switch_that_is_set_anywhere_is_not_off() -> None:
    program = PROGRAM.format(made="Block() for _ in range(6)")
    program = program[: program.index("def main")]
    program += "fast = False\nfast = parse()\nif fast:\n    m = torch.compile(Model(3))\n"
    assert [event.use for event in events_of(program) if isinstance(event, Compile)] == ["blocks"]
