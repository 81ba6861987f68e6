"""Where tasks are performed: any `concurrent.futures.Executor`, opened from what `--executor` names.

`dask` is a cluster of processes on this machine, `dask://HOST:PORT` one that runs already, and `module:factory` calls
a function without arguments that returns an executor (of Ray, MPI or Slurm, through their own adapters).
"""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor, Future
from typing import Any, Protocol

LOCAL = "local"


_OWN = {
    # A process holds one target at a time, so that those that die take no other along.
    "distributed.scheduler.allowed-failures": 1,
    "distributed.scheduler.worker-saturation": 1.0,
    # Dask samples its own threads a hundred times a second, which is no small part of a core that a target needs.
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500 ms",
}
"""Settings of a cluster that is started here."""


class NoEngineError(Exception):
    """`--executor` names nothing that can be used: `what` is wrong, and the `hint` says what to do."""

    def __init__(self, what: str, hint: str) -> None:
        super().__init__(f"{what}; {hint}")
        self.what = what
        self.hint = hint


class Engine(Protocol):
    """What performs tasks: begins a call somewhere, and begins again after it broke (`BrokenExecutor`)."""

    def submit(self, function: Callable[..., Any], argument: Any) -> Future[Any]: ...

    def renew(self) -> None: ...


class _Made:
    """The executor of a factory, made again when it broke."""

    def __init__(self, make: Callable[[], Executor]) -> None:
        self._make = make
        self.executor = make()

    def submit(self, function: Callable[..., Any], argument: Any) -> Future[Any]:
        return self.executor.submit(function, argument)

    def renew(self) -> None:
        self.executor.shutdown(wait=False, cancel_futures=True)
        self.executor = self._make()


class _Dask:
    """A Dask client. The scheduler itself gives what a lost process had to another one, so nothing is made again."""

    def __init__(self, client: Any, resources: Mapping[str, float]) -> None:
        self._executor = client.get_executor(pure=False, **({"resources": dict(resources)} if resources else {}))

    def submit(self, function: Callable[..., Any], argument: Any) -> Future[Any]:
        return self._executor.submit(function, argument)  # type: ignore[no-any-return]

    def renew(self) -> None:
        raise NoEngineError("the Dask client is closed", "run it again")


@contextlib.contextmanager
def opened(name: str, processes: int = 1, resources: Mapping[str, float] | None = None) -> Iterator[Engine]:
    """The engine of a name, ended afterwards. Raises NoEngineError.

    `processes` is the size of a cluster that is started here; `resources` is what each task needs of its process, in
    Dask's sense (`GPU`, `MEMORY`).
    """
    if name == "dask" or name.startswith("dask://"):
        with _dask(name.removeprefix("dask").removeprefix("://"), processes, dict(resources or {})) as engine:
            yield engine
        return
    if resources:
        raise NoEngineError(f"{name} knows no resources", "leave --resource out, or use dask")
    made = _Made(_factory(name))
    try:
        yield made
    except BaseException:  # interrupted: nothing waits for targets that still run
        made.executor.shutdown(wait=False, cancel_futures=True)
        raise
    made.executor.shutdown()


@contextlib.contextmanager
def _dask(address: str, processes: int, resources: dict[str, float]) -> Iterator[Engine]:
    try:
        dask: Any = importlib.import_module("dask")
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise NoEngineError("Dask is not installed", "pip install 'compilelint[cluster]'") from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters of it is said in our words
    with contextlib.ExitStack() as open_things:
        where: Any = f"tcp://{address}"
        if not address:
            open_things.enter_context(dask.config.set(_OWN))
            where = distributed.LocalCluster(
                n_workers=processes,
                threads_per_worker=1,
                processes=True,
                dashboard_address=None,
                memory_limit=0,  # targets live in processes of their own, which have limits of their own
                resources=resources or None,
                silence_logs=logging.CRITICAL,  # in its processes too, which are ended while they report to it
            )
            open_things.callback(where.close, timeout=10)
        try:
            client = distributed.Client(where, timeout=20, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise NoEngineError(f"no Dask scheduler answers at {address}", "start one with `dask scheduler`") from error
        open_things.callback(client.close, timeout=10)
        yield _Dask(client, resources)


def _factory(name: str) -> Callable[[], Executor]:
    """The function that `module:factory` names, checked each time that it returns an executor."""
    module, colon, factory = name.partition(":")
    if not (colon and module and factory.isidentifier()):
        raise NoEngineError(f"{name!r} is not an executor", "write local, dask, dask://HOST:PORT or module:factory")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    try:
        make = getattr(importlib.import_module(module), factory)
    except (ImportError, AttributeError) as error:
        raise NoEngineError(f"{name} cannot be made: {error}", "name a function that can be imported") from error

    def checked() -> Executor:
        made = make()
        if not isinstance(made, Executor):
            what = f"{name} returned {type(made).__name__}, which is not a concurrent.futures.Executor"
            raise NoEngineError(what, "return one")
        return made

    return checked
