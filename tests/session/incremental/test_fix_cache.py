"""Fixes that are remembered: those of the same text and the same findings, and of nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from compilelint.cache import Store
from compilelint.model import (
    Confidence,
    Edit,
    Effect,
    Finding,
    Fix,
    Location,
    Rewrite,
    Rule,
    Safety,
    Span,
)
from compilelint.project.loader import Loader
from compilelint.session.incremental.fix_cache import with_fixes
from compilelint.session.incremental.run_cache import RunCache
from compilelint.session.parallel.in_process import Question, Taken, as_it_is
from compilelint.syntax.source import Readings

RULE = Rule("CL101", "branch-on-tensor", "a branch", Effect.GRAPH_BREAK)
LIKELY = Confidence.LIKELY


class Loaded:
    """Stands in for the loader: the hashes of the files that this run has read."""

    def __init__(self, **digests: str) -> None:
        self.readings = Readings()
        self.readings.digests.update({f"{name}.py": digest for name, digest in digests.items()})


class Maker:
    """Makes a fix of each finding, and notes of which."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def ask(self, questions: Sequence[Question], taken: Taken = as_it_is) -> list[Any]:
        """Nothing is asked here."""
        raise AssertionError(questions)

    def with_fixes(self, findings: Sequence[Finding], least: Confidence) -> list[Finding]:
        """Each finding with a fix that names it."""
        self.asked += [one.message for one in findings]
        return [replace(one, fix=_fix(one.message)) for one in findings]


def _fix(title: str) -> Fix:
    return Fix(Safety.UNSAFE, title, (Edit(Span(1, 1, 1, 2), "y"),))


def finding(message: str, path: str = "a.py", **more: Any) -> Finding:
    """A finding of which a fix may be made."""
    place = Location(path, Span(1, 1, 1, 2))
    made = Finding(RULE, message, RULE.effects, LIKELY, place, rewrite=Rewrite("branch"))
    return replace(made, **more)


def asked(folder: Path, findings: list[Finding], **digests: str) -> list[str]:
    """Of which findings fixes are made when this is what a run finds; each ends with its fix."""
    store, maker = Store(folder / "cache", b"s" * 32), Maker()
    cache = RunCache(store, ["request"], [], [RULE], cast(Loader, Loaded(**digests)))
    found = with_fixes(maker, cache, findings, LIKELY)
    for one in found:
        expected = one.rewrite is not None and one.confidence >= LIKELY
        assert (one.fix == _fix(one.message)) is expected
    return maker.asked


def test_what_did_not_change_is_remembered(tmp_path: Path) -> None:
    findings = [finding("one"), finding("two"), finding("three", "b.py")]
    assert asked(tmp_path, findings, a="1", b="1") == ["one", "two", "three"]
    assert asked(tmp_path, findings, a="1", b="1") == []


def test_another_text_of_one_file_concerns_that_file(tmp_path: Path) -> None:
    findings = [finding("one"), finding("two", "b.py")]
    asked(tmp_path, findings, a="1", b="1")
    assert asked(tmp_path, findings, a="2", b="1") == ["one"]
    assert asked(tmp_path, findings, a="2", b="1") == []
    assert asked(tmp_path, findings, a="1", b="1") == ["one"]  # only the last text is remembered


@pytest.mark.parametrize(
    "now",
    [
        pytest.param([finding("other")], id="another finding"),
        pytest.param([finding("one", confidence=Confidence.CERTAIN)], id="a surer finding"),
        pytest.param([finding("one"), finding("two")], id="one more finding"),
        pytest.param([finding("one", rewrite=Rewrite("branch", (("dtype", "bool"),)))], id="more is known of it"),
    ],
)
def test_other_findings_of_the_same_text(now: list[Finding], tmp_path: Path) -> None:
    asked(tmp_path, [finding("one")], a="1")
    assert asked(tmp_path, now, a="1") == [one.message for one in now]


def test_a_file_whose_text_is_not_known_is_never_remembered(tmp_path: Path) -> None:
    assert asked(tmp_path, [finding("one")]) == ["one"]
    assert asked(tmp_path, [finding("one")]) == ["one"]


def test_what_can_have_no_fix_is_not_asked_about(tmp_path: Path) -> None:
    findings = [finding("plain", rewrite=None), finding("vague", confidence=Confidence.POSSIBLE), finding("one")]
    assert asked(tmp_path, findings, a="1") == ["one"]


@pytest.mark.parametrize("kept", [["stamp"], ["stamp", 3], ["stamp", [["no fix"]]], 3, None])
def test_a_damaged_entry_is_a_miss(kept: Any, tmp_path: Path) -> None:
    store = Store(tmp_path / "cache", b"s" * 32)
    RunCache(store, ["request"], [], [RULE], cast(Loader, Loaded(a="1"))).keep_fixes({"a.py": kept})
    assert asked(tmp_path, [finding("one")], a="1") == ["one"]
