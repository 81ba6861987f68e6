"""compilelint as another process: a linted tree that names its modules as ours or Python's does not run in it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from compilelint import __version__
from compilelint.session.own_process import command_of


@pytest.mark.parametrize("shadow", ["compilelint/__init__.py", "compilelint.py", "json.py", "click.py", "torch.py"])
def test_a_module_of_the_folder_is_not_imported(tmp_path: Path, shadow: str) -> None:
    (tmp_path / shadow).parent.mkdir(exist_ok=True)
    (tmp_path / shadow).write_text("raise SystemExit('the linted tree was run')\n")
    done = subprocess.run(command_of(["--version"]), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, __version__ in done.stdout) == (0, True), done.stderr


def test_a_relative_entry_of_the_path_counts_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("beside")
    monkeypatch.syspath_prepend("")
    assert str(tmp_path / "beside") in command_of([])
    assert "" not in command_of([])


def test_it_ends_with_a_parent_that_is_killed(tmp_path: Path) -> None:
    """A server that the system or its editor kills leaves no `verify` behind."""
    mark = tmp_path / "pid"
    work = f"import os, time; open({str(mark)!r}, 'w').write(str(os.getpid())); time.sleep(60)"
    parent = (
        "import subprocess, time\nfrom compilelint.session import own_process\n"
        f"own_process._START = {work!r}\n"
        "subprocess.Popen(own_process.command_of([], ends_with_us=True))\ntime.sleep(60)\n"
    )
    running = subprocess.Popen([sys.executable, "-c", parent])
    try:
        _until(lambda: mark.is_file() and bool(mark.read_text()))
        child = int(mark.read_text())
    finally:
        running.kill()
        running.wait()
    _until(lambda: not _lives(child))


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
