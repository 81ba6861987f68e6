"""Markdown pages on a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.report.layout.page import markdown_page


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def strip_colours(text: str) -> str:
    import re

    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def test_a_page_is_rendered_for_terminals() -> None:
    text = strip_colours(markdown_page("## Bad\n\n```python\nif x: ...\n```\n", 60))
    assert "Bad" in text
    assert "if x: ..." in text
    assert "```" not in text
