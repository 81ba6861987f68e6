"""How many classes an index can name: only what the source says for sure is written into `one_hot`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

PROGRAM = """import torch
import torch.nn.functional as F


def f(logits: torch.Tensor, other: torch.Tensor):
    {made}
    return F.one_hot(best)
"""


@pytest.mark.parametrize(
    ("made", "classes"),
    [
        pytest.param("best = logits.argmax(-1)", "logits.shape[-1]", id="an argmax over a dimension"),
        pytest.param("best = logits % 5", "5", id="a remainder"),
        pytest.param("best = logits.argmax(-1)\n    best = other.argmax(-1)", "", id="a name that is bound twice"),
        pytest.param("best = logits.argmax(-1)\n    best += 1", "", id="a name that is changed"),
        pytest.param("best = logits.argmax()", "", id="an argmax over everything"),
        pytest.param("best = logits % -5", "", id="a remainder of no positive number"),
    ],
)
def test_the_classes_of_an_index_are_named_where_the_source_says_them(made: str, classes: str, tmp_path: Path) -> None:
    text = PROGRAM.format(made=made)
    result, _ = fixed(text, tmp_path)
    assert result == (text.replace("F.one_hot(best)", f"F.one_hot(best, num_classes={classes})") if classes else text)
