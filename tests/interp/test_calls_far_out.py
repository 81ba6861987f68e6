"""`interp.calls`: where only a value is looked up, calls are not followed far beyond the linted files."""

from __future__ import annotations

from tests.support.reveal import run

APP = """
import lib
from torch import nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.held = lib.{of}(4)

    def forward(self, x):
        if self.held:
            return x.item()
        return x
"""
LIB = """
def none_1(n): return None
def none_2(n): return none_1(n)
def none_3(n): return none_2(n)
def none_4(n): return none_3(n)
"""


def breaks(function: str, unlinted: tuple[str, ...] = ("lib",)) -> int:
    """How many breaks `forward` has where `held` is what that function returns; none, if it is known to be None."""
    files = {"lib.py": LIB, "app.py": APP.format(of=function)}
    return len([event for event in run(files, unlinted=unlinted) if event.breaks])


def test_two_calls_into_a_library_are_followed() -> None:
    assert [breaks(f"none_{calls}") for calls in (1, 2)] == [0, 0]


def test_a_third_is_not() -> None:
    assert breaks("none_3") == 1


def test_in_linted_files_calls_are_followed_as_far_as_they_go() -> None:
    assert breaks("none_4", unlinted=()) == 0
