"""A choice of numbers: the number is asked before the tensor that was chosen by it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed
from tests.fixes.test_pages_fixed import _module

CHOSEN = """import torch


def f(x: torch.Tensor, most: float = 0.0):
    extra = torch.where(x.sum() > 1, min(most / 2, 0.4), 0.0)
    x = x * (extra + 1)
    if extra > 0:
        x = x + torch.randn_like(x)  # noise
    return x
"""
ASKED = CHOSEN.replace("if extra > 0:", "if min(most / 2, 0.4) > 0 and extra > 0:")


def test_a_choice_of_numbers_asks_the_numbers_first(tmp_path: Path) -> None:
    made, result = fixed(CHOSEN, tmp_path)
    assert made == ASKED
    assert [finding.rule.code for finding in result.report.findings] == ["CL101"], "a number may pass the test"
    again, second = fixed(made, tmp_path)
    assert again == made
    assert not second.applied


@pytest.mark.parametrize(
    ("changed", "into"),
    [
        pytest.param("most: float = 0.0", "most", id="nothing says that it is a number"),
        pytest.param(", 0.0)", ", 0.1)", id="a constant passes the test by itself"),
        pytest.param("    x = x * (extra + 1)", "    most = float(x.shape[0])", id="the number is another by then"),
        pytest.param("    x = x * (extra + 1)", "    extra = extra + 1", id="what is tested was calculated with"),
        pytest.param("    x = x * (extra + 1)", "    print(most)", id="a call between may change what is measured"),
    ],
)
def test_a_test_of_a_choice_is_left_alone(changed: str, into: str, tmp_path: Path) -> None:
    text = CHOSEN.replace(changed, into)
    assert text != CHOSEN
    made, _ = fixed(text, tmp_path)
    assert "and extra > 0" not in made


@pytest.mark.dynamo
def test_a_choice_that_the_numbers_forbid_is_one_graph(tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    after = _module(ASKED, tmp_path / "after.py").f
    x = torch.ones(3)
    assert record(after, [(x,)], str(tmp_path / "after.py")).breaks == []
    assert record(after, [(x, 1.0)], str(tmp_path / "after.py")).breaks, "the number passes, so the branch is left"
    for most in (0.0, 1.0):
        results = []
        for text, path in ((CHOSEN, "before.py"), (ASKED, "after.py")):
            torch.manual_seed(0)
            results.append(torch.compile(_module(text, tmp_path / path).f, backend="eager")(x, most))
        assert torch.equal(*results)
