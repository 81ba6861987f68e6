"""The command in a process of its own that has not to load our modules first: a fork of one that has.

Most of what a small lint costs is loading Python and ourselves. The tests that start hundreds of them are about what a
tree says, not about how a process begins; those that are (import paths, variables that Python reads, closed streams,
memory) start a fresh process. A fork has the folder, the environment and the streams that it is given; that its working
state is its own, and that it says what a fresh process says, is tested beside.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[2]
_START = "import sys; del sys.path[0]; sys.path.append(sys.argv[1]); "
_SERVE = "from tests.support.warm_command import serve; sys.path.remove(sys.argv[1]); serve(int(sys.argv[2]))"
_SECONDS = 120
_NOT_LOADED = ("worker", "__main__", "generate", "pytest_plugin")


class _Server:
    """The process that is forked; it lives as long as the tests."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(_SECONDS)
        self.seconds = 0.0
        self.process = subprocess.Popen(
            [sys.executable, "-c", _START + _SERVE, str(ROOT), str(theirs.fileno())],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
        )
        theirs.close()

    def code(self, request: Mapping[str, object], streams: list[int]) -> int:
        """The exit code of a fork, as `subprocess` gives it. Raises TimeoutError, and ConnectionError if it is gone."""
        text = json.dumps(request).encode()
        socket.send_fds(self._socket, [len(text).to_bytes(4, "big")], streams)
        self._socket.sendall(text)
        answer = self._socket.recv(100)
        if not answer:
            raise ConnectionError("the process that is forked has ended")
        code, self.seconds = json.loads(answer)
        return int(code)

    def end(self) -> None:
        """Let it end, and wait for it, so that its time counts as ours."""
        self._socket.close()
        self.process.wait(_SECONDS)


@functools.cache
def _server() -> _Server:
    made = _Server()
    atexit.register(made.end)
    return made


def seconds() -> float:
    """CPU seconds that it and its forks have taken so far."""
    return _server().seconds if _server.cache_info().currsize else 0.0


def warm_command(
    folder: Path, words: tuple[str, ...], environment: Mapping[str, str], given: str | None = None
) -> subprocess.CompletedProcess[str]:
    """Run `compilelint WORDS` in a folder, with that environment alone. Raises TimeoutError after two minutes."""
    with contextlib.ExitStack() as opened:
        streams: list[IO[bytes]] = [opened.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        streams[0].write((given or "").encode())
        streams[0].seek(0)
        request = {"folder": os.fspath(folder), "words": words, "environment": dict(environment)}
        try:
            code = _server().code(request, [stream.fileno() for stream in streams])
        except OSError:  # also TimeoutError: what is left of it must not answer the next one
            _server().process.kill()
            _server.cache_clear()
            raise
        texts = []
        for stream in streams[1:]:
            stream.seek(0)
            texts.append(io.TextIOWrapper(stream, encoding="utf-8", errors="replace").read())
        return subprocess.CompletedProcess(["compilelint", *words], code, *texts)


def serve(number: int) -> None:
    """Load all of ours, then answer requests until the other end is closed."""
    source = ROOT / "src" / "compilelint"
    for path in sorted(source.rglob("*.py")):
        name = ".".join(path.relative_to(source.parent).with_suffix("").parts).removesuffix(".__init__")
        if not any(word in name for word in _NOT_LOADED):
            importlib.import_module(name)
    for name in ("libcst", "rich.console", "jinja2", "sarif_om", "json", "xml.etree.ElementTree"):
        importlib.import_module(name)
    asked = socket.socket(fileno=number)
    while True:
        size, streams, _, _ = socket.recv_fds(asked, 4, 3)
        if len(size) < 4:
            return
        text = b""
        while len(text) < int.from_bytes(size, "big"):
            text += asked.recv(1 << 16)
        child = os.fork()
        if child == 0:
            _become(json.loads(text), streams, asked)
        for stream in streams:
            os.close(stream)
        _, status = os.waitpid(child, 0)
        asked.sendall(json.dumps([os.waitstatus_to_exitcode(status), sum(os.times()[:4])]).encode())


def _become(request: dict[str, Any], streams: list[int], asked: socket.socket) -> None:
    """In a fork: be the command, and end as it does."""
    code = 1
    try:
        asked.close()
        os.chdir(request["folder"])
        os.environ.clear()
        os.environ.update(request["environment"])
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 - they live as long as the process
        coding = os.environ.get("PYTHONIOENCODING")
        sys.stdout = open(1, "w", closefd=False, encoding=coding)  # noqa: SIM115
        sys.stderr = open(2, "w", closefd=False, encoding=coding, errors="backslashreplace")  # noqa: SIM115
        signal.set_wakeup_fd(-1)
        sys.argv[:] = ["-c", *request["words"]]
        from compilelint.__main__ import start

        start()
        code = 0
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    except BaseException:  # noqa: BLE001  # as an interpreter ends
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.flush()
        os._exit(code)
