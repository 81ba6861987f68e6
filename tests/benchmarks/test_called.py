"""The small cases in a script that calls them: no half and no version is worse than the page says."""

from __future__ import annotations

import pytest

from benchmarks.called import VERSIONS, main, measured, table
from benchmarks.registry.measure import HALVES


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("half", HALVES)
def test_precision_and_recall(version: str, half: str) -> None:
    scores, mistakes = measured(version, half)
    assert scores["break_lines"] >= 70
    assert scores["recall"] >= 0.96, mistakes
    assert scores["precision"] >= 0.98, mistakes


def test_a_row_of_the_table() -> None:
    one = {"true_positives": 3, "false_positives": 1, "precision": 0.75, "break_lines": 4, "found": 3, "recall": None}
    text = table({("2.13", "read"): {**one, "clean_cases_with_a_false_alarm": 1, "clean_cases": 9}})
    assert "| read | 2.13 | 3 | 1 | 0.750 | 4 | 3 | - | 1 of 9 |" in text


def test_an_unknown_option_is_a_wrong_use() -> None:
    with pytest.raises(SystemExit) as left:
        main(["--nowhere"])
    assert left.value.code == 2
