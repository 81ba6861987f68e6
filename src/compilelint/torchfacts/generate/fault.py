"""Running code that may raise anything at all, in one place: what a probe raises is a result, not a failure of ours."""

from __future__ import annotations

from types import TracebackType


class Fault:
    """A context that keeps whatever its body raises in `error`, interrupts from the keyboard excepted."""

    def __init__(self) -> None:
        self.error: BaseException | None = None

    def __enter__(self) -> Fault:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool:
        self.error = error
        return isinstance(error, (Exception, SystemExit))
