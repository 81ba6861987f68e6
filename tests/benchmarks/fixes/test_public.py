"""The page with diffs of public code, as it is written: whole diffs, messages of their files, lines that fit.

The packages are not here, so nothing is fixed again; `python -m benchmarks.fixes.public FOLDER --check` does that.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from benchmarks.fixes.public import CHOSEN, PAGE, Chosen, sections

_BLOCK = re.compile(r"^```(diff|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HUNK = re.compile(r"^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@", re.MULTILINE)
TEXT = PAGE.read_text(encoding="utf-8")


def _section(one: Chosen) -> str:
    return TEXT.partition(f"\n## {one.path}\n")[2].partition("\n## ")[0]


def _blocks(one: Chosen, kind: str) -> list[str]:
    return [text for name, text in _BLOCK.findall(_section(one)) if name == kind]


def _is_of(line: str, mark: str) -> bool:
    return line.startswith(mark) and not line.startswith(mark * 3)


def test_there_are_five_at_least_of_several_packages() -> None:
    assert len(CHOSEN) >= 5
    assert len({one.package for one in CHOSEN}) >= 4
    assert TEXT.count("\n## ") == len(CHOSEN)


@pytest.mark.parametrize("one", CHOSEN, ids=lambda one: one.path)
def test_a_section_names_version_licence_and_file(one: Chosen) -> None:
    assert f"{one.about} {one.package} {one.version}, {one.licence}; the file's SHA-256 begins `" in _section(one)


@pytest.mark.parametrize("one", CHOSEN, ids=lambda one: one.path)
def test_a_diff_is_whole(one: Chosen) -> None:
    (diff,) = _blocks(one, "diff")
    assert diff.startswith(f"--- {one.path}\n+++ {one.path}\n@@ ")
    for hunk, head in zip(_HUNK.split(diff)[3::3], _HUNK.finditer(diff), strict=True):
        lines = hunk.split("\n")[1:]
        lines = lines[: len(lines) - 1] if not lines[-1] else lines
        assert sum(line[:1] in ("-", " ") for line in lines) == int(head[1] or 1)
        assert sum(line[:1] in ("+", " ") for line in lines) == int(head[2] or 1)


@pytest.mark.parametrize("one", CHOSEN, ids=lambda one: one.path)
def test_lines_that_come_are_no_longer_than_120(one: Chosen) -> None:
    added = [line[1:] for text in _blocks(one, "diff") for line in text.split("\n") if _is_of(line, "+")]
    assert added
    assert [line for line in added if len(line) > 120] == []


@pytest.mark.parametrize("one", CHOSEN, ids=lambda one: one.path)
def test_no_comment_is_lost(one: Chosen) -> None:
    (diff,) = _blocks(one, "diff")
    old, new = ("\n".join(line[1:] for line in diff.split("\n") if _is_of(line, mark)) for mark in "-+")
    assert [text for text in re.findall(r"#.*", old) if text not in new] == []


@pytest.mark.parametrize("one", CHOSEN, ids=lambda one: one.path)
def test_the_messages_are_of_this_file_and_fit(one: Chosen) -> None:
    found = _blocks(one, "text")
    assert found
    for text in found:
        subject, empty, *body = text.splitlines()
        assert (len(subject) <= 72, empty) == (True, "")
        assert any(line.startswith((f"- {one.path}:", "- and ")) for line in body)
        assert body[-1]


def test_a_package_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"install segmentation_models_pytorch==0\.6\.0 there"):
        sections(tmp_path)
