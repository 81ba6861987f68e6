"""All that the rules say of hundreds of small programs: confidence, message, reasons, help, rewrite."""

from __future__ import annotations

import pytest

from tests.support.recorded import REWRITE_THEM, golden, path_of, programs


@pytest.mark.parametrize("file", programs())
def test_findings_are_those_recorded(file: str) -> None:
    path = path_of("checks", file)
    recorded = path.read_text(encoding="utf-8") if path.is_file() else ""
    assert golden("checks", file).splitlines() == recorded.splitlines(), REWRITE_THEM
