"""What a wrapper calls is what the program builds it with."""

from __future__ import annotations

import pytest

from compilelint.events import StateChange
from tests.support.reveal import check as believes
from tests.support.reveal import run
from tests.support.worker_messages import check

WRAPPER = """
        class Wrapper(nn.Module):
            def __init__(self, fn, p=None):
                super().__init__()
                self.fn = fn
                self.p = p

            def forward(self, x: Tensor):
                return self.fn(x){event}
"""


def test_a_layer_that_is_passed_is_called() -> None:
    check(
        WRAPPER.format(event="  # call torch.nn.LSTM.forward")
        + """
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = Wrapper(nn.LSTM(3, 3))
    """
    )


def test_by_keyword_and_several() -> None:
    believes("""
        class Wrapper(nn.Module):
            def __init__(self, fn, p):
                super().__init__()
                self.fn = fn

            def forward(self, x: Tensor):
                reveal_type(self.fn)  # instance torch.nn.GELU | instance torch.nn.ReLU

        def build():
            return [Wrapper(fn=nn.ReLU(), p=1), Wrapper(nn.GELU(), 2)]
    """)


def test_locals_of_the_call_and_defaults_say_nothing() -> None:
    believes("""
        class Wrapper(nn.Module):
            def __init__(self, fn, other=None):
                super().__init__()
                self.fn = fn
                self.other = other

            def forward(self, x: Tensor):
                reveal_type(self.fn)  # ?

        def build(layer):
            return Wrapper(layer, nn.ReLU())
    """)


def test_what_another_method_replaces_says_nothing() -> None:
    believes("""
        class Wrapper(nn.Module):
            def __init__(self, fn):
                super().__init__()
                self.fn = fn

            def swap(self, other):
                self.fn = other

            def forward(self, x: Tensor):
                reveal_type(self.fn)  # ?

        def build():
            return Wrapper(nn.ReLU())
    """)


@pytest.mark.parametrize(
    ("made", "how"),
    [
        pytest.param("Schedule(1.0, 0.1)", ["varies"], id="a float"),
        pytest.param("Schedule(1.0, rate)", ["varies"], id="a float, whatever the other one is"),
        pytest.param("Schedule(x, 0.1)", [], id="something that is not known"),
    ],
)
def test_a_number_that_the_program_gives_is_what_the_first_call_finds(made: str, how: list[str]) -> None:
    text = f"""
        class Schedule:
            def __init__(self, start, rate):
                self.value, self.rate = start, rate

            def advance(self):
                self.value = max(0.0, self.value - self.rate)

        class Net(nn.Module):
            def __init__(self, x, rate):
                super().__init__()
                self.schedule = {made}

            def forward(self, x: Tensor):
                self.schedule.advance()
                return x * self.schedule.value
    """
    assert [one.how for one in run(text) if isinstance(one, StateChange)] == how
