"""Keys that outlive a frame hold its serial number: the `id` of one that is gone belongs to another one later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from compilelint.interp import Interpreter
from compilelint.interp.core.frame import Frame
from tests.support.reveal import run

DECORATED_METHODS = """
import torch

def make_test(fn):
    def test(self):
        return torch.compile(fn)(torch.ones(2))
    return test

class Test:
    @make_test
    def test_a(x):
        print(x)
        return x

    @make_test
    def test_b(x):
        return x.item()
"""
A_CLOSURE_THAT_COUNTS = """
import torch

def outer():
    calls = 0

    def inner(x):
        nonlocal calls
        calls += 1
        return x * calls
    return torch.compile(inner)

outer()(torch.ones(2))
"""


@pytest.mark.parametrize("program", [DECORATED_METHODS, A_CLOSURE_THAT_COUNTS])
def test_no_key_of_the_interpreter_is_the_identity_of_a_frame(program: str) -> None:
    made: list[Frame] = []  # keeps them, so that no other object gets an identity of theirs
    started: list[Interpreter] = []

    class Kept(Frame):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            made.append(self)

    class Keeping(Interpreter):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            self.frame_class = Kept
            started.append(self)

    run(program, interpreter=Keeping)
    interpreter = started[0]
    uses = [use for _, _, _, use in interpreter.finished if use is not None]
    slots = [slot for use in uses for slot in (*use.reads, *use.changes)]
    keys = [*interpreter.summaries, *interpreter.hosts._entered, *slots]
    assert len(made) > 2
    assert len(keys) > 2
    assert not {id(frame) for frame in made} & set(_numbers(keys))


def _numbers(key: object) -> Iterator[int]:
    if isinstance(key, int):
        yield key
    elif isinstance(key, (tuple, list, frozenset)):
        for part in key:
            yield from _numbers(part)
