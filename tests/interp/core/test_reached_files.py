"""What other parts have reached: the answers that were given hold wherever they would be given again."""

from __future__ import annotations

import pytest

from compilelint.interp.core.reached_files import Elsewhere


@pytest.mark.parametrize(
    ("reached", "same"),
    [
        pytest.param({"a": False}, True, id="whom it is reached from was not asked"),
        pytest.param({"a": True, "c": True}, True, id="another was not asked about"),
        pytest.param({}, False, id="it is not reached"),
        pytest.param({"a": True, "b": True}, False, id="another that was asked about is"),
    ],
)
def test_what_was_asked_counts_and_outlives_the_rest(reached: dict[str, bool], same: bool) -> None:
    elsewhere = Elsewhere({"a": True, "d": True})
    assert elsewhere.reaches("a")
    assert not elsewhere.reaches("b")
    elsewhere.forget()
    assert elsewhere.would_be(reached) is same
