"""What holds for every test, and which tests run: `pytest` the quick ones, `pytest -m slow` the others, CI all.

A test that needs a program which pip does not bring is marked `@pytest.mark.needs("chromium", "apt-get install ...")`.
Where the program is missing the test is left out, and the summary names it with the line that installs it. Under
`CI=true` nothing is left out: there a missing program is a failure.

`--time-by-folder` ends a run with the CPU seconds that the tests of each folder took, their processes included: unlike
`--durations` these do not depend on what else the machine does. The table in CONTRIBUTING.md is made of it.
"""

from __future__ import annotations

import gc
import itertools
import os
import shutil
from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from compilelint.dynamic.runner import SharedWorker, sharing
from tests.support import compiler, warm_command

_MISSING = pytest.StashKey[Counter[tuple[str, str]]]()
_SECONDS: dict[str, float] = {}
_TESTS: Counter[str] = Counter()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The one option of ours."""
    parser.addoption("--time-by-folder", action="store_true", help="CPU seconds of the tests of each folder")


def _spent() -> float:
    """CPU seconds of this process, of those that it started, and of the one that tests have forked."""
    return sum(os.times()[:4]) + warm_command.seconds()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, bool, bool]:
    """Hand over with a test's last report what it took since its set-up began."""
    item.user_properties.append(("started", _spent()))
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """The last report of a test is that of its tear-down."""
    report = yield
    if report.when == "teardown":
        started = [float(str(value)) for name, value in item.user_properties if name == "started"]
        report.user_properties.append(("cpu", _spent() - started[-1]))
    return report


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Add up in the process that writes the summary."""
    if report.when == "teardown":
        path = Path(report.location[0])
        folder = path.parts[1] if len(path.parts) > 2 else "."
        took = sum(float(str(value)) for name, value in report.user_properties if name == "cpu")
        _SECONDS[folder] = _SECONDS.get(folder, 0.0) + took
        _TESTS[folder] += 1


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Look for no garbage while tests are collected, nor among them later: all of them stay to the end."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests whose program is missing, and count them."""
    missing: Counter[tuple[str, str]] = Counter()
    if os.environ.get("CI") != "true":
        kept: list[pytest.Item] = []
        left_out: list[pytest.Item] = []
        for item in items:
            lacking = [mark for mark in item.iter_markers("needs") if shutil.which(mark.args[0]) is None]
            missing.update({(mark.args[0], mark.args[1]): 1 for mark in lacking})
            (left_out if lacking else kept).append(item)
        items[:] = kept
        if left_out:
            config.hook.pytest_deselected(items=left_out)
    config.stash[_MISSING] = missing


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Name what is not run, also where one process alone collects."""
    return _not_run(config.stash.get(_MISSING, Counter()))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object | None:
    """A worker process with nothing left takes tests from the end of what another has before it.

    The usual way deals tests out for good, the last ones of the list at the end, and those are long: one worker would
    wait for the other. Also each has one stretch of the list so, and most fixtures of a module are made once.
    """
    if config.getoption("dist") != "load":
        return None  # another way was asked for
    from xdist.scheduler import WorkStealingScheduling  # type: ignore[import-untyped]

    scheduler: object = WorkStealingScheduling(config, log)
    return scheduler


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """A worker process of pytest-xdist hands its counts to the process that writes the summary."""
    output = getattr(node, "workeroutput", {})
    config: pytest.Config = node.config  # type: ignore[attr-defined]  # xdist's WorkerController
    config.stash[_MISSING] = Counter({(tool, line): count for tool, line, count in output.get("missing", ())})


def pytest_sessionfinish(session: pytest.Session) -> None:
    """In a worker process: send the counts with the results."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        counts = session.config.stash.get(_MISSING, Counter())
        output["missing"] = [(tool, line, count) for (tool, line), count in counts.items()]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Say what was not run and how to have it run, and where the time went if that was asked."""
    if config.getoption("--time-by-folder"):
        for folder, seconds in sorted(_SECONDS.items(), key=lambda one: -one[1]):
            terminalreporter.write_line(f"{seconds:7.1f} CPU s  {_TESTS[folder]:5} tests  tests/{folder}")
        terminalreporter.write_line(f"{sum(_SECONDS.values()):7.1f} CPU s  {_TESTS.total():5} tests")
    for line in _not_run(config.stash.get(_MISSING, Counter())):
        terminalreporter.write_line(line, yellow=True)


def _not_run(missing: Counter[tuple[str, str]]) -> list[str]:
    return [
        f"{count} test{'s' if count > 1 else ''} not run: no program {tool!r}; install it with: {line}"
        for (tool, line), count in sorted(missing.items())
    ]


_NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def _cache_folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("caches")


@pytest.fixture(scope="session")
def _compiler_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A folder with the compiler that makes what is the same for every program once, for the workers of xdist too."""
    real, base = shutil.which("g++"), tmp_path_factory.getbasetemp()
    if real is None:
        return ""
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "compiler"
    compiler.put_before(real, folder)
    return str(folder)


@pytest.fixture(autouse=True)
def _headers_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """What runs TorchDynamo may run Inductor, and that its compiler."""
    if request.node.get_closest_marker("dynamo") and (folder := request.getfixturevalue("_compiler_folder")):
        monkeypatch.setenv("PATH", os.pathsep.join([folder, os.environ["PATH"]]))


@pytest.fixture(scope="module")
def headers_once(_compiler_folder: str) -> Iterator[None]:
    """For a fixture of a whole module that runs Inductor, which is made before what is done for each test."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join([_compiler_folder, os.environ["PATH"]]))
        yield


@pytest.fixture
def bare_path(_compiler_folder: str) -> str:
    """`PATH` for a test of what a first start costs: with the real compiler, which keeps nothing."""
    return os.pathsep.join(one for one in os.environ["PATH"].split(os.pathsep) if one != _compiler_folder)


@pytest.fixture(autouse=True)
def _own_cache_folder(_cache_folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads what another run left, or leaves something in the user's folders.

    The folder is made by who writes into it: thousands of empty ones cost more to make than most tests take.
    """
    folder = str(_cache_folders / str(next(_NUMBERS)))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, folder)


@pytest.fixture(scope="session")
def _torch_worker() -> Iterator[SharedWorker]:
    worker = SharedWorker()
    yield worker
    worker.end()


@pytest.fixture(scope="module")
def shared_worker(_torch_worker: SharedWorker) -> Iterator[None]:
    """For tests that run targets in this process, of what is said of a model: one worker imports torch for all.

    Each job is a fork of it, as in any run. Tests of what a worker does when it starts, ends or fails start their own.
    """
    with sharing(_torch_worker):
        yield
