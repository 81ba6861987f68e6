"""What stays in memory between two reports changes none of them."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from benchmarks.editor import differing, rendered
from compilelint.config import Options
from compilelint.interp.core.clock import StoppedError
from compilelint.session import live as live_module
from compilelint.session.live import Live
from compilelint.syntax.source import Source, source_from_bytes

MODEL = """import torch
from torch import nn

from layers import gate


class Model(nn.Module):
    def __init__(self, wide=3):
        super().__init__()
        self.wide = wide
        self.count = 0

    def forward(self, x: torch.Tensor):
        y = gate(x, self.wide)
        self.count += 1
        if y.sum() > 0:
            return y
        return x
"""
LAYERS = """import torch


def gate(x: torch.Tensor, wide):
    mask = x > wide
    return x * mask.sum().item()


class Gate(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        scale = 2
        return gate(x, scale)
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL)
    (folder / "layers.py").write_text(LAYERS)
    return folder


def text(path: Path, content: str) -> dict[str, Source]:
    source = source_from_bytes(path.as_posix(), content.encode())
    assert isinstance(source, Source)
    return {path.as_posix(): source}


@pytest.mark.parametrize("seed", range(2))
def test_after_random_edits_the_report_is_that_of_a_fresh_run(package: Path, tmp_path: Path, seed: int) -> None:
    work = tmp_path / "work"
    work.mkdir()
    assert list(differing(package, 25, random.Random(seed), work)) == []


def test_a_text_that_nothing_reads_leaves_the_very_report(package: Path) -> None:
    live = Live(Options((f"{package.as_posix()}/model.py",), torch_version="2.13"))
    before = live.report({})
    assert live.report(text(package / "unread.py", "x = 1")) is before
    assert live.report(text(package / "layers.py", LAYERS + "y = 1\n")) is not before


def test_what_is_not_lowered_again_is_the_same_module(package: Path) -> None:
    live = Live(Options((package.as_posix(),), torch_version="2.13"))
    live.report({})
    kept = {path: module for (path, _, _), (_, module) in live.modules.kept.items()}
    live.report(text(package / "model.py", MODEL + "\ny = 1\n"))
    now = {path: module for (path, _, _), (_, module) in live.modules.kept.items()}
    layers, model = (package / "layers.py").as_posix(), (package / "model.py").as_posix()
    assert now[layers] is kept[layers]
    assert now[model] is not kept[model]


def test_a_report_that_is_not_wanted_is_given_up_and_the_next_one_is_whole(package: Path) -> None:
    many = "\n".join(f"def f{number}(x):\n    return gate(x, {number})\n" for number in range(200))
    texts = text(package / "layers.py", LAYERS + many)
    live = Live(Options((package.as_posix(),), torch_version="2.13", roots=("all",)))
    with pytest.raises(StoppedError):
        live.report(texts, stopped=lambda: True)
    fresh = Live(live.options).report(texts)
    assert [one.location for one in live.report(texts).findings] == [one.location for one in fresh.findings]


def test_a_remark_is_followed_no_further_and_may_suppress(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    live = Live(Options((package.as_posix(),), torch_version="2.13"))
    before = live.report({})
    remarked = text(package / "model.py", MODEL.replace("y.sum() > 0:", "y.sum() > 0:  # noqa: CL101"))
    fresh = Live(live.options).report(remarked)

    def refuse(*_: object) -> None:
        raise AssertionError("followed again")

    monkeypatch.setattr("compilelint.interp.Interpreter.analyse", refuse)
    after = live.report(remarked)
    assert rendered(after) == rendered(fresh)
    assert after.suppressed == before.suppressed + 1


def test_a_remark_in_an_imported_text_is_read_as_it_is_now(package: Path) -> None:
    live = Live(Options((f"{package.as_posix()}/model.py",), torch_version="2.13"))
    live.report({})
    for layers in (LAYERS.replace("mask.sum().item()", "2"), LAYERS, LAYERS + "# end\n"):
        texts = text(package / "layers.py", layers)
        assert rendered(live.report(texts)) == rendered(Live(live.options).report(texts))


@pytest.mark.parametrize("most", [10, 10_000], ids=["a large text", "a usual text"])
def test_of_a_large_text_nothing_is_kept_beside_its_next_tree(
    package: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(live_module, "MAX_GONE_ON_WITH", most)
    options = Options((package.as_posix(),), torch_version="2.13")
    live = Live(options)
    live.report(text(package / "model.py", MODEL))
    edited = text(package / "model.py", f"{MODEL}# a remark\n")
    report = live.report(edited)
    assert live.is_quick is (most > len(MODEL))
    assert rendered(report) == rendered(Live(options).report(edited))
