"""Which recorded cures are kept again."""

from __future__ import annotations

from typing import Any

from benchmarks.fixes.again import compared


def _row(case: str, *entries: tuple[str, bool, str]) -> dict[str, Any]:
    words = [
        {"path": "net.py", "line": line, "title": "choose", "kept": kept, "reason": reason}
        for line, kept, reason in entries
    ]
    return {"case": case, "ledger": words}


def test_a_cure_is_known_by_its_case_line_and_title() -> None:
    before = [
        _row("a", ("one", True, ""), ("two", True, ""), ("three", True, ""), ("four", False, "differs")),
        _row("b", ("one", True, ""), ("two", True, "")),
        {"case": "c", "fate": "not run"},
    ]
    now = [
        _row("a", ("one", True, ""), ("two", False, "a gradient differs"), ("four", True, "")),
        {"case": "b", "not_run": "build-error"},
    ]
    assert compared(before, now) == [
        "a: two: choose: dropped: a gradient differs",
        "a: three: choose: offered no more",
        "1 of 3 cures are kept again (1 dropped, 1 offered no more); 2 not run",
    ]
