"""A layer of torch that takes the place of another (run on torch 2.13 and 2.15)."""

from __future__ import annotations

import pytest

from tests.support.state_changes import changes


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ("nn.Linear(4, 4)", "nn.Linear(4, 4, bias=False)", [("self.layer", "flips")]),
        ("nn.Dropout(0.1)", "nn.Dropout(0.5)", [("self.layer", "flips")]),
        ("nn.Linear(4, 4)", "nn.Linear(4, 4)", []),
        ("nn.Linear(4, 4)", "nn.Linear(4, 4, bias=True)", []),
        ("nn.Dropout(0.1)", "nn.Dropout(x.mean())", []),
        ("nn.Dropout(rate())", "nn.Dropout(0.1)", []),
    ],
)
def test_made_of_other_constants(before: str, after: str, found: list[tuple[str, str]]) -> None:
    assert changes(f"self.layer = {before}", f"y = self.layer(x); self.layer = {after}") == found
