"""Which conditions apply to a target, and what each changes."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def _conditions(target: Any, *args: Any) -> dict[str, Any]:
    from compilelint.dynamic.worker.conditions import conditions

    called = target.forward if hasattr(target, "forward") else target
    return dict(conditions(target, called, (args, {})))


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
