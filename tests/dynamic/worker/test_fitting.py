"""Inputs for models of several inputs: fitted by what torch raises, none where nothing was seen to run."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def model(name: str) -> Any:
    import torch
    from torch import nn

    class Series(nn.Module):  # type: ignore[misc]
        """Two series with marks, of other widths."""

        def __init__(self) -> None:
            super().__init__()
            self.values, self.marks = nn.Linear(7, 8), nn.Linear(4, 8)

        def forward(self, x: Any, marks: Any) -> Any:
            return self.values(x) + self.marks(marks)

    class Graph(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(5, 3)

        def forward(self, features: Any, adj: Any) -> Any:
            return adj @ self.layer(features)

    class Pair(nn.Module):  # type: ignore[misc]
        """Ids of two texts and a mask that must be of numbers."""

        def __init__(self) -> None:
            super().__init__()
            self.words = nn.Embedding(10, 4)

        def forward(self, src: Any, tgt: Any, mask: Any) -> Any:
            return self.words(src) + self.words(tgt) * mask.unsqueeze(-1)

    class Asks(nn.Module):  # type: ignore[misc]
        def forward(self, x: Any, y: Any) -> Any:
            raise ValueError("not with these")

    return {"series": Series, "graph": Graph, "pair": Pair, "asks": Asks}[name](), torch


@pytest.mark.parametrize(
    ("name", "names", "shapes"),
    [
        ("series", ["x", "marks"], [(2, 8, 7), (2, 8, 4)]),
        ("pair", ["src", "tgt", "mask"], [(2, 8), (2, 8), (2, 8)]),
        ("graph", ["features", "adj"], None),
        ("asks", ["x", "y"], []),
    ],
)
def test_what_a_model_was_seen_to_take(name: str, names: list[str], shapes: list[tuple[int, ...]] | None) -> None:
    from compilelint.dynamic.worker.fitting import fitted

    function, _ = model(name)
    made = fitted(function, names, 10)
    if shapes is None:
        assert made is not None
        function(*made)  # whatever fits
    else:
        assert [tuple(one.shape) for one in made or ()] == shapes


def test_an_error_changes_the_argument_with_that_size_alone() -> None:
    from compilelint.dynamic.worker.fitting import _Argument, _changed

    arguments = [_Argument("x", (2, 8, 11)), _Argument("y", (2, 8, 13))]
    said = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (16x13 and 4x512)"
    assert [one.shape for one in _changed(arguments, said) or ()] == [(2, 8, 11), (2, 8, 4)]
    assert _changed(arguments, "RuntimeError: shapes cannot be multiplied (16x99 and 4x512)") is None
    assert _changed(arguments, "ValueError: not with these") is None
