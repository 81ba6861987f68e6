"""What is reported together."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.report.layout.grouping import ranged


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_names_in_which_an_index_differs_are_shown_as_one() -> None:
    names = ["net.stem", *(f"net.blocks.{n}.attn" for n in range(12)), "net.heads[0]", "net.heads[2]", "net.last.0"]
    assert ranged(names) == ["net.stem", "12x net.blocks[0..11].attn", "2x net.heads[0, 2]", "net.last.0"]
