"""What the first screen counts in place of showing it, and that nothing is lost by it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compilelint.model import Confidence, Effect, Finding, Location, Rule, Span
from compilelint.report.layout.folding import fold_lines, folded, reasons
from compilelint.report.report import COMPILES, UNMADE, WEIGHTLESS, CompileRoot, Report, TorchTarget

RULE = Rule("CL101", "branch-on-tensor", "a branch", Effect.GRAPH_BREAK)
TOOL = Rule("CL901", "tool", "the tool", Effect.TOOL)
KNOWN = CompileRoot("Net.forward", Location("/r/pkg/net.py", Span(1, 1, 1, 2)), None, "forward")


def found(path: str, roots: tuple[str, ...] = ("Net.forward",), line: str = "", rule: Rule = RULE) -> Finding:
    place = Location(f"/r/{path}", Span(1, 1, 1, 2))
    return Finding(rule, "found", rule.effects, Confidence.LIKELY, place, roots=roots, line_text=line)


def report(*findings: Finding, roots: tuple[CompileRoot, ...] = (KNOWN,)) -> Report:
    return Report(findings, 1, TorchTarget("2.13", "asked"), "/r", roots=roots)


SHOWN = found("pkg/net.py")
LOSS = KNOWN._replace(name="Loss.forward", aside=WEIGHTLESS)


@pytest.mark.parametrize(
    ("aside", "reason"),
    [
        pytest.param(found("tests/test_net.py"), "in tests/", id="tests"),
        pytest.param(found("pkg/Examples/run.py"), "in pkg/Examples/", id="examples in the package, other case"),
        pytest.param(
            found("pkg/tools.py", ("f (unreached)",)), "in functions that no linted code compiles", id="if compiled"
        ),
    ],
)
def test_what_is_folded_says_why(aside: Finding, reason: str) -> None:
    shown, folds = folded(report(SHOWN, aside))
    assert shown == (SHOWN,)
    assert [(fold.reason, fold.findings) for fold in folds] == [(reason, (aside,))]
    assert reasons(report(SHOWN, aside)) == ["", reason]


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(found("pkg/testing.py"), id="no folder of tests"),
        pytest.param(found("tests.py"), id="a file is no folder"),
        pytest.param(found("pkg/a.py", ("f (unreached)", "Net.forward")), id="a known root reaches it too"),
        pytest.param(found("pkg/a.py", ()), id="no root at all"),
        pytest.param(found("pkg/a.py", ("f (unreached)",), rule=TOOL), id="of the tool itself"),
    ],
)
def test_what_stays(one: Finding) -> None:
    assert folded(report(SHOWN, one)) == ((SHOWN, one), [])


@pytest.mark.parametrize(
    ("roots", "shown"),
    [
        pytest.param(("Loss.forward",), False, id="of a loss alone"),
        pytest.param(("Loss.forward", "step (unreached)"), False, id="and of what may call it"),
        pytest.param(("Loss.forward", "Net.forward"), True, id="and of a model"),
        pytest.param(("step (unreached)",), False, id="of a function that nothing compiles"),
        pytest.param((), True, id="of no root"),
    ],
)
def test_what_has_nothing_to_learn_is_counted_beside_models(roots: tuple[str, ...], shown: bool) -> None:
    one = found("pkg/loss.py", roots)
    assert (one in folded(report(SHOWN, one, roots=(KNOWN, LOSS)))[0]) is shown


def test_losses_are_shown_where_there_is_nothing_else() -> None:
    other = LOSS._replace(name="Other.forward")
    one, more = found("pkg/loss.py", ("Loss.forward",)), found("pkg/a.py", ("Other.forward",))
    assert folded(report(one, more, roots=(LOSS, other))) == ((one, more), [])


def test_of_two_roots_of_one_name_one_that_learns_decides() -> None:
    one = found("pkg/loss.py", ("Loss.forward",))
    assert folded(report(SHOWN, one, roots=(KNOWN, LOSS, LOSS._replace(aside="")))) == ((SHOWN, one), [])


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        pytest.param(COMPILES, "in models that compile a trace of their own", id="a model that compiles itself"),
        pytest.param(UNMADE, "in models that no script of the project makes", id="a model that nothing makes"),
    ],
)
def test_a_model_that_is_no_work_is_counted_with_the_reason(why: str, reason: str) -> None:
    other = KNOWN._replace(name="Other.forward", aside=why)
    one = found("pkg/other.py", ("Other.forward",))
    assert [fold.reason for fold in folded(report(SHOWN, one, roots=(KNOWN, other)))[1]] == [reason]
    both = found("pkg/other.py", ("Other.forward", "Loss.forward"))
    assert folded(report(SHOWN, both, roots=(KNOWN, other, LOSS)))[0] == (SHOWN,)


def test_a_report_of_nothing_else_shows_it() -> None:
    tests = (found("tests/a.py"), found("tests/b.py"))
    assert folded(report(*tests)) == (tests, [])


def test_where_nothing_is_known_to_be_compiled_guesses_are_the_report() -> None:
    guess, second = found("pkg/a.py", ("f (unreached)",)), found("pkg/b.py", ("g (unreached)",))
    assert folded(report(guess, second, roots=())) == ((guess, second), [])


def test_a_line_copied_into_many_files_is_shown_three_times() -> None:
    copies = [found(f"pkg/m{n}.py", line="    if mask.all():") for n in range(6)]
    other = found("pkg/m9.py", line="if mask.any():")
    shown, folds = folded(report(*copies, other))
    assert shown == (*copies[:3], other)
    assert [fold.words for fold in folds] == ["3 findings of CL101 on copies of `if mask.all():`"]


def test_all_shows_all() -> None:
    whole = replace(report(SHOWN, found("tests/a.py")), unfolded=True)
    assert folded(whole) == (whole.findings, [])


def test_further_folds_share_a_line() -> None:
    aside = [found(f"pkg{n}/tests/a.py") for n in range(9)]
    _, folds = folded(report(SHOWN, *aside))
    lines = list(fold_lines(folds, most=2))
    assert len(lines) == 3
    assert lines[-1] == "7 findings for 7 other reasons"
