"""What follows from a rule's code and effects."""

from __future__ import annotations

from compilelint.model import Effect
from compilelint.model.rule import Rule


def test_the_family_of_a_rule_is_the_first_digit_of_its_code() -> None:
    assert Rule("CL101", "branch-on-tensor", "a branch", Effect.GRAPH_BREAK).family == "CL1"


def test_all_effects_of_a_rule_are_ordered_worst_first_and_each_is_named_once() -> None:
    rule = Rule("CL102", "host-read", "a read", Effect.SYNC, more_effects=(Effect.SYNC, Effect.GRAPH_BREAK))
    assert rule.effects == (Effect.GRAPH_BREAK, Effect.SYNC)
