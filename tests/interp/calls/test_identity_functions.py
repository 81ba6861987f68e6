"""Decorators that give back what they are given, and those that only look as if they did."""

from __future__ import annotations

import pytest

from compilelint.interp.core import summaries
from compilelint.interp.core.frame import Frame
from compilelint.project.classes import FunctionInfo
from compilelint.values import Value
from tests.support.reveal import run

LIB = """
{decorator}

def loud(x):
    return x.sum().item()
"""
APP = """
from lib import documented
from torch import Tensor

class Model(nn.Module):
    @documented
    def forward(self, x: Tensor):
        return x + 1
"""


def events_with(decorator: str, monkeypatch: pytest.MonkeyPatch) -> tuple[int, list[str]]:
    """Graph breaks of a forward under a decorator of `lib.py`, and the functions whose bodies were run for it."""
    entered: list[str] = []
    run_body = summaries._run_body

    def listed(inner: Frame, code: FunctionInfo, names: dict[str, Value]) -> Value:
        entered.append(code.node.qualname)
        return run_body(inner, code, names)

    monkeypatch.setattr(summaries, "_run_body", listed)
    found = run({"app.py": APP, "lib.py": LIB.format(decorator=decorator)}, unlinted=("lib.py",))
    return sum(event.breaks for event in found), entered


def test_what_a_docstring_maker_does_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    decorator = """
def written(function):
    return function.__name__ * 2

def documented(function):
    function.__doc__ = written(function)
    return function
"""
    assert events_with(decorator, monkeypatch) == (0, ["Model.forward"])


WRAPPER = """
    def wrapper(self, x):
        loud(x)
        return function(self, x)
    return wrapper
"""
RENAMED = """
    inner = function
    def function(self, x):
        loud(x)
        return inner(self, x)
    return function
"""
AT_TIMES = """
    if function:
        def wrapper(self, x):
            loud(x)
            return function(self, x)
        return wrapper
    return function
"""


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(WRAPPER, id="wraps"),
        pytest.param(RENAMED, id="binds the name again"),
        pytest.param(AT_TIMES, id="on one path"),
    ],
)
def test_a_wrapper_is_still_found(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    breaks, entered = events_with(f"\ndef documented(function):{body}", monkeypatch)
    assert breaks == 1
    assert "loud" in entered
