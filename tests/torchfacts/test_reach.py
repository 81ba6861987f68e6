"""What the project's table says of a graph-break id, as it is shipped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compilelint.torchfacts import FactsError, load, reach_of


def test_counts_are_of_recorded_programs_by_release() -> None:
    found = reach_of("GB0170")
    assert found is not None
    assert found.reachable == "yes"
    assert set(found.found) == {"2.13", "2.15"}
    assert all(0 < reported <= shown for shown, reported in found.found.values())


def test_an_id_that_no_user_code_reaches_has_no_programs() -> None:
    found = reach_of("GB0018")
    assert found is not None
    assert (found.reachable, found.found) == ("no", {})


def test_an_id_of_which_nothing_is_settled() -> None:
    assert reach_of("GB0004") is None
    assert load("2.13").graph_break("GB0004") is not None


def test_damaged_data_is_named(tmp_path: Path) -> None:
    (tmp_path / "reach.json").write_text(json.dumps({"schema": 1, "ids": {"yes": ["0170"]}}), encoding="utf-8")
    with pytest.raises(FactsError, match=r"reach\.json is damaged"):
        reach_of("GB0170", tmp_path)
