"""Numbers that are only reported are read by the caller: eager code gives what it gave, compiled code gives tensors."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.fixes.rewrites.reported_numbers import read_behind_the_call
from tests.fixes.alike import made
from tests.fixes.goldens import fixed
from tests.fixes.test_pages_fixed import _function

PROGRAM = """import torch


def f(x: torch.Tensor):
    loss = x.pow(2).mean()
    report = {}
    report["loss"] = loss.item()
    report.update({"first": x[:1].item(), "count": 3})
    return loss, report
"""
HELPER = "number.detach().reshape(()) if torch.compiler.is_compiling() else number.item()"


def test_the_report_holds_what_a_helper_gives(tmp_path: Path) -> None:
    after, unmet = made(PROGRAM, read_behind_the_call, tmp_path)
    assert 'report["loss"] = _for_the_caller(loss)' in after
    assert after.count(HELPER) == 1
    assert not unmet, "eager code is as it was"
    twice, _ = made(after, read_behind_the_call, tmp_path)
    assert '{"first": _for_the_caller(x[:1]), "count": 3}' in twice
    assert twice.count(HELPER) == 1, "the helper that is there already serves"


def test_a_dict_that_is_returned_at_once(tmp_path: Path) -> None:
    text = "import torch\n\n\ndef f(x: torch.Tensor):\n    return x, {'mean': x.mean().item()}\n"
    assert "{'mean': _for_the_caller(x.mean())}" in made(text, read_behind_the_call, tmp_path)[0]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("    return loss, report", '    return loss * report["loss"], report', id="it is read"),
        pytest.param("    return loss, report", "    print(*report)\n    return loss, report", id="it is read whole"),
        pytest.param("report = {}", "report = log", id="a dict of someone else"),
        pytest.param("loss.item()\n", "2 * loss.item()\n", id="the number is computed with"),
        pytest.param('report["loss"]', "report[loss]", id="the key is no text"),
        pytest.param("def f(x: torch.Tensor)", "def f(x: torch.Tensor, report)", id="a parameter"),
    ],
)
def test_near_misses(old: str, new: str, tmp_path: Path) -> None:
    text = PROGRAM.replace(', "count": 3}', "}").replace('    report.update({"first": x[:1].item()})\n', "")
    changed = text.replace(old, new)
    assert changed != text
    assert "_for_the_caller" not in made(changed, read_behind_the_call, tmp_path)[0]


@pytest.mark.dynamo
def test_numbers_in_eager_code_and_tensors_of_the_same_value_compiled(tmp_path: Path) -> None:
    import torch

    once, _ = made(PROGRAM, read_behind_the_call, tmp_path)
    after, _ = made(once, read_behind_the_call, tmp_path)
    torch._dynamo.reset()
    before, eager = _function(PROGRAM, tmp_path / "before.py"), _function(after, tmp_path / "after.py")
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    wanted, given = before(x)[1], eager(x)[1]
    assert given == wanted
    assert list(map(type, given.values())) == [float, float, int]
    loss, compiled = torch.compile(eager, backend="eager", fullgraph=True)(x)
    assert {name: float(one) for name, one in compiled.items()} == wanted
    assert all(one.shape == () and not one.requires_grad for one in (compiled["loss"], compiled["first"]))
    assert f"{compiled['loss']:.3f}" == f"{wanted['loss']:.3f}"
    loss.backward()
    assert x.grad is not None


def test_two_functions_of_one_file_share_the_helper(tmp_path: Path) -> None:
    one = 'def {name}(x: torch.Tensor):\n    loss = x.mean()\n    return loss, {{"loss": loss.item()}}\n\n\n'
    text = "import torch\n\n\n# first\n" + one.format(name="f") + one.format(name="g").rstrip() + "\n"
    after, _ = fixed(text, tmp_path)
    assert after.count("_for_the_caller(loss)") == 2
    assert after.count("def _for_the_caller") == 1
    assert after.index("def _for_the_caller") < after.index("# first")
