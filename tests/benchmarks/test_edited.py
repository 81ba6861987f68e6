"""The edits are those of one place, and what the cache says after any of them is what a run without one says."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import pytest

from benchmarks.edited import COSTS, EDITS, differing, edited
from compilelint.session.incremental import run_cache

MODEL = """\
import torch
from pkg.steps import halved


class Net(torch.nn.Module):
    def forward(self, x):
        y = halved(x)
        if y.sum() > 0:
            y = y + 1
        return y * 2
"""
STEPS = """\
def halved(value):
    rest = value.item() % 2
    return value / (2 + rest)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package of a model and what it imports."""
    folder = tmp_path / "pkg"
    folder.mkdir()
    for name, text in (("__init__", ""), ("model", MODEL), ("steps", STEPS)):
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize("kind", EDITS)
def test_an_edit_changes_the_text_and_most_leave_python(kind: str) -> None:
    after = edited(MODEL, EDITS[kind], random.Random(1))
    assert after is not None
    assert after != MODEL
    if kind == "broken":
        with pytest.raises(SyntaxError):
            ast.parse(after)
    else:
        ast.parse(after)


def test_a_renamed_local_is_renamed_everywhere() -> None:
    after = edited(MODEL, COSTS["renamed"], random.Random(1))
    assert after is not None
    assert after.count("y_edited") == 5
    assert "y.sum" not in after


def test_nothing_to_edit_is_no_edit() -> None:
    assert edited("x = 1\n", EDITS["put in"], random.Random(1)) is None


def test_after_random_edits_the_report_is_that_of_a_run_without_a_cache(package: Path, tmp_path: Path) -> None:
    assert list(differing(package, 25, random.Random(3), tmp_path / "scratch")) == []


def test_a_cache_that_trusts_what_changed_is_found_out(
    package: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_cache, "digest_of", lambda path: "the same")
    monkeypatch.setattr("compilelint.syntax.source._digest", lambda data: "the same")
    assert list(differing(package, 25, random.Random(3), tmp_path / "scratch"))
