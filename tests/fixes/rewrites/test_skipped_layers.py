"""Layers that a draw skips are run always only where nothing but their result depends on the draw."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

PROGRAM = """import torch


class M(torch.nn.Module):
    def forward(self, h, mask, first: torch.Tensor):
        out = None
        for layer in self.layers:
            drawn = {drawn}
            {test}
                {arm}
{rest}        return h
"""


def changed(
    folder: Path,
    drawn: str = "torch.rand([])",
    test: str = "if drawn < 0.1:",
    arm: str = "h = layer(h)",
    rest: str = "",
) -> str:
    """The line that the fixes put in the place of the `if`; empty where it stays."""
    text = PROGRAM.format(drawn=drawn, test=test, arm=arm, rest=rest)
    made, _ = fixed(text, folder)
    if made == text:
        return ""
    return next(line.strip() for line in made.splitlines() if "torch.where" in line)


@pytest.mark.parametrize(
    ("test", "arm", "made"),
    [
        ("if drawn < 0.1:", "h = layer(h)", "h = torch.where(torch.as_tensor(drawn < 0.1), layer(h), h)"),
        ("if not drawn < 0.1:", "h = layer(h)", "h = torch.where(torch.as_tensor(drawn < 0.1), h, layer(h))"),
        ("if drawn < 0.1:", "h = layer(mask, h)", "h = torch.where(torch.as_tensor(drawn < 0.1), layer(mask, h), h)"),
    ],
)
def test_a_layer_is_run_and_its_result_chosen(test: str, arm: str, made: str, tmp_path: Path) -> None:
    assert changed(tmp_path, test=test, arm=arm) == made


@pytest.mark.parametrize("drawn", ["torch.rand_like(first).sum()", "torch.bernoulli(first).sum()"])
def test_other_ways_to_draw(drawn: str, tmp_path: Path) -> None:
    assert changed(tmp_path, drawn=drawn)


@pytest.mark.parametrize(
    "given",
    [
        pytest.param({"drawn": "first.sum()"}, id="nothing was drawn"),
        pytest.param({"drawn": "torch.zeros([])"}, id="made, and not drawn"),
        pytest.param({"arm": "out = layer(h)"}, id="the layer is not given the old value"),
        pytest.param({"arm": "h = layer(out)"}, id="it is given something else"),
        pytest.param({"arm": "h = out = layer(h)"}, id="two names"),
        pytest.param({"arm": "h[0] = layer(h)"}, id="an item"),
        pytest.param({"arm": "h = layer(h)\n                mask = None"}, id="the arm does more"),
        pytest.param({"rest": "            else:\n                mask = None\n"}, id="there is another arm"),
        pytest.param({"test": "if layer(drawn < 0.1):"}, id="the test calls something"),
    ],
)
def test_everything_else_stays(given: dict[str, str], tmp_path: Path) -> None:
    assert changed(tmp_path, **given) == ""


SHORTCUT = """import torch


def f(x: torch.Tensor, mask: torch.Tensor, other: torch.Tensor):
    y = x + 1
    if {test}:
        {arm}
    return y, mask, other
"""


@pytest.mark.parametrize(
    ("test", "arm", "goes"),
    [
        pytest.param("not mask.any()", "mask = None", True, id="a mask that masks nothing"),
        pytest.param("mask.all()", "mask = None", True, id="a mask that lets all through"),
        pytest.param("not mask.any()", "other = None", False, id="another tensor is left out"),
        pytest.param("mask.sum() > 0", "mask = None", False, id="another question"),
        pytest.param("not mask.any()", "mask = 3", False, id="something else takes its place"),
        pytest.param("not mask.any()", "mask = None  # none", False, id="a comment would get lost"),
    ],
)
def test_a_test_that_only_saves_work_goes(test: str, arm: str, goes: bool, tmp_path: Path) -> None:
    text = SHORTCUT.format(test=test, arm=arm)
    after, _ = fixed(text, tmp_path)
    assert (after == text.replace(f"    if {test}:\n        {arm}\n", "")) is goes
