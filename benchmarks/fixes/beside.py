"""Cases of a measurement beside each other: each in processes of its own, ended as a whole when its time is over.

Threads of torch are limited to one each, so that as many cases as there are processors do not wait for each other. What
a case started is found by a mark in its environment, also where it left its process group, and is gone when the case is
done, late, or given up. Linux (`/proc`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MARK = "COMPILELINT_CASE"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
_LOOK_EVERY = 0.2


def each(
    cases: Sequence[str],
    command: Callable[[str], Sequence[str]],
    done: Callable[[str, float, str], None],
    *,
    jobs: int,
    limit: float,
    budget: float = float("inf"),
) -> None:
    """Run a command for each case, `jobs` at a time; `done` is called for each as it ends, never twice at a time.

    It is given the case, the seconds, and "" or, in words, how it went wrong. After `limit` seconds a case is ended.
    After `budget` seconds no case begins, and those that still run are ended and not reported.
    """
    until = time.monotonic() + budget
    one_at_a_time = threading.Lock()

    def run(case: str) -> None:
        if time.monotonic() > until:
            return
        started = time.monotonic()
        ended = _ended(command(case), min(started + limit, until))
        if ended is None and time.monotonic() > until:
            return
        words = f"did not end in {limit:.0f} s" if ended is None else ended
        with one_at_a_time:
            done(case, time.monotonic() - started, words)

    with ThreadPoolExecutor(jobs) as pool:
        for future in [pool.submit(run, case) for case in cases]:
            future.result()


def _ended(command: Sequence[str], deadline: float) -> str | None:
    """How a command ended: "" where it ended well, words where it did not, None where its time was over."""
    mark = uuid.uuid4().hex
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            command,
            env={**os.environ, **ONE_THREAD, MARK: mark},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
        )
        try:
            while process.poll() is None and time.monotonic() < deadline:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(_LOOK_EVERY)
            late = process.poll() is None
        finally:
            end(mark)
            process.kill()
            process.wait()
        if late:
            return None
        if not process.returncode:
            return ""
        said.seek(max(0, said.seek(0, os.SEEK_END) - 4000))
        last = said.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
        how = (
            f"was killed by {signal.Signals(-process.returncode).name}"
            if process.returncode < 0
            else f"ended with code {process.returncode}"
        )
        return f"{how}: {last[:200]}"


def end(mark: str) -> None:
    """Kill every process that carries a mark."""
    wanted = f"{MARK}={mark}".encode()
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and int(folder.name) != os.getpid():
            with contextlib.suppress(OSError):
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    os.kill(int(folder.name), signal.SIGKILL)
