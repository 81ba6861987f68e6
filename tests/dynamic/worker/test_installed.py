"""What Dynamo writes into a module's globals is no state that the user's code left."""

from __future__ import annotations

import sys
import types

import pytest

pytestmark = pytest.mark.dynamo

ASKED = "def has_it():\n    return True\nhas_it._dynamo_marked_constant = True\n"
CALLING = """
import asked

def f(x):
    global counted
    counted = 1
    return x + 1 if asked.has_it() else x
"""


@pytest.fixture
def calling(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A module whose function calls one of another module that is marked as constant, and writes a global."""
    for name, text in (("asked", ASKED), ("calling", CALLING)):
        made = types.ModuleType(name)
        monkeypatch.setitem(sys.modules, name, made)
        exec(compile(text, f"{name}.py", "exec"), made.__dict__)
    return sys.modules["calling"]


def test_the_answer_of_a_constant_function_is_left_out_and_the_own_global_is_not(calling: types.ModuleType) -> None:
    import torch

    from compilelint.dynamic.worker import installed
    from compilelint.dynamic.worker.snapshot import state_of

    installed.watch()
    installed.watch()  # a second job of the worker
    torch._dynamo.reset()
    torch.compile(calling.f, backend="eager")(torch.ones(2))
    assert "has_it" in vars(calling), "Dynamo keeps the answer there"
    assert state_of(calling.f) == {"global counted": "1"}
