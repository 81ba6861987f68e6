"""Words that name rules, and the order in which they are obeyed."""

from __future__ import annotations

import pytest

from compilelint.config import Options, chosen_rules, named
from compilelint.model import Effect, Rule
from compilelint.rulebook import TOOL_RULES

# ------------------------------------------------------------- folding, rules

RULE = Rule("CL101", "branch-on-tensor", "", Effect.GRAPH_BREAK)
READ = Rule("CL102", "host-read", "", Effect.GRAPH_BREAK, more_effects=(Effect.SYNC,))


RULES = (RULE, READ, *TOOL_RULES)


@pytest.mark.parametrize(
    ("word", "codes"),
    [
        ("CL101", ["CL101"]),
        ("cl102", ["CL102"]),
        ("host-read", ["CL102"]),
        ("CL1", ["CL101", "CL102"]),
        ("CL1xx", ["CL101", "CL102"]),
        ("sync", ["CL102"]),
        ("CL7", []),
        ("wrong-result", []),
        ("ALL", [rule.code for rule in RULES]),
    ],
)
def test_words_that_name_rules(word: str, codes: list[str]) -> None:
    assert [rule.code for rule in named(RULES, [word], "--select")] == codes


def test_select_then_extend_then_ignore() -> None:
    options = Options((), select=("CL101",), extend_select=("CL902",), ignore=("CL903",))
    assert [rule.code for rule in chosen_rules(RULES, options)] == ["CL101", "CL901", "CL902"]
