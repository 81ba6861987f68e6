"""The recompile rules on the recorded cases: both halves, both versions, not worse than their page says."""

from __future__ import annotations

from benchmarks.recompiles.measure import guard_rows, rows


def test_precision_and_recall_on_both_halves_and_versions() -> None:
    measured = rows()
    assert [(half, version) for half, version, *_ in measured] == [
        ("tuning", "2.13.0"),
        ("heldout", "2.13.0"),
        ("tuning", "2.15.0"),
        ("heldout", "2.15.0"),
    ]
    for _, _, recompiling, found, clean, flagged, *_ in measured:
        assert (recompiling, clean) == (20, 20)
        assert isinstance(found, int)
        assert isinstance(flagged, int)
        assert found >= 18
        assert flagged <= 1


def test_every_kind_of_guard_on_the_read_and_the_unread_half() -> None:
    for half, _, recompiling, found, clean, flagged, *_ in guard_rows("guards"):
        assert (recompiling, clean) == ((57, 49) if half == "read" else (59, 58))
        assert isinstance(found, int)
        assert isinstance(flagged, int)
        assert found >= (52 if half == "read" else 57)
        assert flagged == 0
