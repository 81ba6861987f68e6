"""One worker process: started, asked, watched, and gone with all its children when it is left.

Does not belong here: which target runs in which worker, and when one is run again (`runner`).
"""

from __future__ import annotations

import contextlib
import getpass
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from compilelint.dynamic.answers import answers, new_secret
from compilelint.dynamic.no_worker import REPORT, NoWorkerError, made_scratch
from compilelint.dynamic.observations import Overlay
from compilelint.dynamic.orphans import MARK, end_marked, end_started, resident_bytes
from compilelint.dynamic.protocol import Job, Settings, encode, job_message, settings_message
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker.limits import NETWORK, TEMPORARY, WRITES
from compilelint.model import Fate

START_LIMIT = 180.0
"""Seconds that a worker may take to import torch."""


EXERCISING = 4
"""How many times as long as its time limit a target may take that is exercised: it runs far more often."""


_PACKAGE = str(Path(__file__).resolve().parents[1])


_MOST_OUTPUT = 64_000


_LOOK_EVERY = 0.1


_TORCH_MEGABYTES = 768  # what torch itself holds before a target begins


_GRACE = 2.0


# Loads our package by its folder, so that nothing else of our environment gets into the user's. What a program raises
# is a defect of ours, and goes to the pipe as such. The secret comes first, before anything of the user's is imported.
_BOOT = """\
import importlib, importlib.util, json, os, sys, traceback
def boot():
    program, folder = sys.argv.pop(1), sys.argv.pop(1)
    answers, secret = os.dup(1), ""
    try:
        found = importlib.util.spec_from_file_location
        spec = found("compilelint", folder + "/__init__.py", submodule_search_locations=[folder])
        sys.modules["compilelint"] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        secret = importlib.import_module("compilelint.dynamic.answers").read_secret(0)
        importlib.import_module(program).main(secret)
    except Exception as error:
        traceback.print_exc()
        own = [at for at in traceback.extract_tb(error.__traceback__) if at.filename.startswith(folder)]
        place = f", {os.path.relpath(own[-1].filename, folder)}:{own[-1].lineno}" if own else ""
        text = f"a defect of compilelint: {type(error).__name__}: {error}{place}"
        line = secret + " " + json.dumps({"event": "defect", "text": text[:2000]})
        os.write(answers, ("\\n" + line + "\\n").encode())
        sys.stderr.flush()
        os._exit(1)
boot()
"""


_SERVE = "compilelint.dynamic.worker.serve"


@dataclass(frozen=True, slots=True)
class Work:
    """A target to run, the copy of the project it comes from, and what `Job` knows beside the target."""

    target: Target
    overlay: Overlay | None = None
    save_to: str = ""
    compare_with: str = ""
    exercise: str = ""
    changes: Mapping[str, Any] = field(default_factory=dict)
    apart: bool = False
    watched: tuple[str, ...] = ()
    fewer_than: int | None = None


def _within(scratch: str, environment: Mapping[str, str], allow: Sequence[str]) -> dict[str, str]:
    """What keeps a worker's own writing in its scratch folder: temporary files, no compiled modules beside sources."""
    own = {"TMPDIR": scratch, "TEMP": scratch, "TMP": scratch, TEMPORARY: tempfile.gettempdir()}
    if WRITES not in allow:
        own["PYTHONDONTWRITEBYTECODE"] = "1"
        # Libraries that refuse to be imported, or complain, where they cannot keep what they made.
        own |= {name: scratch for name in ("NUMBA_CACHE_DIR", "MPLCONFIGDIR") if name not in environment}
    if NETWORK not in allow:  # so that they look in their caches and do not ask
        own |= {name: "1" for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE") if name not in environment}
    if "TORCHINDUCTOR_CACHE_DIR" not in environment:  # compiled code is kept where torch itself keeps it
        user = re.sub(r'[\\/:*?"<>|]', "_", getpass.getuser()) if _has_user() else "user"
        own["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(tempfile.gettempdir(), f"torchinductor_{user}")
    return own


def _has_user() -> bool:
    """Whether the system names the user; in some containers nothing does."""
    try:
        return bool(getpass.getuser())
    except (KeyError, OSError, ImportError):
        return False


class StoppedError(Exception):
    """Another worker failed, or the user asked to stop."""


@dataclass
class End:
    """How a job ended: the worker's answer, or the fate of a worker that gave none."""

    observed: dict[str, Any] | None
    output: str = ""
    fate: Fate = Fate.RAN
    detail: str = ""
    worker_lives: bool = False

    @property
    def is_death(self) -> bool:
        """The worker died, or the copy of it that ran the model without compiling; not of a defect of ours."""
        if self.observed is None:
            return self.fate is not Fate.NO_ANSWER
        return self.observed["fate"] in (Fate.EXITED.value, Fate.KILLED.value)

    def as_observed(self) -> dict[str, Any]:
        return {"fate": self.fate.value, "detail": self.detail}


@dataclass
class _Output:
    """What a worker printed: the first and the last of it, in bounded room."""

    head: str = ""
    tail: str = ""
    dropped: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, text: str) -> None:
        with self.lock:
            room = _MOST_OUTPUT - len(self.head)
            self.head += text[:room]
            whole = self.tail + text[room:] if room < len(text) else self.tail
            self.dropped += max(len(whole) - _MOST_OUTPUT, 0)
            self.tail = whole[-_MOST_OUTPUT:]

    def take(self) -> str:
        """All that is kept; what comes later starts afresh."""
        with self.lock:
            between = f"\n... {self.dropped:,} characters left out ...\n" if self.dropped else ""
            text = self.head + between + self.tail
            self.head, self.tail, self.dropped = "", "", 0
        return text


class Worker:
    """One worker process, from its start to the last of its children. Used with `with`, by one thread.

    `program` is the module whose `main` it runs. Its temporary files go to `scratch`, which stays, or to a folder of
    its own that goes with it. Raises NoWorkerError when it is entered.
    """

    def __init__(
        self, settings: Settings, stopped: threading.Event | None = None, program: str = _SERVE, scratch: str = ""
    ) -> None:
        self.settings = settings
        self.stopped = stopped or threading.Event()
        self.program = program
        self.scratch = scratch
        self.served = 0
        self.on_phase: Callable[[str], None] | None = None
        self.spoilt = False  # what was served last may have left it in disorder
        self.torch_path = ""
        self.torch_version = ""
        self._killed = False
        self._mark = uuid.uuid4().hex
        self._secret = new_secret()
        self._output = _Output()
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()

    def __enter__(self) -> Worker:
        self.start()
        try:
            self.await_ready()
        except BaseException:  # `__exit__` is not called for what `__enter__` raises, and the process would stay
            self.__exit__()
            raise
        return self

    def start(self) -> None:
        """Begin, without waiting for torch; a caller that begins several at once waits for each with `await_ready`."""
        settings = self.settings
        python = settings.python or sys.executable
        if shutil.which(python) is None:
            raise NoWorkerError(f"{python} is not a program", "name a Python interpreter that has torch with --python")
        environment = {**os.environ, **settings.environment, MARK: self._mark}
        if not environment.get("TORCH_LOGS", "unset"):
            del environment["TORCH_LOGS"]  # an empty one crashes torch
        for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS") if settings.threads else ():
            environment.setdefault(name, str(settings.threads))
        environment["PYTHONUNBUFFERED"] = "1"
        self._scratch = self.scratch or made_scratch()
        environment |= _within(self._scratch, environment, settings.allow)
        if settings.device == "cpu":
            environment["CUDA_VISIBLE_DEVICES"] = ""
        self._process = subprocess.Popen(
            [python, "-c", _BOOT, self.program, _PACKAGE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=settings.cwd or None,
            env=environment,
            start_new_session=True,
        )
        for read in (self._read_messages, self._read_output):
            threading.Thread(target=read, daemon=True).start()
        with contextlib.suppress(OSError):  # it died already: `await_ready` says so
            self._stdin.write(self._secret.encode())
            self._send(settings_message(settings))

    def __exit__(self, *_: object) -> None:
        """Say goodbye, and end what does not go; then everything that the worker left behind."""
        with contextlib.suppress(OSError):
            self._send({"event": "end"})
        with contextlib.suppress(OSError):
            self._stdin.close()
        if self._process.poll() is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_GRACE if not self._killed else 0)
        self._kill()

    @property
    def lives(self) -> bool:
        """Whether its process is still there."""
        return self._process.poll() is None

    @property
    def _stdin(self) -> Any:
        return self._process.stdin

    def turn_to(self, settings: Settings) -> None:
        """Serve what follows from other paths and another folder, with nothing imported from those before."""
        self._send({"event": "place", "paths": settings.paths, "cwd": settings.cwd})

    def serve(self, number: int, work: Work) -> End:
        """Run one target; returns when it is done, or when its process is no more."""
        target = work.target
        kept = (work.save_to, work.compare_with, work.exercise)
        job = Job(number, target, *kept, work.changes, work.apart, work.watched, work.fewer_than)
        timeout = target.timeout * (EXERCISING if work.exercise else 1)
        own = self.served + 1  # else the late goodbye of a copy that had this number would be taken for an answer
        return self.ask(own, job_message(job), timeout, target.memory)

    def ask(self, number: int, message: Mapping[str, Any], timeout: float, memory: int | None = None) -> End:
        """Send a message with a number of its own and wait for the answer `done`, `timeout` seconds at most.

        A process that takes longer, or holds more than `memory` MB beside torch, is ended.
        """
        self.served += 1
        self._output.take()
        try:
            self._send({**message, "number": number})
        except OSError:
            return self._died("import")
        deadline = time.monotonic() + timeout
        phase = "import"
        while True:
            answer = self._next(_LOOK_EVERY)
            if answer == {} and not self.lives:
                answer = self._next(_LOOK_EVERY) or None  # the last of it; something that it started holds the pipe
            if answer is None:
                return self._died(phase)
            if answer.get("number", number) != number:
                continue  # the late goodbye of an earlier copy
            if answer.get("event") == "done":
                return End(answer["observed"], self._output.take())
            if answer.get("event") == "died":
                return self._said_to_have_died(answer, phase)
            if answer.get("event") == "defect":
                return self._ended(Fate.NO_ANSWER, answer["text"])
            if answer.get("event") == "phase":
                phase = answer["phase"]
                if self.on_phase is not None:
                    self.on_phase(phase)
            if time.monotonic() > deadline:
                detail = f"still in phase {phase!r} after {timeout:g} s"
                return self._ended(Fate.TIME_LIMIT, detail)
            if memory is not None and resident_bytes(self._mark) > (memory + _TORCH_MEGABYTES) << 20:
                return self._ended(Fate.MEMORY_LIMIT, f"used more than {memory} MB in phase {phase!r}")

    # -------------------------------------------------------------- messages

    def _send(self, message: dict[str, Any]) -> None:
        self._stdin.write(encode(message).encode("utf-8"))
        self._stdin.flush()

    def _next(self, seconds: float) -> dict[str, Any] | None:
        """The next message; an empty one if none came in time, None if none will come. Raises StoppedError."""
        if self.stopped.is_set():
            raise StoppedError
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            return {}

    def await_ready(self) -> None:
        """Wait until it can be asked. Raises NoWorkerError; the caller ends it then."""
        deadline = time.monotonic() + START_LIMIT
        python = self.settings.python or sys.executable
        while True:
            message = self._next(_LOOK_EVERY)
            if message is None:
                said = self._output.take().strip().splitlines()
                raise NoWorkerError(
                    f"the worker did not start in {python}: {said[-1] if said else 'it said nothing'}",
                    f"see what `{python} -c 'import torch'` says",
                )
            if message.get("event") == "ready":
                self.torch_path = message["path"]
                self.torch_version = message["torch"]
                return
            if message.get("event") == "no-torch":
                raise NoWorkerError(f"{python} {message['text']}", message["hint"])
            if message.get("event") == "defect":
                raise NoWorkerError(message["text"], REPORT)
            if time.monotonic() > deadline:
                raise NoWorkerError(
                    f"{python} needs more than {START_LIMIT:g} s to import torch",
                    "check what else the machine is running",
                )

    def _read_messages(self) -> None:
        assert self._process.stdout is not None
        descriptor = self._process.stdout.fileno()
        with contextlib.suppress(OSError, ValueError):
            for message in answers(lambda most: os.read(descriptor, most), self._secret):
                self._lines.put(message)
        self._lines.put(None)

    def _read_output(self) -> None:
        assert self._process.stderr is not None
        descriptor = self._process.stderr.fileno()
        with contextlib.suppress(OSError, ValueError):
            while data := os.read(descriptor, 1 << 16):
                self._output.add(data.decode("utf-8", "replace"))

    # ----------------------------------------------------------------- ends

    def _died(self, phase: str) -> End:
        """The worker closed its pipe without an answer: how, from its exit status."""
        try:
            status = self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            status = 0
        self._kill()
        return self._death(status, phase)

    def _said_to_have_died(self, answer: Mapping[str, Any], phase: str) -> End:
        """What ran the target ended without an answer, and the worker says how."""
        fate = Fate(answer["fate"])
        detail = answer["detail"].removeprefix("was ")
        if fate is Fate.RAN:  # and gave no answer, though it could
            fate, detail = Fate.NO_ANSWER, "what ran the target ended without an answer"
        if fate is not Fate.NO_ANSWER:
            detail += f" in phase {phase!r}"
        time.sleep(0.05)  # the last of the output is on its way through the pipe
        return End(None, self._output.take(), fate, detail, worker_lives=answer["lives"])

    def _death(self, code: int, phase: str) -> End:
        """A death in words; `code` is negative for a signal."""
        time.sleep(0.05)  # the last of the output is on its way through the pipe
        output = self._output.take()
        if code < 0:
            return End(None, output, Fate.KILLED, f"killed by {signal.Signals(-code).name} in phase {phase!r}")
        detail = f"ended the process with code {code} by os._exit or from native code in phase {phase!r}"
        return End(None, output, Fate.EXITED, detail)

    def _ended(self, fate: Fate, detail: str) -> End:
        self._kill()
        time.sleep(0.05)  # the last of the output is on its way through the pipe
        return End(None, self._output.take(), fate, detail)

    def _kill(self) -> None:
        """End the worker, its process group, and children that left the group."""
        self._killed = True
        if self.lives and sys.platform == "linux":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(self._process.pid, signal.SIGSTOP)  # it starts nothing more
            end_started(self._process.pid)
        if hasattr(os, "killpg"):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        else:
            self._process.kill()
        self._process.wait()
        end_marked(self._mark)
        if not self.scratch:
            shutil.rmtree(self._scratch, ignore_errors=True)
