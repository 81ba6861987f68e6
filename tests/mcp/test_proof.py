"""Runs beside analyses: a target that hangs keeps neither the analyses nor, once it is not waited for, the machine."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from compilelint.mcp import serve
from compilelint.mcp.answers import VerifyAnswer
from compilelint.mcp.confined import RefusedError, roots_of
from compilelint.mcp.proof import home_of, ran

EMPTY = VerifyAnswer(ready=False, runs=[], findings=[], more_findings=0)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text("import torch\n\n\ndef f(x: torch.Tensor):\n    return x.item()\n")
    return tmp_path


def test_a_target_is_named_by_its_module_or_its_file(folder: Path) -> None:
    roots = roots_of([str(folder)])
    inside = folder / "part"
    inside.mkdir()
    (inside / "other.py").write_text("")
    (folder / "link.py").symlink_to(__file__)
    for target in ("net:f", "net.py:f", "part/other.py:f", f"{folder}/net.py:f"):
        assert home_of(roots, target)[0] == str(folder).replace("\\", "/")
    for target, words in (
        ("part/none.py:f", "no file"),
        ("../net.py:f", "no file"),
        (f"{__file__}:folder", "no file"),
        ("link.py:f", "no file"),
        ("part/other:f", "path/file.py:Name"),
        ("net.py:", "path/file.py:Name"),
        ("json:loads", "Python's own"),
    ):
        with pytest.raises(RefusedError, match=words):
            home_of(roots, target)


def test_analyses_do_not_wait_for_a_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    began, may_end = threading.Event(), threading.Event()

    def hangs(*_: Any) -> VerifyAnswer:
        began.set()
        assert may_end.wait(60)
        return EMPTY

    monkeypatch.setattr(serve, "verified", hangs)

    async def session() -> None:
        with anyio.fail_after(60):
            async with Client(serve.server_of(roots_of([str(folder)]), "python")) as client:

                async def verify() -> None:
                    assert not (await client.call_tool("verify", {"target": "net:f"})).is_error

                async with anyio.create_task_group() as tasks:
                    tasks.start_soon(verify)
                    while not began.is_set():
                        await anyio.sleep(0.01)
                    found = await client.call_tool("lint", {"paths": ["net.py"]})
                    assert not found.is_error
                    assert not may_end.is_set()
                    may_end.set()

    anyio.run(session)


def test_a_run_that_is_not_waited_for_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ended = threading.Event()

    def hangs(*words: Any) -> VerifyAnswer:
        said = ran([sys.executable, "-c", "import time; time.sleep(60)"], str(folder), 60, words[-1])
        assert "ended" in said
        ended.set()
        return EMPTY

    monkeypatch.setattr(serve, "verified", hangs)

    async def session() -> None:
        async with Client(serve.server_of(roots_of([str(folder)]), "python")) as client:
            with anyio.move_on_after(0.5):
                await client.call_tool("verify", {"target": "net:f"})

    anyio.run(session)
    assert ended.wait(20)


@pytest.mark.parametrize("stop", [True, False], ids=["stopped", "its time is over"])
def test_a_process_that_goes_on_and_on_is_ended(folder: Path, stop: bool) -> None:
    stopped = threading.Event()
    if stop:
        stopped.set()
    began = time.monotonic()
    said = ran([sys.executable, "-c", "import time; time.sleep(60)"], str(folder), 60 if stop else 0.2, stopped)
    assert time.monotonic() - began < 20
    assert said.endswith("ended")


def test_what_a_process_says_last_is_kept(folder: Path) -> None:
    program = "import sys; sys.stderr.write('x' * 9_000 + '\\x1b[2J its end')"
    said = ran([sys.executable, "-c", program], str(folder), 60, threading.Event())
    assert said.endswith("\\x1b[2J its end")
    assert len(said) <= 4_010
