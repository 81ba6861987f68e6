"""Whatever a model does to its process costs that model and no other, and the report says what it did.

The models are in `tests/data/targets/hostile.py`; they really crash, hang, flood and leave.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path

import pytest

from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target, input_set
from compilelint.dynamic.worker_process import Work
from compilelint.model import Fate, TargetRun

pytestmark = [pytest.mark.dynamo, pytest.mark.slow]

TARGETS = Path(__file__).parents[1] / "data" / "targets"
SOURCE = Path(__file__).parents[2] / "src"
INPUT = (input_set(["2x4"], "test"),)
LIMITS: dict[str, dict[str, float]] = {
    "Grows": {"memory": 600, "timeout": 60.0},
    "GrowsInChildren": {"memory": 600, "timeout": 60.0},
}

# (name, fate, words of the detail); in this order in one batch, so that each fault has neighbours to harm.
FAULTS = [
    ("Calm", Fate.RAN, ""),
    ("RaisesInInit", Fate.BUILD_ERROR, "KeyError: 'no such weights'"),
    ("RaisesInForward", Fate.EAGER_ERROR, "invalid for input of size 8"),
    ("Hangs", Fate.TIME_LIMIT, "still in phase 'eager' after 4 s"),
    ("Leaves", Fate.EXITED, "code 3 by os._exit or from native code in phase 'build'"),
    ("LeavesInForward", Fate.EXITED, "code 4 by os._exit or from native code, run without compiling"),
    ("Crashes", Fate.KILLED, "killed by SIGSEGV in __init__, "),
    ("CrashesInForward", Fate.KILLED, "was killed by SIGSEGV in forward, "),
    ("Exits", Fate.BUILD_ERROR, "configuration missing"),
    ("Grows", Fate.MEMORY_LIMIT, "allocate memory"),
    ("GrowsInChildren", Fate.MEMORY_LIMIT, "used more than 600 MB in phase 'build'"),
    ("Floods", Fate.RAN, ""),
    ("Prints", Fate.RAN, ""),
    ("Asks", Fate.BUILD_ERROR, "EOFError"),
    ("ClosesEverything", Fate.RAN, ""),
    ("ForgesAnswers", Fate.RAN, ""),
    ("SaysItRan", Fate.NO_ANSWER, "ended without an answer"),
    ("TakesMessages", Fate.RAN, ""),
    ("not_a_model", Fate.NO_INPUTS, ""),
    ("Missing", Fate.IMPORT_ERROR, "hostile has no Missing"),
]
FILES = [
    ("needs_more:Net", Fate.IMPORT_ERROR, "No module named 'a_package_that_is_nowhere'"),
    ("half:Half", Fate.IMPORT_ERROR, "SyntaxError"),
    ("nowhere.at_all:Net", Fate.IMPORT_ERROR, "No module named 'nowhere'"),
]


def settings(**more: str) -> Settings:
    """What the faults need is allowed: some of them are children, and the list of those."""
    allow = ("subprocess", "writes")
    return Settings(python=sys.executable, paths=(str(TARGETS),), environment=more, allow=allow)


def target(name: str, **more: float) -> Target:
    model = name if ":" in name else f"hostile:{name}"
    limits = {"timeout": 4.0, **LIMITS.get(name, {}), **more}
    return Target(model, inputs=INPUT, timeout=limits["timeout"], memory=int(limits.get("memory", 0)) or None)


@pytest.fixture(scope="module")
def runs() -> dict[str, TargetRun]:
    """All faults in one batch, by name."""
    wanted = [target(name) for name, *_ in FAULTS if name != "not_a_model"] + [target(name) for name, *_ in FILES]
    wanted.append(Target("hostile:not_a_model", inputs=INPUT))
    found = observe([Work(one) for one in wanted], settings())
    return {one.target.removeprefix("hostile:"): one for one in found}


@pytest.mark.parametrize(
    ("name", "fate", "words"), [*FAULTS, *FILES], ids=lambda value: str(getattr(value, "value", value))[:24]
)
def test_a_fault_has_its_fate_and_says_what_happened(
    runs: dict[str, TargetRun], name: str, fate: Fate, words: str
) -> None:
    run = runs[name]
    assert (run.fate, run.detail if words not in run.detail else words) == (fate, words)


def test_a_missing_module_is_reported_with_who_needs_it_and_the_hint(runs: dict[str, TargetRun]) -> None:
    needed = runs["needs_more:Net"].detail
    assert f"install what provides `a_package_that_is_nowhere` for {sys.executable}" in needed
    assert "needs_more.py:" in needed
    assert "--path" not in needed
    assert "name the folder that holds `nowhere` with --path" in runs["nowhere.at_all:Net"].detail


def test_an_error_names_the_line_of_the_user(runs: dict[str, TargetRun]) -> None:
    lines = (TARGETS / "hostile.py").read_text().splitlines()
    number = lines.index('        raise KeyError("no such weights")') + 1
    assert f"hostile.py:{number}" in runs["RaisesInInit"].detail


def test_a_flood_is_kept_in_bounds_with_its_first_and_last_words() -> None:
    (run,) = observe([target("Floods", timeout=60.0)], settings())
    assert run.fate is Fate.RAN
    assert len(run.output) < 200_000
    assert "the first line" in run.output
    assert "the last line" in run.output
    assert "characters left out" in run.output


def test_what_a_model_prints_is_kept_and_never_taken_for_an_answer(runs: dict[str, TargetRun]) -> None:
    output = runs["Prints"].output
    assert "loading weights" in output
    assert "from stderr" in output
    assert runs["Prints"].graphs == 1


def test_neighbours_of_faults_run(runs: dict[str, TargetRun]) -> None:
    assert runs["Calm"].graphs == 1
    assert runs["Calm"].parity is not None
    assert runs["Calm"].parity.holds


def test_what_died_of_its_neighbour_is_run_alone() -> None:
    poison, victim = observe([target("poison:Poison", timeout=60.0), target("Calm", timeout=60.0)], settings())
    assert poison.fate is Fate.RAN
    assert victim.fate is Fate.RAN, victim.detail


def test_workers_side_by_side_survive_each_others_faults_and_keep_the_order() -> None:
    names = ["CrashesInForward", "Calm", "Leaves", "Prints", "RaisesInInit"]
    finished: list[int] = []
    found = observe(
        [target(name, timeout=60.0) for name in names], settings(), lambda number, _: finished.append(number), 2
    )
    fates = [Fate.KILLED, Fate.RAN, Fate.EXITED, Fate.RAN, Fate.BUILD_ERROR]
    assert [(run.target, run.fate) for run in found] == list(
        zip([f"hostile:{one}" for one in names], fates, strict=True)
    )
    assert sorted(finished) == list(range(len(names)))


def test_the_first_worker_that_cannot_start_stops_the_others() -> None:
    with pytest.raises(NoWorkerError, match="no-such-python is not a program"):
        observe([target("Calm"), target("Prints")], Settings(python="no-such-python"), jobs=2)


# -------------------------------------------------------------------- orphans


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def gone(pids: list[int], within: float = 10.0) -> bool:
    """Whether all of them end in time."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        if not any(map(alive, pids)):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("name", ["SpawnsChildren", "SpawnsAndHangs"])
def test_no_child_outlives_its_model(tmp_path: Path, name: str) -> None:
    pids = tmp_path / "pids"
    observe([target(name, timeout=8.0)], settings(CHILDREN=str(pids)))
    children = [int(line) for line in pids.read_text().split()]
    assert len(children) >= 3
    assert gone(children)


def test_nothing_outlives_a_killed_parent(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "import sys\n"
        f"sys.path.insert(0, {str(SOURCE)!r})\n"
        "from compilelint.dynamic.protocol import Settings\n"
        "from compilelint.dynamic.runner import observe\n"
        "from compilelint.dynamic.targets import Target, input_set\n"
        f"target = Target('hostile:SpawnsAndHangs', inputs=(input_set(['2x4'], ''),), timeout=600.0)\n"
        "allow = ('subprocess', 'writes')\n"
        f"observe([target], Settings(python=sys.executable, paths=({str(TARGETS)!r},), allow=allow))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", code], env={**os.environ, "CHILDREN": str(pids)})
    try:
        deadline = time.monotonic() + 120
        while not (pids.exists() and len(pids.read_text().split()) >= 3):
            assert time.monotonic() < deadline
            assert parent.poll() is None
            time.sleep(0.1)
        time.sleep(2.0)  # the guard of the worker has looked since
        near = pids.read_text().split()[0]
        worker = int(Path(f"/proc/{near}/stat").read_text().rpartition(")")[2].split()[1])
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert gone([worker, *map(int, pids.read_text().split())])


# ---------------------------------------------------------------------- torch


def test_without_torch_the_error_says_how_to_install_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONPATH", raising=False)
    venv.create(tmp_path / "bare", with_pip=False)
    python = tmp_path / "bare" / "bin" / "python"
    with pytest.raises(NoWorkerError) as caught:
        observe([target("Calm")], Settings(python=str(python)))
    assert "cannot import torch: No module named 'torch'" in str(caught.value)
    assert "pip install 'compilelint[dynamic]'" in str(caught.value)


def test_an_interpreter_that_is_none_is_named() -> None:
    with pytest.raises(NoWorkerError, match="no-such-python is not a program"):
        observe([target("Calm")], Settings(python="no-such-python"))
