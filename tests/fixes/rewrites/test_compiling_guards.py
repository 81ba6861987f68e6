"""What prints or logs may be guarded without leave; what does more may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.model import Safety
from compilelint.session.commands.lint import lint
from compilelint.session.fixing.propose import with_fixes
from tests.fixes.goldens import fixed, options

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
        pytest.param("if(x.sum() > 0): raise ValueError", True, id="none, where the text alone is edited"),
        pytest.param("while(x.sum() > 0): raise ValueError", False, id="no `if`"),
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


READS = """import torch


def f(x: torch.Tensor, mask: torch.Tensor, rows: torch.Tensor):
    if x[mask > 0].numel() != rows.numel():
        raise ValueError("not as many")
    if mask.max().item() > 1:
        raise IndexError("too great")
    return x + rows.sum()
"""


def test_a_check_that_binds_a_name_stays(tmp_path: Path) -> None:
    text = READS.replace("mask.max().item() > 1", "(top := mask.max().item()) > 1").replace("x + ", "x + top + ")
    after, _ = fixed(text, tmp_path)
    assert "is_compiling() and (top" not in after


@pytest.mark.dynamo
def test_a_check_that_reads_or_picks_raises_as_before_and_breaks_nothing(tmp_path: Path) -> None:
    import torch

    from tests.fixes.alike import alike

    after, _ = fixed(READS, tmp_path)
    assert after.count("if not torch.compiler.is_compiling() and ") == 2
    x, mask = torch.randn(4), torch.tensor([1, 0, 1, 0])
    alike(READS, after, (x, mask, torch.randn(2)), tmp_path)
    alike(READS, after, (x, mask, torch.randn(3)), tmp_path)  # ValueError in eager code
    alike(READS, after, (x, mask * 2, torch.randn(2)), tmp_path)  # IndexError
    alike(READS, after, (x[:0], mask[:0], torch.randn(0)), tmp_path)  # RuntimeError of `max`


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("y.requires_grad_(requires_grad=False)", id="the call itself breaks"),
        pytest.param("y = torch.zeros_like(x, requires_grad=True)\n    torch.autograd.grad(y.sum(), y)", id="grad"),
        pytest.param("y = torch.zeros_like(x, requires_grad=True)\n    (x * y).sum().backward()", id="backward"),
        pytest.param("y = torch.zeros_like(x, requires_grad=not torch.compiler.is_compiling())", id="guarded already"),
    ],
)
def test_a_mark_that_is_needed_stays(line: str, tmp_path: Path) -> None:
    text = f"import torch\n\n\ndef f(x: torch.Tensor, y: torch.Tensor):\n    {line}\n    return x\n"
    assert "is_compiling() and" not in fixed(text, tmp_path)[0]
    assert fixed(text, tmp_path)[0].count("is_compiling") == text.count("is_compiling")
