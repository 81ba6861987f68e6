"""What a run showed, and whether it is within what its target allows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from compilelint.model import Divergence, ExportTry, Fate, ObservedBreak, Parity, Recompile, TargetRun

DIFFERS = Divergence("output", "output", 0, "by 1")
RAN = TargetRun("net", Fate.RAN, "")


def broken(path: str, line: int, call: int = 0, after: str = "") -> ObservedBreak:
    return ObservedBreak(path, line, line, line, "f", "x.item()", "GB0124", "", "", "", (), None, call, after=after)


@pytest.mark.parametrize(
    ("divergences", "unknown", "holds"),
    [((), "", True), ((DIFFERS,), "", False), ((), "it draws numbers", False), ((DIFFERS,), "it draws numbers", False)],
)
def test_two_runs_agree_where_they_could_be_compared_and_are_equal(
    divergences: tuple[Divergence, ...], unknown: str, holds: bool
) -> None:
    assert Parity(1, 3, divergences, unknown).holds is holds


def test_own_breaks_are_one_a_statement_and_follow_from_nothing() -> None:
    breaks = (
        broken("a.py", 3, after="an earlier one"),
        broken("a.py", 3),
        broken("a.py", 3, call=1),
        broken("a.py", 4),
        broken("b.py", 3),
    )
    assert replace(RAN, breaks=breaks).own_breaks == (breaks[1], breaks[3], breaks[4])


WORKS, FAILS = ExportTry("strict", True, "", 3), ExportTry("non-strict", False, "no", 0)
DRAFT = ExportTry("draft", True, "", 3)
AGAIN = Recompile.__new__(Recompile)


@pytest.mark.parametrize(
    ("given", "within"),
    [
        pytest.param({}, True, id="ran"),
        pytest.param({"fate": Fate.EAGER_ERROR}, False, id="raised"),
        pytest.param({"parity": Parity(1, 3)}, True, id="agrees"),
        pytest.param({"parity": Parity(1, 3, (DIFFERS,))}, False, id="differs"),
        pytest.param({"parity": Parity(1, 0, (), "it draws numbers")}, True, id="could not be compared"),
        pytest.param({"breaks": (broken("a.py", 3),)}, False, id="breaks"),
        pytest.param({"breaks": (broken("a.py", 3),), "max_breaks": 1}, True, id="may break once"),
        pytest.param({"breaks": (broken("a.py", 3), broken("a.py", 4)), "max_breaks": 1}, False, id="breaks twice"),
        pytest.param({"recompiles": (AGAIN,)}, True, id="recompiles, and may"),
        pytest.param({"recompiles": (AGAIN,), "max_recompiles": 0}, False, id="recompiles, and may not"),
        pytest.param({"recompiles": (AGAIN,), "max_recompiles": 1}, True, id="recompiles as often as it may"),
        pytest.param({"exports": (WORKS, FAILS)}, True, id="one way to export it works"),
        pytest.param({"exports": (FAILS, DRAFT)}, False, id="only a draft works"),
    ],
)
def test_a_run_is_within_its_budget(given: dict[str, Any], within: bool) -> None:
    assert replace(RAN, **given).within_budget is within
