"""The form of what calls give, and what of an interface is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo

KEPT = [1, 2]


def form(model: Any, *args: Any, last: Any = ()) -> dict[str, str]:
    from compilelint.dynamic.worker.forms import Before

    before = Before(model, last)
    return before.form(model, model(*args), args, {})


@pytest.mark.parametrize(
    ("one", "other", "name"),
    [
        pytest.param(lambda x: [x], lambda x: (x,), "the class of output", id="a list, a tuple"),
        pytest.param(lambda x: x.t() + 0, lambda x: (x.t() + 0).contiguous(), "the strides of output", id="strides"),
        pytest.param(lambda x: x[:1], lambda x: x[:1].clone(), "what shares memory with output", id="a view, a copy"),
        pytest.param(lambda x: x, lambda x: x.view_as(x), "which object output is", id="what was given, a view of it"),
        pytest.param(lambda x: KEPT, lambda x: [*KEPT], "which object output is", id="what the module keeps, a copy"),
        pytest.param(
            lambda x: x * 2, lambda x: (x * 2).requires_grad_(), "whether output requires a gradient", id="gradients"
        ),
    ],
)
def test_forms_differ_where_users_see_it(one: Callable[..., Any], other: Callable[..., Any], name: str) -> None:
    import torch

    first, second = form(one, torch.ones(2, 3)), form(other, torch.ones(2, 3))
    assert [key for key in first if first[key] != second.get(key)][:1] == [name]
    assert form(one, torch.ones(2, 3)) == first


def test_a_buffer_is_replaced_or_written() -> None:
    import torch

    class Counts(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.seen = torch.nn.Buffer(torch.zeros(()))

        def forward(self, replaces: bool) -> None:
            if replaces:
                self.seen = self.seen + 1
            else:
                self.seen += 1

    assert form(Counts(), True)["self.seen"] == "another tensor"
    assert form(Counts(), False)["self.seen"] == "the same tensor, written"


def test_results_of_the_call_before_stay_or_change() -> None:
    import torch

    kept = torch.zeros(2)
    assert "output of the call before" in form(lambda: kept.add_(1), last=[("output", kept)])
    assert "output of the call before" not in form(lambda: kept + 1, last=[("output", kept)])


X, N, K = ("x", "POSITIONAL_OR_KEYWORD", ""), ("n", "POSITIONAL_OR_KEYWORD", "2"), ("k", "KEYWORD_ONLY", "3")


@pytest.mark.parametrize(
    ("wanted", "got", "kept"),
    [
        pytest.param([X], [X, N], True, id="a new default behind"),
        pytest.param([X], [N, X], False, id="a new one before"),
        pytest.param([X, N], [X], False, id="one is gone"),
        pytest.param([X], [X, K], True, id="a new one by name"),
        pytest.param([X, K], [X, N, K], False, id="another place"),
        pytest.param([X], [X, ("n", "POSITIONAL_OR_KEYWORD", "")], False, id="a new one without default"),
    ],
)
def test_what_could_be_called_still_can_be(wanted: list[Any], got: list[Any], kept: bool) -> None:
    from compilelint.dynamic.worker.forms import lost

    assert (lost({"m.f": wanted}, {"m.f": got}) is None) == kept


def test_names_in_the_state_and_public_functions_are_part_of_it() -> None:
    from compilelint.dynamic.worker.forms import lost

    assert lost({"state_dict": ["a", "b"]}, {"state_dict": ["a"]}) == ("the names in `state_dict`", "`b` in one alone")
    assert lost({"m.f": []}, {}) == ("what can be called: `m.f`", "it is gone")
    assert lost({"m.f": []}, {"m.f": [], "m.g": []}) is None


@pytest.mark.parametrize(
    ("attribute", "ways"),
    [
        pytest.param([1], ["deep copies", "pickles"], id="plain"),
        pytest.param(lambda x: x, ["deep copies"], id="a function without a name"),
        pytest.param((one for one in [1]), [], id="a generator"),
    ],
)
def test_models_that_were_copied_and_pickled_still_are(attribute: Any, ways: list[str]) -> None:
    import torch

    from compilelint.dynamic.worker.forms import interface_of, lost

    model = torch.nn.Linear(2, 2)
    before = interface_of(model)
    model.kept = attribute
    after = interface_of(model)
    assert after["copied"] == ways
    gone = None if len(ways) == 2 else "pickles" if ways else "deep copies"
    assert lost(before, after) == (gone and ("what can be made of the model", f"no {gone} any more"))
    assert lost(after, before) is None
