"""The ways to a line: roots, calls, tests and how they came out, values with their origin, and what happens there."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.model import Doubt
from compilelint.report.explanation import Way
from tests.support.why_asked import explained, module

READ = "x.sum().item()  # here"
UNDECIDED = "undecided: both ways are followed"


def only(folder: Path, text: str) -> Way:
    (way,) = explained(folder, text).ways
    return way


def test_a_way_is_the_root_and_the_calls_from_it(tmp_path: Path) -> None:
    more = f"    def helper(self, x):\n        return {READ}\n"
    way = only(tmp_path, module("y = x + 1", "return self.helper(y)", more=more))
    assert (way.root, way.kind) == ("Net.forward", "the `forward` of a module")
    assert [(site.function, site.location.span.line) for site in way.calls] == [("Net.forward", 12)]
    assert [(one.text, one.origin) for one in way.given if one.value.startswith("tensor")] == [
        ("x", "result of `+`, from argument `x`, annotated `Tensor`")
    ]


def test_a_root_that_a_call_compiles_names_the_call(tmp_path: Path) -> None:
    way = only(tmp_path, f"def f(x: Tensor):\n    return {READ}\n\n\ng = torch.compile(f)\n")
    assert way.kind.startswith("compiled at ")
    assert way.kind.endswith("app.py:9")


@pytest.mark.parametrize(
    ("lines", "outcome", "around"),
    [
        pytest.param(("if n:", f"    return {READ}", "return x"), UNDECIDED, True, id="open"),
        pytest.param(
            ("if torch.compiler.is_compiling():", f"    return {READ}", "return x"), "true", True, id="decided"
        ),
        pytest.param(("if n:", "    return x", f"return {READ}"), UNDECIDED, False, id="above"),
        pytest.param(
            ("if torch.jit.is_scripting():", "    return x", f"return {READ}"), "false", False, id="above, never true"
        ),
    ],
)
def test_each_test_says_how_it_came_out(tmp_path: Path, lines: tuple[str, ...], outcome: str, around: bool) -> None:
    (test,) = only(tmp_path, module(*lines, params="self, x: Tensor, n: int")).tests
    assert (test.outcome, test.around) == (outcome, around)
    assert f"if {test.text}:" == lines[0]


def test_a_test_that_leaves_nothing_is_not_on_the_way(tmp_path: Path) -> None:
    assert only(tmp_path, module("if n:", "    x = -x", f"return {READ}", params="self, x: Tensor, n: int")).tests == ()


def test_a_test_says_what_it_lowers(tmp_path: Path) -> None:
    way = only(tmp_path, module("if debug:", f"    return {READ}", "return x", params="self, x: Tensor, debug=False"))
    assert [test.lowered for test in way.tests] == [f"likely, since {Doubt.OFF_BY_DEFAULT.why}"]
    assert way.happened[-1].said == (f"CL102 host-read: likely, since {Doubt.OFF_BY_DEFAULT.why}",)


def test_of_an_elif_the_tests_before_it_are_given_too(tmp_path: Path) -> None:
    lines = ("if torch.jit.is_scripting():", "    return x", "elif n:", f"    return {READ}", "return x")
    way = only(tmp_path, module(*lines, params="self, x: Tensor, n: int"))
    assert [(test.text, test.outcome) for test in way.tests] == [
        ("torch.jit.is_scripting()", "false"),
        ("n", UNDECIDED),
    ]


def test_what_happens_names_the_fact_and_the_rule(tmp_path: Path) -> None:
    read, total = reversed(only(tmp_path, module(f"return {READ}")).happened)
    assert total.what == "call torch.Tensor.sum"
    assert total.fact == "stays in the graph; measured, torch 2.13.0"
    assert total.said == ()
    assert read.what == "call torch.Tensor.item"
    assert read.fact == "ends the graph (GB0124, host-read); measured, torch 2.13.0"
    assert read.said == ("CL102 host-read: certain",)


def test_what_a_root_captures_stays_in_its_graph(tmp_path: Path) -> None:
    way = only(tmp_path, f"@torch.compile(fullgraph=True)\ndef f(x: Tensor):\n    return {READ}\n")
    assert way.happened[-1].fact.startswith("stays in the graph as this root is compiled")


def test_values_of_the_line_carry_their_origin_and_doubts(tmp_path: Path) -> None:
    way = only(tmp_path, module("return m.any()  # here", params="self, x: Tensor, m: Tensor | None"))
    known = {one.text: one for one in way.beliefs}
    assert known["m.any()"].origin.startswith("result of `.any`")
    assert known["m"].value == f"None | tensor input, since {Doubt.ONE_OF_SEVERAL.why}"


def test_runs_that_read_the_same_are_one_way(tmp_path: Path) -> None:
    more = f"    def helper(self, x, n):\n        return {READ}\n"
    found = explained(tmp_path, module("self.helper(x, 1)", "return self.helper(x + 1, 'a')", more=more)).ways
    assert len({(way.calls, way.happened) for way in found}) == len(found)


@pytest.mark.parametrize(
    ("lines", "stop"),
    [
        pytest.param(
            ("if torch.compiler.is_compiling():", "    return x", "return y  # here"),
            "every way through the `if` on line 11 leaves the function or the loop",
            id="behind what is always true",
        ),
        pytest.param(
            ("if torch.jit.is_scripting():", "    x = y  # here", "return x"),
            "`torch.jit.is_scripting()` on line 11 is false while compiling",
            id="in what is never true",
        ),
        pytest.param(
            ("if torch.compiler.is_compiling():", "    x = -x", "else:", "    x = y  # here", "return x"),
            "`torch.compiler.is_compiling()` on line 11 is true while compiling",
            id="in the other arm of what is always true",
        ),
        pytest.param(
            ("if torch.compiler.is_compiling():", "    x = -x", "elif x.any():  # here", "    x = x + 1", "return x"),
            "`torch.compiler.is_compiling()` on line 11 is true while compiling",
            id="the test of an arm behind what is always true",
        ),
        pytest.param(("return x", "y = x  # here"), "the function returns on line 11", id="behind a return"),
        pytest.param(("raise ValueError", "y = x  # here"), "line 11 raises an error", id="behind a raise"),
        pytest.param(
            ("for _ in x:", "    continue", "    y = x  # here", "return x"),
            "line 12 leaves the loop",
            id="behind continue",
        ),
    ],
)
def test_a_run_that_does_not_get_there_says_what_kept_it(tmp_path: Path, lines: tuple[str, ...], stop: str) -> None:
    assert only(tmp_path, module(*lines)).stop == stop


def test_a_lambda_of_the_line_is_a_way_of_its_own(tmp_path: Path) -> None:
    found = explained(tmp_path, module("read = lambda y: y.item()  # here", "return read(x.sum())"))
    assert [[one.what for one in way.happened] for way in found.ways] == [["call torch.Tensor.item"], []]
    assert [site.location.span.line for site in found.ways[0].calls] == [12]


def test_the_way_that_makes_the_finding_surest_comes_first(tmp_path: Path) -> None:
    more = f"    def helper(self, x):\n        return {READ}\n"
    found = explained(
        tmp_path,
        module(
            "if n:",
            "    self.helper(x)",
            "return self.helper(y)",
            params="self, x: Tensor, n: int, y: Tensor | None = None",
            more=more,
        ),
    ).ways
    said = [way.happened[-1].said[0].partition(",")[0] for way in found]
    assert said == sorted(said, key=["CL102 host-read: certain", "CL102 host-read: likely"].index)
    assert len(set(said)) == 2


def test_a_line_that_one_way_reaches_comes_first(tmp_path: Path) -> None:
    more = "    def helper(self, x, n):\n        if n is None:\n            return x\n        return x.item()  # here\n"
    found = explained(tmp_path, module("self.helper(x, None)", "return self.helper(x, 1)", more=more)).ways
    assert [bool(way.stop) for way in found] == [False, True]


@pytest.mark.parametrize(
    ("line", "fact"),
    [
        pytest.param(
            "(x * 2).requires_grad_(n)", "measured, torch 2.13.0; other arguments may decide otherwise", id="mixed"
        ),
        pytest.param(
            "torch.cuda.caching_allocator_alloc(4)",
            "concluded from other names or versions, torch 2.13.0",
            id="assumed",
        ),
        pytest.param("x.item()", "measured, torch 2.13.0", id="measured"),
    ],
)
def test_a_fact_says_how_it_is_known(tmp_path: Path, line: str, fact: str) -> None:
    way = only(tmp_path, module(f"{line}  # here", "return x", params="self, x: Tensor, n"))
    assert way.happened[-1].fact.partition("; ")[2] == fact


def test_what_happens_in_a_library_names_the_place_there(tmp_path: Path) -> None:
    library = {"lib.py": "def read(x):\n    return x.item()\n"}
    text = "from lib import read\n\n\n" + module("return read(x)  # here")
    (way,) = explained(tmp_path, text, library, exclude=("lib.py",)).ways
    assert [one.what for one in way.happened] == [f"call torch.Tensor.item, in {(tmp_path / 'lib.py').as_posix()}:2"]


def test_a_long_text_is_cut(tmp_path: Path) -> None:
    long = " + ".join(["x.sum().item()"] * 12)
    way = only(tmp_path, module(f"return {long}  # here"))
    assert all(len(one.text) <= 94 and len(one.value) <= 120 for one in way.beliefs)
    assert way.beliefs[0].text.endswith(" ...")
