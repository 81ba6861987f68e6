"""Writes of state that outlives the call: from what the new value follows, and which earlier writes it makes void."""

from __future__ import annotations

import pytest

from compilelint.events import StateChange
from tests.support.reveal import run


def changes(init: str, *lines: str) -> list[tuple[str, str]]:
    """Name and kind of what a forward of these lines leaves changed."""
    body = "\n        ".join(lines)
    text = (
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        f"        {init}\n    def forward(self, x: Tensor, k: int):\n        {body}\n        return x * 2\n"
    )
    return [(event.name, event.how) for event in run(text) if isinstance(event, StateChange)]


@pytest.mark.parametrize(
    ("lines", "how"),
    [
        pytest.param(("self.n += 1",), "counts", id="in place"),
        pytest.param(("self.n = self.n + 1",), "counts", id="from itself"),
        pytest.param(("m = self.n", "self.n = m + 1"), "counts", id="by way of a variable"),
        pytest.param(("m = self.n", "o = m * 2", "self.n = o"), "counts", id="by way of two"),
        pytest.param(("self.n = getattr(self, 'n', 0) + 1",), "counts", id="by getattr"),
        pytest.param(("self.n = min(self.n + 1, 5)",), "settles", id="up to a bound"),
        pytest.param(("self.n = (self.n + 1) % 3",), "settles", id="around"),
        pytest.param(("self.n = self.n / 2",), "varies", id="a float from then on"),
        pytest.param(("self.n = self.n + x.sum()",), "retypes", id="a tensor from then on"),
    ],
)
def test_a_value_that_follows_from_the_old_one(lines: tuple[str, ...], how: str) -> None:
    assert changes("self.n = 0", *lines) == [("self.n", how)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("y = self.n", "self.n = 0"), id="written back"),
        pytest.param(("self.n = k",), id="never looked at"),
        pytest.param(("self.n += 1", "self.n = 0"), id="set back on the straight way"),
        pytest.param(("m = self.n", "m = m + 1"), id="a variable alone"),
    ],
)
def test_what_the_next_call_finds_as_it_was(lines: tuple[str, ...]) -> None:
    assert changes("self.n = 0", *lines) == []


def test_a_write_behind_a_test_leaves_the_earlier_ones() -> None:
    assert changes("self.n = 0", "self.n += 1", "if k > 1:", "    self.n = 0") == [("self.n", "counts")]
    assert changes("self.n = 0", "self.n += 1", "for _ in range(k):", "    self.n = 0") == [("self.n", "counts")]


@pytest.mark.parametrize(
    ("init", "line", "found"),
    [
        pytest.param("self.t = torch.zeros(1)", "self.t = torch.cat([self.t, x])", "lengthens", id="joined to it"),
        pytest.param("self.t = torch.zeros(1)", "self.t = torch.cat([self.t, x])[-3:]", "", id="and cut again"),
        pytest.param("self.t = torch.zeros(1)", "self.t = self.t + x", "", id="added to it"),
        pytest.param("self.s = ()", "self.s = (*self.s, x)", "grows", id="a tuple that grows"),
        pytest.param("self.f = False", "self.f = not self.f", "flips", id="a flag"),
    ],
)
def test_other_values(init: str, line: str, found: str) -> None:
    assert [how for _, how in changes(init, line)] == ([found] if found else [])


CLOSURE = """
def make({parameter}):
    n = 0

    {decorator}
    def step(x: Tensor):
        nonlocal n
        n += 1
        return x * n

    {rest}
"""


def test_a_variable_of_a_factory_outlives_the_call_one_of_a_region_does_not() -> None:
    def kept(text: str) -> list[str]:
        return [event.name for event in run(text) if isinstance(event, StateChange)]

    factory = CLOSURE.format(parameter="", decorator="@torch.compile", rest="return step")
    assert kept(factory) == ["n"]
    inside = CLOSURE.format(parameter="x: Tensor", decorator="", rest="return step(x)")
    assert kept(f"{inside}\nfast = torch.compile(make)\n") == []


@pytest.mark.parametrize(
    ("line", "names"),
    [
        pytest.param("C.n += 1", ["C.n"], id="of a class"),
        pytest.param("made = C(); made.n += 1", [], id="of what the call makes"),
        pytest.param("self.held.n += 1", ["self.held.n"], id="of what the module holds"),
        pytest.param("held = self.held; held.n += 1", ["held.n"], id="by another name"),
    ],
)
def test_whose_state_it_is(line: str, names: list[str]) -> None:
    text = f"""
class C:
    n = 0

class M(nn.Module):
    def __init__(self):
        super().__init__()
        self.held = C()

    def forward(self, x: Tensor):
        {line}
        return x * 2
"""
    assert [event.name for event in run(text) if isinstance(event, StateChange)] == names


def test_state_that_has_no_dotted_name_is_called_by_its_class() -> None:
    text = (
        "class Counter:\n    n = 0\n    def step(self):\n        type(self).n += 1\n"
        "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.counter = Counter()\n"
        "    def forward(self, x: Tensor):\n        self.counter.step()\n        return x * 2\n"
    )
    (event,) = [event for event in run(text) if isinstance(event, StateChange)]
    assert (event.name, event.how) == ("Counter.n", "counts")


def test_an_attribute_that_is_deleted_belongs_to_an_argument_where_the_caller_may_pass_another() -> None:
    source = """
        class Box:
            def __init__(self):
                self.value = 1

        def step(box: Box, x: Tensor):
            if hasattr(box, "value"):
                del box.value
            return x * 2
    """
    found = [(one.name, one.where, one.how) for one in run(source) if isinstance(one, StateChange)]
    assert found == [("box.value", "argument", "disappears")]
