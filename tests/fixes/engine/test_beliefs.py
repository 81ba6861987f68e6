"""What the interpreter is certain of decides for a fix, wherever a value comes from, and what it guesses does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.fixes import code_of, proposals
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source

CHOICE = "        if h.sum() > 0:\n            h = h * 2\n        return h\n"
HEAD = "import torch\nfrom torch import nn\n\n\ndef halve(x):\n    return x / 2\n\n\n"
MODULE = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.register_buffer("scale", torch.ones(3))

    def forward(self, {parameter}):
        {first}
{choice}

torch.compile(Net())({argument})
"""
X = "torch.randn(3)"
CHOSEN = {
    "an annotated argument": ("h: torch.Tensor", "pass", X),
    "an argument whose caller is seen": ("h", "pass", X),
    "the output of a layer": ("x", "h = self.layer(x)", X),
    "a buffer": ("x", "h = self.scale", X),
    "the result of a helper": ("x", "h = halve(x)", X),
    "an element of a list": ("xs", "h = xs[0]", f"[{X}]"),
    "an element of a dict": ("batch", 'h = batch["x"]', f'{{"x": {X}}}'),
    "whole numbers": ("h", "pass", "torch.arange(3)"),
}
REFUSED = {
    "truth values, which a number widens": ("h", "pass", "torch.ones(3, dtype=torch.bool)"),
    "an argument that nothing is known of": ("h", "pass", "load()"),
    "truth values in one of two calls": ("h", "pass", f"{X})\ntorch.compile(Net())(torch.ones(3).bool()"),
}


def fixes(parameter: str, first: str, argument: str, folder: Path, choice: str = CHOICE) -> list[str]:
    """The texts that are offered for the tests of a program, without proof."""
    path = folder / "net.py"
    text = HEAD + MODULE.format(parameter=parameter, first=first, argument=argument, choice=choice)
    path.write_text(text, encoding="utf-8")
    source = read_source(str(path))
    assert isinstance(source, Source)
    code = code_of(source)
    assert code is not None
    found = lint(Options((str(path),), torch_version="2.13.0", follow_imports="project")).findings
    made = [one for finding in found if finding.rule.code == "CL101" for one in proposals(finding, code)]
    return ["".join(edit.text for edit in one.edits).strip() for one in made]


@pytest.mark.parametrize("title", CHOSEN)
def test_a_choice_is_offered_wherever_the_tensor_comes_from(title: str, tmp_path: Path) -> None:
    assert fixes(*CHOSEN[title], tmp_path) == ["h = torch.where(h.sum() > 0, h * 2, h)"]


@pytest.mark.parametrize("title", REFUSED)
def test_nothing_is_offered_for_what_is_not_certain(title: str, tmp_path: Path) -> None:
    assert fixes(*REFUSED[title], tmp_path) == []


@pytest.mark.parametrize(
    "arm",
    [
        pytest.param("h = h + y", id="another tensor, which may have other sizes"),
        pytest.param("h = h * 2\n            h = h.log()", id="a logarithm, which may leave NaN in a gradient"),
        pytest.param("h = h > 1\n            h = h * 2", id="a name that has other values by then"),
    ],
)
def test_a_belief_does_not_cover_what_follows_the_test(arm: str, tmp_path: Path) -> None:
    choice = CHOICE.replace("h = h * 2", arm)
    assert fixes("h, y=None", "y = h if y is None else y", X, tmp_path, choice) == []


def test_both_values_of_a_conditional_expression_may_be_made_of_one_tensor(tmp_path: Path) -> None:
    choice = "        return h * 2 if h.sum() > 0 else h - 1\n"
    assert fixes("h: torch.Tensor", "pass", X, tmp_path, choice) == ["torch.where(h.sum() > 0, h * 2, h - 1)"]
