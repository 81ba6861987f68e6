"""What a project says that it needs, whatever else stands in the places of its tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.project.requirements import declared_requirements


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[project]\ndependencies = ['torch>=2.4', 'a']", {"torch": ">=2.4", "a": ""}),
        ("[project]\ndependencies = 'torch>=2.4'", {}),
        ("[project]\ndependencies = {torch = '1'}", {}),
        ("[project]\noptional-dependencies = ['torch>=2.4']", {}),
        ("[project]\noptional-dependencies = 3", {}),
        (
            "[project.optional-dependencies]\na = ['torch>=2.4']\nb = 'x'\nc = ['torch<2', 'y==1']",
            {"torch": ">=2.4", "y": "==1"},
        ),
        ("project = 3", {}),
        ("[tool.other]\nx = 1", {}),
        ("[project]\ndependencies = ['torch>=2.4'", {}),
        (
            "[project]\ndependencies = ['torch>=2.4', '@@', 7, 'Some_Name ; python_version > \"3\"']",
            {"torch": ">=2.4", "some-name": ""},
        ),
    ],
)
def test_requirements(tmp_path: Path, text: str, found: dict[str, str]) -> None:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "a.py").write_text("")
    assert declared_requirements(str(tmp_path / "pkg" / "a.py")) == found
    assert declared_requirements(str(tmp_path / "pkg")) == found


def test_the_search_ends_at_the_repository(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\ndependencies = ['torch>=2.4']", encoding="utf-8")
    (tmp_path / "inner" / ".git").mkdir(parents=True)
    assert declared_requirements(str(tmp_path / "inner")) == {}
    assert declared_requirements(str(tmp_path)) == {"torch": ">=2.4"}


def test_a_file_that_leads_out_of_the_project_says_nothing(tmp_path: Path) -> None:
    (tmp_path / "out.toml").write_text("[project]\ndependencies = ['torch>=2.4']", encoding="utf-8")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "pyproject.toml").symlink_to(tmp_path / "out.toml")
    assert declared_requirements(str(tmp_path / "in")) == {}
