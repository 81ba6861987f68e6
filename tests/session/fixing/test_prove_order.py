"""In which order fixes are tried, with scripted proofs: no torch, no runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from compilelint.config import Options
from compilelint.dynamic.protocol import Settings
from compilelint.model import Fate, Fix, ObservedBreak, Safety, TargetRun
from compilelint.session.fixing.prove import Verdict, _raised_at, _Trial, unproven_on
from compilelint.session.fixing.search import Change, Key, Search
from compilelint.syntax.source import Source


class Offered(Search):
    """Offers changes by title in order."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        super().__init__(Options(paths=(".",)))
        self.titles = titles

    def next(self, texts: Any, tried: set[Key], wanted: Any = None, confirmed: Any = None) -> Change | None:
        for title in self.titles:
            change = _change(title)
            if change.key not in tried and wanted is None:
                tried.add(change.key)
                return change
        return None


class Scripted(_Trial):
    """Judges each fix that is offered by what was kept before it."""

    def __init__(self, needs: Mapping[str, str], *fates: Fate) -> None:
        runs = tuple(TargetRun("net", fate, detail="it raises\nat a line") for fate in fates)
        super().__init__(Offered(needs), Settings(python="python"), Mock(runs=runs, exercised=(None,) * len(runs)))
        self.needs = needs
        self.shown: list[tuple[str, bool]] = []

    def _judged(self, first: Change) -> tuple[list[Change], Verdict]:
        needed = self.needs[first.fix.title]
        missing = needed and (needed, True) not in self.shown
        if missing and needed == "fewer":
            return [first], Verdict((), "net recompiles more often", recompiles=("mask", True) not in self.shown)
        graver = frozenset() if needed == "never" else frozenset({"x"})
        return [first], Verdict((), "another break shows", graver) if missing else Verdict(())

    def trials(self) -> list[tuple[str, bool]]:
        self.run(lambda entry: self.shown.append((entry.fix.title, entry.kept)))
        return self.shown


class Equal(Scripted):
    """Every fix is equal in runs that could not vary the dtype."""

    def _judged(self, first: Change) -> tuple[list[Change], Verdict]:
        return _Trial._judged(self, first)

    def _proof(self, texts: Any) -> Verdict:
        return Verdict((), one_value=frozenset({"dtype"}))


def _change(title: str, function: str = "forward", varied: tuple[str, ...] = ()) -> Change:
    finding = Mock(rule=Mock(code="CL102"), location=Mock(path="net.py"), function=function, line_text=title)
    return Change(finding, Fix(Safety.UNSAFE, title, (), varied=varied), ((Source("net.py", "", ascii=True), ""),))


@pytest.mark.parametrize(("varied", "kept"), [("dtype", False), ("device", True)])
def test_what_depends_on_what_no_run_varied_is_dropped(varied: str, kept: bool) -> None:
    trial = Equal({"mask": ""})
    trial.search = Mock(next=Mock(side_effect=[_change("mask", varied=(varied,)), None]))
    trial.run(lambda entry: None)
    assert [one.kept for one in trial.ledger] == [kept]
    assert ("not varied: dtype, and what it assumes" in trial.ledger[0].reason) is not kept


def test_a_line_that_stands_in_two_functions_is_two_trials() -> None:
    assert _change("a = b").key == _change("a = b").key != _change("a = b", "backward").key


def test_what_stumbles_is_tried_again_after_what_it_needs() -> None:
    trials = Scripted({"switch": "mask", "mask": ""}).trials()
    assert trials == [("switch", False), ("mask", True), ("switch", True)]


def test_what_stumbles_is_not_tried_again_where_nothing_was_kept_since() -> None:
    assert Scripted({"mask": "", "switch": "other"}).trials() == [("mask", True), ("switch", False)]


def test_what_gives_other_results_is_not_tried_again() -> None:
    assert Scripted({"switch": "never", "mask": ""}).trials() == [("switch", False), ("mask", True)]


def test_what_recompiles_more_often_is_tried_again_once_something_was_kept() -> None:
    trials = Scripted({"matcher": "fewer", "mask": ""}).trials()
    assert trials == [("matcher", False), ("mask", True), ("matcher", False)]


def test_a_compile_error_names_its_statements() -> None:
    detail = (
        "GuardOnDataDependentSymNode: Could not guard on data-dependent expression Eq(u8, 0)\n\n"
        "Caused by: pieces = torch.split(x, sizes.tolist())  # net.py:9 in forward (_refs/__init__.py:4264 in unbind)\n"
        'User Stack:\n  File "/project/net.py", line 12, in forward\n    return self.attend(x)\n'
    )
    run = TargetRun("net:Net", Fate.COMPILE_ERROR, detail)
    assert _raised_at(run) == {"pieces = torch.split(x, sizes.tolist())", "return self.attend(x)"}
    assert _raised_at(TargetRun("net:Net", Fate.EAGER_ERROR, detail)) == frozenset()


def test_what_does_not_run_without_a_fix_is_said_once_and_tried_never() -> None:
    failing = Scripted({"a": "", "b": ""}, Fate.EAGER_ERROR)
    assert failing.trials() == []
    assert unproven_on(failing.originals.runs) == ["net does not run, so nothing is proven on it: it raises"]
    mixed = Scripted({"a": ""}, Fate.EAGER_ERROR, Fate.RAN, Fate.COMPILE_ERROR)
    assert mixed.able == [1, 2], "what compiling alone raises, a fix may cure"


class AllAtOnce(Scripted):
    """Fixes of statements that break, each in a file of its own; some are wrong, and some leave their break."""

    def __init__(self, titles: str, wrong: str = "", idle: str = "", elsewhere: str = "") -> None:
        super().__init__(dict.fromkeys(titles, ""))
        self.wrong, self.idle, self.bundles = frozenset(wrong), frozenset(idle), [""]
        self.breaking = frozenset(titles) - frozenset(elsewhere)
        self.able, self.runs = [0], (self.broken_without(frozenset()),)
        self.search = Mock(next=self.offered)
        self.unreached = Mock(holds=lambda finding, broken: False)

    def broken_without(self, fixed: frozenset[str]) -> TargetRun:
        left = sorted(self.breaking - (fixed - self.idle))
        rest = ("", "GB0170", "", "", "", (), None, 1)
        breaks = (ObservedBreak("net.py", ord(one), 1, 1, "forward", one, *rest[1:]) for one in left)
        return TargetRun("net", Fate.RAN, breaks=tuple(breaks))

    def offered(self, texts: Any, tried: set[Key], wanted: Any = None, confirmed: Any = None) -> Change | None:
        for title in self.needs:
            change = replace(_change(title), files=((Source(title, "", ascii=True), ""),))
            if change.key not in tried and title not in texts and (wanted is None or title in wanted):
                tried.add(change.key)
                return change
        return None

    def _judged(self, first: Change) -> tuple[list[Change], Verdict]:
        return _Trial._judged(self, first)

    def _proof(self, texts: Any) -> Verdict:
        self.bundles.append("".join(sorted(set(texts) - set(self.current))))
        run = self.broken_without(frozenset(texts))
        gone = len(run.own_breaks) < len(self.runs[0].own_breaks)
        return Verdict((run,), "differs" if self.wrong & set(texts) else "" if gone else "no break was removed")


@pytest.mark.parametrize(
    ("trial", "bundles", "kept"),
    [
        pytest.param(AllAtOnce("abc"), ["abc"], "abc", id="all in one trial"),
        pytest.param(AllAtOnce("abcd", wrong="d"), ["abcd", "ab", "cd", "c", "d"], "abc", id="half of them, then each"),
        pytest.param(AllAtOnce("ab", wrong="a"), ["ab", "a", "b"], "b", id="each by itself"),
        pytest.param(AllAtOnce("abc", idle="b"), ["abc", "a", "b", "c"], "ac", id="one that takes no break away"),
        pytest.param(AllAtOnce("abc", elsewhere="c"), ["ab", "c"], "ab", id="a statement that does not break waits"),
        pytest.param(AllAtOnce("a"), ["a"], "a", id="one alone"),
    ],
)
def test_fixes_of_what_breaks_are_tried_together_first(trial: AllAtOnce, bundles: list[str], kept: str) -> None:
    trial.trials()
    assert trial.bundles[1:] == bundles
    assert "".join(sorted(one.fix.title for one in trial.ledger if one.kept)) == kept
    assert sorted(one.fix.title for one in trial.ledger) == sorted(trial.needs), "each has one line"


def test_what_no_run_varied_is_not_kept_in_a_bundle_either() -> None:
    trial = AllAtOnce("ab")
    varied = trial.offered

    def offered(*args: Any) -> Change | None:
        change = varied(*args)
        return change and replace(change, fix=replace(change.fix, varied=("dtype",) if change.fix.title == "a" else ()))

    trial.search = Mock(next=lambda texts, tried, wanted=None, confirmed=None: offered(texts, tried, wanted, confirmed))
    proof = trial._proof
    trial._proof = lambda texts: replace(proof(texts), one_value=frozenset({"dtype"}))  # type: ignore[method-assign]
    trial.trials()
    assert [(one.fix.title, one.kept) for one in trial.ledger] == [("a", False), ("b", True)]
