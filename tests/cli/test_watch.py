"""`check --watch` from outside: a process that lints again after every change, and ends with Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from tests.cli.test_cli import BREAKS, CLEAN, SOURCE_TREE, compilelint_in

WATCHING = "for changes; Ctrl-C ends"


class Watching:
    """The process, and what it has printed so far: to a terminal, or to two pipes that are read as one."""

    def __init__(self, folder: Path, *words: str, terminal: bool = False) -> None:
        import pty  # there is none on Windows

        self.text = ""
        self._seen = 0
        self._read, write = pty.openpty() if terminal else os.pipe()
        os.set_blocking(self._read, False)
        environment = {**os.environ, "PYTHONPATH": SOURCE_TREE, "TERM": "xterm", "NO_COLOR": "1", "COLUMNS": "120"}
        command = [sys.executable, "-m", "compilelint", "check", "--watch", *words]
        self.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=write, stderr=write)
        os.close(write)

    def until(self, words: str, seconds: float = 40) -> str:
        """What was printed since the last call, as soon as some words are in it."""
        deadline = time.monotonic() + seconds
        while words not in self.text[self._seen :]:
            assert time.monotonic() < deadline, f"{words!r} never came:\n{self.text[self._seen :]}"
            try:
                self.text += os.read(self._read, 65536).decode()
            except BlockingIOError:
                time.sleep(0.02)
        end = self.text.index(words, self._seen) + len(words)
        found, self._seen = self.text[self._seen : end], end
        return found

    def ended(self) -> int:
        """The exit code after Ctrl-C."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(20)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(20)
        os.close(self._read)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write(tmp_path / "net.py", BREAKS)
    return tmp_path


@pytest.fixture
def watching(folder: Path, request: pytest.FixtureRequest) -> Iterator[Watching]:
    words = getattr(request, "param", ("--output", "concise", "."))
    made = Watching(folder, *(word for word in words if word != "tty"), terminal="tty" in words)
    yield made
    made.close()


def write(path: Path, text: str) -> None:
    path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")


def test_it_lints_again_after_each_change_and_ends_with_the_last_exit_code(watching: Watching, folder: Path) -> None:
    assert "net.py:7:12: error[CL101]" in watching.until(WATCHING)
    write(folder / "net.py", CLEAN)
    again = watching.until(WATCHING)
    assert "net.py changed; linting" in again
    assert "CL101" not in again
    assert watching.ended() == 0


def test_ctrl_c_after_findings_is_exit_code_1(watching: Watching) -> None:
    watching.until(WATCHING)
    assert watching.ended() == 1


def test_errors_do_not_end_it(watching: Watching, folder: Path) -> None:
    watching.until(WATCHING)
    write(folder / "net.py", "def f(:\n")
    watching.until("error[CL901]")
    write(folder / "compilelint.toml", "selct = []\n")
    watching.until("error: unknown key")
    (folder / "net.py").unlink()
    (folder / "compilelint.toml").unlink()
    watching.until("error: no Python file found")
    write(folder / "net.py", BREAKS)
    watching.until("error[CL101]")
    watching.until(WATCHING)
    assert watching.ended() == 1


@pytest.mark.parametrize("watching", [("tty", ".")], indirect=True, ids=["on a terminal"])
def test_a_terminal_is_cleared_before_a_report_and_not_in_vain(watching: Watching, folder: Path) -> None:
    assert watching.until(WATCHING).count("\x1b[2J\x1b[H") == 1
    write(folder / "net.py", CLEAN)
    again = watching.until(WATCHING)
    assert again.index("\x1b[2J\x1b[H") < again.index("net.py changed; linting") < again.index("All clear")


def test_a_pipe_gets_plain_lines(watching: Watching) -> None:
    assert "\x1b" not in watching.until(WATCHING)


@pytest.mark.parametrize("watching", [("--output", "json:report.json", ".")], indirect=True, ids=["a file"])
def test_a_file_is_kept_up_to_date(watching: Watching, folder: Path) -> None:
    watching.until(WATCHING)
    assert '"CL101"' in (folder / "report.json").read_text(encoding="utf-8")
    write(folder / "net.py", CLEAN)
    watching.until(WATCHING)
    assert '"CL101"' not in (folder / "report.json").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--fix"], "does not go with --fix"),
        (["--diff"], "does not go with --diff"),
        (["--add-ignore"], "does not go with --add-ignore"),
        (["--baseline", "b.json", "--update-baseline"], "does not go with --update-baseline"),
        (["--show-files"], "does not go with --show-files"),
        (["-"], "does not go with -"),
        (["--output", "sarif"], "write --output sarif:FILE"),
        (["nowhere"], "no such file or folder (nowhere)"),
    ],
)
def test_what_makes_no_sense_again_and_again_is_refused_in_a_line(
    folder: Path, words: list[str], complaint: str
) -> None:
    ran = compilelint_in(folder, "check", "--watch", *words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert complaint in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_without_watchfiles_it_names_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles._rust_notify", None)
    ran = compilelint_in(folder, "check", "--watch", ".")
    assert ran.returncode == 2
    assert "pip install 'compilelint[watch]'" in ran.stderr
