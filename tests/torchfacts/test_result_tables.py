"""The files of measured results: one whole, the others as differences, and what a damaged one says."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.torchfacts import FactsError
from compilelint.torchfacts.generate.results import install
from compilelint.torchfacts.result_tables import MAKERS, Results, measured_versions, results_of


def table(version: str, **texts: str) -> Results:
    names = {MAKERS: frozenset({"torch.made"}), "module": frozenset({"train"}), "module self": frozenset()}
    return Results(version, {name.replace("_", "."): text for name, text in texts.items()}, names)


def test_an_older_version_is_what_differs_from_the_newer_one(tmp_path: Path) -> None:
    old = table("2.1.0", torch_abs="one;same,same,", torch_gone="python", torch_made="one;=float,=1,")
    new = table("2.2.0", torch_abs="one;same,same,same", torch_made="one;=float,=1,")
    install(old, tmp_path)
    install(new, tmp_path)
    assert measured_versions(tmp_path) == ("2.1.0", "2.2.0")
    assert '"base":"2.2.0"' in (tmp_path / "results-2.1.0.json").read_text(encoding="utf-8")
    for written in (old, new):
        read = results_of(written.version, tmp_path)
        assert (read.texts, read.names_of) == (written.texts, written.names_of)
    assert results_of("2.1.0", tmp_path).makes("torch.made")


def test_a_version_that_was_not_measured_is_answered_by_the_one_before(tmp_path: Path) -> None:
    for version in ("2.1.0", "2.3.0"):
        install(table(version, torch_abs="one;same,same,"), tmp_path)
    asked = ("2.0.1", "2.1", "2.2.4", "2.3.1", "2.9")
    assert [results_of(one, tmp_path).version for one in asked] == ["2.1.0", "2.1.0", "2.1.0", "2.3.0", "2.3.0"]


def test_a_python_value_has_its_type() -> None:
    found = table("2.1.0", torch_Tensor_is="python bool", torch_abs="one;same,same,", torch_other="python")
    names = ("torch.Tensor.is", "torch.abs", "torch.other", "torch.unknown")
    assert [found.plain(name) for name in names] == ["bool", None, None, None]


def test_a_damaged_file_says_so(tmp_path: Path) -> None:
    (tmp_path / "results-2.1.0.json").write_text(
        '{"schema": 1, "names": {}, "results": {"one;loud,same,": {"torch.": "relu"}}}'
    )
    with pytest.raises(FactsError, match=r"results-2\.1\.0\.json is damaged"):
        results_of("2.1.0", tmp_path)


def test_no_file_at_all_says_so(tmp_path: Path) -> None:
    with pytest.raises(FactsError, match="no measured results"):
        results_of("2.1.0", tmp_path)
