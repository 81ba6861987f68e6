"""The condition language, and the calls whose verdict hangs on their arguments."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compilelint.torchfacts import ArgKind as K
from compilelint.torchfacts import Call, TorchFacts, load
from compilelint.torchfacts.conditions import holds

TWO = Call((K.TENSOR, K.INT), {"dim": K.NONE})


@pytest.mark.parametrize(
    ("condition", "call", "expected"),
    [
        (["is", 0, "tensor"], TWO, True),
        (["is", 1, "tensor"], TWO, False),
        (["is", "dim", "none"], TWO, True),
        (["is", [1, "repeats"], "int"], TWO, True),
        (["is", [5, "repeats"], "int"], TWO, False),
        (["is", [5, "repeats"], "int"], Call(open_ended=True), None),
        (["is", 0, "bool-tensor"], TWO, None),
        (["is", 0, "tensor"], Call((K.BOOL_TENSOR,)), True),
        (["is", 0, "scalar-tensor"], Call((K.BOOL_TENSOR,)), None),
        (["is", 0, "int-tensor"], Call((K.BOOL_TENSOR,)), False),
        (["is", 0, "computed-scalar-tensor"], Call((K.SCALAR_TENSOR,)), False),
        (["is", 0, "tensor"], Call((K.UNKNOWN,)), None),
        (["given", 1], TWO, True),
        (["given", "out"], TWO, False),
        (["given", "out"], Call(open_ended=True), None),
        (["any", "none"], TWO, True),
        (["any", "str"], TWO, False),
        (["any", "str"], Call((K.INT,), open_ended=True), None),
        (["receiver", "int-tensor"], Call(receiver=K.INT_TENSOR), True),
        (["receiver", "int-tensor"], Call(receiver=K.TENSOR), None),
        (["receiver", "int-tensor"], Call(receiver=K.FLOAT_TENSOR), False),
        (["count", 3, 3], TWO, True),
        (["count", 1, 1], TWO, False),
        (["count", 1, 1], Call((K.TENSOR,), open_ended=True), None),
        (["count", 1, 1], Call((K.TENSOR, K.TENSOR), open_ended=True), False),
        (["not", ["given", 1]], TWO, False),
        (["all", ["given", 0], ["given", 1]], TWO, True),
        (["all", ["given", 0], ["is", 0, "bool-tensor"]], TWO, None),
        (["all", ["given", 7], ["is", 0, "bool-tensor"]], TWO, False),
        (["either", ["given", 7], ["given", 0]], TWO, True),
        (["either", ["given", 7], ["is", 0, "bool-tensor"]], TWO, None),
    ],
)
def test_a_condition_is_true_false_or_undecided(condition: list[Any], call: Call, expected: bool | None) -> None:
    assert holds(condition, call) is expected


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown operator 'maybe'"):
        holds(["maybe"], TWO)


@pytest.fixture(scope="module")
def facts() -> TorchFacts:
    return load("2.13.0")


@pytest.mark.parametrize(
    ("name", "call", "breaks"),
    [
        pytest.param("torch.where", Call((K.BOOL_TENSOR,)), True, id="where of a condition alone is nonzero"),
        pytest.param("torch.where", Call((K.BOOL_TENSOR, K.TENSOR, K.FLOAT)), False, id="where of three selects"),
        pytest.param("torch.repeat_interleave", Call((K.TENSOR, K.TENSOR), {"dim": K.INT}), True, id="tensor repeats"),
        pytest.param("torch.repeat_interleave", Call((K.TENSOR, K.INT)), False, id="int repeats"),
        pytest.param(
            "torch.repeat_interleave",
            Call((K.TENSOR, K.TENSOR), {"output_size": K.INT}),
            False,
            id="the output size is given",
        ),
        pytest.param("torch.Tensor.repeat_interleave", Call((K.TENSOR,)), True, id="method with tensor repeats"),
        pytest.param("torch.nn.functional.one_hot", Call((K.TENSOR,)), True, id="classes come from the data"),
        pytest.param("torch.nn.functional.one_hot", Call((K.TENSOR, K.INT)), False, id="classes are given"),
        pytest.param("torch.nn.functional.one_hot", Call((K.TENSOR, K.NEGATIVE_INT)), True, id="minus one means ask"),
        pytest.param("torch.zeros", Call((K.INT,), {"requires_grad": K.TRUE}), True, id="a leaf made inside"),
        pytest.param("torch.zeros", Call((K.INT,), {"requires_grad": K.FALSE}), False, id="no gradient asked for"),
        pytest.param("torch.zeros", Call((K.SCALAR_TENSOR,)), False, id="size from an input"),
        pytest.param("torch.zeros", Call((K.COMPUTED_SCALAR_TENSOR,)), True, id="size from a computed tensor"),
        pytest.param("torch.arange", Call((K.COMPUTED_SCALAR_TENSOR,)), True, id="end is computed"),
        pytest.param("torch.Tensor.view", Call((K.COMPUTED_SCALAR_TENSOR, K.INT)), True, id="view to a computed size"),
        pytest.param("torch.Tensor.expand", Call((K.INT, K.INT)), False, id="expand to ints"),
        pytest.param("torch.rand", Call((K.INT,), {"generator": K.OBJECT}), True, id="generators are opaque"),
        pytest.param("torch.rand", Call((K.INT,), {"generator": K.NONE}), False, id="no generator after all"),
        pytest.param("torch.Tensor.requires_grad_", Call(), True, id="switches gradients on"),
        pytest.param("torch.Tensor.requires_grad_", Call((K.FALSE,)), False, id="switches gradients off"),
        pytest.param("torch.Tensor.tensor_split", Call((K.INT_TENSOR,)), True, id="sections from a tensor"),
        pytest.param("torch.Tensor.tensor_split", Call((K.INT,)), False, id="sections from an int"),
        pytest.param("copy.deepcopy", Call((K.TENSOR,)), True, id="tensor"),
        pytest.param("copy.deepcopy", Call((K.OBJECT,)), False, id="plain object"),
        pytest.param("copy.copy", Call((K.DICT,)), True, id="dict"),
        pytest.param("math.sqrt", Call((K.TENSOR,)), True, id="math reads the tensor"),
        pytest.param("math.sqrt", Call((K.INT,)), False, id="math of a size"),
        pytest.param("builtins.max", Call((K.TENSOR, K.TENSOR)), False, id="builtin max over tensors is traced"),
        pytest.param("numpy.where", Call((K.TENSOR,)), True, id="numpy.where of a condition alone"),
        pytest.param("numpy.where", Call((K.TENSOR, K.TENSOR, K.TENSOR)), False, id="numpy.where of three"),
        pytest.param("torch.nn.functional.ctc_loss", Call((K.TENSOR,) * 4), True, id="lengths are tensors"),
    ],
)
def test_real_calls(facts: TorchFacts, name: str, call: Call, breaks: bool) -> None:
    fact = facts.callable(name)
    assert fact is not None
    judged = fact.for_call(call)
    assert (judged.breaks, judged.mixed) == (breaks, False)


def test_an_open_call_stays_mixed_and_names_the_worst(facts: TorchFacts) -> None:
    fact = facts.callable("torch.where")
    assert fact is not None
    assert fact.mixed
    judged = fact.for_call(Call(open_ended=True))
    assert judged.mixed
    assert not judged.breaks
    assert judged.worst.gb_id == "GB0036"


def test_an_undecided_form_that_changes_nothing_is_no_doubt() -> None:
    fact = load("2.13.0").callable("torch.relu")
    assert fact is not None
    assert fact.for_call(Call((K.UNKNOWN,), open_ended=True)) is fact


KINDS = st.sampled_from(list(K))
CALLS = st.builds(
    Call,
    st.lists(KINDS, max_size=4).map(tuple),
    st.dictionaries(
        st.sampled_from(["dim", "requires_grad", "generator", "repeats", "num_classes"]), KINDS, max_size=3
    ),
    KINDS,
    st.booleans(),
)


@given(name=st.sampled_from(["torch.where", "torch.repeat_interleave", "torch.zeros", "copy.copy"]), call=CALLS)
def test_any_call_gets_one_of_the_forms(name: str, call: Call) -> None:
    fact = load("2.13.0").callable(name)
    assert fact is not None
    judged = fact.for_call(call)
    verdicts = {fact.verdict, *(form.verdict for _, form in fact.forms)}
    assert judged.verdict in verdicts
    assert judged.worst.verdict in verdicts
    assert judged.worst.breaks or not judged.breaks


@given(
    call=CALLS, condition=st.sampled_from([["given", 1], ["any", "tensor"], ["is", 0, "bool-tensor"], ["count", 1, 2]])
)
def test_negation_keeps_doubt(call: Call, condition: list[Any]) -> None:
    plain, negated = holds(condition, call), holds(["not", condition], call)
    assert negated is (None if plain is None else not plain)
