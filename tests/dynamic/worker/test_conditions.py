"""Which conditions apply to a target, and what each changes."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def _conditions(target: Any, *args: Any) -> dict[str, Any]:
    from compilelint.dynamic.worker.conditions import conditions, setting_of

    called = target.forward if hasattr(target, "forward") else target
    return dict(conditions(target, called, (args, {}), setting_of(target, called, (args, {}))))


def test_models_get_what_functions_do_not() -> None:
    import torch

    of_model = _conditions(torch.nn.Linear(3, 3), torch.ones(2, 3))
    of_function = _conditions(torch.sin, torch.ones(2, 3))
    assert {*of_model} - {*of_function} == {
        "all layers hooked",
        "all layers wrapped",
        "overridden methods",
        "other plain attributes",
        "weights changed after a call",
        "all weights frozen",
    }
    assert "in float64" in of_function
    assert "in float64" not in _conditions(torch.sin, torch.ones(2, dtype=torch.int64))


@pytest.mark.parametrize(
    "name", ["all layers hooked", "all layers wrapped", "overridden methods", "other plain attributes"]
)
def test_each_changes_what_a_model_gives(name: str) -> None:
    import torch

    class Model(torch.nn.Module):  # type: ignore[misc]
        scale = 2.0

        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(3, 3)

        def scaled(self, y: Any) -> Any:
            return y * self.scale

        def forward(self, x: Any) -> Any:
            return self.scaled(self.layer(x))

    model, x = Model(), torch.ones(2, 3)
    before = model(x)
    after = _conditions(model, x)[name].alter(model, lambda: ((x,), {}))(x)
    assert after.shape == before.shape
    assert not torch.allclose(before, after)


def test_strides_change_and_numbers_do_not() -> None:
    import torch

    x = torch.rand(2, 3)
    (changed,), _ = _conditions(torch.sin, x)["inputs with other strides"].change(((x,), {}))
    assert torch.equal(changed, x)
    assert changed.stride() != x.stride()


def test_numbers_in_double_are_not_those_of_a_single() -> None:
    import torch

    x = torch.rand(5) + 1
    (changed,), _ = _conditions(torch.sin, x)["in float64"].change(((x,), {}))
    assert not (changed == changed.float()).any()


def test_optional_objects_are_given_by_name_or_annotation() -> None:
    import torch

    def called(x: Any, generator: Any = None, kind: torch.dtype | None = None, n: int = 3, other: Any = None) -> None:
        pass

    found = _conditions(called, torch.ones(2, 3))
    assert [name for name in found if name.endswith(" given")] == ["generator given", "kind given"]
    _, named = found["generator given"].change(((torch.ones(2, 3),), {}))
    assert isinstance(named["generator"], torch.Generator)


def test_what_other_processes_are_sent_is_kept_and_sums_are_doubled() -> None:
    import torch

    from compilelint.dynamic.worker.exercising import _alone

    condition = _conditions(torch.sin, torch.ones(2))["one of two processes"]

    def work() -> dict[str, Any]:
        condition.alter(torch.sin, None)
        x, largest = torch.ones(2), torch.ones(2)
        with condition.around() as noted:
            torch.distributed.all_reduce(x)
            torch.distributed.all_reduce(largest, op=torch.distributed.ReduceOp.MAX)
        return {"noted": noted, "sums": (x.tolist(), largest.tolist())}

    found = _alone(work)
    assert found is not None
    assert found["noted"] == ["allreduce_.default float32[2]"] * 2
    assert found["sums"] == ([2.0, 2.0], [1.0, 1.0])
    assert not torch.distributed.is_initialized()


def test_single_inputs_and_layers_get_another_dtype() -> None:
    import torch

    model, x = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU()), torch.ones(2, 3)
    found = _conditions(model, x, torch.ones(2, dtype=torch.int64))
    assert {name for name in found if name.endswith(("float64", "bfloat16"))} == {
        "in float64",
        "in bfloat16",
        "input 0 in float64",
        "0 in bfloat16",
    }
    (changed, other), _ = found["input 0 in float64"].change(((x, x), {}))
    assert (changed.dtype, other.dtype) == (torch.float64, torch.float32)
    assert found["0 in bfloat16"].alter(model, None)[0].weight.dtype is torch.bfloat16


def test_a_model_of_whole_numbers_has_the_dtype_of_its_weights() -> None:
    import torch

    model, ids = torch.nn.Embedding(5, 2), torch.tensor([1, 2])
    found = _conditions(model, ids)["in bfloat16"]
    (changed,), _ = found.change(((ids,), {}))
    assert torch.equal(changed, ids)
    assert found.alter(model, None)(changed).dtype is torch.bfloat16
    assert "in bfloat16" not in _conditions(torch.nn.Identity(), ids)


def test_only_what_is_saved_changes_with_the_weights() -> None:
    import torch

    class Model(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("saved", torch.ones(2))
            self.register_buffer("derived", torch.ones(2), persistent=False)

        def forward(self, x: Any) -> Any:
            return x * self.saved + self.derived

    model, x = Model(), torch.ones(2)
    _conditions(model, x)["weights changed after a call"].alter(model, lambda: ((x,), {}))
    assert (model.saved.tolist(), model.derived.tolist()) == ([1.5, 1.5], [1.0, 1.0])


def test_saved_flags_are_turned_over_and_nothing_else() -> None:
    import torch

    class Model(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("ready", torch.tensor(True))
            self.register_buffer("count", torch.tensor(0))
            self.register_buffer("steps", torch.tensor(7))
            self.register_buffer("ids", torch.tensor([0, 1]))
            self.register_buffer("derived", torch.tensor(True), persistent=False)
            self.register_buffer("scale", torch.ones(1))

        def forward(self, x: Any) -> Any:
            return x

    model, x = Model(), torch.ones(2)
    _conditions(model, x)["saved flags turned over"].alter(model, lambda: ((x,), {}))
    assert [one.tolist() for one in model.buffers()] == [False, 1, 7, [0, 1], True, [1.0]]
    assert "saved flags turned over" not in _conditions(torch.nn.Linear(2, 2), x)


def asking(x: Any, y: Any, weight: Any) -> Any:
    """A function whose test asks for a size of its last parameter."""
    return x + y if weight.size(1) > 1 else weight


def test_a_dimension_of_size_1_where_a_test_asks_for_it() -> None:
    import torch

    ones = torch.ones(2, 3)
    found = _conditions(asking, ones, [ones, ones], ones)
    assert [name for name in found if "of size 1" in name] == [
        f"dimension {dim} of input 3 of size 1" for dim in (0, 1)
    ]
    (_, _, changed), _ = found["dimension 1 of input 3 of size 1"].change(((ones, [ones, ones], ones), {}))
    assert changed.shape == (2, 1)


def test_weights_that_begin_at_zero_are_filled_so_that_gradients_show_behind_them() -> None:
    import torch

    name = "weights that are zero filled"
    model = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    torch.nn.init.zeros_(model[0].bias)
    x = torch.ones(2, 3)
    assert name not in _conditions(model, x), "a bias of zeros hides nothing"
    torch.nn.init.zeros_(model[1].weight)
    condition = _conditions(model, x)[name]
    assert (condition.order, condition.train) == (1, True)
    condition.alter(model, lambda: ((x,), {}))(x).sum().backward()
    assert model[0].weight.grad.any()


def test_halves_and_zeros() -> None:
    import torch

    model, x = torch.nn.Linear(3, 3), torch.randn(4, 3)
    found = _conditions(model, x)
    (halves,), _ = found["inputs and weights that are halves"].change(((x,), {}))
    assert torch.equal(halves * 2, (halves * 2).round())
    y = found["inputs and weights that are halves"].alter(model, None)(halves)
    assert torch.equal(y * 4, (y * 4).round())
    assert (y * 4 % 2).any(), "twice a result is not whole, so it is rounded"
    (zeros,), _ = found["gradients where all inputs are zero"].change(((x,), {}))
    assert not zeros.any()
    assert found["gradients where all inputs are zero"].order == 1
