"""The main job of each extra on real input, through the commands that a user types. Each raises `WrongError`.

Only the standard library is used, and clients speak the bare protocols, so that nothing but the extra itself is there.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEMO = ROOT / "fixtures" / "demo"
_LIMIT = 300.0  # seconds for one step: a first compile of Inductor on a busy machine takes more than one minute

CLEAN = "def g(x):\n    return x + 1\n"
PRINTS = """\
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)

    def forward(self, x):
        y = self.layer(x)
        print("called")
        return y + torch.rand_like(y)
"""
READS = "import torch\n\n\n@torch.compile\ndef f(x):\n    if x.sum() > 0:\n        return x\n    return -x\n"
TEST = """\
import torch


def test_it_compiles(compile_check):
    compile_check(torch.nn.Linear(4, 4), torch.randn(2, 4))
"""


class WrongError(Exception):
    """The job was not done: what was printed, or what is missing."""


@dataclass(frozen=True)
class Place:
    """An environment, and an empty folder to work in."""

    environment: Path
    folder: Path

    def program(self, name: str) -> str:
        """A program of the environment."""
        inside = self.environment / "Scripts" / f"{name}.exe" if os.name == "nt" else self.environment / "bin" / name
        return str(inside)

    def write(self, name: str, text: str) -> Path:
        """A file in the folder."""
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def run(self, program: str, *words: str, code: int | None = 0) -> str:
        """What a program prints on its standard output. Raises WrongError for another exit code."""
        done = subprocess.run(
            [self.program(program), *words],
            cwd=self.folder,
            env=surroundings(),
            capture_output=True,
            text=True,
            check=False,
            timeout=_LIMIT,
            stdin=subprocess.DEVNULL,
        )
        if code is not None and done.returncode != code:
            said = " ".join((done.stdout[-300:] + done.stderr[-600:]).split())
            raise WrongError(f"`{program} {' '.join(words)}` ended with {done.returncode}: {said}")
        return done.stdout


def surroundings() -> dict[str, str]:
    """The environment variables of a user: nothing of Python's, nor of an activated environment."""
    return {name: one for name, one in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}


def _hold(condition: object, what: str) -> None:
    if not condition:
        raise WrongError(what)


def lints(place: Place) -> str:
    """Lint the demo and an installed package, with no torch in reach."""
    counts = []
    package = next(place.environment.rglob("click/__init__.py")).parent
    for number, path in enumerate((DEMO, package)):
        report = place.folder / f"{number}.json"
        place.run("compilelint", "check", str(path), "--no-cache", "--output", f"json:{report}", "--exit-zero")
        found = json.loads(report.read_text(encoding="utf-8"))
        _hold(not [one for one in found["notices"] if one["kind"] == "defect"], f"a defect in {path}")
        counts.append((len(found["findings"]), found["summary"]["files_checked"]))
    (demo, _), (_, files) = counts
    _hold(demo > 0 and files > 10, f"findings in the demo: {demo}; files of the package: {files}")
    probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is not None)"
    place.run("python", "-c", probe)
    return f"{demo} findings in the demo, {files} files of click"


def verifies(place: Place) -> str:
    """The README's first `verify`, a fix with its proof, a measurement, and a test with `compile_check`."""
    place.write("net.py", CLEAN)
    report = place.folder / "verify.json"
    place.run("compilelint", "verify", "net:g", "--input", "2x2", "--output", "full", "--output", f"json:{report}")
    (run,) = json.loads(report.read_text(encoding="utf-8"))["targets"]
    parity = run["parity"] or {}
    got = (run["fate"], run["graphs"], len(run["breaks"]), bool(parity.get("compared")), parity.get("divergences"))
    _hold(got == ("ran", 1, 0, True, []), f"verify: {got}")
    prints = place.write("prints.py", PRINTS)
    place.run("compilelint", "fix", "prints:Net", "--input", "2x4", "--verify", "--apply")
    _hold("is_compiling" in prints.read_text(encoding="utf-8"), "fix --verify kept nothing")
    place.run("compilelint", "verify", "prints:Net", "--input", "2x4")
    measured = place.folder / "bench.json"
    # Without Inductor, which compiles for half a minute: the tests measure what it makes
    words = ("net:g", "--input", "2x2", "--quick", "--config", "eager")
    place.run("compilelint", "bench", *words, "--output", f"json:{measured}")
    configurations = json.loads(measured.read_text(encoding="utf-8"))["benches"][0]["configurations"]
    _hold([one["fate"] for one in configurations] == ["ran"], f"bench: {configurations}")
    place.run("python", "-m", "pip", "install", "--quiet", "pytest")
    place.write("test_net.py", TEST)
    place.run("python", "-m", "pytest", "-q", "test_net.py")
    return "verify: 1 graph, equal; fix --verify kept 1; bench measured eager; compile_check passed"


def runs_on_a_cluster(place: Place) -> str:
    """Two targets on a Dask cluster of two processes, and uv for environments."""
    place.write("net.py", CLEAN)
    place.write("other.py", CLEAN.replace("x + 1", "x * 2"))
    report = place.folder / "verify.json"
    where = ("--executor", "dask", "--jobs", "2", "--cache-dir", str(place.folder / "runs"))
    place.run("compilelint", "verify", "net:g", "other:g", "--input", "2x2", *where, "--output", f"json:{report}")
    fates = [one["fate"] for one in json.loads(report.read_text(encoding="utf-8"))["targets"]]
    _hold(fates == ["ran", "ran"], f"fates: {fates}")
    return f"2 targets on 2 processes; {place.run('uv', '--version').strip()}"


def lints_again(place: Place) -> str:
    """An edit brings another report."""
    path = place.write("net.py", CLEAN)
    with _talking(place, "check", "--watch", str(path), "--no-cache", "--output", "concise") as process:
        lines = _Lines(process.stdout)
        errors = _Lines(process.stderr)
        errors.wait_for("watching")
        path.write_text(READS, encoding="utf-8")
        line = lines.wait_for("CL101")
    return f"after the edit: {line.strip()[:60]}"


def serves_an_editor(place: Place) -> str:
    """A client opens a file and gets its diagnostics by the Language Server Protocol."""
    path = place.write("net.py", READS)
    with _talking(place, "server") as process:
        _Framed.send(
            process, "initialize", {"processId": None, "rootUri": place.folder.as_uri(), "capabilities": {}}, 1
        )
        _Framed.wait_for(process, lambda message: message.get("id") == 1)
        _Framed.send(process, "initialized", {})
        document = {"uri": path.as_uri(), "languageId": "python", "version": 1, "text": READS}
        _Framed.send(process, "textDocument/didOpen", {"textDocument": document})
        answer = _Framed.wait_for(process, lambda message: bool(message.get("params", {}).get("diagnostics")))
        codes = [one["code"] for one in answer["params"]["diagnostics"]]
        _Framed.send(process, "shutdown", None, 2)
        _Framed.wait_for(process, lambda message: message.get("id") == 2)
        _Framed.send(process, "exit", None)
        _hold(process.wait(_LIMIT) == 0, f"the server ended with {process.returncode}")
    _hold("CL101" in codes, f"diagnostics: {codes}")
    return f"diagnostics: {', '.join(codes)}"


def serves_an_agent(place: Place) -> str:
    """A session of the Model Context Protocol lists the tools and lints."""
    place.write("net.py", READS)
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "extras", "version": "1"}}
    with _talking(place, "mcp", ".") as process:
        lines = _Lines(process.stdout)

        def ask(number: int, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
            _send_line(process, {"jsonrpc": "2.0", "id": number, "method": method, "params": params})
            while True:
                found: dict[str, Any] = json.loads(lines.next())
                if found.get("id") == number:
                    return found

        ask(1, "initialize", client)
        _send_line(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        tools = [one["name"] for one in ask(2, "tools/list", {})["result"]["tools"]]
        answer = json.dumps(ask(3, "tools/call", {"name": "lint", "arguments": {"paths": ["net.py"]}}))
    _hold("lint" in tools and "CL101" in answer, f"tools {tools}: {answer[:300]}")
    return f"tools: {', '.join(tools)}; lint found CL101"


# ------------------------------------------------------------------- talking


@contextlib.contextmanager
def _talking(place: Place, *words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A command that goes on, and is ended in the end."""
    process = subprocess.Popen(
        [place.program("compilelint"), *words],
        cwd=place.folder,
        env=surroundings(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if "--watch" in words else subprocess.DEVNULL,
    )
    watch = threading.Timer(_LIMIT, process.kill)  # its closed pipes end all waiting for it
    watch.start()
    try:
        yield process
    finally:
        watch.cancel()
        process.kill()
        process.wait()


class _Lines:
    """The lines of a pipe, read by a thread, since another pipe may be waited for meanwhile."""

    def __init__(self, pipe: Any) -> None:
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, args=(pipe,), daemon=True).start()

    def _read(self, pipe: Any) -> None:
        for line in pipe:
            self._lines.put(line.decode("utf-8", "replace"))
        self._lines.put("")

    def next(self) -> str:
        """The next line. Raises WrongError where none comes."""
        line = self._lines.get()
        _hold(line, "it ended without an answer")
        return line

    def wait_for(self, word: str) -> str:
        """The next line that holds a word."""
        while True:
            line = self.next()
            if word in line:
                return line


def _send_line(process: subprocess.Popen[bytes], message: Mapping[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()


class _Framed:
    """Messages of the Language Server Protocol, each behind its length."""

    @staticmethod
    def send(process: subprocess.Popen[bytes], method: str, params: Any, number: int | None = None) -> None:
        """A request with a number, a notification without."""
        message = {"jsonrpc": "2.0", "method": method}
        message |= {} if params is None else {"params": params}
        data = json.dumps(message if number is None else {**message, "id": number}).encode()
        assert process.stdin is not None
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        process.stdin.flush()

    @staticmethod
    def wait_for(process: subprocess.Popen[bytes], wanted: Any) -> dict[str, Any]:
        """The next message that is wanted."""
        pipe = process.stdout
        assert pipe is not None
        while True:
            length = 0
            while line := pipe.readline().strip():
                name, _, value = line.partition(b":")
                length = int(value) if name.lower() == b"content-length" else length
            _hold(length, "the server ended without an answer")
            message: dict[str, Any] = json.loads(pipe.read(length))
            if "method" in message and "id" in message:  # what it asks of the client
                data = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": None}).encode()
                assert process.stdin is not None
                process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
                process.stdin.flush()
            if wanted(message):
                return message
