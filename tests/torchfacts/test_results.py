"""Results of torch's operations, as shipped, and the two examples that hand lists had wrong."""

from __future__ import annotations

import pytest

from compilelint.torchfacts.history import known_names
from compilelint.torchfacts.names import other_spelling
from compilelint.torchfacts.result_rules import Argument, Arguments
from compilelint.torchfacts.result_tables import results_of
from compilelint.torchfacts.results import TensorResult, forms_of, parsed

X = Argument("tensor", "float", 2)
INDICES = Argument("tensor", "int", 2)
FACTS = results_of("2.13.0")
INT, FLOAT, UNKNOWN = Argument("int", value=0), Argument("float"), Argument("unknown")


@pytest.mark.parametrize(
    ("name", "given", "named", "expected"),
    [
        pytest.param("torch.Tensor.norm", [X, INT], {}, [("float", 0)], id="the first argument is no dimension"),
        pytest.param("torch.quantile", [X, FLOAT], {}, [("float", 0)], id="nor is it here"),
        pytest.param("torch.Tensor.sum", [INDICES, INT], {}, [("int", 1)], id="here it is"),
        pytest.param("torch.mode", [INDICES], {}, [("int", 1), ("int", 1)], id="values and indices"),
        pytest.param("torch.Tensor.max", [X], {}, [("float", 0)], id="one"),
        pytest.param("torch.Tensor.max", [X, INT], {}, [("float", 1), ("int", 1)], id="a pair"),
        pytest.param("torch.maximum", [X, X], {}, [("float", 2)], id="elementwise"),
        pytest.param(
            "torch.zeros", [INT, INT], {"dtype": Argument("dtype", "int")}, [("int", 2)], id="a dtype decides"
        ),
        pytest.param("torch.Tensor.sum", [X, UNKNOWN], {}, [("float", None)], id="of unknown dimensions"),
    ],
)
def test_what_a_call_returns(
    name: str, given: list[Argument], named: dict[str, Argument], expected: list[tuple[str, int | None]]
) -> None:
    call = Arguments(given, named)
    rule = FACTS.rule_for(name, call)
    assert rule is not None
    assert [(one.dtype, one.rank) for one in rule.results(call) or ()] == expected


def test_fields_of_a_named_result_are_known() -> None:
    rule = FACTS.rule_for("torch.Tensor.topk", Arguments([X, Argument("int", value=3)], {}))
    assert rule is not None
    assert rule.fields == ("values", "indices")


def test_a_hidden_argument_leaves_the_form_open() -> None:
    assert forms_of(Arguments([X], {}, open=True)) == ()
    assert FACTS.rule_for("torch.max", Arguments([X], {}, open=True)) is None
    assert forms_of(Arguments([X, UNKNOWN], {})) == ()


def test_forms_go_from_coarse_to_fine() -> None:
    assert forms_of(Arguments([X], {})) == ("", ":")
    assert forms_of(Arguments([X, INT], {"largest": Argument("bool", value=False)})) == ("given", ":int largest=bool")
    assert forms_of(Arguments([X], {"return_counts": Argument("bool", value=True)}))[0] == " return_counts"


def test_every_rule_is_of_a_name_that_torch_has() -> None:
    """Names come from torch, so that none of them can be one that torch never had."""
    names = {one for one in FACTS.names if one.startswith("torch.")}
    assert len(names) > 1_200
    known = known_names()
    assert sum(name in known or other_spelling(name) in known for name in names) > len(names) * 0.9


def test_a_rule_in_words() -> None:
    rule = parsed("tuple values indices;same,reduced 1,contiguous;=int,0:0 1:0,")
    assert rule.results(Arguments([X, INT], {})) == (TensorResult("float", 1, ""), TensorResult("int", None, None))


@pytest.mark.parametrize("text", ["one;loud,same,", "one;same,sideways,", "one;same,same,upright", "some;same,same,"])
def test_a_word_that_is_no_rule_is_refused(text: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        parsed(text)


def test_each_tensor_has_a_result_of_its_own() -> None:
    rule = parsed("each;same,all broadcast,")
    call = Arguments([X, Argument("tensor", "int", 3)], {})
    assert rule.results(call) == (TensorResult("float", 3, None), TensorResult("int", 3, None))
    assert rule.results(Arguments([X, UNKNOWN], {})) is None


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ([Argument("sequence", items=(X,))], "list>"),
        ([FLOAT, INT], "number>given"),
        ([X, Argument("tensor", "int", 0)], "index"),
        ([X, Argument("tensor", "float", 0)], "scalar"),
        ([X, Argument("tensor", "int", None)], "tensor"),
    ],
)
def test_what_a_form_distinguishes(given: list[Argument], form: str) -> None:
    assert forms_of(Arguments(given, {}))[0] == form


def test_a_list_where_a_tensor_may_stand_is_another_form() -> None:
    """`torch.atleast_1d(x)` returns a tensor, `torch.atleast_1d([x])` several; of what is not known, neither is."""
    shapes = []
    for first in (X, Argument("sequence", items=(X, X)), UNKNOWN):
        rule = FACTS.rule_for("torch.atleast_1d", Arguments([first], {}))
        shapes.append(None if rule is None else rule.shape)
    assert shapes == ["one", "each", None]
