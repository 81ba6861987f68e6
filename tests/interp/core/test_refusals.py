"""A refusal is one of the version that is asked about: what a version takes does not end a graph there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from compilelint.interp.core.refusals import refusal
from compilelint.torchfacts import TorchFacts, load
from tests.support.worker_messages import check


def frame_of(facts: TorchFacts) -> Any:
    """All that is asked of a frame here."""
    return SimpleNamespace(interp=SimpleNamespace(facts=facts))


@pytest.mark.parametrize(
    ("version", "key", "gb_id"),
    [
        pytest.param("2.13", "GB7312", "GB7312", id="refused"),
        pytest.param("2.15", "GB7312", None, id="the id is raised no more"),
        pytest.param("2.13", "GB5458", "GB5458", id="refused, and taken later"),
        pytest.param("2.15", "GB5458", None, id="the id is raised elsewhere, but not here"),
        pytest.param("2.15", "GB7312|zip_longest", "GB9192", id="under another id"),
    ],
)
def test_only_what_the_version_refuses(version: str, key: str, gb_id: str | None) -> None:
    fact = refusal(frame_of(load(version)), key)
    assert (None if fact is None else fact.gb_id) == gb_id


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
