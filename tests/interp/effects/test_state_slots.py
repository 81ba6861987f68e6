"""State that outlives a call: what counts as read, and what this call has written first."""

from __future__ import annotations

import pytest

from compilelint.events import InputGuard, StateChange
from tests.support.reveal import run


def changed(*lines: str, methods: str = "") -> list[str]:
    """What a forward of these lines leaves changed for the guards of the next call."""
    return [event.name for event in run(program(*lines, methods=methods)) if isinstance(event, StateChange)]


def program(*lines: str, methods: str = "") -> str:
    """A module with a forward of these lines, and more methods."""
    body = "\n                ".join(lines)
    return f"""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.n = 0

            def forward(self, x: Tensor, k: int):
                {body}
                return x * 2
{methods}
    """


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("self.n += 1",), id="a step reads what it writes"),
        pytest.param(("if k > 1:", "    self.n = 0", "self.n += 1"), id="written on one path only"),
    ],
)
def test_what_an_earlier_call_left_is_read(lines: tuple[str, ...]) -> None:
    assert changed(*lines) == ["self.n"]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("self.n = 0", "self.n += 1"), id="written first"),
        pytest.param(("if k > 1:", "    self.n = 0", "else:", "    self.n = 5", "self.n += 1"), id="on both paths"),
        pytest.param(("self.n = k",), id="never read"),
    ],
)
def test_what_this_call_has_written_is_no_state(lines: tuple[str, ...]) -> None:
    assert changed(*lines) == []


METHODS = """
            def reset(self):
                self.n = 0

            def maybe_reset(self, k):
                if k > 1:
                    self.n = 0

            def count(self):
                self.n += 1

            def read(self):
                return self.n
"""


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        pytest.param(("self.reset()", "self.n += 1"), [], id="a callee has written it"),
        pytest.param(("self.reset()", "self.count()"), [], id="one callee has written it, another one counts"),
        pytest.param(("self.maybe_reset(k)", "self.n += 1"), ["self.n"], id="a callee may have written it"),
        pytest.param(("self.count()",), ["self.n"], id="a callee counts"),
        pytest.param(("y = self.read()", "self.n = 5"), ["self.n"], id="a callee reads it first"),
        pytest.param(("self.n = 5", "y = self.read()"), [], id="a callee reads what was written"),
    ],
)
def test_what_a_callee_reads_and_writes_counts_for_its_caller(lines: tuple[str, ...], names: list[str]) -> None:
    assert changed(*lines, methods=METHODS) == names


@pytest.mark.parametrize(
    ("line", "names"),
    [
        pytest.param("if not hasattr(self, 'm'): self.m = x", ["self.m"], id="hasattr"),
        pytest.param("self.m = getattr(self, 'm', 0) + 1", ["self.m"], id="getattr with a default"),
        pytest.param("self.m = x", [], id="written without a look"),
    ],
)
def test_a_question_for_an_attribute_is_a_look_at_it(line: str, names: list[str]) -> None:
    assert changed(line) == names


def test_an_attribute_of_what_an_object_holds() -> None:
    """No method of its class stores it: the function that reads it does."""
    text = """
        class Memory:
            def __init__(self):
                self.h = None

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.memory = Memory()

            def forward(self, x: Tensor):
                if self.memory.h is None:
                    {line}
                return x * 2
    """
    stores = [one.name for one in run(text.format(line="self.memory.h = x")) if isinstance(one, StateChange)]
    reads = [one.name for one in run(text.format(line="x = x + 1")) if isinstance(one, StateChange)]
    assert (stores, reads) == (["self.memory.h"], [])


def test_an_object_that_the_call_makes_is_no_state() -> None:
    text = """
        class Cache:
            def __init__(self):
                self.n = 0

        KEPT = Cache()

        class Net(nn.Module):
            def forward(self, x: Tensor):
                {}
                cache.n += 1
                return x * cache.n
    """
    made = [event.name for event in run(text.format("cache = Cache()")) if isinstance(event, StateChange)]
    kept = [event.name for event in run(text.format("cache = KEPT")) if isinstance(event, StateChange)]
    assert (made, kept) == ([], ["cache.n"])


@pytest.mark.parametrize(
    ("lines", "training"),
    [
        pytest.param(("if self.training:", "    self.n += 1"), True, id="in training"),
        pytest.param(("if self.training and k > 1:", "    self.n += 1"), True, id="in training at times"),
        pytest.param(("if self.training or k > 1:", "    self.n += 1"), False, id="in training and elsewhere"),
        pytest.param(("if not self.training:", "    self.n += 1"), False, id="in evaluation"),
        pytest.param(("if self.training:", "    self.count()"), True, id="a callee, in training"),
        pytest.param(("self.n += 1",), False, id="always"),
    ],
)
def test_a_change_in_training_is_marked(lines: tuple[str, ...], training: bool) -> None:
    (event,) = [event for event in run(program(*lines, methods=METHODS)) if isinstance(event, StateChange)]
    assert event.training is training


@pytest.mark.parametrize(
    ("lines", "alone"),
    [
        pytest.param(("calls += 1",), True, id="nothing else looks at it"),
        pytest.param(("calls += 1", "x = x * calls"), False, id="read behind it"),
        pytest.param(("if calls > 3:", "    x = x + 1", "calls += 1"), False, id="tested before it"),
        pytest.param(("calls = calls + 1", "calls += 1"), True, id="counted twice"),
    ],
)
def test_a_global_counter_that_nothing_else_looks_at(lines: tuple[str, ...], alone: bool) -> None:
    body = "\n    ".join(lines)
    text = f"calls = 0\n@torch.compile\ndef step(x: Tensor):\n    global calls\n    {body}\n    return x\n"
    found = [event.alone for event in run(text) if isinstance(event, StateChange)]
    assert set(found) == {alone}


@pytest.mark.parametrize(
    ("made", "names"),
    [
        pytest.param("layer_idx", ["self.layer_idx"], id="the number of a layer"),
        pytest.param("width", [], id="any other number"),
    ],
)
def test_the_number_of_a_layer_is_guarded_where_it_is_read(made: str, names: list[str]) -> None:
    text = f"""
        class Block(nn.Module):
            def __init__(self, {made}: int):
                super().__init__()
                self.{made} = {made}

            def forward(self, x: Tensor):
                return x * self.{made}
    """
    assert [event.name for event in run(text) if isinstance(event, InputGuard)] == names
