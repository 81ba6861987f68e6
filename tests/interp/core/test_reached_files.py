"""What other parts have reached: the answers that were given hold wherever they would be given again."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.interp.core.graph_count import Shown
from compilelint.interp.core.reached_files import Beneath, Elsewhere, Reach, reach_of
from compilelint.interp.core.summary import Summary
from compilelint.interp.driver import interpreter
from compilelint.session.commands.lint import lint


@pytest.mark.parametrize(
    ("reached", "same"),
    [
        pytest.param({"a": False}, True, id="whom it is reached from was not asked"),
        pytest.param({"a": True, "c": True}, True, id="another was not asked about"),
        pytest.param({}, False, id="it is not reached"),
        pytest.param({"a": True, "b": True}, False, id="another that was asked about is"),
    ],
)
def test_what_was_asked_counts_and_outlives_the_rest(reached: dict[str, bool], same: bool) -> None:
    elsewhere = Elsewhere({"a": True, "d": True})
    assert elsewhere.reaches("a")
    assert not elsewhere.reaches("b")
    elsewhere.forget()
    assert elsewhere.would_be(reached) is same


CALLS = """
import torch
from torch import Tensor

def whole(x): return x + 1
def stops(x):
    print("here")
    return whole(x)
def there(x, n): return x if n == 0 else back(x, n - 1)
def back(x, n): return there(stops(x), n)
@torch.compile
def first(x: Tensor): return whole(x) * 2
@torch.compile
def second(x: Tensor): return first(x) + whole(x)
@torch.compile
def third(x: Tensor): return second(stops(x))
@torch.compile
def circle(x: Tensor, n: int): return there(whole(x), n)
@torch.compile
def again(x: Tensor, n: int): return circle(x, n) + third(x)
"""


def test_what_was_found_for_other_roots_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, Reach]] = []

    def both(start: Summary, shown: Shown, known: Beneath) -> Reach:
        found = reach_of(start, shown, known)
        assert found == reach_of(start, shown)
        asked.append((start.code.node.name, found))
        return found

    monkeypatch.setattr(interpreter, "reach_of", both)
    (tmp_path / "app.py").write_text(CALLS, encoding="utf-8")
    lint(Options((str(tmp_path),), torch_version="2.13", no_cache=True))
    counts = {name: found.functions for name, found in asked}
    assert counts == {"first": 2, "second": 3, "third": 5, "circle": 5, "again": 9}
