"""The pipe between a worker and us, with the worker's end in the hands of a stranger. No torch: a program stands in."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compilelint.dynamic import answers as reading
from compilelint.dynamic.answers import answers, framed, new_secret
from compilelint.dynamic.observations import run_or_none_of
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker_process import End, Worker
from compilelint.model import Fate

SECRET = new_secret()
DONE = {"event": "done", "number": 1, "observed": {"fate": "ran"}}

# A worker that answers every question twice: by what the attack writes to all pipes, then as it should.
PROGRAM = """\
import os, sys, time
from compilelint.dynamic.worker.channel import Channel

def main(secret):
    channel = Channel(secret)
    channel.send({"event": "ready", "torch": "2.13.0", "path": "/torch", "pid": os.getpid()})
    messages = channel.messages()
    next(messages)  # the settings
    for message in messages:
        number = message["number"]
        ATTACK
        channel.send({"event": "done", "number": number, "observed": {"fate": "ran", "graphs": 7}})
    os._exit(0)

def everywhere(data):
    for descriptor in range(3, 32):
        try:
            os.write(descriptor, data)
        except OSError:
            pass
"""


def ended(folder: Path, attack: str, timeout: float = 20.0) -> tuple[End, bool]:
    """How one question to a worker under attack ended, and whether it lives."""
    (folder / "stranger.py").write_text(PROGRAM.replace("ATTACK", attack), encoding="utf-8")
    with Worker(Settings(python=sys.executable, cwd=str(folder)), program="stranger") as worker:
        end = worker.ask(1, {"event": "job"}, timeout)
        return end, worker.lives


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param("""everywhere(b'{"event": "done"}\\n')""", id="an answer without a number"),
        pytest.param(f"everywhere({json.dumps(DONE)!r}.encode() + b'\\n')", id="an answer as it should be, no secret"),
        pytest.param(f"everywhere(b'0' * 32 + b' ' + {json.dumps(DONE)!r}.encode() + b'\\n')", id="another secret"),
        pytest.param("everywhere(b'[' * 200_000 + b'\\n')", id="deep JSON"),
        pytest.param("everywhere(b'no end of a line')", id="a line that ours would be the end of"),
        pytest.param("everywhere(bytes(range(256)) * 9)", id="no text"),
    ],
)
def test_what_has_no_secret_is_no_message(tmp_path: Path, attack: str) -> None:
    end, lives = ended(tmp_path, attack)
    assert (end.observed, lives) == ({"fate": "ran", "graphs": 7}, True)


@pytest.mark.parametrize(
    "message",
    [
        pytest.param('{"event": "done"}', id="no number"),
        pytest.param('{"event": "done", "number": 1}', id="nothing observed"),
        pytest.param('{"event": "done", "number": true, "observed": {"fate": "ran"}}', id="a number of another type"),
        pytest.param('{"event": "done", "number": 1, "observed": {}}', id="no fate"),
        pytest.param('{"event": "done", "number": 1, "observed": {"fate": "blessed"}}', id="a fate there is not"),
        pytest.param('{"event": "done", "number": 1, "observed": {"fate": ["ran"]}}', id="a fate that has no hash"),
        pytest.param('{"event": "died", "number": 1, "fate": "blessed", "detail": "", "lives": true}', id="a death"),
        pytest.param('{"event": ["done"]}', id="an event that has no hash"),
        pytest.param('{"event": "praise"}', id="an event there is not"),
        pytest.param("[" * 100_000, id="deep JSON"),
        pytest.param("[]", id="no object"),
    ],
)
def test_a_message_of_another_form_costs_its_target_alone(tmp_path: Path, message: str) -> None:
    data = "secret.encode() + b' ' + " + repr(message) + ".encode() + b'\\n'"
    end, lives = ended(tmp_path, f"everywhere({data})")
    assert (end.observed, end.fate, lives) == (None, Fate.NO_ANSWER, False)
    assert end.detail.startswith("what the worker answered ")


def test_a_copy_that_says_it_ran_and_gives_no_answer_did_not_run(tmp_path: Path) -> None:
    died = {"event": "died", "number": 1, "fate": "ran", "detail": "", "lives": True}
    end, _ = ended(tmp_path, f"channel.send({died!r})")
    assert (end.observed, end.fate) == (None, Fate.NO_ANSWER)


def test_a_worker_that_is_gone_is_not_waited_for_though_its_child_holds_the_pipe(tmp_path: Path) -> None:
    end, _ = ended(tmp_path, "os.fork() or time.sleep(30); os.kill(os.getpid(), 9)", timeout=25.0)
    assert (end.fate, end.detail) == (Fate.KILLED, "killed by SIGKILL in phase 'import'")


# ------------------------------------------------------------------------- lines


def piped(*parts: bytes) -> Iterator[dict[str, Any]]:
    read, write = os.pipe()

    def fill() -> None:
        with os.fdopen(write, "wb") as opened:
            for part in parts:
                opened.write(part)

    threading.Thread(target=fill, daemon=True).start()
    yield from answers(lambda most: os.read(read, most), SECRET)
    os.close(read)


def test_a_line_without_end_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_BYTES", 1_000)
    kept: list[int] = []
    original = reading._message

    def message(text: bytes) -> dict[str, Any]:
        kept.append(len(text))
        return original(text)

    monkeypatch.setattr(reading, "_message", message)
    flood = b"x" * 5_000_000
    large = framed({**DONE, "more": "y" * 5_000}, SECRET)
    found = list(piped(flood, framed(DONE, SECRET), large, framed(DONE, SECRET)))
    assert found == [DONE, {"event": "defect", "text": "what the worker answered is too large"}, DONE]
    assert max(kept) <= 1_000


@pytest.mark.parametrize(
    "observed",
    [
        pytest.param({"fate": "ran", "breaks": 3}, id="a number where a list is"),
        pytest.param({"fate": "ran", "breaks": [{}]}, id="a break without its place"),
        pytest.param({"fate": "ran", "graphs": "many"}, id="a word where a number is"),
        pytest.param({"fate": "ran", "graphs": float("inf")}, id="no number of graphs"),
        pytest.param({"fate": "ran", "place": [1]}, id="half a place"),
        pytest.param({"fate": "ran", "exports": [{"unknown": 1}]}, id="a field there is not"),
        pytest.param({"fate": "ran", "traced": ["x"]}, id="a list where a table is"),
    ],
)
def test_an_answer_that_cannot_be_read_is_none(observed: dict[str, Any]) -> None:
    run = run_or_none_of(Target("m:N"), observed, "")
    assert (run.fate, run.detail) == (Fate.NO_ANSWER, "what the worker answered cannot be read")


def test_a_later_worker_that_cannot_start_costs_one_target(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine that has no room left for a process in the middle of a run: the report is there all the same."""
    (tmp_path / "stranger.py").write_text(PROGRAM.replace("ATTACK", "os._exit(3)"), encoding="utf-8")
    settings = Settings(python=sys.executable, cwd=str(tmp_path))
    starts: list[int] = []
    original = Worker.__init__

    def made(self: Worker, *words: Any, **more: Any) -> None:
        starts.append(1)
        if len(starts) == 2:
            raise OSError("no room for a process")
        original(self, *words, **{**more, "program": "stranger"})

    monkeypatch.setattr(Worker, "__init__", made)
    runs = observe([Target("m:A"), Target("m:B"), Target("m:C")], settings)
    assert [one.fate for one in runs] == [Fate.EXITED, Fate.NO_ANSWER, Fate.EXITED]
    assert runs[1].detail == "no room for a process"
