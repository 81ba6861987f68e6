"""Two processes that see the same files agree; where they do not, the first file that differs is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fleet.digest import difference, digests, each, home_of


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A package in `src`, and a script beside it."""
    package = tmp_path / "src" / "shop"
    (package / "parts").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "parts" / "ranker.py").write_text("A = 1\n")
    (tmp_path / "train.py").write_text("B = 1\n")
    return tmp_path


def test_a_package_is_found_below_the_first_folder_that_has_it(project: Path) -> None:
    paths = [str(project), str(project / "src")]
    assert home_of("shop.parts.ranker:A", paths, str(project)) == str(project / "src" / "shop")
    assert home_of("train.py:B", paths, str(project)) == str(project / "train.py")
    assert home_of("torch.nn:Linear", paths, str(project)) == ""


@pytest.mark.parametrize("reference", ["shop.parts.ranker:A", "shop:A"])
def test_a_change_in_any_file_of_the_package_is_another_digest(project: Path, reference: str) -> None:
    paths = [str(project / "src")]
    before = digests(reference, paths, str(project))
    (project / "src" / "shop" / "parts" / "ranker.py").write_text("A = 22\n")
    assert digests(reference, paths, str(project)) != before


def test_what_python_makes_of_the_files_is_no_change(project: Path) -> None:
    before = digests("shop:A", [str(project / "src")], str(project))
    (project / "src" / "shop" / "__pycache__").mkdir()
    (project / "src" / "shop" / "__pycache__" / "x.pyc").write_text("")
    assert digests("shop:A", [str(project / "src")], str(project)) == before


def test_the_first_difference_is_named(project: Path) -> None:
    here = each(str(project / "src" / "shop"))
    assert difference(here, here) == ""
    assert difference(here, {**here, "parts/ranker.py": "0"}) == "parts/ranker.py differs"
    assert difference(here, {"__init__.py": here["__init__.py"]}) == "parts/ranker.py is not there"
    assert difference({}, {"new.py": "0"}) == "new.py is there only"
