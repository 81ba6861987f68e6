"""`late_pattern`: `re.compile`, later."""

from __future__ import annotations

import re

import pytest

from compilelint.model.patterns import late_pattern


def test_it_behaves_as_the_compiled_one() -> None:
    pattern, compiled = late_pattern(r"a(B+)", re.IGNORECASE), re.compile(r"a(B+)", re.IGNORECASE)
    for text in ("xabb", "Ab", "none", "ab aB"):
        assert pattern.findall(text) == compiled.findall(text)
        assert pattern.sub("-", text) == compiled.sub("-", text)
        assert (pattern.fullmatch(text) is None) == (compiled.fullmatch(text) is None)
    assert (pattern.pattern, pattern.flags) == (compiled.pattern, compiled.flags)
    assert late_pattern(rb"\d").findall(b"a1") == [b"1"]


def test_nothing_is_compiled_before_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    compiled = re.compile(r"\d+")

    def compiling(pattern: str, flags: int) -> re.Pattern[str]:
        made.append(pattern)
        return compiled

    monkeypatch.setattr(re, "compile", compiling)
    pattern = late_pattern(r"\d+")
    assert made == []
    assert pattern.search("a12") is not None
    assert pattern.search("b") is None
    assert made == [r"\d+"], "compiled once for each of its methods"


def test_a_wrong_pattern_is_refused_when_it_is_used() -> None:
    with pytest.raises(re.error):
        late_pattern("(").match("")
