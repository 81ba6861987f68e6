"""What the exercises of a job come to: what none of them varied is named, also where it could not be run at all."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


@pytest.mark.parametrize(
    ("errors", "expected"),
    [
        pytest.param({"dtype": "", "strides": ""}, set(), id="both went well"),
        pytest.param({"dtype": "RuntimeError", "strides": ""}, {"dtype"}, id="one raised"),
        pytest.param({"strides": ""}, {"dtype"}, id="one was not run"),
        pytest.param({}, {"dtype", "strides"}, id="none was run"),
    ],
)
def test_what_was_not_varied_is_named(errors: dict[str, str], expected: set[str]) -> None:
    from compilelint.dynamic.worker.exercises import Exercise
    from compilelint.dynamic.worker.trial import _in_one_value

    made = [Exercise(name, lambda: ((), {}), 0, False, varies=name) for name in errors]
    runs: list[dict[str, Any]] = [{"error": error} for error in errors.values()]
    assert _in_one_value({"dtype", "strides"}, made, runs) == expected
