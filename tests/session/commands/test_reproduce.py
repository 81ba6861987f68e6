"""Reproducers end to end: a target's break, recompile or error in a script that stands alone."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target, input_set
from compilelint.model import Fate, ObservedBreak, TargetRun
from compilelint.reproduce.trial import Shown
from compilelint.session.commands import reproduce as commands
from compilelint.session.commands.reproduce import NotReproducedError, Wanted, reproduce

pytestmark = pytest.mark.usefixtures("shared_worker")

PARTS = """
import torch
from torch import nn


def scaled(x, by):
    return x * by


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = nn.Linear(width, width)

    def forward(self, x):
        x = scaled(self.linear(x), 2)
        if x.sum() > 0:
            x = x + 1
        print("seen")
        return x
"""
NET = """
import torch
from shop.parts import Gate
from torch import nn


class Net(nn.Module):
    def __init__(self, width=8, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList([Gate(width) for _ in range(depth)])
        self.step = 0

    def forward(self, x):
        self.step += 1
        for block in self.blocks:
            x = block(x)
        return x * self.step


class Clean(nn.Module):
    def forward(self, x):
        return x + 1


class Asks(nn.Module):
    def forward(self, x):
        x = nn.functional.dropout(x, 0.5) + torch.rand(8)
        return x + 1 if torch.compiler.is_compiling() else x


class Force(nn.Module):
    def forward(self, at, where):
        at.requires_grad_(True)
        if where.sum() != 3:
            raise ValueError(where)
        return torch.autograd.grad((at**2).sum(), at)


def force():
    return Force(), (torch.randn(4), torch.tensor([1, 1, 0, 1]))
"""


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/__init__.py").write_text("")
    (tmp_path / "shop/parts.py").write_text(PARTS)
    (tmp_path / "shop/net.py").write_text(NET)
    return tmp_path


def made(shop: Path, wanted: Wanted, model: str = "shop.net:Net", trials: int = 120) -> str:
    target = Target(model, inputs=(input_set(["4x8"], "test"),))
    settings = Settings(paths=(str(shop),), cwd=str(shop), parity=False, repeats=3)
    return reproduce(target, settings, wanted, lambda line: None, trials=trials, seconds=90).text


@pytest.mark.slow
@pytest.mark.dynamo
@pytest.mark.parametrize(
    ("wanted", "line", "logged", "trials"),
    [
        pytest.param(Wanted(), ".sum()", "gb0170", 40, id="the first break, reduced"),
        pytest.param(Wanted(id="GB0059"), "print(", "gb0059", 4, id="the break with an id, sliced"),
    ],
)
def test_the_script_runs_alone_and_torch_logs_the_same_id(
    shop: Path, tmp_path_factory: pytest.TempPathFactory, wanted: Wanted, line: str, logged: str, trials: int
) -> None:
    text = made(shop, wanted, trials=trials)
    alone = tmp_path_factory.mktemp("alone") / "reproducer.py"
    alone.write_text(text)
    done = subprocess.run(
        [sys.executable, alone.name],
        check=True,
        cwd=alone.parent,
        env={"PATH": "/usr/bin:/bin", "TORCH_LOGS": "graph_breaks", "HOME": str(alone.parent)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert logged in done.stderr
    assert line in text
    assert "shop" not in text.replace("compilelint", "")
    assert len([one for one in text.splitlines() if one.strip() and one[0] != "#"]) <= 40


@pytest.mark.slow
@pytest.mark.dynamo
def test_a_line_chooses_what_is_shown(shop: Path) -> None:
    at = next(number for number, line in enumerate(PARTS.splitlines(), 1) if "print" in line)
    assert "Graph break GB0059" in made(shop, Wanted(str(shop / "shop/parts.py"), at), trials=4)


@pytest.mark.slow
@pytest.mark.dynamo
def test_values_that_must_agree_are_kept_and_gradients_are_there_where_they_are_needed(shop: Path) -> None:
    said: list[str] = []
    settings = Settings(paths=(str(shop),), cwd=str(shop), parity=False, repeats=1)
    wanted = Wanted(id="GB0170")
    found = reproduce(Target("shop.net:force"), settings, wanted, said.append, trials=1)
    assert "model, inputs = force()" in found.text
    assert any("with gradients" in line for line in said)


@pytest.mark.slow
@pytest.mark.dynamo
def test_results_that_differ_are_compared_in_the_script(shop: Path) -> None:
    settings = Settings(paths=(str(shop),), cwd=str(shop), backend="aot_eager", repeats=1, locate=True)
    wanted = Wanted(difference=True)
    target = Target("shop.net:Asks", inputs=(input_set(["4x8"], "test"),))
    found = reproduce(target, settings, wanted, lambda line: None, trials=2)
    assert found.headline.startswith("output differs between eager and aot_eager: 32 of 32 elements differ, by up to 1")
    assert found.headline.endswith("; the captured graph already differs, whatever compiles it")
    assert "assert_close(outcome_of(compiled), outcome_of(model), equal_nan=True)" in found.text
    clean = replace(target, model="shop.net:Clean")
    with pytest.raises(NotReproducedError, match="gives the same as eager"):
        reproduce(clean, settings, wanted, lambda line: None)


class Trialled:
    """Stands for the process of trials: a script fails where the target is built, or where it is misused."""

    torch = "2.13.0"

    def __init__(self, *_: object) -> None:
        """Take what the real one does."""

    def __enter__(self) -> Trialled:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing was started."""

    def run(self, text: str) -> Shown:
        built = next((number for number, line in enumerate(text.splitlines(), 1) if "Net()" in line), 0)
        if built:
            return Shown(False, "FileNotFoundError: [Errno 2] No such file or directory: 'used.npy'", (), built)
        called = len(text.splitlines())
        return Shown(False, "TypeError: Net.__init__() takes 1 positional argument but 2 were given", (), called)


def test_the_error_of_a_misused_target_hides_none_of_its_own(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = ObservedBreak("/p/a.py", 1, 1, 1, "forward", "", "GB0170", "", "a branch", "", (), None, 0)
    ran = TargetRun("shop.net:Net", Fate.RAN, inputs=("4x8:float32",), breaks=(broken,))
    monkeypatch.setattr(commands, "observe", lambda targets, settings: (ran,))
    monkeypatch.setattr(commands, "Trials", Trialled)
    with pytest.raises(NotReproducedError, match=r"used\.npy'; a script by itself has no files: let the target make"):
        made(shop, Wanted())


@pytest.mark.dynamo
def test_a_target_that_is_clean_has_nothing_to_show(shop: Path) -> None:
    with pytest.raises(NotReproducedError, match="shows no break and no recompile"):
        made(shop, Wanted(), "shop.net:Clean")


@pytest.mark.dynamo
def test_a_target_that_does_not_run_says_why(shop: Path) -> None:
    with pytest.raises(NotReproducedError, match="does not run"):
        made(shop, Wanted(), "shop.net:Absent")
