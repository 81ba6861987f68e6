"""Earlier runs: the same report as a cold run, whatever is remembered and whatever has changed."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import compilelint
from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint
from compilelint.session.incremental.run_cache import own_state
from compilelint.syntax.source import Readings, Source
from compilelint.syntax.unreadable import Unreadable

MODEL = """\
import torch
from typing import Any
from torch import nn
from pkg.{other} import {function}, Base


class Net(Base):
    def forward(self, x: torch.Tensor):
        {pragma}
        if {test}:
            x = x + 1
        return self.step({function}(x))
"""
PLAIN = """\
import torch
from torch import nn


class Base(nn.Module):
    def step(self, x):
        return {step}


def {function}(value: torch.Tensor):
    if {condition}:
        return value
    return value - 1


def compiled(value):
    return value.item()


{call}
"""
MODEL_CHOICES = {
    "other": ["a", "b", "gone"],
    "function": ["flag", "mark"],
    "pragma": ["pass", "pass  # compilelint: ignore-file[CL101]"],
    "test": ["x.sum() > 0", "x.shape[0] > 1"],
}
PLAIN_CHOICES = {
    "step": ["x.item()", "x", "x.tolist()"],
    "function": ["flag", "mark"],
    "condition": ["value.any()", "value is None"],
    "call": ["", "torch.compile(compiled)"],
}
NAMES = ("a", "b", "c", "d")


def run(folder: Path, cache: Path | None = None, wanted: dict[str, Any] | None = None) -> Report:
    options = Options((str(folder),), torch_version="2.13", no_cache=cache is None, cache_dir=str(cache))
    return lint(replace(options, **(wanted or {})))


def project(folder: Path, names: tuple[str, ...] = NAMES) -> Path:
    (folder / "pkg").mkdir(parents=True)
    (folder / "pkg" / "__init__.py").write_text("", encoding="utf-8")
    for name in names:
        template, choices = (PLAIN, PLAIN_CHOICES) if name in "ab" else (MODEL, MODEL_CHOICES)
        text = template.format(**{key: found[0] for key, found in choices.items()})
        (folder / "pkg" / f"{name}.py").write_text(text, encoding="utf-8")
    return folder


# -------------------------------------------------------------------- cache


def test_an_unchanged_project_is_not_analysed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, cache = project(tmp_path / "p"), tmp_path / "cache"
    cold = run(folder)
    assert run(folder, cache) == cold
    monkeypatch.setattr("compilelint.session.analyse.analyse", None)
    assert run(folder, cache) == cold


def test_a_module_that_appears_is_noticed(tmp_path: Path) -> None:
    folder, cache = project(tmp_path / "p"), tmp_path / "cache"
    model = MODEL.format(other="gone", function="flag", pragma="pass", test="x.shape[0] > 1")
    for name in ("c", "d"):
        (folder / "pkg" / f"{name}.py").write_text(model, encoding="utf-8")
    before = run(folder, cache)
    (folder / "pkg" / "gone.py").write_text((folder / "pkg" / "a.py").read_text(encoding="utf-8"), encoding="utf-8")
    after = run(folder, cache)
    assert after == run(folder)
    assert after != before


def test_a_change_of_same_size_and_date_is_noticed(tmp_path: Path) -> None:
    folder, cache = project(tmp_path / "p"), tmp_path / "cache"
    file = folder / "pkg" / "a.py"
    run(folder, cache)
    status = file.stat()
    file.write_text(file.read_text(encoding="utf-8").replace("x.item()", "x.neg ()"), encoding="utf-8")
    os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert run(folder, cache) == run(folder)


def test_a_change_anywhere_in_compilelint_makes_earlier_runs_void(tmp_path: Path) -> None:
    own = shutil.copytree(Path(compilelint.__file__).parent, tmp_path / "own")
    states = [json.dumps(own_state(own))]
    for file in (own / "interp" / "calls.py", own / "session" / "run.py", own / "torchfacts" / "data" / "results.txt"):
        file.write_text("changed", encoding="utf-8")
        states.append(json.dumps(own_state(own)))
    assert len(set(states)) == len(states)


def test_the_state_of_compilelint_is_that_of_the_package_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    walked: list[Path] = []

    def walk(folder: Path) -> list[tuple[str, list[str], list[str]]]:
        walked.append(folder)
        return []

    monkeypatch.setattr(os, "walk", walk)
    own_state()
    assert walked == [Path(compilelint.__file__).parent]


@pytest.mark.parametrize(
    "options",
    [
        {"torch_version": "2.9"},
        {"select": ("CL102",)},
        {"roots": ("all",)},
        {"follow_imports": "none"},
        {"min_confidence": Confidence.POSSIBLE},
    ],
    ids=str,
)
def test_another_request_is_another_entry(tmp_path: Path, options: dict[str, object]) -> None:
    folder, cache = project(tmp_path / "p"), tmp_path / "cache"
    run(folder, cache)
    assert run(folder, cache, wanted=options) == run(folder, wanted=options)


def test_a_file_that_changes_while_it_is_read_leaves_nothing_to_remember(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was analysed is no state that the disk was ever in; the next run starts from what is there then."""
    folder, cache = project(tmp_path / "p"), tmp_path / "cache"
    read = Readings.read

    def read_while_edited(self: Readings, path: str) -> Source | Unreadable:
        found = read(self, path)
        if path.endswith("a.py") and not self.torn:
            Path(path).write_text(Path(path).read_text(encoding="utf-8") + "\n# edited\n", encoding="utf-8")
            read(self, path)
        return found

    with monkeypatch.context() as patch:
        patch.setattr(Readings, "read", read_while_edited)
        run(folder, cache)
    assert list(cache.glob("*.entry")) == []
    assert run(folder, cache) == run(folder)
    assert len(list(cache.glob("*.entry"))) == 1


def test_damaged_entries_are_misses(tmp_path: Path) -> None:
    folder, cache = project(tmp_path / "p"), tmp_path / "cache"
    cold = run(folder, cache)
    entries = sorted(cache.glob("*.entry"))
    assert len(entries) == 1
    for number, entry in enumerate(entries):
        data = bytearray(entry.read_bytes())
        for position in range(number % 7, len(data), max(1, len(data) // 5)):
            data[position] ^= 1
        entry.write_bytes(data)
    assert run(folder, cache) == cold


Edits = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(NAMES), st.lists(st.integers(0, 2), min_size=4, max_size=4)),
        st.tuples(st.just("remove"), st.sampled_from(NAMES), st.none()),
        st.tuples(st.just("rename"), st.sampled_from(NAMES), st.sampled_from(("gone", "new", "a", "d"))),
        st.tuples(st.just("break"), st.sampled_from(NAMES), st.none()),
    ),
    min_size=1,
    max_size=4,
)


def edit(folder: Path, how: str, name: str, detail: object) -> None:
    path = folder / "pkg" / f"{name}.py"
    if how == "write" and isinstance(detail, list):
        template, choices = (PLAIN, PLAIN_CHOICES) if name in "ab" else (MODEL, MODEL_CHOICES)
        chosen = {key: found[number % len(found)] for (key, found), number in zip(choices.items(), detail, strict=True)}
        path.write_text(template.format(**chosen), encoding="utf-8")
    elif how == "remove":
        path.unlink(missing_ok=True)
    elif how == "rename" and path.exists():
        path.replace(folder / "pkg" / f"{detail}.py")
    elif how == "break" and path.exists():
        path.write_text("def broken(:\n", encoding="utf-8")


_SHARED = [HealthCheck.function_scoped_fixture]
_ROUNDS = st.lists(Edits, min_size=1, max_size=3)


@settings(max_examples=10, deadline=None, suppress_health_check=_SHARED)
@given(rounds=_ROUNDS)
def test_a_remembered_run_equals_a_cold_one(
    rounds: list[list[tuple[str, str, object]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    _remembered_equals_cold(rounds, tmp_path_factory.mktemp("edits"))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=_SHARED)
@given(rounds=_ROUNDS)
def test_a_remembered_run_equals_a_cold_one_after_many_edits(
    rounds: list[list[tuple[str, str, object]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    _remembered_equals_cold(rounds, tmp_path_factory.mktemp("edits"))


def _remembered_equals_cold(rounds: list[list[tuple[str, str, object]]], top: Path) -> None:
    folder, cache = project(top / "p"), top / "cache"
    run(folder, cache)
    for edits in rounds:
        for how, name, detail in edits:
            edit(folder, how, name, detail)
        assert run(folder, cache) == run(folder)
        assert run(folder, cache) == run(folder)


def test_what_is_not_found_is_missed_by_the_run_that_asks_for_it_alone(tmp_path: Path) -> None:
    folder, cache = tmp_path / "p", tmp_path / "cache"
    folder.mkdir()
    model = folder / "model.py"

    def missed(base: str) -> list[str]:
        model.write_text(f"{base}\nclass Net(Base):\n    def forward(self, x): return x\n", encoding="utf-8")
        found = run(folder, cache)
        assert found == run(folder)
        assert run(folder, cache) == found, "and what is remembered says the same"
        return [notice.text for notice in found.notices if notice.kind == "unresolved"]

    assert missed("from away.deep import Base") == ["packages not found: away"]
    assert missed("from torch.nn import Module as Base") == []
    assert missed("from away.deep import Base") == ["packages not found: away"]
