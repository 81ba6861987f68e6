"""The line between what is offered without proof and what only a run may show, on both sides."""

from __future__ import annotations

import ast
from pathlib import Path
from unittest.mock import Mock

import pytest

import compilelint.dynamic
import compilelint.fixes
from compilelint.config import Options
from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.laws import Alike, IsTensor, Offer, OnlyRuns
from compilelint.model import Confidence, Fix, Safety
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        self.register_buffer("times", torch.arange(4.0))
        self.seen = 0

    def forward(self, x: torch.Tensor, t: int | torch.Tensor, mask: torch.Tensor):
        y = self.layer(x)
{body}
"""

LAWFUL = {
    "both sides of one tensor": "return y + 1 if y.sum() > 0 else y",
    "a clamp of what may be infinite": "if torch.isinf(y).any():\n    y = torch.clamp(y, min=-5.0, max=5.0)\nreturn y",
    "zeros of the same look": "return y if y.sum() > 0 else torch.zeros_like(y)",
    "a return on both ways": "if y.mean() > 0:\n    return y * 2.0\nreturn -y",
    "a division by a number": "return y / 2 if y.sum() > 0 else y",
    "two tensors of one base": "return y * y if y.max() > 1 else y.abs()",
}
ONLY_PROVEN = {
    "sides of other sizes": "return y[:, 1:] if y.sum() > 0 else y[:, :2]",
    "a part, which would be spread over all": "return y + 1 if y.sum() > 0 else y[:1]",
    "another dtype on one side": "return y if y.sum() > 0 else y.half()",
    "a number on one side": "n = mask.sum()\nreturn 0 if n == 0 else y.sum() / n",
    "numbers on both sides": "g = 0.5 if y.sum() > 0 else 0.0\nreturn y * g",
    "a division": "n = mask.sum()\nreturn y * 0.0 if n == 0 else y / n",
    "a division by zero": "return y / 0 if y.sum() > 0 else y",
    "a division of a number": "return 2 / y if y.sum() > 0 else y",
    "a logarithm": "return y.log() if y.min() > 0 else y",
    "a root": "return y.sqrt() if y.min() > 0 else y",
    "an index that may be out of range": "return y[3] if y.sum() > 0 else y[0]",
    "whole numbers that a float widens": "n = x.argmax(-1)\nreturn n * 0.5 if n.sum() > 0 else n",
    "a truth value that a number widens": "return mask + 1 if mask.any() else mask",
    "a test that is a bool for a number": "return y + 1 if t >= 0 else y",
    "other tensors": "z = self.layer(y)\nreturn y if y.sum() > 0 else z",
    "a layer that a draw skips": "skip = torch.rand([]) < 0.1\nif not skip:\n    y = self.layer(y)\nreturn y",
    "a mask that is left out": "if mask.all():\n    mask = None\nreturn y, mask",
    "a number that leaves the device": "return y * y.sum().item()",
    "a count that callers read": "self.seen += 1\nreturn y * self.seen",
    "an assignment that others see": "y[y > 0] = 0.0\nreturn y",
    "a check that raises something else": "if (y > 9).any():\n    raise ValueError('large')\nreturn y",
}


def offered(body: str, folder: Path, proven: bool) -> list[str]:
    """The titles of the fixes for a method's body."""
    path = folder / "model.py"
    path.write_text(
        MODEL.replace("{body}", "\n".join(f"        {line}" for line in body.split("\n"))), encoding="utf-8"
    )
    source = read_source(str(path))
    assert isinstance(source, Source)
    code = code_of(source)
    assert code is not None
    found = lint(
        Options((str(path),), roots=("all",), torch_version="2.13", min_confidence=Confidence.POSSIBLE)
    ).findings
    return [fix.title for one in found for fix in proposals(one, code, proven)]


@pytest.mark.parametrize("name", LAWFUL)
def test_what_holds_by_the_text_is_offered_without_proof(name: str, tmp_path: Path) -> None:
    assert offered(LAWFUL[name], tmp_path, proven=False) != []


@pytest.mark.parametrize("name", ONLY_PROVEN)
def test_what_may_not_hold_is_offered_only_to_be_proven(name: str, tmp_path: Path) -> None:
    silent = (
        "log only outside compiled code",
        "check only outside compiled code",
        "assert it in the graph while compiling",
    )
    assert [one for one in offered(ONLY_PROVEN[name], tmp_path, proven=False) if one not in silent] == []


def test_most_of_them_are_offered_to_be_proven(tmp_path: Path) -> None:
    unknown = {name for name, body in ONLY_PROVEN.items() if not offered(body, tmp_path, proven=True)}
    assert unknown <= {"an index that may be out of range", "an assignment that others see", "numbers on both sides"}


def test_what_must_be_varied_is_said_of_what_the_text_leaves_open() -> None:
    code = code_of(Source("m.py", "def f(a, b):\n    return a if b else a.abs()\n", ascii=True))
    assert code is not None
    one, other = (ast.parse(text, mode="eval").body for text in ("a", "b"))
    open_law, closed = Alike(one, other, one), OnlyRuns("a hook would see it", ("hooks",))
    fix = Fix(Safety.UNSAFE, "", ())
    assert Offer(fix, (open_law, closed)).varied(code) == ("dtype", "hooks")
    assert Offer(fix, (IsTensor(one),)).varied(code) == ()
    assert Offer(fix, (Alike(one, one, one, Mock(is_tensor=lambda node: True)),)).varied(code) == ()


def test_what_must_be_varied_is_named_as_proofs_name_it() -> None:
    """By the text: what varies it lies where torch is."""
    worker = Path(compilelint.dynamic.__file__).parent / "worker"
    named = {
        one.args[0].value
        for one in ast.walk(ast.parse((worker / "conditions.py").read_text(encoding="utf-8")))
        if isinstance(one, ast.Call) and ast.unparse(one.func) == "Condition" and isinstance(one.args[0], ast.Constant)
    }
    wanted = {"dtype"}
    for path in (Path(compilelint.fixes.__file__).parent / "rewrites").glob("*.py"):
        for one in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(one, ast.Call) and ast.unparse(one.func) == "OnlyRuns" and len(one.args) > 1:
                wanted |= set(ast.literal_eval(one.args[1]))
    assert wanted >= {"device", "hooks"}
    assert wanted <= named
