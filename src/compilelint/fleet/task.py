"""What travels to a cluster and back: plain data, the same in every process and version of Python.

A task holds the target as a worker takes it, the settings, the digests of its files, the torch that is expected and its
limits; an answer holds what the worker observed, or why nothing was run (`refused`).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from compilelint import __version__
from compilelint.dynamic.protocol import Job, Settings, job_message
from compilelint.dynamic.runner import beneath
from compilelint.dynamic.worker_process import EXERCISING, Work

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Task:
    """One target to run elsewhere.

    `files` maps the target's own packages and files to their digests (`fleet.digest`). `torch` is the version that is
    expected, empty for any. `timeout` is in seconds, `memory` in MB.
    """

    job: Plain
    settings: Plain
    files: Mapping[str, str]
    torch: str
    timeout: float
    memory: int | None

    def message(self) -> Plain:
        """The task as it travels."""
        return {**asdict(self), "compilelint": __version__}

    @property
    def key(self) -> str:
        """Says what is asked, and of which files: an answer under the same key need not be asked for again."""
        text = json.dumps(self.message(), sort_keys=True, default=repr)
        return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def task_of(work: Work, settings: Settings, files: Mapping[str, str], torch: str = "") -> Task:
    """The task of a target. The interpreter of this process stands for the one of whichever process performs it."""
    target, there = work.target, beneath(settings, work.overlay)
    if there.python == sys.executable:
        there = replace(there, python="")
    job = job_message(Job(0, target, work.save_to, work.compare_with, work.exercise, work.changes))
    timeout = target.timeout * (EXERCISING if work.exercise else 1)
    plain = {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(there).items()}
    return Task(job, plain, dict(files), torch, timeout, target.memory)


def settings_of(message: Mapping[str, Any]) -> Settings:
    """The settings of a task."""
    return Settings(**{**message, "paths": tuple(message["paths"]), "allow": tuple(message["allow"])})
