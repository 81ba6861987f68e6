"""What to write against a recompile: the line ready to paste, from what the guard says."""

from __future__ import annotations

import pytest

from compilelint.model import Step
from compilelint.trace.advice import advice_for
from compilelint.trace.cause import Cause, Kind
from compilelint.trace.guards import failure_of


def pasted(text: str, kind: Kind = Kind.RECOMPILE, of_parameter: bool = False) -> list[str]:
    cause = Cause(kind, Step("/job/net.py", 3, "f"), "", failure=failure_of(text), of_parameter=of_parameter)
    return [one.paste for one in advice_for(cause)]


@pytest.mark.parametrize(
    ("text", "paste"),
    [
        ("tensor 'x' size mismatch at index 0. expected 2, actual 3", "torch._dynamo.mark_dynamic(x, 0)"),
        (
            "tensor 'batch['ids']' size mismatch at index 1. expected 2, actual 3",
            "torch._dynamo.mark_dynamic(batch['ids'], 1)",
        ),
        ("self.step == 3", "torch._dynamo.config.allow_unspec_int_on_nn_module = True"),
        ("self.scale == 0.5", 'self.register_buffer("scale", torch.tensor(0.5))'),
        ("L['power'] == 3", "power = torch.tensor(power)"),
        ("tensor 'x' stride mismatch at index 0. expected 4, actual 1", "x = x.contiguous()"),
    ],
)
def test_the_first_line_to_paste(text: str, paste: str) -> None:
    assert pasted(text)[0] == paste


BY_SIZE = failure_of("tensor 'k' size mismatch at index 0. expected 2, actual 3")


def advised(together: tuple[tuple[str, int], ...] | None = None, resumed: bool = False) -> list[tuple[str, str]]:
    place = Step("/job/net.py", 3, "f")
    cause = Cause(Kind.RECOMPILE, place, "", failure=BY_SIZE, together=together, resumed=resumed)
    return [tuple(one) for one in advice_for(cause)]  # type: ignore[misc]


def test_sizes_that_vary_together_are_marked_together() -> None:
    (said, pasted), (_, setting) = advised((("L['q']", 0), ("L['q']", 2)))
    assert "dimension 0 of `k` and dimension 0 of `q` and dimension 2 of `q`, which vary together" in said
    assert pasted.count("mark_dynamic(") == 3
    assert setting == "TORCH_COMPILE_DYNAMIC_SOURCES=\"L['k'],L['q']\"", "a source once"


def test_a_size_of_which_the_log_says_no_more_is_marked_with_a_caution() -> None:
    assert "with each tensor of the same size" in advised()[0][0]
    assert "same size" not in advised(())[0][0]


def test_sizes_are_not_marked_where_one_has_no_name() -> None:
    assert not [pasted for _, pasted in advised((("L['___stack0']", 0),)) if pasted]


def test_behind_a_graph_break_the_break_is_what_to_cure() -> None:
    (said, pasted), *rest = advised((), resumed=True)
    assert (said.startswith("this frame begins behind a graph break"), pasted) == (True, "")
    assert not [one for _, one in rest if "mark_dynamic" in one]


def test_the_setting_names_the_source_as_torch_takes_it() -> None:
    text = "tensor 'k' size mismatch at index 0. expected 2, actual 3"
    assert pasted(text)[1] == "TORCH_COMPILE_DYNAMIC_SOURCES=\"L['k']\""


def test_a_parameters_size_is_no_dimension_to_mark() -> None:
    text = "tensor 'x' size mismatch at index 1. expected 4, actual 8"
    assert pasted(text, of_parameter=True) == ["torch._dynamo.config.force_parameter_static_shapes = False"]


@pytest.mark.parametrize(
    "text",
    ["L['___stack1'] == 2.1", "GLOBAL_STATE changed: grad_mode", "L['extra'] is None", "len(L['xs']) == 3"],
    ids=["a value from before a break", "global state", "an argument left out", "a list"],
)
def test_what_cannot_be_pasted_is_said_in_words(text: str) -> None:
    assert pasted(text) == [""]


@pytest.mark.parametrize("kind", [Kind.BREAK, Kind.CACHE, Kind.ERROR])
def test_only_recompiles_have_guards_to_advise_on(kind: Kind) -> None:
    assert pasted("L['power'] == 3", kind) == []


def test_a_source_that_would_end_the_setting_is_not_put_into_it() -> None:
    text = "tensor 'd[\"a,b\"]' size mismatch at index 0. expected 2, actual 3"
    assert not [one for one in pasted(text) if "SOURCES" in one]
