"""What speaks against a fix: the runs of the changed copy, their exercises, and what was never exercised; no torch."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from compilelint.dynamic.proof import Exercised, Proof
from compilelint.dynamic.sides import Seen
from compilelint.model import (
    Confidence,
    Divergence,
    Effect,
    Fate,
    Finding,
    LimitHit,
    Location,
    ObservedBreak,
    Parity,
    Recompile,
    Rule,
    SkippedFrame,
    Span,
    TargetRun,
)
from compilelint.session.fixing.exercised import Unreached, of_exercises
from compilelint.session.fixing.prove import _gain, judged


def ended(statement: str, line: int = 1, function: str = "f") -> ObservedBreak:
    """A break at a statement."""
    return ObservedBreak("/m.py", line, line, line, function, statement, "", "", "", "", (), None, 1)


AGAIN = Recompile("/m.py", 1, "f", 2, (), "inputs")
EQUAL = Parity(2, 4)
ODD = Divergence("output", "output['a']", 1, "3 != 4")
BEFORE = TargetRun("net", Fate.RAN, breaks=(ended("print(x)"), ended("x.item()", 2)), parity=EQUAL)
AFTER = replace(BEFORE, breaks=(ended("x.item()", 3),))
DONE = Exercised(
    runs=3, compiled=2, raising=1, recompiles={"/m.py::f": 1}, differences=(), frames=frozenset({"/m.py::f"})
)
PROOF = Proof(BEFORE, AFTER, DONE, DONE)


def objection(proof: Proof, before: TargetRun = BEFORE) -> str:
    return judged([before], [proof], {}).objection


def after(**changes: Any) -> Proof:
    return replace(PROOF, after=replace(AFTER, **changes))


def test_an_original_that_does_not_run_is_named_with_its_error() -> None:
    old = TargetRun("net", Fate.EAGER_ERROR, detail="No module named 'tiny'")
    proof = after(parity=None)
    assert objection(proof, old) == (
        "net cannot be compared with the original, which does not run: No module named 'tiny'"
    )


def test_a_fix_that_removes_a_break_and_changes_nothing_stays() -> None:
    verdict = judged([BEFORE], [PROOF], {})
    assert (verdict.objection, verdict.uncovered) == ("", frozenset())
    assert verdict.exercised == "exercised: 3 runs (2 compiled too, 1 that raise), eager code takes no side of it"
    assert verdict.runs == (AFTER,)


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        pytest.param(after(fate=Fate.EAGER_ERROR, detail="\nno\nmore"), "net does not run with it: no", id="error"),
        pytest.param(after(parity=None), "net cannot be compared with the original", id="no parity"),
        pytest.param(after(parity=Parity(0, 0, (), "?")), "net cannot be compared with the original: ?", id="unknown"),
        pytest.param(after(parity=Parity(1, 1, (ODD,))), "output output['a'] of net differs: 3 != 4", id="differs"),
        pytest.param(after(recompiles=(AGAIN,)), "net recompiles more often", id="recompiles"),
        pytest.param(after(breaks=BEFORE.breaks), "no break", id="no break gone"),
        pytest.param(after(breaks=(ended("y.item()"),)), "another break shows: `y.item()`", id="another break"),
        pytest.param(after(breaks=(ended("x.item()", 2, "g"),)), "another break shows", id="another function"),
        pytest.param(replace(PROOF, original=None), "net cannot be run a second time", id="no exercises"),
        pytest.param(
            replace(PROOF, changed=None, unexercised="no copy"),
            "its compiled run: no copy",
            id="and why there are none",
        ),
        pytest.param(replace(PROOF, changed=None), "net cannot be run a second time", id="none of the copy"),
        pytest.param(
            replace(PROOF, changed=replace(DONE, places=False)), "only Python 3.11 and newer", id="an old Python"
        ),
    ],
)
def test_what_speaks_against_a_fix(proof: Proof, words: str) -> None:
    assert words in objection(proof)


def exercised(recompiles: dict[str, int], kinds: int = 3) -> Proof:
    """A proof whose exercises, of that many kinds of calls, recompile the changed copy's frames so often."""
    return replace(PROOF, changed=replace(DONE, recompiles=recompiles, kinds=kinds))


@pytest.mark.parametrize(
    ("proof", "words"),
    [
        pytest.param(exercised({"/m.py::f": 2}), "exercises: `f`", id="a frame that the original compiles too"),
        pytest.param(exercised({"/m.py::f": 1}), "", id="as often as the original"),
        pytest.param(exercised({"/m.py::g": 1}), "", id="another in its place"),
        pytest.param(exercised({"/m.py::f": 1, "/m.py::g": 2}), "", id="a new frame, once a kind of call"),
        pytest.param(exercised({"/m.py::f": 1, "/m.py::g": 3}), "exercises: `g`", id="a new frame, too often"),
    ],
)
def test_recompiles_are_charged_to_frames(proof: Proof, words: str) -> None:
    assert words in objection(proof) if words else objection(proof) == ""


def test_a_frame_that_was_skipped_may_recompile_up_to_the_limit() -> None:
    before = replace(BEFORE, skipped=(SkippedFrame("/m.py", 1, "f", "a break in a loop"),))
    assert objection(after(recompiles=(AGAIN,)), before) == ""
    limit = LimitHit("/m.py", 1, "f", "recompile_limit")
    assert "recompiles more often" in objection(after(recompiles=(AGAIN,), limits=(limit,)), before)


def test_only_recompiles_that_come_too_often_may_be_others_fault() -> None:
    often = judged([BEFORE], [after(recompiles=(AGAIN,))], {})
    assert often.recompiles
    assert not judged([BEFORE], [after(parity=Parity(1, 1, (ODD,)), recompiles=(AGAIN,))], {}).recompiles


READ = "def f(x):\n    hits = x.nonzero()\n    return hits[0].item()\n"
LISTED = "def f(x):\n    hits = torch.nonzero_static(x, size=1).tolist()\n    return hits[0]\n"
TWICE = (ended("hits = x.nonzero()"), ended("return hits[0].item()", 2))


@pytest.mark.parametrize(
    ("made", "now", "words"),
    [
        pytest.param((ended("hits = torch.nonzero_static(x, size=1).tolist()"),), LISTED, "", id="one for two"),
        pytest.param(
            (ended("hits = torch.nonzero_static(x, size=1).tolist()", 1, "g"),), LISTED, "another break", id="elsewhere"
        ),
        pytest.param((ended("print(hits)", 3),), READ + "print(hits)\n", "another break", id="nothing it took away"),
        pytest.param(
            (ended("hits = torch.nonzero_static(x, size=1).tolist()"), ended("return hits[0]", 2)),
            LISTED,
            "the break stays: `hits = torch.nonzero_static(x, size=1).tolist()`",
            id="two for two",
        ),
    ],
)
def test_a_rewritten_statement_may_break_in_the_place_of_others(
    made: tuple[ObservedBreak, ...], now: str, words: str
) -> None:
    before = replace(BEFORE, breaks=TWICE)
    verdict = judged([before], [after(breaks=made)], {"/m.py": (READ, now)})
    assert verdict.objection.startswith(words or "not exercised: line")


def test_only_what_it_uncovers_is_named_for_another_trial() -> None:
    assert judged([BEFORE], [after(breaks=(ended("y  .item()"),))], {}).uncovered == {"y .item()"}
    assert judged([BEFORE], [after(recompiles=(AGAIN,))], {}).uncovered == frozenset()


def test_what_compiling_raises_at_is_named() -> None:
    detail = 'no\nCaused by: y = x.reshape(n)  # net.py:3\n  File "net.py", line 4, in f\n    return y +  1\n'
    failed = judged([BEFORE], [after(fate=Fate.COMPILE_ERROR, detail=detail)], {})
    assert failed.uncovered == {"y = x.reshape(n)", "return y + 1"}
    assert judged([BEFORE], [after(fate=Fate.EAGER_ERROR, detail=detail)], {}).uncovered == frozenset()


def test_as_many_recompiles_as_before_are_no_objection() -> None:
    again = replace(BEFORE, recompiles=(AGAIN,))
    assert objection(after(recompiles=(AGAIN,)), again) == ""


def test_gains_are_counted_over_all_targets() -> None:
    assert _gain([BEFORE], [AFTER]).startswith("1 break ")
    assert _gain([BEFORE, BEFORE], [AFTER, AFTER]).startswith("2 breaks gone")


def test_a_break_in_the_place_of_two_is_not_one_that_is_gone() -> None:
    merged = replace(BEFORE, breaks=(ended("x.tolist()"),))
    assert _gain([BEFORE], [merged]).startswith("2 breaks became 1")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, ""),
        ({"differences": (ODD,)}, "output output['a'] of net differs: 3 != 4"),
        ({"differences": (replace(ODD, name="output"),)}, "output of net differs: 3 != 4"),
        ({"runs": 2}, "not exercised: net ends after 2 of 3 exercises"),
        (
            {"recompiles": {"/m.py::f": 2}},
            "net recompiles more often in the exercises: `f` 2 times, once before",
        ),
        ({"runs": 4, "recompiles": {}}, ""),
    ],
)
def test_what_exercises_say(changed: dict[str, Any], words: str) -> None:
    assert of_exercises(replace(PROOF, changed=replace(DONE, **changed))).partition(";")[0] == words


# ------------------------------------------------------------------ how far exercised

OLD = "def f(x):\n    y = x\n    return y\n"
NEW = "def f(x):\n    y = x + 1\n    z = y\n    return z\n"


def ran(*lines: int) -> Seen:
    return Seen(frozenset({(None, (line, 4, line, 9)) for line in lines}))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        pytest.param((2, 3), (2, 3, 4), "", id="all"),
        pytest.param((2, 3), (2, 4), "not exercised: line 3: never seen that", id="a new line never ran"),
        pytest.param((3,), (2, 3, 4), "not exercised: line 2: never seen that", id="an old line never ran"),
        pytest.param((), (2, 3, 4), ", and 1 more", id="several"),
    ],
)
def test_every_side_of_a_change_must_have_run(old: tuple[int, ...], new: tuple[int, ...], words: str) -> None:
    proof = replace(
        PROOF,
        original=replace(DONE, seen={"/m.py": ran(*old), "/other.py": ran(2, 3, 4)}),
        changed=replace(DONE, seen={"/m.py": ran(*new), "/other.py": ran(2, 3, 4)}),
    )
    verdict = judged([BEFORE], [proof], {"/m.py": (OLD, NEW)})
    assert (words in verdict.objection) if words else verdict.objection == "", verdict.objection


def test_exercises_of_all_targets_count_together() -> None:
    def proof(old: tuple[int, ...], new: tuple[int, ...]) -> Proof:
        original = replace(DONE, seen={"/m.py": ran(*old)})
        return replace(PROOF, original=original, changed=replace(DONE, seen={"/m.py": ran(*new)}))

    verdict = judged([BEFORE] * 2, [proof((2,), (2, 3)), proof((3,), (4,))], {"/m.py": (OLD, NEW)})
    assert verdict.objection == ""
    assert verdict.exercised.startswith("exercised: 6 runs (4 compiled too, 2 that raise)")


@pytest.mark.parametrize(
    ("text", "function", "lines", "unreached"),
    [
        pytest.param("y = x", "f", (3,), True, id="never ran"),
        pytest.param("y = x", "f", (2,), False, id="ran"),
        pytest.param("y = x", "<module>", (3,), False, id="outside of functions"),
        pytest.param("y = x", "", (3,), False, id="no function"),
        pytest.param("", "f", (3,), False, id="no text"),
        pytest.param("q = x", "f", (3,), False, id="a line that is not there any more"),
    ],
)
def test_lines_that_no_exercise_ran(
    tmp_path: Path, text: str, function: str, lines: tuple[int, ...], unreached: bool
) -> None:
    path = tmp_path / "m.py"
    path.write_text(OLD, encoding="utf-8")
    rule = Rule("CL101", "branch-on-tensor", "", Effect.GRAPH_BREAK)
    place = Location(str(path), Span(2, 1, 2, 2))
    finding = Finding(rule, "m", rule.effects, Confidence.CERTAIN, place, line_text=text, function=function)
    seen = replace(DONE, seen={str(path): ran(*lines)})
    assert Unreached([seen]).holds(finding) is unreached
    assert not Unreached([seen, None]).holds(finding)
    assert not Unreached([replace(seen, places=False)]).holds(finding)
    elsewhere = replace(finding, location=replace(place, path=str(tmp_path / "gone.py")))
    assert not Unreached([seen]).holds(elsewhere)


def test_a_line_that_only_compiled_code_comes_to_was_reached_where_it_broke(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    body = "    if torch.compiler.is_compiling():\n        torch._check_tensor_all(x)\n    else:\n        check(x)\n"
    path.write_text(f"def f(x):\n{body}", encoding="utf-8")
    rule = Rule("CL102", "host-read", "", Effect.GRAPH_BREAK)
    place = Location(str(path), Span(3, 9, 3, 10))
    line = "        torch._check_tensor_all(x)"
    finding = Finding(rule, "m", rule.effects, Confidence.CERTAIN, place, line_text=line, function="f")
    unreached = Unreached([replace(DONE, seen={str(path): ran(5)})])
    assert unreached.holds(finding)
    assert unreached.holds(finding, ["return x"])
    assert not unreached.holds(finding, ["torch._check_tensor_all(x)"])
