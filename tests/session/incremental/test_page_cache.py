"""Pages that are remembered: what a report looks like now, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.report.formats import render
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint
from compilelint.session.pipeline.unite import united

MODEL = """\
import torch
from helper import mark


@torch.compile
def step(x: torch.Tensor):
    if x.sum() > 0:
        return mark(x)
    return x
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL, encoding="utf-8")
    (folder / "helper.py").write_text("def mark(x):\n    print(x)\n    return x\n", encoding="utf-8")
    return folder / "model.py"


def linted(model: Path, least: Confidence = Confidence.LIKELY) -> Report:
    cache = str(model.parent.parent / "cache")
    return lint(
        Options((str(model.parent),), torch_version="2.13", no_cache=False, cache_dir=cache, min_confidence=least)
    )


def is_made(monkeypatch: pytest.MonkeyPatch, report: Report, name: str = "grouped", width: int | None = None) -> bool:
    """Whether the page of a report is made, and not remembered; it is the right one in any case."""
    made: list[Report] = []

    def noted(given: Report, make: Callable[..., str], **how: object) -> str:
        made.append(given)
        return make(given, **how)

    from compilelint.report.formats import full, grouped

    right = render(replace(report, pages=None), name, width=width)
    with monkeypatch.context() as patched:
        for module in (full, grouped):
            patched.setattr(module, "render", lambda given, make=module.render, **how: noted(given, make, **how))
        assert render(report, name, width=width) == right
    return bool(made)


def test_the_page_of_the_same_run_is_made_once(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_made(monkeypatch, linted(model))
    assert not is_made(monkeypatch, linted(model))


def _other_confidence(model: Path) -> Report:
    return linted(model, Confidence.POSSIBLE)


def _edited(model: Path) -> Report:
    model.write_text(MODEL.replace("> 0", "> 1"), encoding="utf-8")
    return linted(model)


def _edited_import(model: Path) -> Report:
    (model.parent / "helper.py").write_text("def mark(x):\n    print(x )\n    return x\n", encoding="utf-8")
    return linted(model)


def _suppressed_less(model: Path) -> Report:
    return replace(linted(model), suppressed=3)


def _from_another_folder(model: Path) -> Report:
    import os

    os.chdir(model.parent)
    return linted(model)


@pytest.mark.parametrize("change", [_other_confidence, _edited, _edited_import, _suppressed_less, _from_another_folder])
def test_a_page_is_made_again_after_a_change(
    change: Callable[[Path], Report], model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(model.parent.parent)
    is_made(monkeypatch, linted(model))
    assert is_made(monkeypatch, change(model))


@pytest.mark.parametrize(("name", "width"), [("full", None), ("grouped", 60)])
def test_another_form_is_another_page(
    name: str, width: int | None, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_made(monkeypatch, linted(model))
    assert is_made(monkeypatch, linted(model), name, width)


def test_a_file_that_changes_before_it_is_quoted_leaves_nothing_to_remember(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = linted(model)
    model.write_text(MODEL.replace("> 0", "> 9"), encoding="utf-8")
    is_made(monkeypatch, report)
    model.write_text(MODEL, encoding="utf-8")
    assert is_made(monkeypatch, linted(model))


def test_a_finding_in_a_file_that_the_run_did_not_read_is_not_remembered(
    model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = linted(model)
    one = report.findings[0]
    beside = replace(one, location=replace(one.location, path=str(model.parent / "beside.py")))
    report = replace(report, findings=(*report.findings, beside))
    assert is_made(monkeypatch, report)
    assert is_made(monkeypatch, report)


def test_a_report_of_several_runs_has_no_pages(model: Path) -> None:
    report = linted(model)
    assert report.pages is not None
    assert united([report, report]).pages is None


def test_a_damaged_page_is_made_again(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    is_made(monkeypatch, linted(model))
    for entry in (model.parent.parent / "cache").glob("*.entry"):
        entry.write_bytes(entry.read_bytes()[:-1] + b"x")
    assert is_made(monkeypatch, linted(model))
