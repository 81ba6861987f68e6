"""The files of measured kinds: one whole, the others as differences, and what a damaged one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.torchfacts import FactsError, load
from compilelint.torchfacts.generate.kinds.command import install
from compilelint.torchfacts.kinds import kinds_of, shipped_versions

OLD = {
    "array.array": {"inside": {"make": "GB0147"}, "outside": {"len": "GB6012", ".append()": "skip:GB0156"}},
    "slice": {"inside": {"make": "ok"}, "outside": {"make": "ok"}},
}
NEW = {**OLD, "array.array": {"inside": {"make": "GB0147"}, "outside": {"len": "ok", ".append()": "fails"}}}


def test_an_older_version_is_what_differs_from_the_newer_one(tmp_path: Path) -> None:
    install("2.1.0", OLD, tmp_path)
    install("2.2.0", NEW, tmp_path)
    assert shipped_versions(tmp_path) == ("2.1.0", "2.2.0")
    assert "slice" not in (tmp_path / "kinds-2.1.0.json").read_text(encoding="utf-8")
    for version, rows in (("2.1.0", OLD), ("2.2.0", NEW)):
        read = kinds_of(version, tmp_path)
        found = {name: {"inside": dict(read[name].inside), "outside": dict(read[name].outside)} for name in read}
        assert found == rows


def test_what_was_not_measured_has_no_outcome(tmp_path: Path) -> None:
    install("2.1.0", OLD, tmp_path)
    kinds = kinds_of("2.1", tmp_path)
    assert kinds.outcome("array.array", "len", inside=False) == "GB6012"
    assert kinds.outcome("array.array", "len", inside=True) is None
    assert kinds.outcome("array.array", "hash", inside=False) is None
    assert kinds.outcome("numpy.float32", "len", inside=False) is None


def test_a_damaged_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "kinds-2.1.0.json").write_text('{"schema": 1, "operations": "len"}')
    with pytest.raises(FactsError, match=r"kinds-2\.1\.0\.json is damaged"):
        kinds_of("2.1.0", tmp_path)
    with pytest.raises(FactsError, match="no measured kinds found"):
        kinds_of("2.1.0", tmp_path / "none")


def test_the_fact_on_an_operation() -> None:
    facts = load("2.13")
    length = facts.on_kind("array.array", "len", inside=False)
    assert length is not None
    assert (length.breaks, length.gb_id, length.skips_frame) == (True, "GB6012", False)
    tested = facts.on_kind("array.array", "if", inside=False)
    assert tested is not None
    assert tested.skips_frame
    traced = facts.on_kind("array.array", "is-none", inside=False)
    assert traced is not None
    assert not traced.breaks


def test_where_the_object_was_made_decides_or_is_not_asked() -> None:
    facts = load("2.13")
    made = facts.on_kind("set[tensor]", "len", inside=True)
    given = facts.on_kind("set[tensor]", "len", inside=False)
    assert made is not None
    assert given is not None
    assert (made.breaks, given.gb_id) == (False, "GB0222")
    assert facts.on_kind("set[tensor]", "len", inside=None) is None
