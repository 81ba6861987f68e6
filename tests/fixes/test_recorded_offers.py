"""What the rewrites offer for hundreds of small programs, line by line."""

from __future__ import annotations

import pytest

from tests.support.recorded import REWRITE_THEM, golden, path_of, programs


@pytest.mark.parametrize("file", programs())
def test_offers_are_those_recorded(file: str) -> None:
    path = path_of("fixes", file)
    recorded = path.read_text(encoding="utf-8") if path.is_file() else ""
    assert golden("fixes", file).splitlines() == recorded.splitlines(), REWRITE_THEM
