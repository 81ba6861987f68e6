"""Remembered parts: after an edit those are analysed again that hang on it; the report is that of a cold run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from compilelint.config import Options
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint
from compilelint.session.parallel import in_process
from compilelint.session.parallel import part as parts
from compilelint.session.parallel import split as dividing

OPS = """\
import torch


def positive(x: torch.Tensor, scale=None):
    if {test}:
        return x
    return -x


def other(x: torch.Tensor):
    return {read}
"""
MODEL = """\
import torch
from torch import nn

from shop.{ops}.code import {function}


class Net(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        {statement}
        return {function}(x)
"""
TESTS = ["x.sum() > 0", "x.shape[0] > 1"]
READS = ["x.item()", "x", "x.tolist()"]
FUNCTIONS = ["positive", "other", "missing"]
TOPS = ["# a line\n", "import os\n\n", "from shop.more.code import *\n"]
ENDS = [
    "\n\ndef late(x):\n    return x.item()\n",
    "\n\ndef other(x):\n    return positive(x)\n",
    "\n\npositive = None\n",
]
STATEMENTS = ["pass", "print(x)", "x = x + 1  # compilelint: ignore[CL101]"]
LIBRARIES = ("ops", "more")
MODELS = ("left", "middle", "right")


def write(folder: Path, name: str, text: str) -> None:
    path = folder / "shop" / name / "code.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    (path.parent / "__init__.py").touch()
    path.write_text(text, encoding="utf-8")


def library(test: int = 0, read: int = 0) -> str:
    return OPS.format(test=TESTS[test % 2], read=READS[read % 3])


def model(function: int = 0, statement: int = 0, ops: int = 0) -> str:
    return MODEL.format(function=FUNCTIONS[function % 3], statement=STATEMENTS[statement % 3], ops=LIBRARIES[ops % 2])


def shop(folder: Path) -> Path:
    """Two folders of functions and three models; only `right` uses those of `more`."""
    (folder / "shop").mkdir(parents=True)
    (folder / "shop" / "__init__.py").touch()
    for name in LIBRARIES:
        write(folder, name, library())
    for name in MODELS:
        write(folder, name, model(ops=int(name == "right")))
    return folder / "shop"


def run(folder: Path, cache: Path | None = None) -> Report:
    options = Options((str(folder),), torch_version="2.13", no_cache=cache is None, cache_dir=str(cache))
    return lint(options, fixes=True)


@pytest.fixture(autouse=True)
def _a_folder_a_part() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dividing, "PART_CHARACTERS", 100)
        patch.setattr(dividing, "_MOST_PARTS", 1000)
        yield


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The folders of the parts that are asked to start roots, in order."""
    asked: list[str] = []
    answer = in_process.InProcess.answer

    def noted(self: in_process.InProcess, one: in_process.Question) -> Any:
        if one.method == "start" and one.given[1] == parts.FIRST:
            asked.extend({Path(file.path).parent.name for file in self._files[one.part] if file.size})
        return answer(self, one)

    monkeypatch.setattr(in_process.InProcess, "answer", noted)
    return asked


def test_an_edit_has_only_its_own_part_analysed_again(tmp_path: Path, analysed: list[str]) -> None:
    folder, cache = shop(tmp_path / "p"), tmp_path / "cache"
    run(folder, cache)
    assert {"left", "middle", "right", "ops", "more"} <= set(analysed)
    write(tmp_path / "p", "left", model(statement=1))
    analysed.clear()

    warm = run(folder, cache)

    assert set(analysed) == {"left"}
    assert warm == run(folder)


def test_an_edit_has_those_analysed_again_that_import_it(tmp_path: Path, analysed: list[str]) -> None:
    folder, cache = shop(tmp_path / "p"), tmp_path / "cache"
    run(folder, cache)
    write(tmp_path / "p", "more", library(test=1))
    analysed.clear()

    warm = run(folder, cache)

    assert set(analysed) == {"more", "right"}
    assert warm == run(folder)


def test_an_edit_of_what_they_do_not_read_moves_what_is_remembered(tmp_path: Path, analysed: list[str]) -> None:
    folder, cache = shop(tmp_path / "p"), tmp_path / "cache"
    run(folder, cache)
    for text in (
        "# a line\nimport os\n" + library(),
        library(read=1),
        "import os\n" + library(read=2) + "\n\ndef late(x):\n    return x\n",
    ):
        write(tmp_path / "p", "more", text)
        analysed.clear()

        warm = run(folder, cache)

        assert set(analysed) == {"more"}
        assert warm == run(folder)
        at = {one.location.span.line for one in warm.findings if one.location.path.endswith("more/code.py")}
        assert text.splitlines().index("    if x.sum() > 0:") + 1 in at


@pytest.mark.parametrize("at_once", [0, 10_000])
def test_what_remembered_parts_reach_has_no_part_analysed_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """What the edited part holds is reached by parts of which it is remembered, whether it is kept or answers ahead."""
    folder, cache = shop(tmp_path / "p"), tmp_path / "cache"
    run(folder, cache)
    monkeypatch.setattr(in_process, "MOST_KEPT", 0)
    monkeypatch.setattr(in_process, "MOST_AT_ONCE", at_once)
    write(tmp_path / "p", "more", library(read=1))
    made: list[str] = []
    read = in_process.InProcess._read

    def noted(self: in_process.InProcess, number: int) -> parts.Part:
        made.extend({Path(file.path).parent.name for file in self._files[number] if file.size})
        return read(self, number)

    monkeypatch.setattr(in_process.InProcess, "_read", noted)

    warm = run(folder, cache)

    assert made == ["more"]
    assert warm == run(folder)


def test_what_is_reached_no_more_becomes_a_root_in_a_part_that_did_not_change(
    tmp_path: Path, analysed: list[str]
) -> None:
    folder, cache = shop(tmp_path / "p"), tmp_path / "cache"
    assert "positive (unreached)" not in {root for one in run(folder, cache).findings for root in one.roots}
    for name in ("left", "middle"):
        write(tmp_path / "p", name, model(function=1))
    analysed.clear()

    warm = run(folder, cache)

    assert "positive (unreached)" in {root for one in warm.findings for root in one.roots}
    assert set(analysed) == {"left", "middle", "ops"}
    assert warm == run(folder)


Edit = st.one_of(
    st.tuples(st.just("library"), st.sampled_from(LIBRARIES), st.integers(0, 1), st.integers(0, 2), st.just(0)),
    st.tuples(st.just("model"), st.sampled_from(MODELS), st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)),
    st.tuples(st.just("top"), st.sampled_from(MODELS + LIBRARIES), st.integers(0, 2), st.just(0), st.just(0)),
    st.tuples(st.just("end"), st.sampled_from(MODELS + LIBRARIES), st.integers(0, 2), st.just(0), st.just(0)),
    st.tuples(st.just("break"), st.sampled_from(MODELS + LIBRARIES), st.just(0), st.just(0), st.just(0)),
    st.tuples(st.just("remove"), st.sampled_from(MODELS + LIBRARIES), st.just(0), st.just(0), st.just(0)),
)


_SHARED = [HealthCheck.function_scoped_fixture]
_ROUNDS = st.lists(st.lists(Edit, min_size=1, max_size=3), min_size=1, max_size=4)


@settings(max_examples=10, deadline=None, suppress_health_check=_SHARED)
@given(rounds=_ROUNDS)
def test_remembered_parts_equal_a_cold_run(
    rounds: list[list[tuple[str, str, int, int, int]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    _remembered_equals_cold(rounds, tmp_path_factory.mktemp("edits"))


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=_SHARED)
@given(rounds=_ROUNDS)
def test_remembered_parts_equal_a_cold_run_after_many_edits(
    rounds: list[list[tuple[str, str, int, int, int]]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    _remembered_equals_cold(rounds, tmp_path_factory.mktemp("edits"))


def _remembered_equals_cold(rounds: list[list[tuple[str, str, int, int, int]]], top: Path) -> None:
    folder, cache = shop(top / "p"), top / "cache"
    run(folder, cache)
    for edits in rounds:
        for how, name, one, two, three in edits:
            if how == "library":
                write(top / "p", name, library(one, two))
            elif how == "model":
                write(top / "p", name, model(one, two, three))
            elif how in ("top", "end") and (folder / name / "code.py").exists():
                text = (folder / name / "code.py").read_text(encoding="utf-8")
                write(top / "p", name, TOPS[one] + text if how == "top" else text + ENDS[one])
            elif how == "break":
                write(top / "p", name, "def broken(:\n")
            else:
                (folder / name / "code.py").unlink(missing_ok=True)
        assert run(folder, cache) == run(folder)


def test_a_file_that_is_fixed_is_noticed_by_those_that_import_it(tmp_path: Path, analysed: list[str]) -> None:
    folder, cache = shop(tmp_path / "p"), tmp_path / "cache"
    write(tmp_path / "p", "more", library() + "def broken(:\n")
    run(folder, cache)
    write(tmp_path / "p", "more", library())
    analysed.clear()

    warm = run(folder, cache)

    assert set(analysed) == {"more", "right"}
    assert warm == run(folder)


def test_a_module_that_was_only_searched_counts_by_the_word(tmp_path: Path, analysed: list[str]) -> None:
    folder, cache = shop(tmp_path / "p"), tmp_path / "cache"
    (folder / "__init__.py").write_text("from shop.ops.code import *\nfrom shop.more.code import *\n", encoding="utf-8")
    for name in ("left", "middle", "right"):
        write(tmp_path / "p", name, model().replace("shop.ops.code import positive", "shop import late as positive"))
    run(folder, cache)
    write(tmp_path / "p", "more", library(read=1))
    analysed.clear()

    run(folder, cache)
    assert set(analysed) == {"more"}, "`late` is in it as little as before"

    analysed.clear()
    write(tmp_path / "p", "left", (folder / "left" / "code.py").read_text(encoding="utf-8") + "\n")
    run(folder, cache)
    assert set(analysed) - {"shop"} == {"left"}, "what was analysed after the first edit is remembered"

    write(tmp_path / "p", "more", library() + "\ndef late(x: torch.Tensor):\n    return x.item()\n")
    analysed.clear()
    warm = run(folder, cache)

    assert {"left", "middle", "right"} <= set(analysed)
    assert "late (unreached)" not in {root for one in warm.findings for root in one.roots}
    assert warm == run(folder)


def test_fixes_are_made_again_only_for_files_that_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, cache = shop(tmp_path / "p"), tmp_path / "cache"
    for name in MODELS:
        write(tmp_path / "p", name, model(statement=1))
    first = run(folder, cache)
    assert any(one.fix for one in first.findings)
    asked: list[str] = []
    make_fixes = in_process.InProcess.with_fixes

    def noted(self: in_process.InProcess, findings: Any, least: Any) -> Any:
        asked.extend(Path(one.location.path).parent.name for one in findings)
        return make_fixes(self, findings, least)

    monkeypatch.setattr(in_process.InProcess, "with_fixes", noted)
    write(tmp_path / "p", "left", model(statement=1) + "\n")

    warm = run(folder, cache)

    assert set(asked) == {"left"}
    asked.clear()
    assert warm == run(folder)
    assert len(set(asked)) > 1


def test_a_new_file_has_only_those_analysed_again_that_it_concerns(tmp_path: Path, analysed: list[str]) -> None:
    folder, cache = shop(tmp_path / "p"), tmp_path / "cache"
    write(tmp_path / "p", "left", model().replace("shop.ops.code", "shop.late.code"))
    run(folder, cache)
    write(tmp_path / "p", "late", library())
    analysed.clear()

    warm = run(folder, cache)

    assert {"left", "late"} <= set(analysed)
    assert not {"middle", "right"} & set(analysed)
    assert warm == run(folder)
    analysed.clear()
    (folder / "late" / "code.py").unlink()

    warm = run(folder, cache)

    assert "left" in analysed
    assert not {"middle", "right"} & set(analysed)
    assert warm == run(folder)
