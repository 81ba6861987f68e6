"""The ways in which one call is varied."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def how(x: Any, n: int = 2, way: Any = 1.0) -> Any:
    return x.mean() if way == "mean" or way in ("last", "first") else x[:n]


def made(found: Any, call: Any) -> dict[str, Any]:
    return {name: change(call) for name, change in found}


def test_plain_numbers_are_met_at_their_ends_and_beside_them() -> None:
    from compilelint.dynamic.worker.variations import edges

    found = made(edges(((3, True), {"scale": 0.5})), ((3, True), {"scale": 0.5}))
    assert {call[0][0] for name, call in found.items() if name.endswith("argument 0")} == {0, 1, -1, 2, 4, -3}
    assert found["False for argument 1"] == ((3, False), {"scale": 0.5})
    assert {call[1]["scale"] for name, call in found.items() if name.endswith("scale")} == {0.0, 1.0, -0.5}


def test_whole_numbers_of_a_tensor_leave_their_range_one_at_a_time() -> None:
    import torch

    from compilelint.dynamic.worker.variations import edges

    call: Any = ((torch.randn(2), {"labels": torch.tensor([1, 2, 3])}), {})
    found = made(edges(call), call)
    assert {name: one[0][1]["labels"].tolist() for name, one in found.items()} == {
        "a number far too large in input 1": [10**6, 2, 3],
        "-1 in input 1": [-1, 2, 3],
        "-100 in input 1": [-100, 2, 3],
    }
    assert call[0][1]["labels"].tolist() == [1, 2, 3]


def test_tensors_inside_of_containers_are_varied_too() -> None:
    import torch

    from compilelint.dynamic.worker.variations import shapes, values

    call: Any = (([torch.ones(2, 3), (torch.ones(2, 3),)], {"x": torch.ones(2, 3)}), {})
    found = made(values(call), call)
    assert found["zeros for input 1"][0][0][0].sum() == 6
    assert found["zeros for input 1"][0][0][1][0].sum() == 0
    assert made(shapes(call), call)["an empty batch"][0][1]["x"].shape == (0, 3)


def test_sizes_are_one_none_and_odd() -> None:
    import torch

    from compilelint.dynamic.worker.variations import shapes

    call: Any = ((torch.ones(2, 3, 8, 8),), {})
    assert {name: tuple(one[0][0].shape) for name, one in made(shapes(call), call).items()} == {
        "a batch of one": (1, 3, 8, 8),
        "an empty batch": (0, 3, 8, 8),
        "a second dimension of 1": (2, 1, 8, 8),
        "a second dimension of 2": (2, 2, 8, 8),
        "a second dimension of 0": (2, 0, 8, 8),
        "a last dimension of 7": (2, 3, 8, 7),
    }


def test_arguments_that_have_a_default_are_left_out_wherever_they_stand() -> None:
    from compilelint.dynamic.worker.variations import optional

    call: Any = ((1, 5), {"way": "mean"})
    assert made(optional(how, call), call) == {
        "without way": ((1, 5), {}),
        "without n": ((1, 2), {"way": "mean"}),
    }


def stepped(
    x: Any,
    step: Any,
    before: int | None = None,
    low: float = 0.0,
    high: float = float("inf"),
    *,
    on: bool = True,
    name: str | None = None,
    rate: float | None = None,
) -> Any:
    return x, step, before, low, high, on, name, rate


def test_parameters_that_are_left_out_get_other_numbers() -> None:
    from compilelint.dynamic.worker.variations import defaults

    call: Any = ((1, 2), {"low": 0.5})
    found = made(defaults(stepped, call), call)
    assert {name: one[1] for name, one in found.items()} == {
        f"{value!r} for {name}, which was left out": {"low": 0.5, name: value}
        for name, values in {
            "before": (-1, 1),
            "high": (0.0, -float("inf")),
            "on": (False,),
            "rate": (-1.0, 1.0),
        }.items()
        for value in values
    }


def test_a_tensor_without_dimensions_may_be_a_python_number() -> None:
    import torch

    from compilelint.dynamic.worker.variations import plain_numbers

    call: Any = ((torch.ones(2), torch.tensor(3)), {"low": torch.tensor(0.5)})
    found = made(plain_numbers(call), call)
    assert list(found) == ["a Python number for input 1", "a Python number for input 2"]
    assert type(found["a Python number for input 1"][0][1]) is int
    assert found["a Python number for input 2"][1] == {"low": 0.5}


def test_words_are_those_that_the_code_compares_with() -> None:
    from compilelint.dynamic.worker.variations import other_words, words

    call: Any = ((1,), {})
    assert made(words(other_words(how, call)), call) == {
        f"{word!r} for way": ((1,), {"way": word}) for word in ("mean", "last", "first")
    }


def test_a_number_that_is_held_takes_the_place_of_single_numbers_of_its_kind() -> None:
    import torch

    from compilelint.dynamic.worker.variations import single_numbers

    args, _ = single_numbers(((torch.zeros(3), torch.tensor(7), torch.tensor([0.5])), {}), torch.tensor(2.0))
    assert [one.tolist() for one in args] == [[0.0] * 3, 7, [2.0]]


def test_a_nan_stands_in_one_tensor_alone_with_the_others_as_they_are_and_negated() -> None:
    import torch

    from compilelint.dynamic.worker.variations import nans

    call: Any = ((torch.ones(2), torch.ones(1), torch.ones(1, dtype=torch.int64)), {})
    found = made(nans(call), call)
    assert len(found) == 4
    assert [one.tolist()[-1] for one in found["one number that is none for input 0"][0]] == [1.0, 1.0, 1]
    assert [one.tolist()[-1] for one in found["one number that is none for input 0, the others negated"][0]] == [
        1.0,
        -1.0,
        0,
    ]
    assert all(call[0][0].isnan().tolist() == [True, False] for name, call in found.items() if "input 0" in name)


def test_arrays_vary_as_tensors_do_and_stay_arrays() -> None:
    import numpy
    import torch

    from compilelint.dynamic.worker.variations import mapped, tensors_of

    call: Any = (numpy.array([1, 2]), numpy.array(["a"]), torch.ones(2)), {}
    assert len(tensors_of(call)) == 2
    (numbers, words, ones), _ = mapped(torch.zeros_like, 0, call)
    assert isinstance(numbers, numpy.ndarray)
    assert (numbers.tolist(), words.tolist(), ones.tolist()) == ([0, 0], ["a"], [1.0, 1.0])
    (half, *_), _ = mapped(lambda one: one.to(torch.bfloat16), 0, call)
    assert half is call[0][0], "NumPy has no such numbers"


def test_infinite_numbers_of_both_signs() -> None:
    import torch

    from compilelint.dynamic.worker.variations import infinite

    ((_, change),) = infinite(((torch.ones(2, 2), torch.ones(1), torch.ones(0)), {}))
    (many, one, none), _ = change(((torch.ones(2, 2), torch.ones(1), torch.ones(0)), {}))
    assert (many.isinf().tolist(), one.tolist(), none.numel()) == ([[True, False], [False, True]], [float("inf")], 0)
    assert list(infinite(((torch.ones(2, dtype=torch.int64),), {}))) == []
