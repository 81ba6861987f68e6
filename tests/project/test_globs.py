"""Patterns of names decide as pathspec's do, and in linear time."""

from __future__ import annotations

import fnmatch
import itertools
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pathspec import GitIgnoreSpec

from compilelint.project import globs
from compilelint.project.globs import IgnoreList, NoGlobError, wildcard

SEGMENTS = st.sampled_from(
    ["a", "b", "ab", "*", "**", "a*", "*b", "*a*b", "?", "[ab]", "[!a]", "[^a]*", "\\*", "[]a]", "[a-c]b", "a**", " a"]
)
NAMES = st.sampled_from(["a", "b", "ab", "aab", "c", "*", "a b", " a", "]", "abab", "ba", "-"])
PATTERNS = st.builds(
    lambda negated, anchored, segments, end: negated + anchored + "/".join(segments) + end,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(SEGMENTS, min_size=1, max_size=4),
    st.sampled_from(["", "", "/", " "]),
)
PATHS = st.builds(
    lambda names, end: "/".join(names) + end, st.lists(NAMES, min_size=1, max_size=4), st.sampled_from(["", "/"])
)


@given(st.lists(PATTERNS, min_size=1, max_size=4), st.lists(PATHS, min_size=1, max_size=6))
def test_a_list_decides_as_pathspec_does(patterns: list[str], paths: list[str]) -> None:
    ours, theirs = IgnoreList(patterns), GitIgnoreSpec.from_lines(patterns)
    assert [ours.decides(path) for path in paths] == [theirs.check_file(path).include for path in paths]


def test_every_short_pattern_decides_as_pathspec_does() -> None:
    """All of up to three segments, anchored and not, of a folder and not, negated and not, on paths of each shape."""
    paths = ["a", "b", "a/", "b/", "a/a", "a/b", "b/a", "b/a/", "a/b/", "b/b/a", "b/a/b", "a/b/a/", "b/b/b/a"]
    wrong = []
    for count in (1, 2, 3):
        for segments in itertools.product(("a", "*", "**"), repeat=count):
            for start, end in itertools.product(("", "/", "!", "!/"), ("", "/", " ", "\\ ")):
                lines = ["b*" if start[:1] == "!" else "c", start + "/".join(segments) + end]
                ours, theirs = IgnoreList(lines), GitIgnoreSpec.from_lines(lines)
                wrong += [(lines, one) for one in paths if ours.decides(one) is not theirs.check_file(one).include]
    assert wrong == []


@given(st.text("ab*?[]!-\\", max_size=7), st.text("ab[]-\\!", max_size=7))
def test_one_glob_matches_as_fnmatch_does(pattern: str, text: str) -> None:
    assert wildcard(pattern).matches(text) == fnmatch.fnmatchcase(text, pattern)


@pytest.mark.parametrize(
    ("line", "path", "ignored"),
    [
        pytest.param("# a", "# a", None, id="a comment"),
        pytest.param("\\#a", "#a", True, id="no comment when escaped"),
        pytest.param("  ", "a", None, id="an empty line"),
        pytest.param("/", "a", None, id="the root alone means nothing"),
        pytest.param("a/", "a", None, id="a folder's pattern passes over a file"),
        pytest.param("a/", "x/a/b", True, id="and means all below the folder"),
        pytest.param("a/b", "x/a/b", None, id="a slash inside anchors"),
        pytest.param("[a", "[a", None, id="a class that is not closed is passed over"),
        pytest.param("[b-a]", "a", None, id="a range from the end to the start holds nothing"),
        pytest.param("[!b-a]", "a", True, id="and all but nothing is anything"),
    ],
)
def test_what_a_line_says(line: str, path: str, ignored: bool | None) -> None:
    assert IgnoreList([line]).decides(path) is ignored


@pytest.mark.parametrize("line", ["!", "a\\", "*/a\\"])
def test_what_is_no_pattern_is_refused_and_changes_nothing(line: str) -> None:
    patterns = IgnoreList(["*.txt"])
    with pytest.raises(NoGlobError):
        patterns.add(line)
    assert patterns.decides("a.txt") is True


def test_too_many_wildcards_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(globs, "MAX_WILDCARDS", 3)
    IgnoreList(["a*", "b*", "c*", "*", "name", "folder/**"])
    with pytest.raises(NoGlobError, match="more than 3 patterns"):
        IgnoreList(["a*", "b*", "c*", "d*"])


@pytest.mark.parametrize(
    "pattern", ["*a" * 100 + "b", "**/a/" * 100 + "b", "/".join(["*a*a*"] * 50), "?*" * 100 + "b", "[a-z]*" * 60 + "!"]
)
def test_no_pattern_takes_long(pattern: str) -> None:
    patterns, path = IgnoreList([pattern]), "/".join(["a" * 200] * 20)
    begin = time.process_time()
    assert patterns.decides(path) is None
    wildcard(pattern).matches("a" * 5_000)
    assert time.process_time() - begin < 0.5
