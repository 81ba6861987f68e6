"""What a worker started is found when it has ended, whenever it was looked at."""

from __future__ import annotations

import pytest

from compilelint.dynamic import orphans

WHOLE = {11: "5", 12: "6"}


@pytest.mark.parametrize(
    ("looks", "known"),
    [
        pytest.param([], {}, id="ended before the first look"),
        pytest.param([WHOLE], WHOLE, id="one look"),
        pytest.param([WHOLE, {}], WHOLE, id="ends during the look: its children have another parent by then"),
        pytest.param([WHOLE, {12: "6"}], WHOLE, id="ends during the look: some were read before"),
        pytest.param([WHOLE, {13: "9"}], {**WHOLE, 13: "9"}, id="started since"),
        pytest.param([WHOLE, {12: "6"}, {12: "6"}], {12: "6"}, id="ended two looks ago: its number may be another's"),
        pytest.param([{11: "5"}, {11: "8"}], {11: "8"}, id="a number that was given again"),
    ],
)
def test_the_last_two_looks_count(
    monkeypatch: pytest.MonkeyPatch, looks: list[dict[int, str]], known: dict[int, str]
) -> None:
    left = iter(looks)
    monkeypatch.setattr(orphans, "started_by", lambda pid: next(left))
    answers = iter([True] * len(looks) + [False])
    assert orphans.watch_started(10, lambda: next(answers)) == known
