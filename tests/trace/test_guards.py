"""Failing guards: what was checked, of which value, and what it was."""

from __future__ import annotations

import pytest

from compilelint.model import Step
from compilelint.trace.guards import failure_of, source_of, spoken_source

FORMS = [
    ("0/0: tensor 'k' size mismatch at index 0. expected 2, actual 3", "size", "L['k']", 0, "2", "3"),
    ("tensor 'L['x']' size mismatch at index 1. expected 8, actual 9", "size", "L['x']", 1, "8", "9"),
    ("tensor 'x' stride mismatch at index 0. expected 4, actual 1", "stride", "L['x']", 0, "4", "1"),
    ("tensor 'x' rank mismatch. expected 2, actual 3", "rank", "L['x']", -1, "2", "3"),
    ("tensor 'x' dtype mismatch. expected Float, actual Double", "dtype", "L['x']", -1, "Float", "Double"),
    ("tensor 'x' requires_grad mismatch. expected requires_grad=0", "requires-grad", "L['x']", -1, "0", ""),
    ("1/3: self.step == 3", "value", "L['self'].step", -1, "3", ""),
    ("L['power'] == 0.5", "value", "L['power']", -1, "0.5", ""),
    ("len(L['table']) == 2", "length", "L['table']", -1, "2", ""),
    ("GLOBAL_STATE changed: grad_mode ", "global-state", "", -1, "", "grad_mode"),
    ("___check_global_state()", "global-state", "", -1, "___check_global_state()", ""),
    ("___check_obj_id(L['f'], 94)", "identity", "L['f']", -1, "94", ""),
    ("L['extra'] is None", "identity", "L['extra']", -1, "None", ""),
    ("Eq(s85, s37)", "symbolic", "", -1, "Eq(s85, s37)", ""),
    ("2 <= L['x'].size()[0]", "symbolic", "", -1, "2 <= L['x'].size()[0]", ""),
    ("something that no version has said yet", "other", "", -1, "", ""),
]


@pytest.mark.parametrize(("text", "kind", "source", "dimension", "expected", "actual"), FORMS)
def test_a_guard_is_bound_to_its_value(
    text: str, kind: str, source: str, dimension: int, expected: str, actual: str
) -> None:
    found = failure_of(text)
    assert found[:5] == (kind, source, dimension, expected, actual)


def test_the_line_of_a_guard_is_in_its_comment() -> None:
    found = failure_of(
        "0/1: self.step == 1                         # self.step += 1  # job/src/net.py:14 in forward (HINT: torch ...)"
    )
    assert (found.version, found.code, found.place) == ("0/1", "self.step += 1", Step("job/src/net.py", 14, "forward"))
    assert found.text == "self.step == 1"


def test_a_comment_without_a_line_is_code_alone() -> None:
    found = failure_of("0/0: L['n'] == 3      # _dynamo/output_graph.py: unknown")
    assert found.place is None


def test_failures_of_one_value_have_one_key_whatever_the_values() -> None:
    keys = {failure_of(f"tensor 'x' size mismatch at index 0. expected {n}, actual {n + 1}").key for n in range(5)}
    assert len(keys) == 1


@pytest.mark.parametrize(
    "others",
    [
        "tensor 'x' size mismatch at index 1. expected 2, actual 3",
        "tensor 'y' size mismatch at index 0. expected 2, actual 3",
    ],
    ids=["another dimension", "another tensor"],
)
def test_failures_of_other_values_have_other_keys(others: str) -> None:
    assert failure_of(others).key != failure_of("tensor 'x' size mismatch at index 0. expected 2, actual 3").key


def test_guards_without_a_value_differ_by_their_text() -> None:
    assert failure_of("Eq(s0, s1)").key != failure_of("Eq(s0, 4)").key


@pytest.mark.parametrize(
    ("written", "source", "spoken"),
    [
        ("x", "L['x']", "x"),
        ("self.step", "L['self'].step", "self.step"),
        ("L['x']", "L['x']", "x"),
        (
            "self._modules['linear']._parameters['bias']",
            "L['self']._modules['linear']._parameters['bias']",
            "self.linear.bias",
        ),
        ("G['SCALE']", "G['SCALE']", "SCALE"),
    ],
)
def test_sources_are_written_as_torch_takes_them_and_spoken_as_code(written: str, source: str, spoken: str) -> None:
    assert source_of(written) == source
    assert spoken_source(source) == spoken


def test_the_first_place_of_a_guard_is_the_users() -> None:
    text = "6/3: U < L_K  # U = min(U, L_K)  # job/attn.py:111 in forward (_dynamo/tensor.py:2606 in evaluate_expr)"
    assert failure_of(text).place == Step("job/attn.py", 111, "forward")
