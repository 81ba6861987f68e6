"""What became of a statement that broke, from the record of a cure."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.fixes.halves import HALVES, half_of, rank
from benchmarks.fixes.misses import GONE, NO_FIX, REWRITTEN, cause_of, outcomes

FILE = "package/model.py"


def broke(statement: str) -> dict[str, str]:
    return {"path": FILE, "function": "f", "statement": statement, "id": "GB0170"}


def case(ledger: list[dict[str, Any]], *left: str) -> dict[str, Any]:
    before = [broke("if x.sum() > 0:"), broke("n = x.max().item()")]
    return {"before": before, "after": [broke(one) for one in left], "ledger": ledger}


def dropped(line: str, reason: str) -> dict[str, Any]:
    return {"line": line, "kept": False, "reason": reason}


def test_what_breaks_no_more_is_gone() -> None:
    assert outcomes(case([])) == [(half_of(FILE), GONE)] * 2


def test_what_is_left_has_the_last_word_of_the_ledger_on_its_line() -> None:
    words = [
        dropped("n = x.max().item()", "another break shows: `y[n]`"),
        dropped("n = x.max().item()", "output y of M differs: dtype"),
    ]
    found = [outcome for _, outcome in outcomes(case(words, "n = x.max().item()", "if x.sum() > 0:"))]
    assert found == [NO_FIX, "refused: a result differs"]


def test_of_statements_that_are_gone_one_does_not_count_where_a_rewritten_one_breaks() -> None:
    found = [outcome for _, outcome in outcomes(case([], "n = x.tolist()"))]
    assert sorted(found) == sorted([GONE, REWRITTEN])


@pytest.mark.parametrize(
    ("reason", "cause"),
    [
        ("state self.step of M differs: eager 1, compiled 2", "refused: state differs"),
        ("not exercised: no target runs the line", "refused: not exercised"),
        ("M does not run with it: RuntimeError", "refused: it does not run"),
        ("M recompiles more often", "refused: it recompiles more often"),
        ("no break was removed: no target reaches the line", "refused: it breaks all the same"),
    ],
)
def test_a_reason_has_the_cause_that_the_proof_names(reason: str, cause: str) -> None:
    assert cause_of(reason) == cause


def test_halves_are_two_of_about_a_size_and_ranks_are_all_different() -> None:
    names = [f"package/file{number}.py" for number in range(400)]
    halves = [half_of(name) for name in names]
    assert set(halves) == set(HALVES)
    assert 150 < halves.count("read") < 250
    assert len({rank(name) for name in names}) == len(names)
