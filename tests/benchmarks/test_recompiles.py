"""The recompile rules on the recorded cases: both halves, both versions, not worse than their page says."""

from __future__ import annotations

from benchmarks.recompiles.measure import rows


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
