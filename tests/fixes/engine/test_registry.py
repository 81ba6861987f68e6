"""Rewrites are registered by decorator under names that `model.RewriteName` lists, and there is one for every name."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import get_args

import pytest

from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.registry import names, rewrite, rewrites
from compilelint.model import FactName, Finding, Fix, RewriteName
from compilelint.torchfacts import Capture


def test_every_name_that_a_check_may_give_has_a_rewrite() -> None:
    importlib.import_module("compilelint.fixes")  # registers them
    assert names() | names(proven=True) == set(get_args(RewriteName))


def test_the_switches_of_dynamo_are_facts() -> None:
    assert {capture.value for capture in Capture} <= set(get_args(FactName))


def test_the_lowest_rank_comes_first() -> None:
    assert [maker.__name__ for maker in rewrites("mask")] == [
        "masked_assignment",
        "masked_sum",
        "ignored_rows",
        "unchecked",
    ]


def test_two_rewrites_of_one_name_cannot_share_a_rank() -> None:
    def another(finding: Finding, code: Code) -> Iterator[Fix]:
        yield from ()

    with pytest.raises(ValueError, match="both have rank 1 for 'view'"):
        rewrite("view", rank=1)(another)
