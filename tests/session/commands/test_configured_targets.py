"""The targets of a configuration: each under a name of its own."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from compilelint.dynamic.targets import TargetError
from compilelint.session.commands.configured_targets import configured_targets


def options(*tables: dict[str, Any]) -> Any:
    """A configuration with these tables."""
    made = [
        SimpleNamespace(values=one, where=lambda number=number: f"table {number}") for number, one in enumerate(tables)
    ]
    return SimpleNamespace(targets=tuple(made))


def test_targets_come_in_the_order_of_their_tables() -> None:
    found = configured_targets(options({"model": "b:Net"}, {"model": "a:Net"}, {"model": "a:Net", "name": "again"}))
    assert [one.label for one in found] == ["b:Net", "a:Net", "again"]
    assert configured_targets(options()) == ()


def test_two_targets_of_one_name_are_refused_at_the_second() -> None:
    with pytest.raises(TargetError) as caught:
        configured_targets(options({"model": "a:Net"}, {"model": "a:Net"}))
    assert "table 1" in str(caught.value)
    assert "'a:Net'" in str(caught.value)
