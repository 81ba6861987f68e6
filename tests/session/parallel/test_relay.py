"""Processes that follow each other over very many files: each hands over what it has answered, and nothing changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint import checks
from compilelint.config import Options
from compilelint.interp.reach import Elsewhere
from compilelint.model import Confidence, Finding, Location, Span
from compilelint.report.formats import render
from compilelint.session import analyse as analysing
from compilelint.session.commands.lint import lint
from compilelint.session.parallel import relay, workers
from compilelint.session.parallel import split as dividing
from compilelint.session.parallel.in_process import HandedOver, Question

MODEL = """\
import torch
from torch import nn

from shop.ops.code import positive


class Net{number}(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print(x.shape)
        return positive(x)
"""
OPS = """\
import torch


def positive(x: torch.Tensor):
    return x if x.sum() > 0 else -x


def never_called(x: torch.Tensor):
    return x.item()
"""


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three models and what they share, each in a folder and a part of its own."""
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    texts = {f"model{number}": MODEL.format(number=number) for number in range(3)} | {"ops": OPS}
    for name, text in texts.items():
        path = tmp_path / "shop" / name / "code.py"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path / "shop"


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[workers.Process]:
    """The processes that are started, in order."""
    found: list[workers.Process] = []
    start = workers._started

    def noted() -> workers.Process:
        found.append(start())
        return found[-1]

    monkeypatch.setattr(workers, "_started", noted)
    return found


def report_of(folder: Path, jobs: int) -> str:
    options = Options((str(folder),), torch_version="2.13", no_cache=True, jobs=jobs)
    return render(lint(options, fixes=True), "json")


@pytest.mark.parametrize(("jobs", "span", "least"), [(1, 1, 4), (1, 10**9, 1), (2, 300, 3)])
def test_processes_that_follow_each_other_have_the_report_of_one(
    shop: Path,
    monkeypatch: pytest.MonkeyPatch,
    started: list[workers.Process],
    jobs: int,
    span: int,
    least: int,
) -> None:
    alone = report_of(shop, 1)
    assert started == []
    monkeypatch.setattr(dividing, "MANY_CHARACTERS", 300)
    monkeypatch.setattr(analysing, "SPAN_OF_MANY", span)
    monkeypatch.setattr(analysing, "LostWorkerError", KeyError)  # so that a lost one is not made good for

    assert report_of(shop, jobs) == alone

    assert len(started) >= least
    assert all(process.poll() is not None for process in started), "none outlives the run"


def test_a_successor_that_cannot_be_started_costs_time_only(
    shop: Path, monkeypatch: pytest.MonkeyPatch, started: list[workers.Process]
) -> None:
    alone = report_of(shop, 1)
    monkeypatch.setattr(dividing, "MANY_CHARACTERS", 300)
    monkeypatch.setattr(analysing, "SPAN_OF_MANY", 1)
    start = workers._started

    def refused() -> workers.Process:
        if started:
            raise OSError("no more processes")
        return start()

    monkeypatch.setattr(workers, "_started", refused)

    assert report_of(shop, 1) == alone
    assert len(started) == 1


def test_rules_come_back_as_those_of_the_process_that_takes_over() -> None:
    rules = {rule.code: rule for rule in checks.rulebook().rules}
    at = Location("shop/code.py", Span(2, 1, 2, 5))
    finding = Finding(rules["CL101"], "a text", rules["CL101"].effects, Confidence.LIKELY, at)
    elsewhere = Elsewhere({"shop/code.py:1": True})
    elsewhere.reaches("shop/code.py:1")
    question = Question(3, "start", (0, "first", {}))
    handed = HandedOver({3: [question]}, {}, {3})

    data = relay.packed((handed, finding, elsewhere))
    found, same, asked = relay.unpacked(data, rules)

    assert found == handed
    assert same == finding
    assert same.rule is rules["CL101"]
    assert asked.would_be({"shop/code.py:1"})
    assert not asked.would_be(())
    with pytest.raises(LookupError):
        relay.unpacked(data, {})
