"""How sure it is that changed state makes Dynamo compile again: each reason for less than certain, and its absence."""

from __future__ import annotations

import pytest

from compilelint.events import StateChange
from compilelint.model import Confidence
from tests.support.reveal import run

CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE


def changes(source: str, roots: tuple[str, ...] = ("auto",)) -> list[tuple[str, Confidence]]:
    """How each slot changes, and how sure that is."""
    return [(event.how, event.sure) for event in run(source, roots) if isinstance(event, StateChange)]


def module(init: str, *lines: str, more: str = "") -> str:
    """A module whose constructor and forward hold these lines."""
    body = "\n        ".join(lines)
    return (
        "class M(nn.Module):\n    def __init__(self, flag=False):\n        super().__init__()\n"
        f"        {init}\n    def forward(self, x: Tensor, k: int, on=False, mask=None):\n        {body}\n"
        f"        return x * 2\n{more}"
    )


@pytest.mark.parametrize(
    ("lines", "sure"),
    [
        pytest.param(("self.n += 1",), CERTAIN, id="on the straight way"),
        pytest.param(("if k > 1:", "    self.n += 1"), LIKELY, id="behind a test"),
        pytest.param(("for _ in range(k):", "    self.n += 1"), LIKELY, id="in a loop"),
        pytest.param(("if on:", "    self.n += 1"), POSSIBLE, id="behind a flag that is off by default"),
        pytest.param(("if not on:", "    self.n += 1"), LIKELY, id="where that flag is off"),
        pytest.param(("if on and k > 1:", "    self.n += 1"), POSSIBLE, id="behind the flag and more"),
        pytest.param(("if on or k > 1:", "    self.n += 1"), LIKELY, id="behind the flag or something else"),
        pytest.param(
            ("if mask is not None:", "    self.n += 1"), POSSIBLE, id="with an argument that is None by default"
        ),
        pytest.param(("if mask is None:", "    self.n += 1"), LIKELY, id="without it"),
        pytest.param(("if not (on or mask is not None):", "    self.n += 1"), LIKELY, id="not of both"),
        pytest.param(("if self.training:", "    self.n += 1"), LIKELY, id="in training"),
        pytest.param(("if k > 1:", "    pass", "self.n += 1"), CERTAIN, id="behind the arms"),
    ],
)
def test_a_counter(lines: tuple[str, ...], sure: Confidence) -> None:
    assert changes(module("self.n = 0", *lines)) == [("counts", sure)]


@pytest.mark.parametrize(
    ("lines", "sure"),
    [
        pytest.param(("if not self.done:", "    self.done = True"), LIKELY, id="behind a test of itself"),
        pytest.param(("if k > 1 and not self.done:", "    self.done = True"), LIKELY, id="and of something else"),
        pytest.param(("d = self.done", "if not d:", "    self.done = True"), LIKELY, id="by a variable"),
        pytest.param(("y = self.done", "if k > 1:", "    self.done = True"), POSSIBLE, id="behind another test"),
        pytest.param(("y = self.done", "self.done = True"), CERTAIN, id="on the straight way"),
    ],
)
def test_a_flag_that_is_set_once(lines: tuple[str, ...], sure: Confidence) -> None:
    assert changes(module("self.done = False", *lines)) == [("flips", sure)]


def test_what_a_switch_of_the_constructor_keeps_off() -> None:
    counted = ("if self.counts:", "    self.n += 1")
    assert changes(module("self.n = 0; self.counts = False", *counted)) == [("counts", POSSIBLE)]
    assert changes(module("self.n = 0; self.counts = True", *counted)) == [("counts", LIKELY)]
    given = module("self.n = 0; self.counts = flag", *counted)
    assert changes(given) == [("counts", LIKELY)]


def test_the_state_of_an_argument_may_be_another_object_in_each_call() -> None:
    cache = "class Cache:\n    def __init__(self):\n        self.n = 0\n"
    argument = f"{cache}class M(nn.Module):\n    def forward(self, x: Tensor, cache: Cache):\n"
    argument += "        cache.n += 1\n        return x * cache.n\n"
    assert changes(argument) == [("counts", POSSIBLE)]
    held = cache + module("self.cache = Cache()", "self.cache.n += 1")
    assert changes(held) == [("counts", CERTAIN)]


def nested(depth: int) -> str:
    """A counter behind so many calls."""
    calls = [f"    def f{n}(self):\n        self.f{n + 1}()\n" for n in range(1, depth)]
    last = f"    def f{depth}(self):\n        self.n += 1\n"
    return module("self.n = 0", "self.f1()", more="".join(calls) + last)


def test_behind_more_than_four_calls_the_picture_is_vague() -> None:
    assert changes(nested(4)) == [("counts", CERTAIN)]
    assert changes(nested(5)) == [("counts", POSSIBLE)]


HELPER = "    def count(self, quiet=True):\n        if not quiet:\n            self.n += 1\n"


def test_a_default_in_a_callee_says_nothing_where_the_caller_may_pass_something_else() -> None:
    """The parameter is looked at in the call, not in the signature."""
    passed = module("self.n = 0", "self.count(on)", more=HELPER)
    assert changes(passed) == [("counts", LIKELY)]


def test_a_test_around_the_call_counts_like_one_around_the_line() -> None:
    count = "    def count(self):\n        self.n += 1\n"
    assert changes(module("self.n = 0", "self.count()", more=count)) == [("counts", CERTAIN)]
    assert changes(module("self.n = 0", "if k > 1:", "    self.count()", more=count)) == [("counts", LIKELY)]
    assert changes(module("self.n = 0", "if on:", "    self.count()", more=count)) == [("counts", POSSIBLE)]


def test_a_function_that_is_started_as_a_guess() -> None:
    text = "n = 0\ndef f(x: Tensor):\n    global n\n    n += 1\n    return x * n\n"
    assert changes(text) == [("counts", POSSIBLE)]
    assert changes(f"{text}g = torch.compile(f)") == [("counts", CERTAIN)]


def test_a_pattern_that_names_a_method_of_no_module() -> None:
    text = "class C({}):\n    def __init__(self):\n        self.n = 0\n    def step(self, x):\n        self.n += 1\n"
    assert changes(text.format(""), ("app.C.step",)) == [("counts", POSSIBLE)]
    assert changes(text.format("nn.Module"), ("app.C.step",)) == [("counts", CERTAIN)]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        pytest.param(("self.h.append(x)",), [("grows", CERTAIN)], id="grows"),
        pytest.param(("self.h.append(x)", "self.h.pop()"), [], id="is as long as before"),
        pytest.param(("self.h.append(x)", "self.h.append(x)", "self.h.pop()"), [("grows", CERTAIN)], id="net growth"),
        pytest.param(("self.h.append(x)", "if k > 1:", "    self.h.pop()"), [("grows", CERTAIN)], id="popped at times"),
        pytest.param(("self.h.append(x)", "self.h.clear()"), [], id="emptied in the end"),
        pytest.param(("self.h.clear()", "self.h.append(x)"), [("fills", CERTAIN)], id="emptied first"),
    ],
)
def test_a_list(lines: tuple[str, ...], found: list[tuple[str, Confidence]]) -> None:
    assert changes(module("self.h = []", *lines)) == found


@pytest.mark.parametrize(
    ("initial", "line", "guard"),
    [
        pytest.param("0", "self.v += 1", "self.v == 0", id="a number"),
        pytest.param("None", "self.v = x if self.v is None else self.v", "self.v is None", id="None"),
        pytest.param("[]", "self.v.append(x)", "not self.v", id="an empty list"),
        pytest.param("[1]", "self.v.append(x)", "len(self.v) == ...", id="a list"),
        pytest.param("flag", "self.v = not self.v", "self.v == ...", id="given by the caller"),
    ],
)
def test_the_guard_is_spelled_as_torch_prints_it(initial: str, line: str, guard: str) -> None:
    found = [event.guard for event in run(module(f"self.v = {initial}", line)) if isinstance(event, StateChange)]
    assert found == [guard]


def test_state_that_does_not_exist_before_the_first_call() -> None:
    text = module("pass", "if not hasattr(self, 'm'):", "    self.m = x")
    (event,) = [event for event in run(text) if isinstance(event, StateChange)]
    assert (event.how, event.guard, event.sure) == ("appears", "not hasattr(self, 'm')", LIKELY)


def test_of_several_changes_in_a_function_the_surest_is_reported() -> None:
    text = module("self.n = 0; self.m = 0", "if on:", "    self.n += 1", "self.m += 1")
    assert changes(text) == [("counts", CERTAIN)]
