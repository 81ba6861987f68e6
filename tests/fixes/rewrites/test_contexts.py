"""A context manager is made where it is entered only if nothing else is ever put where it was kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixes.goldens import fixed

KEPT = """import torch
from torch import nn


class M(nn.Module):
    def __init__(self, quiet=None, mode=False):
        super().__init__()
        self.quiet = {made}

    def forward(self, x: torch.Tensor):
        with self.quiet:
            return x + 1
{more}"""
GLOBAL = """import torch

QUIET = {made}


@torch.compile
def f(x: torch.Tensor):
    with QUIET:
        return x + 1
{more}"""


@pytest.mark.parametrize(("text", "name"), [(KEPT, "self.quiet"), (GLOBAL, "QUIET")], ids=["attribute", "global"])
@pytest.mark.parametrize("made", ["torch.no_grad()", "torch.enable_grad()", "torch.inference_mode()"])
def test_what_holds_nothing_is_made_again(text: str, name: str, made: str, tmp_path: Path) -> None:
    before = text.format(made=made, more="")
    after, _ = fixed(before, tmp_path)
    assert after == before.replace(f"with {name}:", f"with {made}:")


@pytest.mark.parametrize(
    ("made", "more"),
    [
        pytest.param("torch.set_grad_enabled(False)", "", id="making it switches gradients"),
        pytest.param("torch.inference_mode(mode)", "", id="made of what only `__init__` knows"),
        pytest.param("torch.inference_mode(mode=True)", "", id="made with keywords"),
        pytest.param("torch.no_grad() if mode else quiet", "", id="one of two"),
        pytest.param("quiet", "", id="handed in"),
        pytest.param("torch.no_grad()", "\n    def loud(self):\n        self.quiet = None\n", id="stored again"),
        pytest.param("torch.no_grad()", "\n    def loud(self):\n        del self.quiet\n", id="deleted"),
        pytest.param("torch.no_grad()", "\ndef loud(m, c):\n    setattr(m, 'quiet', c)\n", id="stored by its name"),
        pytest.param("torch.no_grad()", "\ndef loud(m, c):\n    m.quiet = c\n", id="stored from outside"),
    ],
)
def test_an_attribute_that_may_hold_something_else_stays(made: str, more: str, tmp_path: Path) -> None:
    before = KEPT.format(made=made, more=more)
    assert fixed(before, tmp_path)[0] == before


@pytest.mark.parametrize(
    "more",
    [
        pytest.param("\nQUIET = torch.enable_grad()\n", id="bound again"),
        pytest.param("\ndef swap(c):\n    global QUIET\n    QUIET = c\n", id="bound in a function"),
        pytest.param("\ndef other(QUIET):\n    return QUIET\n", id="a parameter of that name"),
    ],
)
def test_a_variable_of_the_file_that_may_hold_something_else_stays(more: str, tmp_path: Path) -> None:
    before = GLOBAL.format(made="torch.no_grad()", more=more)
    assert fixed(before, tmp_path)[0] == before
