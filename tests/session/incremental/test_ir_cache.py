"""Modules that are remembered: those of the same bytes, wherever they lie, and never those that are linted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from compilelint.cache import Store
from compilelint.config import Options
from compilelint.project import loader
from compilelint.project.loader import load_source
from compilelint.report.report import Report
from compilelint.session.commands.fix import fix
from compilelint.session.commands.lint import lint
from compilelint.session.incremental.ir_cache import IrCache
from compilelint.session.parallel import split as dividing
from compilelint.syntax import ir
from compilelint.syntax.source import Source, read_source, source_from_bytes, standing_in
from compilelint.syntax.unreadable import Unreadable

MODEL = """\
import torch
from base import Base, flag


class Net(Base):
    def forward(self, x):
        {line}
        return self.step(x) if flag(x) else x
"""
BASE = """\
import torch


class Base(torch.nn.Module):
    def step(self, x):
        return x.{method}()


def flag(value: torch.Tensor):
    return value.item() > 0
"""


def project(folder: Path, method: str = "item") -> Path:
    """A model, and what it imports."""
    folder.mkdir()
    (folder / "base.py").write_text(BASE.format(method=method), encoding="utf-8")
    model = folder / "model.py"
    model.write_text(MODEL.format(line="pass"), encoding="utf-8")
    return model


def run(model: Path, cache: Path | None) -> Report:
    """The model linted alone."""
    return lint(Options((str(model),), torch_version="2.13", no_cache=cache is None, cache_dir=str(cache)))


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Gathers the imported modules that are parsed."""
    names: list[str] = []

    def load(
        source: Source, name: str, is_package: bool, numbers: Sequence[int] | None = None
    ) -> ir.Module | Unreadable:
        if name != "model":  # which is linted
            names.append(name)
        return load_source(source, name, is_package, numbers)

    monkeypatch.setattr(loader, "load_source", load)
    return names


def test_after_an_edit_nothing_that_is_imported_is_parsed_again(tmp_path: Path, parsed: list[str]) -> None:
    model, cache = project(tmp_path / "p"), tmp_path / "cache"
    assert run(model, cache) == run(model, None)
    parsed.clear()
    model.write_text(MODEL.format(line="print(x.sum())"), encoding="utf-8")
    edited = run(model, cache)
    assert parsed == []
    assert edited == run(model, None)
    assert parsed == ["base"]


def test_another_project_with_the_same_file_need_not_parse_it(tmp_path: Path, parsed: list[str]) -> None:
    one, other = project(tmp_path / "p"), project(tmp_path / "q")
    run(one, tmp_path / "cache")
    parsed.clear()
    assert run(other, tmp_path / "cache") == run(other, None)
    assert parsed == ["base"], "once, by the run without a cache"


def test_a_changed_import_is_parsed_again(tmp_path: Path, parsed: list[str]) -> None:
    model, cache = project(tmp_path / "p"), tmp_path / "cache"
    before = run(model, cache)
    (model.parent / "base.py").write_text(BASE.format(method="relu"), encoding="utf-8")
    after = run(model, cache)
    assert after == run(model, None)
    assert after.findings != before.findings


def test_unsaved_text_finds_its_imports_too(tmp_path: Path, parsed: list[str]) -> None:
    model, cache = project(tmp_path / "p"), tmp_path / "cache"
    run(model, cache)
    parsed.clear()
    text = MODEL.format(line="print(x.sum())").encode()
    options = Options((str(model),), torch_version="2.13", no_cache=False, cache_dir=str(cache), stdin=text)
    assert lint(options).findings
    assert parsed == []


def test_fixing_parses_what_is_imported_once_for_all_rounds(tmp_path: Path, parsed: list[str]) -> None:
    model, cache = project(tmp_path / "p"), tmp_path / "cache"
    model.write_text(
        MODEL.format(line="x = torch.nn.functional.gelu(x)\n        if x.sum() > 0:\n            x = x + 1"),
        encoding="utf-8",
    )
    options = Options((str(model),), torch_version="2.13", no_cache=False, cache_dir=str(cache))
    fixed = fix(options, unsafe=True)
    assert fixed.rounds > 1
    assert parsed == ["base"]
    assert fixed == fix(replace(options, no_cache=True), unsafe=True)


def test_a_text_that_stands_in_for_an_imported_file_is_not_taken_for_that_file(tmp_path: Path) -> None:
    model, cache = project(tmp_path / "p"), tmp_path / "cache"
    run(model, cache)
    base = read_source(str(model.parent / "base.py"))
    assert isinstance(base, Source)
    with standing_in({base.path: base.with_text(BASE.format(method="relu"))}):
        standing = run(model, cache)
        assert standing == run(model, None)
    assert standing.findings != run(model, cache).findings


def test_workers_leave_and_find_what_is_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, parsed: list[str]
) -> None:
    monkeypatch.setattr(dividing, "PART_CHARACTERS", 100)
    model, cache = project(tmp_path / "p"), tmp_path / "cache"
    (model.parent / "pyproject.toml").touch()  # from there the models import
    models = model.parent / "models"
    for number in range(3):
        (models / f"m{number}").mkdir(parents=True)
        (models / f"m{number}" / f"model{number}.py").write_text(MODEL.format(line="pass"), encoding="utf-8")
    options = Options((str(models),), torch_version="2.13", no_cache=False, cache_dir=str(cache), jobs=2)
    divided = lint(options)
    assert parsed == [], "the workers did"
    assert run(model, cache) == run(model, None)
    assert parsed == ["base"], "once, by the run without a cache"
    assert replace(divided, findings=()) == replace(lint(replace(options, no_cache=True, jobs=1)), findings=())


def test_an_entry_that_does_not_read_back_is_a_miss(tmp_path: Path) -> None:
    source = source_from_bytes("/m.py", b"x = 1\n")
    assert isinstance(source, Source)
    lowered = load_source(source, "m", False)
    assert isinstance(lowered, ir.Module)
    store = Store(tmp_path, b"s" * 32)
    cache = IrCache(store, ["state"])
    cache.keep(source, lowered)
    assert cache.module(source, "m", False) is not None
    assert IrCache(store, ["another state"]).module(source, "m", False) is None
    (entry,) = [one.path for one in store.entries()]
    entry.write_bytes(entry.read_bytes()[:-1] + b"?")
    assert cache.module(source, "m", False) is None


def test_a_text_without_a_hash_is_not_remembered(tmp_path: Path) -> None:
    source, store = Source("/m.py", "x = 1\n"), Store(tmp_path, b"s" * 32)
    lowered = load_source(source, "m", False)
    assert isinstance(lowered, ir.Module)
    IrCache(store, []).keep(source, lowered)
    assert list(store.entries()) == []
    assert IrCache(store, []).module(source, "m", False) is None
