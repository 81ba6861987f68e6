"""Which torch is predicted for, and what the notice says."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.torchfacts import (
    FactsError,
    Source,
    allows,
    available,
    installed_torch,
    required_torch,
    resolve_target,
)


@pytest.mark.parametrize(
    ("spec", "versions"),
    [
        ("2.9", ("2.9",)),
        ("2.13.0", ("2.13.0",)),
        (">=2.6,<2.11", ("2.6.0", "2.8.0", "2.9.1", "2.10.0")),
        ("==2.9.*", ("2.9.1",)),
        ("~=2.14,<2.16", ("2.14.1", "2.15.0")),
        (">=2.7,<2.8", ("2.6.0",)),
        (">=999", (available()[-1],)),
        ("<2.0", ("2.5.1",)),
    ],
)
def test_the_option_wins(spec: str, versions: tuple[str, ...]) -> None:
    target = resolve_target(spec, "2.5.1", "==2.8.0")
    assert (target.versions, target.source) == (versions, Source.OPTION)
    assert target.notice.startswith(f"predicting for torch {', '.join(versions)}")


@pytest.mark.parametrize("spec", ["latest", "", "2.x", ">>2"])
def test_an_unreadable_option_is_an_error_with_the_hint(spec: str) -> None:
    with pytest.raises(FactsError, match=r"write it like 2\.9, or as a range"):
        resolve_target(spec, None, None)


def test_then_the_installed_version() -> None:
    target = resolve_target(None, "2.13.0+cpu", ">=2.6")
    assert (target.versions, target.source) == (("2.13.0",), Source.ENVIRONMENT)
    assert "installed in the analysed environment" in target.notice


@pytest.mark.parametrize(
    ("requirement", "version"),
    [
        (">=2.4", available()[-1]),
        ("<2.10,>=2.6", "2.9.1"),
        ("==2.8.0", "2.8.0"),
        ("", available()[-1]),
        ('>=2.6; python_version < "4"', available()[-1]),
    ],
)
def test_then_the_newest_that_the_project_allows(requirement: str, version: str) -> None:
    target = resolve_target(None, None, requirement)
    assert (target.versions, target.source) == ((version,), Source.REQUIREMENT)


@pytest.mark.parametrize("requirement", [None, "@ https://example.org/torch.whl"])
def test_else_the_newest_known(requirement: str | None) -> None:
    target = resolve_target(None, None, requirement)
    assert (target.versions, target.source) == ((available()[-1],), Source.DEFAULT)


def test_the_notice_says_where_a_table_only_comes_near() -> None:
    assert resolve_target("2.7.1", None, None).notice.endswith("; facts of 2.6.0 are used for 2.7.1")
    assert "\n" not in resolve_target("2.7.1", None, None).notice


def test_installed_torch_is_read_from_metadata_as_text(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    (first / "torchvision-0.20.dist-info").mkdir(parents=True)
    (first / "torchvision-0.20.dist-info" / "METADATA").write_text("Version: 0.20\n")
    (second / "torch-2.9.1.dist-info").mkdir(parents=True)
    (second / "torch-2.9.1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.9.1\n")
    assert installed_torch([first]) is None
    assert installed_torch([first, tmp_path / "nowhere", second]) == "2.9.1"


def test_a_source_build_holds_its_version_in_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "version.py").write_text("from typing import Optional\n__version__ = '2.10.0a0+gitabc'\n")
    assert installed_torch([tmp_path]) == "2.10.0a0+gitabc"


@pytest.mark.parametrize(
    ("pyproject", "expected"),
    [
        ('[project]\ndependencies = ["numpy", "torch>=2.6,<2.11"]\n', ">=2.6,<2.11"),
        ('[project]\ndependencies = ["torchvision>=0.2", "torch"]\n', ""),
        ("[project.optional-dependencies]\ndynamic = [\"torch == 2.9.1 ; python_version > '3.9'\"]\n", "== 2.9.1"),
        ('[dependency-groups]\ntest = [{include-group = "a"}, "torch (>=2.8)"]\n', ">=2.8"),
        ('[tool.poetry.dependencies]\ntorch = "^2.6"\n', ">=2.6,<3"),
        ('[tool.poetry.dependencies]\ntorch = {version = "2.8.0"}\n', "==2.8.0"),
        ('[project]\ndependencies = ["torch-geometric", "torch_scatter", "torchmetrics"]\n', None),
        ("not toml [", None),
    ],
)
def test_the_requirement_is_read_from_pyproject(tmp_path: Path, pyproject: str, expected: str | None) -> None:
    (tmp_path / "pyproject.toml").write_text(pyproject)
    assert required_torch(tmp_path) == expected


def test_or_from_a_list_of_requirements(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("# models\nnumpy\ntorch[opt]>=2.8  # new\n")
    assert required_torch(tmp_path) == ">=2.8"
    assert required_torch(tmp_path / "nowhere") is None


@pytest.mark.parametrize(
    ("requirement", "version", "fits"),
    [
        (">=2.6,<2.9", "2.8.0", True),
        pytest.param(">=1.10.1, < 1.13.0", "2.5.1", False, id="older than any with facts"),
        pytest.param(">=2.6; python_version > '3'", "2.8.0", True, id="a marker is not part of the range"),
        pytest.param("what", "2.8.0", True, id="unreadable"),
    ],
)
def test_whether_a_requirement_lets_a_version_in(requirement: str, version: str, fits: bool) -> None:
    assert allows(requirement, version) is fits
