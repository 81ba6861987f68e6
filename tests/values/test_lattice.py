"""What joins, truth and narrowing make of particular values: the choices that the laws leave open."""

from __future__ import annotations

import pytest

from compilelint.model import Confidence
from compilelint.values import (
    BOTTOM,
    FALSE,
    INT,
    MAX_ARMS,
    NONE,
    TRUE,
    UNKNOWN,
    Const,
    Dependence,
    External,
    FunctionRef,
    Mapping,
    Origin,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
    is_none,
    join,
    join_all,
    resumed,
    tensor_arm,
    truth,
    without,
)
from compilelint.values.words import describe
from tests.support.samples import ARRAY, COUNT, GUESS, IMAGE, MASK, SIZE, Thing


def joined(*values: Value) -> str:
    return describe(join_all(values), placed=True)


def pair(*items: Value) -> Sequence:
    return Sequence("tuple", items, BOTTOM)


# ------------------------------------------------------------------------- joins


def test_two_numbers_join_to_their_type() -> None:
    assert joined(Const(1), Const(2)) == "int"
    assert joined(Const("a"), Const("b")) == "str"


def test_numbers_of_different_types_stay_apart() -> None:
    assert joined(Const(1), Const(1.0)) == "1 | 1.0"
    assert joined(TRUE, Const(1)) == "1 | True"


def test_a_size_beside_a_number_depends_on_shapes() -> None:
    assert joined(Const(1), SIZE) == "int shape"


def test_two_tensors_join_to_what_they_agree_on() -> None:
    assert joined(MASK, COUNT) == "tensor computed"
    assert joined(IMAGE, IMAGE.but(source=Source.COMPUTED, device="cpu")) == "tensor float 4-d computed contiguous"


def test_a_traced_array_beside_a_tensor_is_a_tensor() -> None:
    assert joined(ARRAY, IMAGE) == "tensor float input"


def test_the_weaker_evidence_counts() -> None:
    assert joined(IMAGE, GUESS) == "tensor input likely"


def test_the_first_origin_is_kept() -> None:
    first = IMAGE.but(origin=Origin("`x`", kind=OriginKind.ARGUMENT))
    met = tensor_arm(join(first, MASK.but(origin=Origin(">", kind=OriginKind.RESULT))))
    assert met is not None
    assert met.origin is first.origin


def test_tuples_of_one_length_join_item_by_item() -> None:
    assert joined(pair(IMAGE, NONE), pair(NONE, NONE)) == "tuple(None | tensor float 4-d input contiguous cuda, None)"


def test_tuples_of_different_length_stay_apart_for_unpacking() -> None:
    assert joined(pair(INT), pair(INT, NONE)) == "tuple(int) | tuple(int, None)"


def test_lists_of_different_length_become_one_list() -> None:
    assert joined(Sequence("list", (), BOTTOM), Sequence("list", (INT, INT), BOTTOM)) == "list[int]"


def test_long_tuples_give_up_their_length() -> None:
    assert joined(pair(*[INT] * 6), pair(*[INT] * 7)) == "tuple[int]"


def test_dicts_keep_the_keys_of_both() -> None:
    left = Mapping((("loss", COUNT), ("n", INT)), BOTTOM, True)
    right = Mapping((("loss", NONE),), BOTTOM, True)
    assert joined(left, right) == "dict(loss: None | tensor int 0-d computed, n?: int, ...: never)"
    assert joined(left, Mapping((), NONE)) == "dict(loss?: None | tensor int 0-d computed, n?: None | int, ...: None)"


def test_too_many_arms_leave_tensor_none_and_unknown() -> None:
    crowd = [External(f"lib.f{i}") for i in range(MAX_ARMS)]
    assert joined(*crowd).count("|") == MAX_ARMS - 1
    assert joined(*crowd, NONE, MASK) == "? | None | tensor bool 2-d computed"
    assert joined(*crowd, INT) == "?"


@pytest.mark.parametrize(("count", "left"), [(64, 64), (65, 0)])
def test_a_table_of_functions_is_kept_up_to_64_entries(count: int, left: int) -> None:
    functions = [FunctionRef(Thing(f"app.f{i}")) for i in range(count)]
    assert joined(*functions).count("function") == left


# ------------------------------------------------------------- questions on values


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (NONE, True),
        (INT, False),
        (IMAGE, False),
        (UNKNOWN, None),
        (join(IMAGE, NONE), None),
        (join(IMAGE, INT), False),
        (join(IMAGE, UNKNOWN), None),
    ],
    ids=describe,
)
def test_is_none(value: Value, answer: bool | None) -> None:
    assert is_none(value) is answer


@pytest.mark.parametrize(
    ("value", "answer"),
    [
        (TRUE, True),
        (Const(0), False),
        (Const(""), False),
        (NONE, False),
        (INT, None),
        (IMAGE, None),
        (pair(), False),
        (pair(NONE), True),
        (Sequence("list", None, INT), None),
        (Mapping((), BOTTOM, True), False),
        (Mapping((), INT), None),
        (Mapping((("k", INT),), BOTTOM), True),
        (join(FALSE, NONE), False),
        (join(TRUE, NONE), None),
        (join(IMAGE, NONE), None),
    ],
    ids=describe,
)
def test_truth(value: Value, answer: bool | None) -> None:
    assert truth(value) is answer


def test_narrowing_takes_arms_away() -> None:
    assert describe(without(join_all([INT, NONE, IMAGE]), Tensor)) == "None | int"
    assert without(IMAGE, Tensor) is BOTTOM


def test_one_arm_of_several_is_likely_at_most_and_keeps_less() -> None:
    sure, unsure = tensor_arm(join(IMAGE, NONE)), tensor_arm(join(IMAGE.but(confidence=Confidence.POSSIBLE), NONE))
    assert sure is not None
    assert unsure is not None
    assert (sure.confidence, unsure.confidence) == (Confidence.LIKELY, Confidence.POSSIBLE)
    assert tensor_arm(IMAGE) is IMAGE
    assert tensor_arm(join(INT, NONE)) is None


def test_bool_and_int_consts_have_keys_of_their_own() -> None:
    assert len({TRUE.key, Const(1).key, Const(1.0).key}) == 3


# ----------------------------------------------------------------------- resume


def test_behind_a_break_what_was_computed_is_an_input() -> None:
    assert describe(resumed(COUNT)) == "tensor int 0-d input"
    assert describe(resumed(COUNT.but(source=Source.LITERAL))) == "tensor int 0-d input"


@pytest.mark.parametrize("source", [Source.INPUT, Source.PARAMETER, Source.BUFFER])
def test_behind_a_break_what_lives_outside_stays_what_it_was(source: Source) -> None:
    assert resumed(COUNT.but(source=source)).key == COUNT.but(source=source).key


def test_containers_are_resumed_with_what_they_hold() -> None:
    inside = Mapping((("n", pair(COUNT, INT)),), join(COUNT, NONE))
    assert describe(resumed(inside)) == "dict(n: tuple(tensor int 0-d input, int), ...: None | tensor int 0-d input)"


def test_only_a_computed_0d_tensor_is_a_computed_scalar() -> None:
    assert COUNT.is_computed_scalar
    assert not MASK.is_computed_scalar
    assert not COUNT.but(source=Source.BUFFER).is_computed_scalar
    assert Scalar("int", Dependence.DATA).key != SIZE.key


@pytest.mark.parametrize(("key", "held"), [(1, "one"), (True, "yes"), (1.0, "float"), ("1", "text"), (2, None)])
def test_an_entry_is_found_under_its_own_key_only(key: object, held: str | None) -> None:
    """Python takes 1, True and 1.0 for one key; what an analysis knows of one says nothing of the others."""
    table = Mapping(((True, Const("yes")), (1, Const("one")), (1.0, Const("float")), ("1", Const("text"))), UNKNOWN)
    found = table.get(key)
    assert (found.value if isinstance(found, Const) else None) == held
