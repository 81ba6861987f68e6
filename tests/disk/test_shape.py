"""Data that was read back against the form that it was written in."""

from __future__ import annotations

from typing import Any

import pytest

from compilelint.disk.shape import Each, Maybe, misfit

FORM = {
    "name": str,
    "size": int,
    "share": float,
    "note": Maybe(str),
    "parts": [{"line": int}],
    "by": Each((str, None)),
}
GOOD: dict[str, Any] = {"name": "a", "size": 1, "share": 0.5, "parts": [{"line": 2}], "by": {"x": None, "y": "z"}}


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({}, id="all that is needed"),
        pytest.param({"note": "n"}, id="what may be left out"),
        pytest.param({"later": [1]}, id="a field of a later version"),
        pytest.param({"share": 3}, id="a whole number where any will do"),
        pytest.param({"parts": []}, id="an empty list"),
    ],
)
def test_what_fits(more: dict[str, Any]) -> None:
    assert misfit({**GOOD, **more}, FORM) == ""


@pytest.mark.parametrize(
    ("more", "words"),
    [
        pytest.param({"name": 1}, "name is not a string", id="a number where a text is"),
        pytest.param({"size": True}, "size is not a whole number", id="a truth value, which Python takes for a number"),
        pytest.param({"size": 1.0}, "size is not a whole number", id="no whole number"),
        pytest.param({"share": float("nan")}, "share is not a number", id="not a number"),
        pytest.param({"share": float("inf")}, "share is not a number", id="without end"),
        pytest.param({"note": None}, "note is not a string", id="null where it may be left out"),
        pytest.param({"parts": {}}, "parts is not a list", id="a table where a list is"),
        pytest.param({"parts": [{"line": 1}, {}]}, "parts[1] has no 'line'", id="a field deep inside"),
        pytest.param({"parts": [3]}, "parts[0] is not a table", id="a number where a table is"),
        pytest.param({"by": []}, "by is not a table", id="a list where a table is"),
        pytest.param({"by": {"x": 3}}, "by['x'] is not a string", id="neither of two"),
    ],
)
def test_what_does_not_fit_is_named_and_not_quoted(more: dict[str, Any], words: str) -> None:
    assert misfit({**GOOD, **more}, FORM) == words


@pytest.mark.parametrize("data", [None, 3, "x", [], [GOOD]], ids=repr)
def test_what_is_not_a_table_at_all(data: Any) -> None:
    assert misfit(data, FORM) == "it is not a table"
    assert misfit({}, FORM) == "it has no 'name'"
