"""`interp.calls`: where only a value is looked up, calls are not followed far beyond the linted files."""

from __future__ import annotations

from unittest.mock import patch

from compilelint.interp.core import summaries
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


def test_one_call_into_a_library_is_followed() -> None:
    assert breaks("none_1") == 0


def test_a_second_is_not() -> None:
    assert breaks("none_2") == 1


def test_in_linted_files_calls_are_followed_as_far_as_they_go() -> None:
    assert breaks("none_4", unlinted=()) == 0


BASE = """
from torch import nn

class Base(nn.Module):
    def __init__(self, config=None):
        super().__init__()
        self.held = None
"""
MODEL = """
class Model{number}(lib.Base):
    def __init__(self, config):
        super().__init__(config)
        self.own = {number}

    def forward(self, x):
        if self.held:
            return x.item()
        return x * self.own
"""


def test_what_a_constructor_of_a_library_stores_is_looked_up_once_for_all_its_subclasses() -> None:
    """A library of models has hundreds of subclasses of one class."""
    models = "".join(MODEL.format(number=number) for number in range(5))
    with patch.object(summaries, "_run_body", wraps=summaries._run_body) as run_body:
        events = run({"lib.py": BASE, "app.py": f"import lib\n{models}"}, unlinted=("lib",))
    assert not [event for event in events if event.breaks]
    run_for = [call.args[1].node.qualname for call in run_body.call_args_list]
    assert run_for.count("Base.__init__") == 1
    assert run_for.count("Model0.forward") == 1
