"""Where the targets of a command run, opened from its options: engine, journal, and what is expected of them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from compilelint.cache.secret import user_secret
from compilelint.config import UsageError
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.fleet.attempts import LostFleetError
from compilelint.fleet.engine import LOCAL, NoEngineError, opened
from compilelint.fleet.journal import Journal, NoJournalError
from compilelint.fleet.observe import Fleet
from compilelint.model.slotted import dataclass
from compilelint.project.environment import NoEnvironment, find_environment


@dataclass(frozen=True, slots=True)
class Place:
    """What a user said of where targets run.

    `executor` is `local`, `dask`, `dask://HOST:PORT` or `module:factory`; `resources` what a task needs of Dask's
    processes. `resume` names a run to go on with; `journal` begins one, in `folder` or where caches are kept.
    """

    executor: str = LOCAL
    jobs: int = 1
    resources: Mapping[str, float] | None = None
    resume: str = ""
    journal: bool = False
    folder: str | None = None
    python: str = ""


@contextlib.contextmanager
def fleet_at(place: Place, command: str, *, keeps: bool = True) -> Iterator[Fleet]:
    """The fleet of a place, ended afterwards. Raises UsageError, for what goes wrong inside of it too.

    Without `keeps` there is no journal: of a command whose tasks leave files behind, answers alone are not enough.
    """
    with contextlib.ExitStack() as open_things:
        try:
            engine = None
            if place.executor != LOCAL:
                engine = open_things.enter_context(opened(place.executor, place.jobs, place.resources))
            journal = None
            if keeps and (place.journal or place.resume or engine is not None):
                journal = open_things.enter_context(_journal(place))
            torch = "" if engine is None else _installed_torch(place.python)
            yield Fleet(engine, journal, place.jobs, torch)
        except (NoEngineError, NoJournalError, LostFleetError, NoWorkerError) as error:
            raise UsageError(error.what, command, error.hint) from error


def runs_folder(folder: str | None) -> Path:
    """Where journals lie: beside the entries of the cache."""
    if folder is None:
        import platformdirs

        folder = platformdirs.user_cache_dir("compilelint", appauthor=False)
    return Path(folder) / "runs"


def _journal(place: Place) -> Journal:
    secret = user_secret()
    if secret is None:
        raise NoJournalError("this user's secret cannot be kept", "make the user's configuration folder writable")
    return Journal(runs_folder(place.folder), secret, place.resume)


def _installed_torch(python: str) -> str:
    """The torch of an interpreter's environment by its metadata; empty where there is none to expect."""
    found = find_environment(python or None, os.getcwd())
    return "" if isinstance(found, NoEnvironment) else found.installed_version("torch") or ""
