"""`interp.calls`: one run of a function serves callers of whom more or less may be claimed, each as sure as it is."""

from __future__ import annotations

from compilelint.model import Confidence
from tests.support.reveal import run

LIB = """
def read(x):
    return x.item()

def handed(function, x):
    return function(x)

def reads_what(x):
    return missing + x
"""
APP = """
import lib
from torch import Tensor

def own(x: Tensor):
    return x.item()

class Model(nn.Module):
    def forward(self, x: Tensor, verbose: bool = False):
{body}
"""
LIKELY, CERTAIN = Confidence.LIKELY, Confidence.CERTAIN


def claimed(*lines: str) -> dict[int, set[Confidence]]:
    """What is claimed of breaks in `forward`, whose body these lines are: by line from 1 on; 0 stands for `own`."""
    text = "from torch import nn\n" + APP.format(body="\n".join(f"        {line}" for line in lines))
    start = text.split("\n").index(f"        {lines[0]}")
    found: dict[int, set[Confidence]] = {}
    for event in run({"app.py": text, "lib.py": LIB}, unlinted=("lib",)):
        if event.breaks:
            line = event.site.location.span.line - start - 1  # one line of imports is put before each file
            found.setdefault(line if line > 0 else 0, set()).add(event.site.cap)
    return found


def test_a_library_function_is_as_sure_as_each_call_of_it() -> None:
    sure, likely = "lib.read(x)", "if verbose: lib.read(x)"
    assert claimed(sure, likely) == {1: {CERTAIN}, 2: {LIKELY}}
    assert claimed(likely, sure) == {1: {LIKELY}, 2: {CERTAIN}}


def test_what_a_library_calls_back_is_as_sure_as_the_call_that_leads_there() -> None:
    assert claimed("if verbose: lib.handed(own, x)") == {0: {LIKELY}}
    assert CERTAIN in claimed("if verbose: lib.handed(own, x)", "lib.handed(own, x)")[0]


def test_a_linted_function_that_was_surely_called_is_not_run_again_to_say_it_less_surely() -> None:
    assert claimed("own(x)", "if verbose: own(x)") == {0: {CERTAIN}}
    assert claimed("if verbose: own(x)", "own(x)") == {0: {LIKELY, CERTAIN}}


def test_a_handler_around_one_call_says_nothing_of_another() -> None:
    caught = ("try:", "    lib.reads_what(x)", "except NameError:", "    pass")
    assert claimed("lib.reads_what(x)") == {}
    assert claimed("lib.reads_what(x)", *caught) == {3: {CERTAIN}}
    assert claimed(*caught, "lib.reads_what(x)") == {2: {CERTAIN}}
