"""Outputs: a format and where it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import parse_outputs


def test_outputs_split_at_the_first_colon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    outputs = parse_outputs(["concise", "json:a:b.json"])
    assert [(one.format, one.path) for one in outputs] == [("concise", None), ("json", "a:b.json")]
    assert [(one.format, one.path) for one in parse_outputs([])] == [("grouped", None)]
    assert [(one.format, one.path) for one in parse_outputs([], "full")] == [("full", None)]
