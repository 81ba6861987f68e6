"""A refusal is one of the version that is asked about: ids that a version raises no more do not end a graph there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from compilelint.interp.core.refusals import older, refusal
from compilelint.torchfacts import TorchFacts, load
from tests.support.worker_messages import check


def frame_of(facts: TorchFacts) -> Any:
    """All that is asked of a frame here."""
    return SimpleNamespace(interp=SimpleNamespace(facts=facts))


@pytest.mark.parametrize(("version", "gb_id"), [("2.13", "GB7312"), ("2.15", None)])
def test_only_what_the_version_raises(version: str, gb_id: str | None) -> None:
    fact = refusal(frame_of(load(version)), "GB7312")
    assert (None if fact is None else fact.gb_id) == gb_id


def test_or_not_so_any_more() -> None:
    assert refusal(frame_of(load("2.15")), "GB5458", before="2.15") is None
    assert refusal(frame_of(load("2.13")), "GB5458", before="2.15") is not None


def test_releases_are_compared_as_numbers() -> None:
    assert older(frame_of(load("2.9")), "2.13")
    assert not older(frame_of(load("2.15")), "2.15")


def test_attributes_of_pythons_own_exceptions_are_not_written() -> None:
    check("""
        class Own(Exception):
            pass

        def f(x: Tensor):
            try:
                error = ValueError("a")
                error.code = 3  # syntax exception.code = ... in try
                raise error
            except ValueError:
                return x

        def g(x: Tensor):
            try:
                error = Own("a")
                error.code = 3
                raise error
            except Own:
                return x
    """)
