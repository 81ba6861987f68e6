"""Keys of dicts: functions and classes beside constants."""

from __future__ import annotations

import pytest

from compilelint.values import NONE, UNKNOWN, CallableKey, Const, External, Value, is_known_key, key_of, value_of


@pytest.mark.parametrize("value", [Const("a"), Const(3), NONE, External("torch.float16")])
def test_a_known_key_and_back(value: Value) -> None:
    assert is_known_key(value)
    assert value_of(key_of(value)).key == value.key


def test_what_is_not_known_makes_no_key() -> None:
    assert not is_known_key(UNKNOWN)


def test_two_that_mean_the_same_are_equal_and_apart_from_texts() -> None:
    first, second = CallableKey(External("torch.relu")), CallableKey(External("torch.relu"))
    assert first == second
    assert len({first, second, CallableKey(External("torch.gelu")), "torch.relu"}) == 3
    assert repr(first) == "torch.relu"
