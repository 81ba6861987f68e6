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
    pytest.param("open(':memory:', 'w')", "writes", id="file named like a database in memory"),
    pytest.param(
        "import sqlite3; os.chdir(os.environ['TMPDIR']); sqlite3.connect('file:..%2f..%2fproject%2fmark', uri=True)",
        "writes",
        id="database by an address with escapes, from the scratch folder",
    ),
    pytest.param(
        "import sqlite3; sqlite3.connect('file://localhost' + os.getcwd() + '/mark', uri=True)",
        "writes",
        id="database by the address of a host",
    ),
    pytest.param(
        "import sqlite3; type('C', (sqlite3.Connection,), {})('mark')", "writes", id="database of a class of its own"
    ),
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


DATABASE = """\
import sqlite3, threading
c = sqlite3.connect({database})
try:
    {statement}
    c.execute("create table m.t(x)"), c.commit()
except sqlite3.DatabaseError as error:
    sys.exit(f"refused: {{error}}")
"""


@pytest.mark.parametrize("database", ["':memory:'", "os.environ['TMPDIR'] + '/own.db'", "''"])
@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("c.execute(\"ATTACH 'mark' AS m\")", id="by a literal"),
        pytest.param("c.execute('ATTACH ? AS m', ('mark',))", id="by a parameter"),
        pytest.param("c.execute(\"ATTACH 'ma' || 'rk' AS m\")", id="by an expression"),
        pytest.param("c.execute('attach database mark as m')", id="by a bare word"),
        pytest.param("c.execute(\"ATTACH 'file:mark?mode=rwc' AS m\")", id="by an address"),
        pytest.param(
            "os.chdir(os.environ['TMPDIR']); c.execute(\"ATTACH 'file:%2e%2e/%2e%2e/project/mark' AS m\")",
            id="by an address with escapes",
        ),
        pytest.param("c.executescript(\"SELECT 1; ATTACH 'mark' AS m\")", id="in a script"),
        pytest.param("c.cursor().executemany(\"ATTACH ? AS m\", [('mark',)])", id="many times"),
        pytest.param("c.execute(\"VACUUM INTO 'mark'\")", id="copy by VACUUM INTO"),
        pytest.param("c.execute('VACUUM INTO ?', ('mark',))", id="copy by VACUUM INTO and a parameter"),
        pytest.param(
            "c.set_authorizer(lambda *a: 0); c.execute(\"ATTACH 'mark' AS m\")", id="after an authorizer of its own"
        ),
        pytest.param('c.execute("PRAGMA temp_store_directory = \'" + os.getcwd() + "\'")', id="folder of spilled rows"),
        pytest.param(
            "os.symlink(os.getcwd(), os.environ['TMPDIR'] + '/out');"
            "c.execute(f\"ATTACH '{os.environ['TMPDIR']}/out/mark' AS m\")",
            id="behind a link in the scratch folder",
        ),
    ],
)
def test_a_database_attaches_nothing_outside(statement: str, database: str, tmp_path: Path) -> None:
    done = worker(tmp_path, DATABASE.format(database=database, statement=statement))
    assert not list(tmp_path.rglob("mark"))
    assert done.returncode == 1
    assert "refused: " in done.stderr
    assert "--allow-writes" in done.stderr


@pytest.mark.parametrize(
    "made",
    [
        pytest.param("sqlite3.Connection(':memory:')", id="the class"),
        pytest.param("sqlite3.dbapi2.connect(':memory:')", id="by the other name"),
        pytest.param("sqlite3.connect(':memory:', 5.0, 0, None, True, C)", id="a factory by position"),
        pytest.param("sqlite3.connect(':memory:', factory=C)", id="a factory by name"),
        pytest.param("C('file:x?mode=memory', uri=True)", id="a class of its own"),
        pytest.param("sqlite3.connect(database=':memory:')", id="the database by name"),
    ],
)
def test_every_connection_is_asked(made: str, tmp_path: Path) -> None:
    code = "import sqlite3\nclass C(sqlite3.Connection): pass\n" + DATABASE.replace(
        "sqlite3.connect({database})", made
    ).format(statement="c.execute(\"ATTACH 'mark' AS m\")")
    done = worker(tmp_path, code)
    assert "refused: " in done.stderr
    assert not list(tmp_path.rglob("mark"))


def test_a_connection_past_ours_is_refused(tmp_path: Path) -> None:
    done = worker(tmp_path, "import sqlite3; sqlite3.Connection.__mro__[1](':memory:')")
    assert "past `sqlite3.connect`" in done.stderr


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("c.execute(f\"ATTACH '{os.environ['TMPDIR']}/other.db' AS m\")", id="in the scratch folder"),
        pytest.param("c.execute(\"ATTACH ':memory:' AS m\")", id="in memory"),
        pytest.param("c.execute(\"ATTACH 'file::memory:?cache=shared' AS m\")", id="in memory by an address"),
        pytest.param("c.execute(\"ATTACH '' AS m\")", id="a nameless one"),
        pytest.param("c.execute('VACUUM'); c.execute(\"ATTACH '' AS m\")", id="after tidying up"),
        pytest.param(
            "c.execute(f\"VACUUM INTO '{os.environ['TMPDIR']}/copy.db'\"); c.execute(\"ATTACH '' AS m\")", id="a copy"
        ),
        pytest.param(
            "c.set_authorizer(lambda *a: 0); c.set_authorizer(None); c.execute(\"ATTACH '' AS m\")", id="an authorizer"
        ),
        pytest.param(
            "import shutil; sqlite3.connect(os.environ['TMPDIR'] + '/b.db').backup(c); c.execute(\"ATTACH '' AS m\")",
            id="after a backup",
        ),
    ],
)
@pytest.mark.parametrize("database", ["':memory:'", "os.environ['TMPDIR'] + '/own.db'", "'file::memory:', uri=True"])
def test_a_database_attaches_what_may_be_written(code: str, database: str, tmp_path: Path) -> None:
    done = worker(tmp_path, DATABASE.format(database=database, statement=code))
    assert done.returncode == 0, done.stderr
    assert not done.stderr


def test_an_authorizer_of_the_target_is_asked_too(tmp_path: Path) -> None:
    code = """
import sqlite3
c = sqlite3.connect(':memory:')
c.set_authorizer(lambda action, *rest: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_CREATE_TABLE else 0)
try:
    c.execute("create table t(x)")
except sqlite3.DatabaseError:
    print("denied")
"""
    assert worker(tmp_path, code).stdout == "denied\n"


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
