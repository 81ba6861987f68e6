"""Planted faults, of targets and of ours: each is laid at the right door, in words that say what and where."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from compilelint.dynamic import worker_process
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Input, InputSet, Target
from compilelint.dynamic.unanswered import causes, refuse_unanswered
from compilelint.model import Fate, TargetRun

pytestmark = pytest.mark.dynamo

PACKAGE = Path(worker_process.__file__).parents[1]
INPUTS = (InputSet((Input("x", (2, 2)),)),)
TARGETS = """\
import ctypes
import os
import sys

import torch


def adds(x):
    return x + 1


def leaves(x):
    sys.exit(0)


def interrupts(x):
    raise KeyboardInterrupt


def ends(x):
    os._exit(0)


HELD = []


def opens(x):
    try:
        while True:
            HELD.append(os.open(os.devnull, os.O_RDONLY))
    except OSError:
        return x


def crashes(x):
    ctypes.string_at(0)


def aborts(x):
    os.abort()


def asserts(x):
    assert x.sum() > 1000, "too small"
    return x


class Leaving(torch.nn.Module):
    def __init__(self):
        raise SystemExit("no weights")
"""


def _line_of(text: str) -> int:
    (line,) = (number for number, one in enumerate(TARGETS.splitlines(), 1) if text in one)
    return line


def _observed(folder: Path, names: list[str]) -> dict[str, TargetRun]:
    (folder / "net.py").write_text(TARGETS, encoding="utf-8")
    work = [Target(f"net:{name}", inputs=INPUTS) for name in names]
    settings = Settings(paths=(str(folder),), cwd=str(folder))
    return dict(zip(names, observe(work, settings), strict=True))


FAULTS_OF_TARGETS = {
    "leaves": (Fate.EAGER_ERROR, "the model raised SystemExit(0) in leaves, net.py:{}", "sys.exit(0)"),
    "interrupts": (Fate.EAGER_ERROR, "the model raised KeyboardInterrupt() in interrupts, net.py:{}", "raise Keyboard"),
    "ends": (Fate.EXITED, "the model ended the process with code 0 by os._exit or from native code, run", ""),
    "opens": (Fate.EXITED, "the model used up the limit of ", ""),
    "crashes": (Fate.KILLED, "the model was killed by SIGSEGV in crashes, net.py:{}", "string_at(0)"),
    "aborts": (Fate.KILLED, "the model was killed by SIGABRT in aborts, net.py:{}", "os.abort()"),
    "asserts": (
        Fate.EAGER_ERROR,
        "the model fails without compiling: AssertionError: too small (in asserts, net.py:{})",
        "too small",
    ),
    "Leaving": (Fate.BUILD_ERROR, "SystemExit: no weights (at ", ""),
}


@pytest.fixture(scope="module")
def of_targets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, TargetRun]:
    return _observed(tmp_path_factory.mktemp("faults"), ["adds", *FAULTS_OF_TARGETS])


@pytest.mark.parametrize("name", FAULTS_OF_TARGETS)
def test_what_a_target_did_is_named_with_its_line(of_targets: dict[str, TargetRun], name: str) -> None:
    fate, words, line = FAULTS_OF_TARGETS[name]
    run = of_targets[name]
    assert run.fate is fate, run.detail
    assert run.detail.startswith(words.format(_line_of(line)) if line else words)
    assert "compilelint" not in run.detail
    assert not list(causes([run]))


def test_a_target_between_them_is_judged(of_targets: dict[str, TargetRun]) -> None:
    assert of_targets["adds"].within_budget
    refuse_unanswered(list(of_targets.values()))  # raises only where nothing could be judged


# By name: the file of ours, the line before which the fault is planted, the fault, and what is said of it.
FAULTS_OF_OURS = {
    "in a module of the worker": (
        "worker/seeding.py",
        "import torch\n",
        "import numpy_of_nowhere\n",
        "ModuleNotFoundError: No module named 'numpy_of_nowhere', dynamic/worker/seeding.py:",
    ),
    "in the program of the worker": (
        "worker/serve.py",
        "import random\n",
        "from compilelint.dynamic.protocol import nothing_there\n",
        "ImportError: cannot import name 'nothing_there' from 'compilelint.dynamic.protocol'",
    ),
    "around the eager call": (
        "worker/seeding.py",
        "    states = [torch.get_rng_state()]\n",
        '    raise RuntimeError("Numpy is not available")\n',
        "RuntimeError: Numpy is not available, dynamic/worker/seeding.py:",
    ),
    "while Dynamo compiles": (
        "worker/recorder.py",
        "            self.ops.append(",
        '            assert not graph, "planted"\n',
        "AssertionError: planted, dynamic/worker/recorder.py:",
    ),
    "where results are compared": (
        "worker/judging.py",
        "    reordered = settings.reordered or settings.backend not in",
        '    {}["planted"]\n',
        "KeyError: 'planted', dynamic/worker/judging.py:",
    ),
    "behind the last call": (
        "worker/serve.py",
        '    observed["peak_memory"] = ',
        "    observed = undefined_name\n",
        "NameError: name 'undefined_name' is not defined",
    ),
}


@pytest.mark.parametrize("name", FAULTS_OF_OURS)
def test_a_defect_of_ours_is_said_once_and_is_nothing_about_the_targets(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, before, fault, words = FAULTS_OF_OURS[name]
    monkeypatch.setattr(worker_process, "_PACKAGE", str(_planted(tmp_path / "compilelint", file, before, fault)))
    with pytest.raises(NoWorkerError) as refused:
        _refuse(tmp_path)
    assert refused.value.what.startswith(f"a defect of compilelint: {words}")
    assert refused.value.hint.startswith("please report it")


def _refuse(folder: Path) -> None:
    """Run two targets: one that is well, and one that fails by itself, as far as ours lets it."""
    well, failing = _observed(folder, ["adds", "asserts"]).values()
    assert well.fate is Fate.NO_ANSWER
    assert failing.fate in (Fate.NO_ANSWER, Fate.EAGER_ERROR)
    assert len(list(causes([well, well, failing]))) == 1
    refuse_unanswered([well])


def _planted(package: Path, file: str, before: str, fault: str) -> Path:
    """A copy of our package with a line more in a file of `dynamic`."""
    package.mkdir()
    for one in PACKAGE.iterdir():
        if one.name != "dynamic":
            (package / one.name).symlink_to(one)
    shutil.copytree(PACKAGE / "dynamic", package / "dynamic", ignore=shutil.ignore_patterns("__pycache__"))
    changed = package / "dynamic" / file
    text = changed.read_text(encoding="utf-8")
    assert text.count(before) == 1, "the place is there, and once"
    changed.write_text(text.replace(before, fault + before), encoding="utf-8")
    return package
