"""A run watched while it compiles: one line a compile with its cause and seconds, a summary at the end, a budget.

    with compilelint.watch(max_recompiles=0, warmup=20) as run:
        for batch in loader:
            train(batch)
            run.step()

Guarantee: it reads what torch itself logs (`torch.__trace`, a logger of the standard library's) and nothing of torch's
internals; between compiles it does nothing, and a step costs one comparison. It never stops a run unless a budget was
asked for. torch is not imported: it is there already.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from compilelint.trace.cause import Trace
    from compilelint.trace.events import Event
    from compilelint.trace.read import Seen

_LOGGER = "torch.__trace"
_SHOWN_CAUSES = 10
_OFF = ("", "0", "false", "no", "off")


class RecompileBudgetError(RuntimeError):
    """More was compiled again after the warm-up than the budget allows."""


class Watch:
    """Watches from `start` to `stop`; a context manager. See `watch` for what the arguments mean."""

    def __init__(
        self,
        max_recompiles: int | None = None,
        warmup: int = 0,
        action: str = "raise",
        quiet: bool = False,
        file: TextIO | None = None,
        checkout: str = ".",
    ) -> None:
        if action not in ("raise", "warn"):
            raise ValueError(f"action is 'raise' or 'warn', not {action!r}")
        self.steps = 0
        self.recompiles_after_warmup = 0
        self.counts_optimizers = False
        self._max, self._warmup, self._action = max_recompiles, warmup, action
        self._quiet, self._file, self._checkout = quiet, file, checkout
        self._handler: _Handler | None = None
        self._over = ""
        self._warned = False
        self._trace: Trace | None = None

    def start(self) -> Watch:
        """Begin to listen. Raises RuntimeError where torch was not imported before."""
        if "torch" not in sys.modules:
            raise RuntimeError("compilelint.watch: import torch first")
        if self._handler is None:
            self._handler = _Handler(self._happened)
            logging.getLogger(_LOGGER).addHandler(self._handler)
        return self

    def stop(self) -> None:
        """Listen no more, and print what it came to."""
        handler, self._handler = self._handler, None
        if handler is None:
            return
        logging.getLogger(_LOGGER).removeHandler(handler)
        self._trace = handler.trace()
        if not self._quiet:
            self._summarize()

    def step(self) -> None:
        """Count a step of the program. Raises RecompileBudgetError where a budget that was asked for is spent."""
        self.steps += 1
        if self._over:
            self._spent()

    @property
    def trace(self) -> Trace:
        """What was seen so far, as `compilelint trace` has it; of the whole run after `stop`."""
        if self._handler is not None:
            return self._handler.trace()
        if self._trace is None:
            raise RuntimeError("compilelint.watch: nothing was watched yet")
        return self._trace

    def __enter__(self) -> Watch:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
        if kind is None and self._over:
            self._spent()

    # ---------------------------------------------------------------- what is seen

    def _happened(self, event: Event, cause: str) -> None:
        """Called for each event, on whatever thread compiles."""
        from compilelint.trace.events import Break, Compiled, Recompile
        from compilelint.trace.gather import users_place

        if self.counts_optimizers:
            self._count_optimizers()
        if isinstance(event, Recompile):
            self._again(cause)
        elif isinstance(event, Compiled) and not event.backward and event.frame.path:
            self._say(_compiled_line(event, cause))
        elif isinstance(event, Break):
            place = users_place(event.stack)
            what = "frame not compiled" if event.skips_frame else "graph break"
            if place is not None:
                self._say(f"{what} at {place.path}:{place.line}: {event.words} {event.break_id}".rstrip())

    def _count_optimizers(self) -> None:
        """Take each step of an optimizer as a step of the program, by torch's public hook for all optimizers.

        torch.optim is not there yet while torch calls the hooks of other packages; at the first compile it is.
        """
        register = getattr(sys.modules.get("torch.optim.optimizer"), "register_optimizer_step_post_hook", None)
        if register is not None:
            self.counts_optimizers = False
            register(lambda *_: self.step())

    def _again(self, cause: str) -> None:
        if self._max is None or self.steps < self._warmup:
            return
        from compilelint.report.layout.text import counted

        self.recompiles_after_warmup += 1
        if self.recompiles_after_warmup > self._max:
            number = counted(self.recompiles_after_warmup, "recompile")
            self._over = f"{number} after step {self._warmup}, {self._max} allowed; the last: {cause}"

    def _spent(self) -> None:
        if self._action == "raise":
            words, self._over = self._over, ""
            raise RecompileBudgetError(words)
        if not self._warned:
            self._warned = True
            self._say(f"warning: {self._over}")

    def _say(self, words: str) -> None:
        if not self._quiet:
            from compilelint.report.layout.text import escaped

            print(f"compilelint: {escaped(words)}", file=self._file or sys.stderr, flush=True)

    def _summarize(self) -> None:
        from compilelint.report.layout.traces_console import trace_full
        from compilelint.session.commands.trace import reported

        assert self._trace is not None
        text = trace_full(reported(self._trace, self._checkout), color=False, width=None, most=_SHOWN_CAUSES)
        print(text, end="", file=self._file or sys.stderr, flush=True)


def watch(
    max_recompiles: int | None = None,
    warmup: int = 0,
    action: str = "raise",
    quiet: bool = False,
    file: TextIO | None = None,
    checkout: str = ".",
) -> Watch:
    """A context manager that shows each compile of torch with its cause and seconds, and a summary at the end.

    `max_recompiles` is a budget: where more is compiled again after `warmup` steps (calls of `step`), the next `step`
    raises RecompileBudgetError, or warns if `action` is "warn". `quiet` prints nothing. `file` is standard error unless
    given. `checkout` is the folder whose files the summary shows.
    """
    return Watch(max_recompiles, warmup, action, quiet, file, checkout)


def _compiled_line(event: Any, cause: str) -> str:
    from compilelint.trace.gather import function_of
    from compilelint.trace.words import seconds

    again = event.id is not None and event.id.compile > 0
    what = f"{'compiled again' if again else 'compiled'} {event.id or ''} `{function_of(event.frame.function)}`"
    words = f"{what} ({event.frame.path}:{event.frame.line}) in {seconds(event.seconds)}"
    if event.fail:
        first = event.why.strip().partition("\n")[0]
        return f"{words}, without success: {event.fail}: {first}"
    return f"{words}: {cause}" if cause else words


class _Handler(logging.Handler):
    """Takes torch's structured records from the logger, and gathers their events."""

    def __init__(self, happened: Callable[[Event, str], None]) -> None:
        super().__init__(logging.DEBUG)
        from compilelint.trace.gather import Gatherer
        from compilelint.trace.read import Tally
        from compilelint.trace.structured import Strings

        self._happened = happened
        self._strings, self._gatherer, self._tally = Strings(), Gatherer(), Tally()
        self._guard = threading.RLock()
        self._because: dict[object, str] = {}
        self._gatherer.begin(None, None)

    def emit(self, record: logging.LogRecord) -> None:
        """Read one record; what cannot be read is none of the run's business."""
        metadata = getattr(record, "metadata", None)
        if not isinstance(metadata, Mapping):
            return
        from compilelint.trace.structured import KINDS

        kind = next(iter(metadata), "")
        if kind not in KINDS:
            return
        with self._guard:
            self._take(kind, dict(metadata), getattr(record, "payload", None))

    def _take(self, kind: str, metadata: dict[str, Any], payload: object) -> None:
        from compilelint.trace.read import Seen
        from compilelint.trace.structured import Record, events_of, wants_payload

        self._tally.records += 1
        if kind == "str":
            self._strings.add("", list(metadata["str"]))
            return
        record = Record(kind, metadata, "", self._strings)
        if wants_payload(record):
            record.payload = _lines(payload)
        rank = metadata.get("rank")
        for event in events_of(record):
            seen = Seen(event, rank if isinstance(rank, int) else None, True)
            self._gatherer.take(seen)
            self._happened(event, self._cause_of(seen))

    def _cause_of(self, seen: Seen) -> str:
        """Why a frame is compiled again, kept from the reasons until the compile is over."""
        from compilelint.trace.events import Compiled, Recompile
        from compilelint.trace.guards import failure_of

        event = seen.event
        if isinstance(event, Recompile):
            failure = failure_of(event.failures[0]) if event.failures else None
            words = failure.text if failure is not None else "a guard failed"
            if failure is not None and failure.place is not None:
                words += f" ({failure.place.path}:{failure.place.line})"
            if event.id is not None and len(self._because) < 10_000:
                self._because[event.id] = words
            return words
        return self._because.pop(event.id, "") if isinstance(event, Compiled) and event.id is not None else ""

    def trace(self) -> Trace:
        """All that was seen until now."""
        with self._guard:
            return self._gatherer.trace(self._tally, 0, going_on=True)


def _lines(payload: object) -> list[str]:
    """A payload as lines: torch hands over a text, or what is to become JSON."""
    if isinstance(payload, str):
        return payload[:256_000].splitlines()
    if payload is None:
        return []
    import json

    with contextlib.suppress(TypeError, ValueError, RecursionError):
        return json.dumps(payload, default=str)[:256_000].splitlines()
    return []


# ------------------------------------------------------------ by the environment


def autoload() -> None:
    """Watch the whole process where `COMPILELINT_WATCH=1` asks for it; torch calls this when it is imported.

    Budget: `COMPILELINT_WATCH_MAX_RECOMPILES` after `COMPILELINT_WATCH_WARMUP` steps of any optimizer; the run is ended
    by an error with `COMPILELINT_WATCH_ACTION=raise`, else warned of. Never raises.
    """
    if os.environ.get("COMPILELINT_WATCH", "").lower() in _OFF:
        return
    with contextlib.suppress(Exception):  # an import of torch must not fail for this
        found = Watch(
            _number("COMPILELINT_WATCH_MAX_RECOMPILES"),
            _number("COMPILELINT_WATCH_WARMUP") or 0,
            "raise" if os.environ.get("COMPILELINT_WATCH_ACTION") == "raise" else "warn",
        )
        found.counts_optimizers = True
        found.start()
        atexit.register(found.stop)


def _number(name: str) -> int | None:
    text = os.environ.get(name, "")
    return int(text) if text.isdecimal() else None
