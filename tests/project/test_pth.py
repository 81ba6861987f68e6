"""What editable installs hide in a finder module: a plain mapping is taken, and nothing else is guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.project.pth import PathEntries, path_entries


@pytest.mark.parametrize(
    ("text", "mapping"),
    [
        ("MAPPING = {'a': '/b'}", {"a": "/b"}),
        ("MAPPING: dict[str, str] = {'a': '/b', 'c': '/d'}", {"a": "/b", "c": "/d"}),
        ("import sys\nNAMESPACES = {'x': 'y'}\nMAPPING = {'a': '/b'}", {"a": "/b"}),
        ("MAPPING = {}", {}),
        ("OTHER = MAPPING = {'a': '/b'}", None),
        ("MAPPING, OTHER = {'a': '/b'}, 1", None),
        ("x.MAPPING = {'a': '/b'}", None),
        ("MAPPING: dict[str, str]", None),
        ("MAPPING = {'a': 1}", None),
        ("MAPPING = {1: 'a'}", None),
        ("MAPPING = {'a': '/b', 'c': None}", None),
        ("MAPPING = [('a', '/b')]", None),
        ("MAPPING = dict(a='/b')", None),
        ("MAPPING = {", None),
        ("x = 1", None),
    ],
)
def test_a_finder_is_taken_at_its_literal_mapping(tmp_path: Path, text: str, mapping: dict[str, str] | None) -> None:
    name = "__editable___a_1_0_finder.py"
    (tmp_path / name).write_text(text, encoding="utf-8")
    found = path_entries(str(tmp_path))
    assert found.editable == (mapping or {})
    notice = f"{tmp_path}/{name} has no plain mapping; its editable install is not followed"
    assert found.notices == ((notice,) if mapping is None else ())


def test_a_folder_that_cannot_be_listed_adds_nothing(tmp_path: Path) -> None:
    assert path_entries(str(tmp_path / "missing")) == PathEntries()
    assert (PathEntries().folders, PathEntries().editable, PathEntries().notices) == ((), {}, ())
