"""The door `verify`: it runs code and says so, and keeps that code from programs, the network and the rest of the disk.

`refuse` cannot be undone, so each case runs in a process of its own; the last ones go through the real worker.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.dynamic import orphans
from tests.security.hostile import ROOT, compilelint

HEAD = "from compilelint.dynamic.worker.limits import refuse\nimport os, sys\nrefuse({allowed!r})\n"


def worker(tmp_path: Path, code: str, allowed: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """Code under the limits, with a scratch folder, in a folder of a project."""
    project, temporary = tmp_path / "project", tmp_path / "tmp"
    scratch = temporary / "compilelint-run-1"
    for folder in (project, scratch):
        folder.mkdir(parents=True, exist_ok=True)
    (project / "kept.txt").write_text("kept", encoding="utf-8")
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "src"),
        "TMPDIR": str(scratch),
        "COMPILELINT_TEMPORARY": str(temporary),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    program = HEAD.format(allowed=allowed) + code
    return subprocess.run(
        [sys.executable, "-c", program],
        cwd=project,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


REFUSED = [
    pytest.param("import subprocess; subprocess.run(['touch', 'mark'])", "subprocess", id="program by a list"),
    pytest.param("import subprocess; subprocess.check_output('touch mark', shell=True)", "subprocess", id="shell"),
    pytest.param("os.system('touch mark')", "subprocess", id="system"),
    pytest.param("os.popen('touch mark').read()", "subprocess", id="pipe"),
    pytest.param("os.execvp('touch', ['touch', 'mark'])", "subprocess", id="exec"),
    pytest.param("os.posix_spawnp('touch', ['touch', 'mark'], os.environ)", "subprocess", id="spawn"),
    pytest.param(
        "import multiprocessing as m; m.get_context('spawn').Process(target=os.getpid).start()",
        "subprocess",
        id="process that is spawned",
    ),
    pytest.param("os.forkpty()", "subprocess", id="fork with a terminal"),
    pytest.param("import platform\nplatform.os = None\nos.system('touch mark')", "subprocess", id="after a question"),
    pytest.param("import pty; pty.spawn(['touch', 'mark'])", "subprocess", id="terminal"),
    pytest.param("os.fork() or os.system('touch mark'); os.wait()", "", id="program of a fork"),
    pytest.param("import socket; socket.create_connection(('127.0.0.1', 9), 1)", "network", id="connection"),
    pytest.param("import socket; socket.getaddrinfo('localhost', 80)", "network", id="name look-up"),
    pytest.param("import socket; socket.socket().bind(('127.0.0.1', 0))", "network", id="server"),
    pytest.param("import urllib.request; urllib.request.urlopen('http://127.0.0.1:9/')", "network", id="download"),
    pytest.param("import socket; socket.socket(socket.AF_UNIX).connect('/run/docker.sock')", "network", id="daemon"),
    pytest.param("open('mark', 'w')", "writes", id="new file"),
    pytest.param("open('kept.txt', 'a')", "writes", id="append"),
    pytest.param("open('kept.txt', 'r+')", "writes", id="update"),
    pytest.param("os.open('mark', os.O_WRONLY | os.O_CREAT)", "writes", id="descriptor"),
    pytest.param("os.remove('kept.txt')", "writes", id="remove"),
    pytest.param("os.rename('kept.txt', 'mark')", "writes", id="rename"),
    pytest.param("os.mkdir('mark')", "writes", id="folder"),
    pytest.param("os.symlink('/etc/passwd', 'mark')", "writes", id="link"),
    pytest.param("os.truncate('kept.txt', 0)", "writes", id="truncate"),
    pytest.param("os.chmod('kept.txt', 0o777)", "writes", id="mode"),
    pytest.param("os.remove('kept.txt', dir_fd=os.open('.', 0))", "writes", id="remove in an open folder"),
    pytest.param(
        "here = os.open('.', 0); os.chdir(os.environ['TMPDIR']); os.mkdir('mark', dir_fd=here)",
        "writes",
        id="folder in an open folder, from the scratch folder",
    ),
    pytest.param("os.setxattr('kept.txt', 'user.x', b'1')", "writes", id="attribute"),
    pytest.param("os.fchmod(os.open('kept.txt', 0), 0o777)", "writes", id="open file: mode"),
    pytest.param("os.chmod(os.open('kept.txt', 0), 0o777)", "writes", id="open file: mode by its number"),
    pytest.param("os.utime(os.open('kept.txt', 0), (1, 1))", "writes", id="open file: time"),
    pytest.param("os.setxattr(os.open('kept.txt', 0), 'user.x', b'1')", "writes", id="open file: attribute"),
    pytest.param("os.mkfifo('mark')", "writes", id="no event: pipe"),
    pytest.param("os.mknod('mark')", "writes", id="no event: node"),
    pytest.param(
        "here = os.open('.', 0); os.chdir(os.environ['TMPDIR']); os.open('mark', os.O_CREAT | os.O_RDWR, dir_fd=here)",
        "writes",
        id="no event: file in an open folder, from the scratch folder",
    ),
    pytest.param("import sqlite3; sqlite3.connect('file:mark', uri=True)", "writes", id="database by its address"),
    pytest.param("import shelve; shelve.open('mark')", "writes", id="shelf"),
    pytest.param("import logging; logging.basicConfig(filename='mark')", "writes", id="log"),
    pytest.param("import shutil; shutil.rmtree('.')", "writes", id="remove a tree"),
    pytest.param("import shutil; shutil.copy('kept.txt', 'mark')", "writes", id="copy"),
    pytest.param("import sqlite3; sqlite3.connect('mark')", "writes", id="database"),
    pytest.param(
        "os.symlink(os.getcwd(), os.environ['TMPDIR'] + '/out'); open(os.environ['TMPDIR'] + '/out/mark', 'w')",
        "writes",
        id="file behind a link in the scratch folder",
    ),
    pytest.param("open(os.environ['TMPDIR'] + '/../../mark', 'w')", "writes", id="file above the scratch folder"),
    pytest.param("open(b'mark', 'w')", "writes", id="name of bytes"),
    pytest.param("import pathlib; pathlib.Path('mark').write_text('x')", "writes", id="pathlib"),
]


@pytest.mark.parametrize(("code", "kind"), REFUSED)
def test_what_a_target_does_not_get(code: str, kind: str, tmp_path: Path) -> None:
    done = worker(tmp_path, code)
    assert not list(tmp_path.rglob("mark"))
    assert (tmp_path / "project" / "kept.txt").read_text(encoding="utf-8") == "kept"
    assert "RefusedError: compilelint does not let a target" in done.stderr
    assert f"--allow-{kind}" in done.stderr


@pytest.mark.parametrize(
    ("code", "allowed"),
    [
        pytest.param("import subprocess; subprocess.run(['touch', 'mark'])", ("subprocess",), id="program"),
        pytest.param("open('mark', 'w')", ("writes",), id="file"),
        pytest.param(
            "import socket; socket.socket().bind(('127.0.0.1', 0)); os.open(os.devnull, 1)", ("network",), id="net"
        ),
    ],
)
def test_what_is_allowed_works(code: str, allowed: tuple[str, ...], tmp_path: Path) -> None:
    assert worker(tmp_path, code, allowed).returncode == 0


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("import tempfile; tempfile.NamedTemporaryFile('w').write('x')", id="temporary file"),
        pytest.param("open(os.devnull, 'w').write('x')", id="null device"),
        pytest.param("import tempfile\nwith tempfile.TemporaryDirectory() as f: open(f + '/x', 'w')", id="folder"),
        pytest.param("import ctypes.util; assert ctypes.util.find_library('c')", id="library by name"),
        pytest.param("import platform, uuid; platform.processor(); uuid.getnode()", id="what machine it is"),
        pytest.param(
            "from multiprocessing.shared_memory import SharedMemory as S; s = S(create=True, size=8); s.unlink()",
            id="shared memory",
        ),
        pytest.param(
            "import multiprocessing as m\nwith m.get_context('fork').Pool(1) as p: p.map(abs, [1])", id="pool of forks"
        ),
        pytest.param("os.makedirs('.', exist_ok=True)", id="folder that is there"),
        pytest.param("os.close(os.open('kept.txt', os.O_RDONLY)); os.open(path='.', flags=0)", id="descriptor"),
        pytest.param(
            "import shutil, tempfile; f = tempfile.mkdtemp(); os.mkfifo(f + '/p'); os.chmod(os.open(f, 0), 0o700);"
            "assert shutil.rmtree.avoids_symlink_attacks; shutil.rmtree(f)",
            id="pipe and mode in the scratch folder",
        ),
        pytest.param("os.read(os.pipe()[0], 0); print(open('kept.txt').read())", id="reading"),
        pytest.param("os.wait() if os.fork() else os._exit(0)", id="copy of the process"),
        pytest.param("import sqlite3; sqlite3.connect(':memory:')", id="database in memory"),
        pytest.param("import json, random, decimal, email.message", id="imports"),
        pytest.param("import socket; a, b = socket.socketpair(); a.sendall(b'x'); b.recv(1)", id="pair of sockets"),
    ],
)
def test_what_models_do_is_let_through(code: str, tmp_path: Path) -> None:
    done = worker(tmp_path, code)
    assert done.returncode == 0, done.stderr


def test_processes_are_found_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    """With psutil in its place: a stand-in that knows two processes, one of them ours."""

    class Process:
        def __init__(self, pid: int = 7) -> None:
            self.pid = pid

        def environ(self) -> dict[str, str]:
            return {orphans.MARK: "m"} if self.pid == 7 else {}

        def memory_info(self) -> Process:
            return self

        rss = 4096

    class Psutil:
        Error = KeyError

        def process_iter(self) -> list[Process]:
            return [Process(7), Process(8)]

        def Process(self, pid: int) -> Process:  # noqa: N802
            return Process(pid)

    monkeypatch.setitem(sys.modules, "psutil", Psutil())
    monkeypatch.setattr(Path, "exists", lambda path: False)
    assert orphans.marked("m") == [7]
    assert orphans.resident_bytes("m") == 4096


MODEL = """\
import torch
{line}


class Net(torch.nn.Module):
    def forward(self, x):
        return x + 1
"""


@pytest.mark.dynamo
@pytest.mark.parametrize(
    ("line", "reported"),
    [
        pytest.param("import os; os.system('touch mark')", "--allow-subprocess", id="shell on import"),
        pytest.param(
            "import subprocess, sys; subprocess.run([sys.executable, '-m', 'pip', 'install', 'x'])", "pip", id="pip"
        ),
        pytest.param("open('mark', 'w')", "--allow-writes", id="file on import"),
        pytest.param("import socket; socket.create_connection(('127.0.0.1', 9))", "--allow-network", id="network"),
    ],
)
def test_an_import_that_does_more_than_define_a_model_is_refused(line: str, reported: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(MODEL.format(line=line), encoding="utf-8")
    done = compilelint(tmp_path, "verify", "net:Net", "--input", "2x3", "--isolated")
    assert done.returncode == 1, done.stderr
    assert reported in done.stdout + done.stderr
    assert not (tmp_path / "mark").exists()


@pytest.mark.dynamo
def test_a_model_without_ambitions_runs_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(MODEL.format(line="import tempfile; tempfile.mkdtemp()"), encoding="utf-8")
    done = compilelint(tmp_path, "verify", "net:Net", "--input", "2x3", "--isolated", "--no-parity")
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net.py"]


def test_init_without_verify_runs_nothing(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(MODEL.format(line="open('mark', 'w')"), encoding="utf-8")
    done = compilelint(tmp_path, "init")
    assert done.returncode == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["compilelint.toml", "net.py"]


@pytest.mark.parametrize("command", ["verify", "bench", "fix"])
def test_what_runs_code_says_so(command: str, tmp_path: Path) -> None:
    assert "THIS RUNS YOUR CODE" in " ".join(compilelint(tmp_path, command, "--help").stdout.split())


@pytest.mark.parametrize("command", ["check", "rule", "config", "facts", "score", "cache", "completion"])
def test_what_runs_no_code_does_not(command: str, tmp_path: Path) -> None:
    assert "RUNS YOUR CODE" not in " ".join(compilelint(tmp_path, command, "--help").stdout.split())
