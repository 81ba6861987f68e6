"""Numbers that stay tensors, chains that become one, rows that are all run: under the real Dynamo."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compilelint.fixes import code_of, proposals
from compilelint.fixes.engine.edits import with_edits
from compilelint.model import Finding
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source
from tests.fixes.goldens import fixed, goldens, options
from tests.fixes.test_pages_fixed import _module

TEXTS = {case.title: (case.before, case.after) for case in goldens()}


def _calls(shape: tuple[int, ...], masked: bool) -> list[tuple[Any, ...]]:
    import torch

    torch.manual_seed(1)
    made = [torch.randn(shape, requires_grad=True) for _ in range(3)]
    return [(x, x.detach()[..., 0] > 0) if masked else (x,) for x in made]


def _numbers() -> list[tuple[Any, ...]]:
    import torch

    return [(torch.full((2,), value, requires_grad=True), 0.0, 1.0) for value in (0.2, 3.0, -1.0)]


MODULES: dict[str, tuple[str, Callable[[], list[tuple[Any, ...]]]]] = {
    "a number kept in an attribute that other methods index with": ("Schedule", lambda: _calls((7, 1), False)),
    "a number handed to a method": ("Net", lambda: _calls((7, 1), False)),
    "rows picked, normed and scattered back": ("Net", lambda: _calls((2, 3, 4), True)),
    "rows picked here and put back there": ("Net", lambda: _calls((2, 3, 4), True)),
    "a count that tensors are divided by": ("M", lambda: _calls((2, 4), False)),
    "a test of the count that a tensor is multiplied by": ("M", lambda: _calls((2, 4), False)),
    "a chain that is a value": ("f", _numbers),
    "a chain that chooses a side": ("f", _numbers),
}


def _trained(made: Any, calls: list[tuple[Any, ...]]) -> list[Any]:
    """Results of the calls and the gradients of their sums."""
    import torch

    found = []
    for args in calls:
        result = made(*args)
        parameters = list(made.parameters()) if isinstance(made, torch.nn.Module) else []
        found.append((result.detach(), torch.autograd.grad(result.sum(), [args[0], *parameters])))
    return found


@pytest.mark.dynamo
@pytest.mark.parametrize("title", MODULES)
def test_a_golden_is_one_graph_with_the_same_results_and_gradients(title: str, tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    name, calls = MODULES[title]

    def built(text: str, path: Path) -> Any:
        torch.manual_seed(0)
        found = getattr(_module(text, path), name)
        return found() if isinstance(found, type) else found

    before, after = TEXTS[title]
    assert after is not None
    seen = record(built(after, tmp_path / "after.py"), calls(), str(tmp_path / "after.py"))
    assert (seen.error, seen.breaks) == ("", [])
    wanted = _trained(built(before, tmp_path / "before.py"), calls())
    torch.testing.assert_close(_trained(built(after, tmp_path / "after.py"), calls()), wanted)
    compiled = torch.compile(built(after, tmp_path / "after.py"), backend="eager")
    torch.testing.assert_close(_trained(compiled, calls()), wanted)


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
        pytest.param("most: float = 0.0", "most", id="nobody says that it is a number"),
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


def _masks(path: Path) -> list[tuple[Finding, Source]]:
    source = read_source(str(path))
    assert isinstance(source, Source)
    return [(one, source) for one in lint(options(path)).findings if one.rule.code == "CL120"]


def test_a_layer_that_nobody_can_look_into_is_offered_for_proof_only(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(TEXTS["a layer that nobody can look into needs proof"][0], encoding="utf-8")
    for finding, source in _masks(path):
        code = code_of(source)
        assert code is not None
        assert not any("all rows" in fix.title for fix in proposals(finding, code))
        assert any("a layer is not known" in fix.title for fix in proposals(finding, code, proven=True))
    assert _masks(path)


def test_a_layer_that_draws_is_not_even_offered_for_proof(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(TEXTS["dropout draws for the rows that are there"][0], encoding="utf-8")
    assert _masks(path)
    for finding, source in _masks(path):
        code = code_of(source)
        assert code is not None
        assert not any("all rows" in fix.title for fix in proposals(finding, code, proven=True))


LAYERS = """import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.deep = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 4))
        self.flat = nn.Linear(4, 4)

    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            y = self.deep(x)
        else:
            y = self.flat(x)
        return y * 2
"""


def _conditional(text: str, path: Path, proven: bool) -> list[str]:
    """The texts that `torch.cond` makes of a program."""
    path.write_text(text, encoding="utf-8")
    source = read_source(str(path))
    assert isinstance(source, Source)
    code = code_of(source)
    assert code is not None
    fixes = [fix for one in lint(options(path)).findings for fix in proposals(one, code, proven)]
    return [with_edits(source, fix.edits) for fix in fixes if "torch.cond" in fix.title]


@pytest.mark.dynamo
def test_arms_with_layers_are_one_graph_with_equal_results(tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    assert _conditional(LAYERS, tmp_path / "model.py", proven=False) == [], "only with proof"
    (made,) = _conditional(LAYERS, tmp_path / "model.py", proven=True)
    calls = [(torch.full((2, 4), value),) for value in (1.0, -1.0, 2.0)]

    def net(text: str, name: str) -> Any:
        torch.manual_seed(0)
        return _module(text, tmp_path / name).Net().eval()

    seen = record(net(made, "after.py"), calls, str(tmp_path / "after.py"))
    assert (seen.error, seen.breaks) == ("", [])
    with torch.no_grad():
        wanted = [net(LAYERS, "before.py")(*args) for args in calls]
        torch.testing.assert_close([net(made, "after.py")(*args) for args in calls], wanted)
        compiled = torch.compile(net(made, "after.py"), backend="eager")
        torch.testing.assert_close([compiled(*args) for args in calls], wanted)


@pytest.mark.parametrize(
    ("changed", "into"),
    [
        pytest.param("self.flat(x)", "x", id="an arm returns its input itself"),
        pytest.param("self.flat(x)", "nn.functional.dropout(x)", id="an arm draws"),
        pytest.param("self.flat(x)", "self.flat(x).add_(1)", id="an arm writes in place"),
        pytest.param(
            "            y = self.flat(x)", "            z = self.flat(x)", id="the arms assign different names"
        ),
        pytest.param("            y = self.flat(x)", "            return x", id="an arm returns early"),
        pytest.param("self.deep(x)", "self.deep(x)  # costly", id="a comment would be lost"),
    ],
)
def test_an_arm_is_left_where_it_is(changed: str, into: str, tmp_path: Path) -> None:
    text = LAYERS.replace(changed, into)
    assert text != LAYERS
    assert _conditional(text, tmp_path / "model.py", proven=True) == []
