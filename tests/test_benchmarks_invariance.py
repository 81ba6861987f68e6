"""How a finding fares when files are linted apart: the names that `benchmarks/invariance.py` gives it, and the law."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from benchmarks.invariance import UNLAWFUL, differences, findings, held, why

FIXTURES = Path(__file__).parents[1] / "fixtures"

HERE, BEYOND = "/p/here.py", "/p/beyond.py"
PLACE = ("CL101", HERE, 3)


def finding(confidence: str = "certain", ends: str = "", caller: str = "") -> dict[str, Any]:
    related = [{"path": ends, "text": "graph break here"}] if ends else []
    chain = [{"path": caller, "line": 7, "function": "run"}] if caller else []
    return {"confidence": confidence, "related": related, "call_chain": chain}


def fares(whole: dict[Any, Any], part: dict[Any, Any]) -> list[str]:
    return [kind for kind, _ in differences(whole, part, frozenset({HERE}))]


def test_each_difference_has_its_name() -> None:
    assert fares({PLACE: finding()}, {PLACE: finding()}) == ["same"]
    assert fares({PLACE: finding()}, {}) == ["lost"]
    assert fares({PLACE: finding()}, {PLACE: finding("likely")}) == ["less sure"]
    assert fares({PLACE: finding("likely")}, {PLACE: finding()}) == ["surer"]
    assert fares({}, {PLACE: finding()}) == ["new"]
    assert fares({}, {PLACE: finding(ends=HERE)}) == ["new"]
    assert fares({}, {PLACE: finding(ends=BEYOND)}) == ["at a call"]


def test_what_is_merely_possible_is_not_shown() -> None:
    assert fares({PLACE: finding("possible")}, {PLACE: finding("possible")}) == []
    assert fares({PLACE: finding()}, {PLACE: finding("possible")}) == ["lost"]
    assert fares({PLACE: finding("possible")}, {PLACE: finding("likely")}) == ["new"]


def test_a_difference_is_explained_by_the_caller_beyond() -> None:
    files = frozenset({HERE})
    reason = why(PLACE, {PLACE: finding(caller=BEYOND)}, {PLACE: finding("likely")}, files)
    assert reason == "certain in the package, likely here; called by run in beyond.py:7"
    assert why(PLACE, {}, {PLACE: finding(caller=HERE)}, files) == "nothing in the package, certain here"


def test_what_lies_in_other_files_is_not_compared() -> None:
    assert fares({("CL101", BEYOND, 3): finding()}, {}) == []


DECODER = """
import torch
from torch import Tensor, nn

class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.shape = None
        self.scale = nn.Linear(4, 4)
    def forward(self, x: Tensor):
        return self.decode(x)
    def decode(self, x):
        return self.boxes(x)
    def boxes(self, x):
        if self.shape != x.shape:
            self.shape = x.shape
        return self.scale(x)

def table(x: Tensor, check=False):
    if check and x.sum() > 1:
        raise ValueError
    return x.cumsum(0)
"""

# Four calls of its own lie before those of `Head`; it is the first to ask for the summary of `boxes`.
MODEL = """
import torch
from torch import Tensor, nn
from models.head import Head, table

class Above(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = Head()
    def forward(self, x: Tensor):
        return self.first(x)
    def first(self, x):
        return self.second(x)
    def second(self, x):
        return self.third(x)
    def third(self, x):
        return self.head(x) + table(x)
"""


OFF, ON = "check=False):", "check=True):"


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package whose `above.py` reaches what `head.py` keeps from call to call, from afar."""
    package = tmp_path_factory.mktemp("law") / "models"
    package.mkdir()
    for name, text in {"__init__": "", "above": MODEL, "head": DECODER}.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    return package


def test_what_is_kept_is_as_sure_however_far_another_caller_is(models: Path) -> None:
    head = models / "head.py"
    for paths in ([models], [head]):
        found = {place[0]: one["confidence"] for place, one in findings(paths, "2.13").items() if place[1] == str(head)}
        assert found["CL703"] == "likely"


@pytest.mark.parametrize("name", ["captioner", "lamps", "models"])
def test_what_is_left_out_takes_certainty_and_never_gives_it(name: str, models: Path) -> None:
    package = {"captioner": FIXTURES / "demo" / "captioner", "lamps": FIXTURES / "lamps" / "lamps"}.get(name, models)
    fared = list(held(package, 6, "2.13", random.Random(name)))
    assert fared, "no selection holds a finding"
    assert [one for one in fared if one[0] in UNLAWFUL] == []


def test_a_flag_that_is_on_by_default_breaks_the_law_where_a_caller_beyond_turns_it_off(tmp_path: Path) -> None:
    """A known breach: most calls leave a flag, so what it runs by default is claimed of a function that is a guess."""
    head, above = tmp_path / "head.py", tmp_path / "above.py"
    head.write_text(DECODER.replace(OFF, ON), encoding="utf-8")
    above.write_text(
        MODEL.replace("models.head", "head").replace("table(x)", "table(x, check=False)"), encoding="utf-8"
    )
    whole, part = findings([tmp_path], "2.13"), findings([head], "2.13")
    fared = [(kind, place[0]) for kind, place in differences(whole, part, frozenset({str(head)}))]
    assert [one for one in fared if one[0] in UNLAWFUL] == [("new", "CL101")]
