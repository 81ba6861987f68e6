"""Edits around definitions, and that a part which is kept although what it read has changed is found out."""

from __future__ import annotations

import ast
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from benchmarks.edited_parts import CHANGES, changed, differing
from compilelint.session.incremental import part_cache
from compilelint.session.parallel import split

MODEL = """\
import torch
from ops.code import scaled


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return scaled(x)
"""
OPS = """\
import torch


def scaled(x: torch.Tensor) -> torch.Tensor:
    if x.sum() > 0:
        return x
    return -x
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models and what both import, each a part of its own."""
    monkeypatch.setattr(split, "PART_CHARACTERS", 1)
    for name, text in (("ops", OPS), ("left", MODEL), ("right", MODEL)):
        folder = tmp_path / "shop" / name
        folder.mkdir(parents=True)
        (folder / "__init__.py").write_text("")
        (folder / "code.py").write_text(text)
    return tmp_path / "shop"


@pytest.mark.parametrize("kind", CHANGES)
def test_an_edit_changes_the_text_and_leaves_python(kind: str) -> None:
    after = changed(MODEL, kind, random.Random(1))
    assert after is not None
    assert after != MODEL
    ast.parse(after)


@pytest.mark.parametrize("kind", ["function_removed", "base_added", "import_removed"])
def test_nothing_to_edit_is_no_edit(kind: str) -> None:
    assert changed("x = 1\n", kind, random.Random(1)) is None


def test_after_random_edits_the_report_is_that_of_a_run_without_a_cache(project: Path, tmp_path: Path) -> None:
    kept: Counter[bool] = Counter()
    assert list(differing(project, 30, random.Random(5), tmp_path / "scratch", kept)) == []
    assert kept[True]
    assert kept[False]


def test_a_part_that_is_kept_in_spite_of_what_it_read_is_found_out(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept_anyway(known: Any, *_: object) -> Any:
        return known

    monkeypatch.setattr(part_cache, "_moved", kept_anyway)
    assert list(differing(project, 30, random.Random(5), tmp_path / "scratch", Counter()))
