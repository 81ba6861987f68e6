"""What can be tried: what is only possible needs a run that confirms it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from compilelint.config import Options
from compilelint.model import Confidence, Edit, Fix, Safety, Span
from compilelint.session.fixing import search
from compilelint.session.fixing.search import Key, Search

LINE = 'logger.warning("late")'


@pytest.mark.parametrize(
    ("confidence", "confirmed", "tried"),
    [
        pytest.param(Confidence.POSSIBLE, None, True, id="nothing ran yet"),
        pytest.param(Confidence.POSSIBLE, frozenset(), False, id="no run saw it"),
        pytest.param(Confidence.POSSIBLE, frozenset({LINE}), True, id="a run saw it"),
        pytest.param(Confidence.LIKELY, frozenset(), True, id="sure enough without"),
    ],
)
def test_what_is_only_possible_is_tried_where_a_run_confirms_it(
    confidence: Confidence,
    confirmed: frozenset[str] | None,
    tried: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = tmp_path / "net.py"
    path.write_text(f"def step():\n    {LINE}\n")
    finding = Mock(confidence=confidence, line_text=LINE, function="step", location=Mock(path=str(path)))
    fix = Fix(Safety.UNSAFE, "log only outside compiled code", (Edit(Span(2, 5, 2, 5), "1; "),))
    monkeypatch.setattr(search, "proposals", lambda *given, **named: [fix])
    of_lint: Any = Mock(findings=(finding,))
    monkeypatch.setattr(search, "lint", lambda options: of_lint)
    asked = Search(Options(paths=(str(path),), min_confidence=Confidence.LIKELY))
    change = asked.next({}, set(), confirmed=confirmed)
    assert (change is not None and change.fix is fix) is tried


def test_statements_that_begin_alike_are_tried_apart(tmp_path: Path) -> None:
    """Of two calls whose first lines are the same, the other one is not passed over for the first."""
    lines = '        print(\n            "{0}"\n        )\n'
    text = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n{one}{two}        return x\n"
    path = tmp_path / "net.py"
    path.write_text(text.format(one=lines.format("a"), two=lines.format("b")), encoding="utf-8")
    asked = Search(Options(paths=(str(path),)))
    tried: set[Key] = set()
    found = [asked.next({}, tried), asked.next({}, tried)]
    assert len({one.finding.location.span.line for one in found if one is not None}) == 2


def test_where_output_is_kept_nothing_is_silenced(tmp_path: Path) -> None:
    """A print of a number comes from an operator; a plain one stays, since nothing can say it in its place."""
    path = tmp_path / "net.py"
    text = (
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x: torch.Tensor):\n{0}        return x\n"
    )
    path.write_text(text.format("        print(x.sum().item())\n"), encoding="utf-8")
    asked = Search(Options(paths=(str(path),)), keep_output=True)
    change = asked.next({}, set())
    assert change is not None
    assert change.fix.title == "say it from an operator while compiling"
    path.write_text(text.format("        print('called')\n"), encoding="utf-8")
    assert Search(Options(paths=(str(path),)), keep_output=True).next({}, set()) is None
