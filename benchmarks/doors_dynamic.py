"""The cases of `benchmarks.doors` that run targets: clusters that hang, lie or lose their client, hostile targets."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.doors_case import Facts, run
from benchmarks.fleet.endure import cluster, command, project, results

_TARGETS = 6
_SECONDS = 30  # the time limit of a target
_POISON = """\
import os
import compilelint.fleet.hands as hands

real, answers = hands.perform, [7, None, {}, {"observed": 1}, {"refused": 3}]
try:
    os.close(os.open(FIRST, os.O_CREAT | os.O_EXCL))  # one worker of two
    hands.perform = lambda task: answers.pop() if answers else real(task)
except FileExistsError:
    pass
"""
_IMPATIENT = (
    "import sys; del sys.path[0]; from compilelint.fleet import attempts; attempts.STARTING = 20.0; "
    "attempts.QUEUED = 60.0; from compilelint.__main__ import start; start()"
)
_MARK = "doors-target"
_HOSTILE = {
    "Exits": "os._exit(0)",
    "Raises": "raise BaseException('no')",
    "Hangs": "while True:\n            x = x + 1",
    "Grows": "kept = []\n        while True:\n            kept.append(torch.ones(64, 1 << 20))",
    "Kills": "os.kill(os.getpid(), 9)",
    "Floods": "os.write(1, b'x' * 50_000_000)\n        return x",
    "Forges": "[_forge(n) for n in range(3, 64)]\n        return x",
    "Leaves": "os.fork() or (os.setsid(), time.sleep(600), os._exit(0))\n        return x",
    "Stops": "os.kill(os.getpid(), 19)\n        return x",
}
_HEAD = """\
import os
import time

import torch


def _forge(number):
    try:
        os.write(number, b'{"event": "done", "number": 1, "observed": {"fate": "ran"}}\\n')
    except OSError:
        pass


"""


@contextmanager
def _tiny(folder: Path) -> Iterator[tuple[Path, list[dict[str, Any]]]]:
    """A project of a few targets, and what they come to on this machine."""
    project(folder / "project", _TARGETS, faults=False)
    table = folder / "project" / "compilelint.toml"
    table.write_text(table.read_text(encoding="utf-8").replace("timeout = 120", f"timeout = {_SECONDS}"))
    here = folder / "here.json"
    subprocess.run(command(here, "-q"), cwd=folder / "project", check=True, capture_output=True)
    yield folder / "project", results(here)


def poisoned(folder: Path, facts: Facts) -> None:
    """One of two workers answers with anything but answers."""
    poison = folder / "poison.py"
    poison.write_text(_POISON.replace("FIRST", repr(str(folder / "first"))), encoding="utf-8")
    os.environ["DASK_DISTRIBUTED__WORKER__PRELOAD"] = str(poison)
    try:
        with _tiny(folder) as (tree, alone), cluster(folder, 2) as (address, _):
            there = folder / "there.json"
            where = ("--executor", f"dask://{address}", "--cache-dir", str(folder / "cache"))
            done = subprocess.run(command(there, *where), cwd=tree, capture_output=True, text=True, check=False)
            facts.ended("a worker that lies", done, 0, 1)
            together = results(there)
    finally:
        del os.environ["DASK_DISTRIBUTED__WORKER__PRELOAD"]
    same = sum(first == second for first, second in zip(alone, together, strict=True))
    unread = sum(one["fate"] == "no-answer" for one in together)
    facts.seen("targets", len(together), len(together) == _TARGETS)
    facts.seen("as on this machine", same, same + unread == _TARGETS)
    facts.seen("answers that cannot be read", unread, unread > 0)


def hung(folder: Path, facts: Facts) -> None:
    """A worker is stopped while it holds a target, and never goes on; the run ends, and is resumed elsewhere."""
    with _tiny(folder) as (tree, alone), cluster(folder, 1) as (address, workers):
        there, cache = folder / "there.json", folder / "cache"
        where = ("--executor", f"dask://{address}", "--cache-dir", str(cache))
        words = [sys.executable, "-c", _IMPATIENT, *command(there, *where)[3:]]
        client = subprocess.Popen(words, cwd=tree, stderr=subprocess.PIPE, text=True)
        assert client.stderr is not None
        said = ""
        for line in client.stderr:
            said += line
            if " of " in line:  # the first answer is there
                os.kill(workers[0].pid, signal.SIGSTOP)
                break
        begin = time.monotonic()
        said += client.communicate(timeout=400)[1]
        facts.seen("seconds until it is given up", round(time.monotonic() - begin), time.monotonic() - begin < 200)
        ended = subprocess.CompletedProcess(words, client.returncode, "", said)
        facts.ended("a worker that hangs", ended, 2, says="--resume")
        os.kill(workers[0].pid, signal.SIGCONT)
        workers[0].kill()
    run_name = max(path.stem for path in (cache / "runs").glob("*.jsonl"))
    again = command(there, "--cache-dir", str(cache), "--resume", run_name)
    done = subprocess.run(again, cwd=tree, capture_output=True, text=True, check=False)
    facts.ended("resumed on this machine", done, 0)
    facts.seen("as if nothing had happened", results(there) == alone, results(there) == alone)


def lost_client(folder: Path, facts: Facts) -> None:
    """The client is killed while targets run in a cluster that it started; nothing of it lives on."""
    with _tiny(folder) as (tree, alone):
        there, cache = folder / "there.json", folder / "cache"
        words = command(there, "--executor", "dask", "--jobs", "2", "--cache-dir", str(cache))
        client = subprocess.Popen(
            words, cwd=tree, stderr=subprocess.PIPE, text=True, env={**os.environ, "DOORS": _MARK}
        )
        assert client.stderr is not None
        for line in client.stderr:
            if " of " in line:
                break
        client.kill()
        client.wait()
        until = time.monotonic() + 60
        while (left := _marked()) and time.monotonic() < until:
            time.sleep(1)
        facts.seen("processes left a minute later", len(left), not left)
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        run_name = max(path.stem for path in (cache / "runs").glob("*.jsonl"))
        again = command(there, "--cache-dir", str(cache), "--resume", run_name)
        done = subprocess.run(again, cwd=tree, capture_output=True, text=True, check=False)
        facts.ended("resumed", done, 0)
        facts.seen("the same as without a cluster", results(there) == alone, results(there) == alone)


def _marked() -> list[int]:
    """Processes that were started with our mark in their environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if f"DOORS={_MARK}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def hostile_bench(folder: Path, facts: Facts) -> None:
    """`bench` over targets that end, hang, grow, flood, forge answers or leave children behind."""
    text = _HEAD
    for name, body in _HOSTILE.items():
        text += f"class {name}(torch.nn.Module):\n    def forward(self, x):\n        {body}\n\n\n"
    text += "class Fine(torch.nn.Module):\n    def forward(self, x):\n        return x + 1\n"
    (folder / "odd.py").write_text(text, encoding="utf-8")
    tables = [
        f'[[targets]]\nmodel = "odd:{name}"\ninputs = ["2x8"]\ntimeout = 10\nmemory = 400\n'
        for name in (*_HOSTILE, "Fine")
    ]
    (folder / "compilelint.toml").write_text("\n".join(tables), encoding="utf-8")
    report = folder / "report.json"
    begin = time.monotonic()
    words = ("bench", "--quick", "--timeout", "10", "--config", "eager", "--repeats", "4", "--seconds", "0.01")
    done = run(folder, *words, "--output", f"json:{report}", timeout=590, DOORS=_MARK)
    facts.ended(f"{len(tables)} targets", done, 1)
    facts.seen("seconds", round(time.monotonic() - begin))
    if report.exists():
        benches = json.loads(report.read_text(encoding="utf-8"))["benches"]
        facts.seen("targets in the report", len(benches), len(benches) == len(tables))
    left = _marked()
    facts.seen("processes left", len(left), not left)
    for pid in left:
        os.kill(pid, signal.SIGKILL)


CASES: dict[str, Callable[[Path, Facts], None]] = {
    "poisoned": poisoned,
    "hung": hung,
    "lost-client": lost_client,
    "bench": hostile_bench,
}
