"""CL22x on small programs: state that compiled code loses, and the much more that it keeps (all measured)."""

from __future__ import annotations

import pytest

from compilelint.checks import rulebook
from compilelint.model import Confidence
from compilelint.torchfacts import load
from tests.support.reveal import run
from tests.support.survey_events import codes, events_of, said

CERTAIN, LIKELY, POSSIBLE = Confidence.CERTAIN, Confidence.LIKELY, Confidence.POSSIBLE


def forward(*lines: str) -> str:
    body = "\n        ".join(lines)
    return f"class M(nn.Module):\n    def forward(self, x):\n        {body}\n        return x\n"


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("self.d.move_to_end(1)", "x = x + self.d[1]"), id="moved and read"),
        pytest.param(("self.d.popitem()",), id="popped blindly"),
    ],
)
def test_lost_changes_of_a_dict(lines: tuple[str, ...]) -> None:
    assert said(forward(*lines)) == [("CL220", CERTAIN)]


@pytest.mark.parametrize(
    "lines",
    [
        pytest.param(("self.d.move_to_end(1)",), id="moved and not read is replayed"),
        pytest.param(("self.d[1] = self.d.pop(1)",), id="taken out and put back"),
        pytest.param(("key, value = self.d.popitem()",), id="the popped item is used"),
        pytest.param(("if len(self.d) > 2: self.d.popitem()",), id="the length is guarded"),
        pytest.param(("self.d.popitem(last=False)",), id="an OrderedDict attribute is replayed"),
        pytest.param(("d = {}", "d.popitem()"), id="made in the call"),
        pytest.param(("self.step += 1", "self.log.append(x)", "self.table[1] = x"), id="ordinary state is replayed"),
    ],
)
def test_changes_that_are_replayed(lines: tuple[str, ...]) -> None:
    assert codes(forward(*lines)) == []


def test_a_dict_at_module_level_is_replayed_and_one_around_the_function_is_not() -> None:
    moved = "import collections as c\n{}d = c.OrderedDict(a=1)\n{}def f(x: Tensor):\n{}    d.move_to_end('a')\n"
    assert codes(moved.format("", "", "")) == []
    assert said(moved.format("def make():\n  ", "  ", "  ")) == [("CL220", LIKELY)]


GENERATOR = """
def steps():
    with torch.no_grad():
        yield 1
        yield 2

def plain():
    yield 1

def cleaned():
    try:
        yield 1
    finally:
        print()

"""


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        pytest.param(("for s in steps():", "    break"), ["CL221"], id="break"),
        pytest.param(("for s in cleaned():", "    return x"), ["CL221"], id="return, finally"),
        pytest.param(("s = next(steps())",), ["CL221"], id="next"),
        pytest.param(("for s in steps():", "    x = x + s"), [], id="run to its end"),
        pytest.param(("for s in plain():", "    break"), [], id="nothing to clean up"),
        pytest.param(("for s in steps():", "    for t in x:", "        break"), [], id="break of an inner loop"),
        pytest.param(("g = steps()", "s = next(g)", "g.close()"), [], id="closed by hand"),
    ],
)
def test_generators_that_are_left(lines: tuple[str, ...], reported: list[str]) -> None:
    assert codes(GENERATOR + forward(*lines)) == reported


CACHE = "import functools\nN = 0\n@functools.lru_cache\ndef table(n):\n    {}\n    return n\n"


@pytest.mark.parametrize(
    ("body", "reported"),
    [
        pytest.param("global N; N += 1", [("CL222", CERTAIN)], id="counts"),
        pytest.param("n = torch.rand(n)", [("CL222", CERTAIN)], id="draws"),
        pytest.param("n = torch.arange(n)", [], id="pure"),
        pytest.param("m = n; m += 1", [], id="counts a local"),
    ],
)
def test_caches_are_ignored(body: str, reported: list[tuple[str, Confidence]]) -> None:
    assert said(CACHE.format(body) + forward("x = x + table(3)")) == reported


def test_a_cache_that_no_forward_calls_is_possible() -> None:
    assert said(CACHE.format("global N; N += 1")) == [("CL222", POSSIBLE)]


def test_getenv_is_frozen_and_environ_is_guarded() -> None:
    book, facts = rulebook(), load("2.13.0")
    program = "import os\nclass M(nn.Module):\n    def forward(self, x: Tensor):\n        return x + len(os.{}('A'))\n"
    reported = {
        name: [f.rule.code for e in run(program.format(name)) for f in book.findings_for(e, facts)]
        for name in ("getenv", "environ.get")
    }
    assert reported == {"getenv": ["CL223"], "environ.get": []}


def test_an_unfinished_generator_is_reported_for_a_torch_that_drops_it_only() -> None:
    book = rulebook()
    left = events_of(GENERATOR + forward("for s in steps():", "    break"))
    reported = {
        version: [finding.rule.code for event in left for finding in book.findings_for(event, load(version))]
        for version in ("2.5.1", "2.13.0", "2.14.1", "2.15.0")
    }
    assert reported == {"2.5.1": [], "2.13.0": ["CL221"], "2.14.1": ["CL221"], "2.15.0": []}
