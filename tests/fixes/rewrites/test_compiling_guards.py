"""What prints or logs may be guarded without leave; what does more may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.model import Safety
from compilelint.session.commands.lint import lint
from compilelint.session.fixing.propose import with_fixes
from tests.fixes.goldens import options

TEXT = """\
import logging
import warnings

import torch

logger = logging.getLogger(__name__)


def f(x: torch.Tensor, names: list):
    {statement}
    return x + 1
"""


def _safety(statement: str, folder: Path) -> Safety | None:
    path = folder / "model.py"
    path.write_text(TEXT.format(statement=statement), encoding="utf-8")
    found = [one.fix for one in with_fixes(lint(options(path)).findings) if one.fix is not None]
    said = [one for one in found if one.title == "log only outside compiled code"]
    return said[0].safety if said else None


@pytest.mark.parametrize(
    ("statement", "offered"),
    [
        pytest.param("if x.sum() > 0: raise ValueError", True, id="a space before the test"),
        pytest.param("if(x.sum() > 0): raise ValueError", False, id="none, which LibCST refuses before a word"),
    ],
)
def test_a_test_that_needs_no_space_ends_no_run(statement: str, offered: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(TEXT.format(statement=statement), encoding="utf-8")
    [finding] = with_fixes(lint(options(path)).findings)
    assert (finding.fix is not None) is offered


@pytest.mark.parametrize(
    "statement",
    [
        'print("shape", x.shape, x.mean().item())',
        'print(f"{x.shape} {type(x)}")',
        'logger.info("mean %s", x.mean())',
        'logger.warning("large", stacklevel=2)',
    ],
)
def test_what_only_speaks_is_safe_to_guard(statement: str, tmp_path: Path) -> None:
    assert _safety(statement, tmp_path) is Safety.SAFE


@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("print(names.pop())", id="an argument that changes a list"),
        pytest.param("print(x.add_(1))", id="an argument that writes in place"),
        pytest.param("print(torch.rand(2))", id="an argument that draws"),
        pytest.param("print(y := x + 1)", id="an argument that binds a name"),
        pytest.param("print(f'{names.pop()}')", id="an effect inside a text"),
        pytest.param("print(*names)", id="arguments that are gone through"),
        pytest.param("warnings.warn('large')", id="a warning, which a filter may make an error"),
    ],
)
def test_what_may_do_more_is_not(statement: str, tmp_path: Path) -> None:
    assert _safety(statement, tmp_path) is not Safety.SAFE
