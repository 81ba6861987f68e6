"""The door of the process itself: streams that are closed or full, Ctrl-C, little memory. One line, the right code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint import cli
from tests.security.hostile import BREAKS, ROOT

START = f"{sys.executable} -m compilelint --no-cache"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(BREAKS, encoding="utf-8")
    return tmp_path


def shell(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "NO_COLOR": "1"}
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        pytest.param("net.py >&-", 2, "standard output: it is closed", id="closed output"),
        pytest.param("net.py >/dev/full", 2, "standard output: no space left on device", id="full output"),
        pytest.param("net.py --output json:/dev/full", 2, "no space left on device", id="full report"),
        pytest.param("- <&-", 2, "standard input is closed", id="closed input"),
        pytest.param("net.py --output json:report.json <&-", 1, "", id="closed input that is not asked for"),
        pytest.param("net.py >/dev/null 2>&-", 1, "", id="closed errors"),
        pytest.param("net.py >&- 2>&- <&-", 2, "", id="all closed"),
        pytest.param("- < <(head -c 6000000 /dev/zero)", 2, "more than 5 MB", id="endless input"),
    ],
)
def test_a_stream_that_is_not_there_is_one_line(folder: Path, command: str, code: int, words: str) -> None:
    done = shell(folder, f"{START} {command}")
    assert done.returncode == code, done.stderr
    assert words in done.stderr
    assert len(done.stderr.splitlines()) == (1 if words else 0)


def test_a_closed_descriptor_is_given_to_no_file(folder: Path) -> None:
    """Else the first file that is opened is standard output, and the report is written into it."""
    shell(folder, f"{START} net.py --fix >&- 2>&-")
    assert (folder / "net.py").read_text(encoding="utf-8") == BREAKS


def test_a_reader_that_has_seen_enough_is_no_error(folder: Path) -> None:
    done = shell(folder, f"set -o pipefail; {START} net.py | true; exit ${{PIPESTATUS[0]}}")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("megabytes", [60, 90, 130, 300])
def test_little_memory_is_a_verdict_or_one_line(folder: Path, megabytes: int) -> None:
    done = shell(folder, f"ulimit -v {megabytes * 1000}; {START} net.py --output concise")
    if done.returncode == 1:
        assert "net.py:5:8" in done.stdout
    else:
        assert done.returncode == 2
        assert "not enough memory" in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("error", "limited", "lacks"),
    [
        (MemoryError(), False, True),
        (RuntimeError("can't start new thread"), False, True),
        (RuntimeError("can't allocate read lock"), False, True),
        (RuntimeError("something else"), True, False),
        (SystemError("error return without exception set"), True, True),
        (SystemError("<function f> returned NULL without setting an exception"), True, True),
        (SystemError("error return without exception set"), False, False),
        (SystemError("bad argument to internal function"), True, False),
    ],
)
def test_what_lack_of_memory_looks_like(
    error: Exception, limited: bool, lacks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*args: object, **more: object) -> int:
        raise error

    monkeypatch.setattr(cli.app, "main", fail)
    monkeypatch.setattr(cli, "_is_memory_limited", lambda: limited)
    if lacks:
        assert cli.run([]) == 2
    else:
        with pytest.raises(type(error)):
            cli.run([])


INTERRUPT = """\
import os, runpy, signal, sys
sys.argv = ["compilelint", "net.py", "--no-cache"]
signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGINT))
import compilelint.__main__ as main
original = signal.signal
def install(number, handler):
    found = original(number, handler)
    if number == signal.SIGINT and handler is main._interrupted:
        signal.setitimer(signal.ITIMER_REAL, {seconds})
    return found
main.signal.signal = install
main.start()
"""


@pytest.mark.parametrize("seconds", [0.001, 0.01, 0.03, 0.06, 0.1, 0.2])
def test_ctrl_c_is_one_line_from_our_first_on(folder: Path, seconds: float) -> None:
    layers = [
        f"class Net{n}(nn.Module):\n    def forward(self, x):\n        return x.relu() + {n}\n" for n in range(4000)
    ]
    (folder / "net.py").write_text(
        "from torch import nn\n" + "".join(layers)
    )  # seconds of work: the signal comes first
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT.format(seconds=seconds)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stderr.strip() == "compilelint: interrupted"
    assert done.returncode == 130


WRAPPED = """\
import compilelint.cli as cli

class Slow:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

def run(argv):
    class Field:
        slow = Slow()

cli.run = run
cli.main([])
"""


def test_ctrl_c_in_the_middle_of_a_class_is_one_line(folder: Path) -> None:
    """Python before 3.12 turns what interrupts a `__set_name__` into a RuntimeError."""
    done = shell(folder, f"{sys.executable} -c '{WRAPPED}'")
    assert done.stderr.strip() == "compilelint: interrupted"
    assert done.returncode == 130
