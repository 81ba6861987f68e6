"""The laws of `join`, over all triples of sample values. No parser, no file, no interpreter."""

from __future__ import annotations

import itertools

import pytest

from compilelint.model import Confidence
from compilelint.values import (
    BOTTOM,
    UNKNOWN,
    Mapping,
    Object,
    Sequence,
    Source,
    Tensor,
    Value,
    arms,
    dependence,
    join,
    join_all,
    resumed,
    tensor_arm,
    truth,
)
from tests.support.samples import SAMPLES, TENSORS

ids = list(SAMPLES)
one = pytest.mark.parametrize("name", ids)


@one
def test_join_is_idempotent(name: str) -> None:
    value = SAMPLES[name]
    assert join(value, value).key == value.key


@one
def test_bottom_is_neutral(name: str) -> None:
    value = SAMPLES[name]
    assert join(BOTTOM, value).key == value.key == join(value, BOTTOM).key


def test_join_is_commutative() -> None:
    wrong = [(a, b) for a, b in itertools.combinations(ids, 2) if _joined(a, b) != _joined(b, a)]
    assert wrong == []


@one
def test_join_is_associative(name: str) -> None:
    a = SAMPLES[name]
    wrong = []
    for second, third in itertools.product(ids, repeat=2):
        b, c = SAMPLES[second], SAMPLES[third]
        if join(join(a, b), c).key != join(a, join(b, c)).key:
            wrong.append((second, third))
    assert wrong == []


@one
def test_join_covers_both_sides(name: str) -> None:
    """What is joined once is not news the second time: the loop of a fixpoint ends."""
    for other in ids:
        both = join(SAMPLES[name], SAMPLES[other])
        assert join(both, SAMPLES[name]).key == both.key, other
        assert join(both, SAMPLES[other]).key == both.key, other


@one
def test_join_all_is_a_fold_of_join(name: str) -> None:
    for second, third in itertools.product(ids[::3], repeat=2):
        values = [SAMPLES[name], SAMPLES[second], SAMPLES[third]]
        assert join_all(values).key == join(join(values[0], values[1]), values[2]).key, (second, third)


def _joined(a: str, b: str) -> object:
    return join(SAMPLES[a], SAMPLES[b]).key


# ------------------------------------------------------------- what is never lost


@pytest.mark.parametrize("name", list(TENSORS))
def test_a_tensor_arm_is_never_lost(name: str) -> None:
    for others in itertools.product(ids, repeat=2):
        met = join_all([TENSORS[name], *(SAMPLES[other] for other in others)])
        assert tensor_arm(met) is not None, others


@pytest.mark.parametrize("name", list(TENSORS))
def test_a_tensor_outlives_even_a_crowd(name: str) -> None:
    assert tensor_arm(join_all([*SAMPLES.values(), TENSORS[name]])) is not None


def test_evidence_never_grows_by_a_join() -> None:
    for a, b in itertools.combinations(SAMPLES.values(), 2):
        met = tensor_arm(join(a, b))
        if met is not None:
            sides = [t for t in (tensor_arm(a), tensor_arm(b)) if t is not None]
            assert met.confidence <= min(t.confidence for t in sides)


def test_a_tensor_beside_anything_else_is_at_most_likely() -> None:
    for name, other in SAMPLES.items():
        if other is not BOTTOM and tensor_arm(other) is None:
            met = tensor_arm(join(TENSORS["mask"], other))
            assert met is not None, name
            assert met.confidence == Confidence.LIKELY, name


def test_dependence_never_falls_by_a_join() -> None:
    for a, b in itertools.combinations(SAMPLES.values(), 2):
        assert dependence(join(a, b)) >= max(dependence(a), dependence(b))


def test_truth_of_a_join_is_known_only_where_both_agree() -> None:
    for a, b in itertools.combinations(SAMPLES.values(), 2):
        if BOTTOM in (a, b):
            continue
        known = truth(join(a, b))
        assert known is None or known is truth(a) is truth(b)


def test_a_join_is_never_a_union_of_unions_and_its_arms_differ() -> None:
    for a, b, c in itertools.combinations(SAMPLES.values(), 3):
        found = arms(join_all([a, b, c]))
        assert all(len(arms(arm)) == 1 for arm in found)
        assert len({arm.key for arm in found}) == len(found)


# ----------------------------------------------------------------------- resume


@one
def test_resuming_twice_is_resuming_once(name: str) -> None:
    again = resumed(SAMPLES[name])
    assert resumed(again).key == again.key


@one
def test_nothing_computed_is_left_behind_a_break(name: str) -> None:
    for arm in arms(resumed(SAMPLES[name])):
        for tensor in _tensors_in(arm):
            assert tensor.source < Source.LITERAL


@one
def test_resuming_changes_the_source_alone(name: str) -> None:
    before, after = tensor_arm(SAMPLES[name]), tensor_arm(resumed(SAMPLES[name]))
    if before is None:
        assert after is None
    else:
        assert after is not None
        assert after.but(source=before.source).key == before.key


def _tensors_in(value: Value) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    inner: list[Value] = []
    if isinstance(value, Sequence):
        inner = [*(value.items or ()), value.element]
    elif isinstance(value, Mapping):
        inner = [*value.rest, *(v for _, v in value.entries)]
    elif isinstance(value, Object):
        inner = [v for _, v in value.fields]
    return [t for v in inner for arm in arms(v) for t in _tensors_in(arm)]


def test_unknown_swallows_nothing() -> None:
    """Unknown is an arm like any other: "a tensor on one path, anything on the other" is still a tensor on one."""
    for name, value in SAMPLES.items():
        if value is not BOTTOM:
            assert {arm.key for arm in arms(value)} <= {arm.key for arm in arms(join(value, UNKNOWN))}, name
