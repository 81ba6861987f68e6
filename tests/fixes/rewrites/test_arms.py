"""Chains of arms that end in the same statement become one statement, with the value that was chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.arms import chosen_arm
from tests.fixes.alike import alike, made

SCALED = """import torch


def f(x: torch.Tensor, low: float, high: float):
    out = []
    for one in x:
        if one < low:
            out.append(one)
        elif one > high:
            out.append(one / 8)
        else:
            share = (one - low) / (high - low)
            out.append((1 - share) * one / 8 + share * one)
    return torch.stack(out)
"""
STATE = """import torch
from torch import nn


class M(nn.Module):
    def forward(self, x: torch.Tensor):
        y = torch.sigmoid(x)
        if y.sum() > 1:
            self.seen = torch.sin(y)
        else:
            self.seen = torch.cos(y)
        return self.seen * 2


def f(x: torch.Tensor):
    return M()(x)
"""


def test_arms_that_append_become_one_append(tmp_path: Path) -> None:
    after, unmet = made(SCALED, chosen_arm, tmp_path)
    assert (
        """    for one in x:
        share = (one - low) / (high - low)
        out.append(
            torch.where(
                (one < low).reshape(()),
                one,
                torch.where(
                    (one > high).reshape(()),
                    one / 8,
                    (1 - share) * one / 8 + share * one,
                ),
            )
        )
    return"""
        in after
    )
    assert unmet


def test_arms_that_set_one_attribute_are_lawful_where_they_are_alike(tmp_path: Path) -> None:
    after, unmet = made(STATE, chosen_arm, tmp_path)
    assert "        self.seen = torch.where(y.sum() > 1, torch.sin(y), torch.cos(y))\n" in after.replace(
        "(y.sum() > 1).reshape(())", "y.sum() > 1"
    )
    assert not unmet
    assert made(STATE.replace("torch.cos(y)", "torch.cos(y)[:1]"), chosen_arm, tmp_path)[1], "another shape"
    assert made(STATE.replace("torch.cos(y)", "torch.log(y)"), chosen_arm, tmp_path)[1], "NaN in a gradient"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("        else:\n", "        elif one > 5 * high:\n", id="no else"),
        pytest.param("out.append(one / 8)", "x.append(one / 8)", id="another list"),
        pytest.param("out.append(one / 8)", "out.extend(one / 8)", id="another method"),
        pytest.param("out.append(one / 8)", "out.append(None)", id="no tensor"),
        pytest.param("out.append(one / 8)", "out.append(one.exponential_())", id="a write in an arm"),
        pytest.param("out.append(one / 8)", "out.append(torch.rand(()))", id="a draw in an arm"),
        pytest.param("            share =", "            print(one)\n            share =", id="an effect in an arm"),
        pytest.param("out.append(one / 8)", "out.append(one / 8)  # scaled", id="a comment that would be lost"),
        pytest.param("(out)", "(out), share", id="a name that lives on"),
        pytest.param("one > high", "out", id="a later test that is no tensor's"),
    ],
)
def test_near_misses(old: str, new: str, tmp_path: Path) -> None:
    text = SCALED.replace(old, new)
    assert text != SCALED
    after, unmet = made(text, chosen_arm, tmp_path)
    assert after == text or unmet


@pytest.mark.dynamo
def test_the_same_values_and_gradients(tmp_path: Path) -> None:
    import torch

    after, _ = made(SCALED, chosen_arm, tmp_path)
    torch.manual_seed(0)
    for x in (torch.randn(9), torch.full((2,), float("nan")), torch.tensor([-1.0, 1.0, 0.0]), torch.randn(1)):
        alike(SCALED, after, (x.requires_grad_(), -1.0, 1.0), tmp_path, exactly=False)
    alike(SCALED, after, (torch.zeros(0), -1.0, 1.0), tmp_path)


@pytest.mark.dynamo
def test_the_same_state(tmp_path: Path) -> None:
    import torch

    after, _ = made(STATE, chosen_arm, tmp_path)
    for x in (torch.ones(3), torch.zeros(3), torch.full((2,), float("nan")), torch.zeros(0)):
        alike(STATE, after, (x.clone().requires_grad_(),), tmp_path)
