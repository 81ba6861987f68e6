"""What a run has answered so far, on disk as it comes, so that a run whose client died goes on where it was.

One file a run, JSON lines below a head, each with a digest keyed by the user's secret: a line cut short by a kill, and
one of anyone else, is no line. Lines are appended whole; only one client writes at a time.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import re
import secrets
import stat
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from compilelint.disk.shape import misfit
from compilelint.dynamic.answers import checked

MOST_RUNS = 30
"""Runs that are kept; the oldest go."""

ANSWER = {"observed": {"fate": str}, "output": str, "torch_path": str}
_NAME = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{4}")
_DIGEST = 16


class NoJournalError(Exception):
    """A run cannot be resumed or kept: `what` is wrong, and the `hint` says what to do."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}; {hint}")
        self.what = what
        self.hint = hint


class Journal:
    """The answers of one run by the key of their task. Used with `with`; raises NoJournalError when it is entered.

    `run` names a run to go on with; without it a new one is begun. `folder` is where runs are kept, made when needed.
    """

    def __init__(self, folder: Path, secret: bytes, run: str = "") -> None:
        self.run = run or f"{time.strftime('%Y%m%d-%H%M%S')}-{secrets.token_hex(2)}"
        self.answers: dict[str, dict[str, Any]] = {}
        self._folder = folder
        self._secret = secret
        self._resumed = bool(run)
        self._descriptor = -1

    def __enter__(self) -> Journal:
        if not _NAME.fullmatch(self.run):
            raise NoJournalError(
                f"{self.run!r} is not a run", f"name one of {', '.join(self._known()[-5:]) or 'none yet'}"
            )
        path = self._folder / f"{self.run}.jsonl"
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            flags = os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            made = 0 if self._resumed else os.O_CREAT | os.O_EXCL
            self._descriptor = os.open(path, flags | made, 0o600)
        except FileNotFoundError:
            known = ", ".join(self._known()[-5:]) or "none yet"
            raise NoJournalError(f"there is no run {self.run}", f"the latest are {known}") from None
        except OSError as error:
            raise NoJournalError(f"{path} cannot be kept: {error.strerror}", "name another --cache-dir") from error
        self._claim()
        if self._resumed:
            self._read()
        else:
            self._prune()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        os.close(self._descriptor)

    def add(self, key: str, answer: Mapping[str, Any]) -> None:
        """Append an answer. It is there in whole, or not at all, when the run is resumed."""
        text = json.dumps([key, answer], default=repr, separators=(",", ":"))
        data = f"{self._checksum(text)} {text}\n".encode("utf-8", "backslashreplace")
        while data:
            data = data[os.write(self._descriptor, data) :]
        self.answers[key] = dict(answer)

    def _claim(self) -> None:
        """Refuse a journal that is not this user's own, or that another client writes to."""
        status = os.fstat(self._descriptor)
        if not stat.S_ISREG(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
            raise NoJournalError(f"the journal of {self.run} is not this user's own", "begin another run")
        with contextlib.suppress(ImportError):
            import fcntl  # there is none on Windows

            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise NoJournalError(f"{self.run} is being run by another client", "wait for it, or end it") from None

    def _read(self) -> None:
        """Take in the lines that are whole; a torn last one is closed, so that the next begins its own."""
        with os.fdopen(os.dup(self._descriptor), "rb") as opened:
            opened.seek(0)
            data = opened.read()
        if data and not data.endswith(b"\n"):
            os.write(self._descriptor, b"\n")
        for line in data.decode("utf-8", "replace").split("\n"):
            digest, _, text = line.partition(" ")
            if text and hmac.compare_digest(digest.encode(), self._checksum(text).encode()):
                row = checked(text.encode("utf-8", "surrogatepass"))  # ours, by its digest, of whatever version
                if isinstance(row, list) and not misfit(row[1:], [ANSWER]) and row[:1] and isinstance(row[0], str):
                    self.answers[row[0]] = row[1]

    def _checksum(self, text: str) -> str:
        data = f"{self.run}\0{text}".encode("utf-8", "backslashreplace")
        return hashlib.blake2b(data, key=self._secret, digest_size=_DIGEST).hexdigest()

    def _known(self) -> list[str]:
        with contextlib.suppress(OSError):
            return sorted(one[: -len(".jsonl")] for one in os.listdir(self._folder) if _NAME.fullmatch(one[:-6]))
        return []

    def _prune(self) -> None:
        for name in self._known()[:-MOST_RUNS]:
            with contextlib.suppress(OSError):
                (self._folder / f"{name}.jsonl").unlink()
