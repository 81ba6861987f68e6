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
        ("Block() for _ in range(2)", 0),
        ("Block() for _ in range(3)", 1),
        ("Block() for _ in range(4)", 1),
        ("Block(), Block()", 0),
        ("Block(), Block(), Block()", 1),
        ("Block() for _ in range(n)", 1),
    ],
)
def test_three_blocks_are_a_repetition_and_two_are_none(made: str, how_many: int) -> None:
    assert len(repeats(made)) == how_many
