"""What holds for every format."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.report.formats import FORMATS, render
from tests.report.samples import sample


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_renders_and_ends_its_last_line(name: str, tmp_path: Path) -> None:
    text = render(sample(tmp_path), name)
    assert "CL101" in text
    assert text.endswith("\n")
