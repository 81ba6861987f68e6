"""A parameter that is annotated as a number and is an item of a tensor of its class."""

from __future__ import annotations

import pytest

from tests.support.reveal import check

_TENSOR = "torch.arange(9)"


def _of(parameter: str, held: str, belief: str, use: str = "pass") -> None:
    name = parameter.partition(":")[0]
    check(
        "class Schedule:\n"
        "    def __init__(self):\n"
        f"        self.{held}\n"
        f"    def step(self, x: Tensor, {parameter}):\n"
        f"        reveal_type({name})  # {belief}\n"
        f"        {use}\n"
    )


@pytest.mark.parametrize(
    ("parameter", "held", "belief"),
    [
        pytest.param("time: int", f"times = {_TENSOR}", "tensor int 0-d input likely", id="annotated as an integer"),
        pytest.param("time: float", "times = torch.rand(9)", "tensor 0-d input likely", id="as a float"),
        pytest.param("time: int | None", f"times = {_TENSOR}", "None | tensor int 0-d input likely", id="or None"),
        pytest.param("time: int | Tensor", f"times = {_TENSOR}", "int | tensor input", id="the annotation says so"),
        pytest.param("time: int", "times = [1, 2]", "int", id="a list of them"),
        pytest.param("time: int", "times = np.arange(9)", "int", id="an array, whose items are numbers"),
        pytest.param("time: int", "times = torch.eye(9)", "int", id="a matrix, whose rows are no numbers"),
        pytest.param("time: int", f"steps = {_TENSOR}", "int", id="a tensor of another name"),
        pytest.param("time: str", f"times = {_TENSOR}", "str", id="no number"),
    ],
)
def test_it_is_what_the_class_holds_several_of(parameter: str, held: str, belief: str) -> None:
    _of(parameter, held, belief)


@pytest.mark.parametrize(
    "use",
    [
        pytest.param("self.times[time]", id="takes an item of them"),
        pytest.param("self.steps[:time]", id="a bound of a slice"),
        pytest.param("range(time)", id="counted with"),
        pytest.param("isinstance(time, int)", id="asked for its type"),
    ],
)
def test_a_method_that_counts_with_it_means_a_number(use: str) -> None:
    _of("time: int", f"times = {_TENSOR}", "int", use)
