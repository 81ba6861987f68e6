"""Rules about an operation are asked by tier, and those of the left operand before those of the right."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compilelint.interp import refusals
from compilelint.interp.core.perform import (
    MEASURED,
    PROGRAM,
    Operation,
    Rule,
    Rules,
    Use,
    ask,
    condition,
    perform,
    rule,
)
from compilelint.torchfacts import load
from compilelint.values import BOTTOM, NONE, TRUE, UNKNOWN, Const, Mapping, Sequence, Tensor, Value

FRAME: Any = None


@pytest.fixture
def operation() -> Iterator[Operation]:
    """An operation about which nothing is registered, and nothing stays so."""
    kept = Operation.NEXT.results, Operation.NEXT.facts
    Operation.NEXT.results, Operation.NEXT.facts = Rules(), Rules()
    yield Operation.NEXT
    Operation.NEXT.results, Operation.NEXT.facts = kept


def answering(asked: list[str], name: str, answer: Value | None) -> Rule:
    """A rule that notes that it was asked."""

    def decide(use: Use) -> Value | None:
        asked.append(name)
        return answer

    return decide


def test_without_a_rule_about_the_kind_nothing_is_decided(operation: Operation) -> None:
    rule(operation, Mapping)(answering([], "mapping", NONE))
    assert perform(FRAME, operation, "next", (Sequence("list", (), BOTTOM),), 0) is None


def test_the_first_that_decides_gives_the_result(operation: Operation) -> None:
    asked: list[str] = []
    for name, answer in (("first", None), ("second", NONE), ("third", TRUE)):
        rule(operation, Sequence)(answering(asked, name, answer))
    assert perform(FRAME, operation, "next", (Sequence("list", (), BOTTOM),), 0) is NONE
    assert asked == ["first", "second"]


def test_tiers_go_before_the_order_of_operands(operation: Operation) -> None:
    asked: list[str] = []
    rule(operation, Sequence, tier=MEASURED)(answering(asked, "measured", None))
    rule(operation, Sequence)(answering(asked, "left", None))
    rule(operation, Mapping)(answering(asked, "right", None))
    rule(operation, Mapping, tier=PROGRAM)(answering(asked, "program", None))
    assert perform(FRAME, operation, "+", (Sequence("list", (), BOTTOM), Mapping((), BOTTOM)), 0) is None
    assert asked == ["program", "left", "right", "measured"]


def test_a_rule_about_both_operands_is_asked_once(operation: Operation) -> None:
    asked: list[str] = []
    rule(operation, Sequence, Mapping)(answering(asked, "both", None))
    perform(FRAME, operation, "+", (Sequence("list", (), BOTTOM), Mapping((), BOTTOM)), 0)
    assert asked == ["both"]


def test_a_rule_that_comes_later_is_asked_too(operation: Operation) -> None:
    asked: list[str] = []
    assert perform(FRAME, operation, "next", (UNKNOWN, Const(1)), 0) is None
    rule(operation, Const)(answering(asked, "later", None))
    perform(FRAME, operation, "next", (UNKNOWN, Const(1)), 0)
    assert asked == ["later"]


def test_a_rule_about_names_is_asked_for_them_alone(operation: Operation) -> None:
    asked: list[str] = []
    rule(operation, Const, names=("builtins.int",))(answering(asked, "int", None))
    for name in ("builtins.int", "builtins.abs", "builtins.int"):
        perform(FRAME, operation, name, (Const(1),), 0)
    assert asked == ["int", "int"]


def test_names_count_for_the_kinds_that_have_some(operation: Operation) -> None:
    """So that the order of rules is not remembered for each function of a program."""
    rule(operation, Const, names=("builtins.int",))(answering([], "int", None))
    rule(operation, Mapping)(answering([], "any", None))
    for name in ("a", "b"):
        perform(FRAME, operation, name, (Const(1),), 0)
        perform(FRAME, operation, name, (Mapping((), BOTTOM),), 0)
    assert len(operation.results.plans_by_name) == 2


def test_a_condition_gives_a_fact_beside_the_rules(operation: Operation) -> None:
    fact = load("2.13").refusal("GB2861")
    condition(operation, Const)(lambda use: fact if use.name == "hash" else None)
    assert ask(FRAME, operation, "hash", (Const(1),), 0) is fact
    assert ask(FRAME, operation, "len", (Const(1),), 0) is None
    assert ask(FRAME, operation, "hash", (UNKNOWN,), 0) is None
    assert perform(FRAME, operation, "hash", (Const(1),), 0) is None


def test_a_rule_sees_the_operation_as_it_is_written(operation: Operation) -> None:
    seen: list[Use] = []
    rule(operation, Tensor)(seen.append)
    perform(FRAME, operation, "+=", (Tensor(), NONE), 7)
    assert [(use.name, use.operands[1], use.pos, use.node) for use in seen] == [("+=", NONE, 7, None)]


def test_every_file_of_the_folder_is_found() -> None:
    folder = Path(refusals.__path__[0])
    assert set(refusals.NAMES) == {file.stem for file in folder.glob("*.py")} - {"__init__"}


REGISTERED = """
from compilelint.interp import Interpreter
from compilelint.interp.core.perform import Operation

tables = [table for one in Operation for table in (one.results, one.facts)]
rules = [one for table in tables for known in table.by_kind.values() for one in known]
print(*sorted({one.decide.__module__ for one in rules}))
"""


def test_every_file_with_a_rule_is_loaded_with_the_interpreter() -> None:
    """In a process of its own: here other tests have imported whatever they are about."""
    ran = subprocess.run([sys.executable, "-c", REGISTERED], capture_output=True, text=True, check=True)
    root = Path(refusals.__path__[0]).parent
    files = [path for path in root.rglob("*.py") if re.search(r"^@(rule|condition)\(", path.read_text("utf-8"), re.M)]
    wanted = {".".join(("compilelint.interp", *path.relative_to(root).with_suffix("").parts)) for path in files}
    assert set(ran.stdout.split()) == wanted
    assert len(wanted) > 10
