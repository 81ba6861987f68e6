"""Which exercises a target gets, and how draws are forced."""

from __future__ import annotations

import random

import pytest

from compilelint.dynamic.targets import Target, input_set

pytestmark = pytest.mark.dynamo


def _exercises(mode: str = "eval", words: tuple[str, ...] = ("4x6", "4x6:bool")) -> list[object]:
    import torch

    from compilelint.dynamic.worker.exercises import exercises_for
    from compilelint.dynamic.worker.loading import Loaded

    target = Target("net:Net", (input_set(words, "test"),), mode=mode)
    return list(exercises_for(target, Loaded(torch.nn.Bilinear(6, 6, 2), None, None), "cpu"))


def test_seeds_modes_values_draws_and_shapes_are_all_there() -> None:
    labels = [one.label for one in _exercises()]  # type: ignore[attr-defined]
    assert {"seed 0, eval", "seed 7, eval", "seed 0, train", "seed 7, train"} <= {*labels}
    assert {"zeros for all inputs, eval", "zeros for all inputs, train", "negated for input 1, eval"} <= {*labels}
    assert {"draws at their lowest, train", "draws at their highest, eval"} <= {*labels}
    assert {"an empty batch, eval", "a batch of one, eval", "a second dimension of 5, eval"} <= {*labels}
    assert len(labels) == len({*labels})


def test_each_named_argument_with_a_default_is_left_out_once() -> None:
    import torch

    from compilelint.dynamic.worker.exercises import exercises_for
    from compilelint.dynamic.worker.loading import Loaded

    def called(x: torch.Tensor, y: torch.Tensor, mask: torch.Tensor | None = None) -> torch.Tensor:
        return x

    target = Target("net:called", (input_set(("x=4x6", "y=4x6", "mask=4x6"), "test"),), mode="eval")
    found = exercises_for(target, Loaded(called, None, None), "cpu")
    (one,) = [one for one in found if one.label.startswith("without ")]
    assert (one.label, sorted(one.make()[1]), one.shared) == ("without mask, eval", ["x", "y"], False)


def test_what_is_held_in_other_ways_is_an_exercise_each() -> None:
    import torch

    from compilelint.dynamic.worker.exercises import exercises_for
    from compilelint.dynamic.worker.held import Variant
    from compilelint.dynamic.worker.loading import Loaded

    def prepare() -> None:
        pass

    target = Target("net:step", (input_set(("4x6",), "test"),), mode="eval")
    found = exercises_for(target, Loaded(torch.sin, None, None), "cpu", {"two equal": Variant(prepare)})
    assert [(one.label, one.prepare) for one in found if one.prepare is not None] == [("two equal, eval", prepare)]


def test_one_number_that_is_none_stands_in_numbers_of_a_float_type_alone() -> None:
    import torch

    (one,) = [one for one in _exercises() if one.label == "one number that is none for all inputs, eval"]  # type: ignore[attr-defined]
    floats, bools = one.make()[0]  # type: ignore[attr-defined]
    assert floats.isnan().sum() == 1
    assert bools.dtype is torch.bool


def test_what_runs_compiled_too_comes_first() -> None:
    shared = [one.shared for one in _exercises()]  # type: ignore[attr-defined]
    assert shared == sorted(shared, reverse=True)
    assert not all(shared)


def test_arguments_are_made_again_and_the_same_each_time() -> None:
    import torch

    for one in _exercises():
        (first, _), (second, _) = one.make()[0], one.make()[0]  # type: ignore[attr-defined]
        assert first is not second
        assert torch.equal(first.nan_to_num(), second.nan_to_num())


def test_single_draws_are_forced_and_as_many_numbers_used_up() -> None:
    import torch

    from compilelint.dynamic.worker.exercises import forced, seed_all

    seed_all(0)
    torch.rand(()), random.random()
    expected = torch.rand(3), random.random()
    seed_all(0)
    with forced(0.0):
        assert (torch.rand(()).item(), random.random()) == (0.0, 0.0)
        several = torch.rand(3)
    assert torch.equal(several, expected[0])
    assert random.random() == expected[1]
    with forced(0.5):
        assert random.uniform(2, 4) == 3
