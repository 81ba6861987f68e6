"""What holds for every test, and which tests run: `pytest` the quick ones, `pytest -m slow` the others, CI all.

A test that needs a program which pip does not bring is marked `@pytest.mark.needs("chromium", "apt-get install ...")`.
Where the program is missing the test is left out, and the summary names it with the line that installs it. Under
`CI=true` nothing is left out: there a missing program is a failure.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from pathlib import Path

import pytest

_MISSING = pytest.StashKey[Counter[tuple[str, str]]]()


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
    """Say what was not run, and how to have it run."""
    for line in _not_run(config.stash.get(_MISSING, Counter())):
        terminalreporter.write_line(line, yellow=True)


def _not_run(missing: Counter[tuple[str, str]]) -> list[str]:
    return [
        f"{count} test{'s' if count > 1 else ''} not run: no program {tool!r}; install it with: {line}"
        for (tool, line), count in sorted(missing.items())
    ]


@pytest.fixture(autouse=True)
def _own_cache_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads what another run left, or leaves something in the user's cache folder."""
    folder: Path = tmp_path_factory.mktemp("cache")
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(name, str(folder))
