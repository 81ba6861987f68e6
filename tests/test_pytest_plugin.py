"""The pytest plugin in a project of its own: what passes, what fails, with which words, and what loading it costs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import compilelint

SOURCE = Path(compilelint.__file__).parents[1]
MODEL = """\
import torch


class Good(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(x)


class Bad(Good):
    def forward(self, x):
        return super().forward(x) * x.max().item()


class Reader(Good):
    def forward(self, x):
        return x * (2 if torch.compiler.is_compiling() else 1)
"""
TESTS = """\
import json

import torch
import pytest

from mypkg.model import Bad, Good, Reader


def test_good(compile_check):
    run = compile_check(Good().train(), torch.ones(2, 4), only="mypkg")
    assert (run.graphs, run.parity.calls) == (1, 2)


def test_bad(compile_check):
    compile_check(Bad(), torch.ones(2, 4))


def test_bad_within_budget(compile_check):
    assert len(compile_check(Bad(), torch.ones(2, 4), max_breaks=1).own_breaks) == 1


def test_syncs(compile_check):
    compile_check(Good(), torch.ones(2, 4), max_syncs=0)
    compile_check(Bad(), torch.ones(2, 4), max_breaks=1, max_syncs=1)


def test_too_many_syncs(compile_check):
    compile_check(Bad(), torch.ones(2, 4), max_breaks=1, max_syncs=0)


def test_bad_elsewhere(compile_check):
    compile_check(Bad(), torch.ones(2, 4), only="json")


def test_differs(compile_check):
    compile_check(Reader(), torch.ones(2, 4))


def test_differs_unasked(compile_check):
    compile_check(Reader(), torch.ones(2, 4), parity=False)


def test_targets(compilelint_targets):
    compilelint_targets.check()
"""
TABLE = """\
[[tool.compilelint.targets]]
name = "fine"
model = "mypkg.model:Good"

[[tool.compilelint.targets]]
name = "broken"
model = "mypkg.model:Bad"
"""


def call(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    paths = [str(SOURCE), str(folder), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )


def test_loading_the_plugin_loads_neither_torch_nor_libcst(tmp_path: Path) -> None:
    code = "import sys, compilelint.pytest_plugin; print([n for n in ('torch', 'libcst', 'rich') if n in sys.modules])"
    assert call(tmp_path, "-c", code).stdout == "[]\n"


@pytest.mark.dynamo
@pytest.mark.slow
def test_a_project_that_uses_it(tmp_path: Path) -> None:
    package = tmp_path / "mypkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "model.py").write_text(MODEL)
    (tmp_path / "pyproject.toml").write_text(TABLE)
    (tmp_path / "test_it.py").write_text(TESTS)
    done = call(tmp_path, "-m", "pytest", "-p", "compilelint.pytest_plugin", "-p", "no:cacheprovider", "-rA", "-q")
    reported = {
        line.partition("::")[2].partition(" ")[0]: line.partition(" ")[0]
        for line in done.stdout.splitlines()
        if line.startswith(("PASSED", "FAILED"))
    }
    assert reported == {
        "test_good": "PASSED",
        "test_bad": "FAILED",
        "test_bad_within_budget": "PASSED",
        "test_syncs": "PASSED",
        "test_too_many_syncs": "FAILED",
        "test_bad_elsewhere": "PASSED",
        "test_differs": "FAILED",
        "test_differs_unasked": "PASSED",
        "test_targets[fine]": "PASSED",
        "test_targets[broken]": "FAILED",
    }, done.stdout + done.stderr
    assert "compilelint: Bad is not compile-ready" in done.stdout
    assert "error[CL102] host-read: `.item()` reads the data of `x.max()`" in done.stdout
    assert "--> mypkg/model.py:15:" in done.stdout
    assert "a call of Bad waits 1 time for its device, 0 allowed:\n  mypkg/model.py:15 (item)" in done.stdout
    assert "__trace" not in done.stdout, "torch's structured trace would bury the diagnosis"
    assert "seen: confirmed: Unsupported Tensor.item() call" in done.stdout
    assert "error[CL907] diverging-result: output differs between eager and compiled" in done.stdout
