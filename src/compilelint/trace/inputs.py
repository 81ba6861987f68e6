"""The sizes of a compile's inputs, and which of them changed together between two compiles of a frame.

One size marked as dynamic where the code makes it equal to another's, which is not, is an error: both have to be named.
"""

from __future__ import annotations

from compilelint.trace.events import Id, Named, Sized
from compilelint.trace.growing import MOST_NAMED, Growing

_MOST_COMPILES = 2_000
_MOST_INPUTS = 64
_OF_A_MODULE = ("._parameters[", "._buffers[", "._modules[", "L['self']")

Sizes = dict[str, "tuple[int, ...]"]


class Inputs:
    """The inputs of the last compiles of a process, without those that modules keep."""

    def __init__(self) -> None:
        self._sizes: dict[tuple[int, int], tuple[int, ...]] = {}
        self._of: dict[Id, Sizes] = {}

    def take(self, event: Sized | Named) -> None:
        """Remember what a record says of a tensor: first its size, then its source."""
        if isinstance(event, Sized):
            if len(self._sizes) >= _MOST_COMPILES:
                self._sizes.clear()  # the source follows at once: what is old has been asked for
            self._sizes[event.number] = event.size
            return
        size = self._sizes.pop(event.number, None)
        if size is None or event.id is None or any(part in event.source for part in _OF_A_MODULE):
            return
        if event.id not in self._of and len(self._of) >= _MOST_COMPILES:
            del self._of[next(iter(self._of))]
        found = self._of.setdefault(event.id, {})
        if len(found) < _MOST_INPUTS:
            found[event.source] = size

    def together(self, source: str, dimension: int, before: Id, now: Id) -> list[tuple[str, int]] | None:
        """The other sizes that were the same before and are the same now; None where the log does not say."""
        old, new = self._of.get(before, {}), self._of.get(now, {})
        if source not in old or source not in new:
            return None
        change = _change(old[source], new[source], dimension)
        if change is None:
            return None
        return [
            (one, at)
            for one, size in old.items()
            for at in range(len(size))
            if (one, at) != (source, dimension) and one in new and _change(size, new[one], at) == change
        ]


def _change(old: tuple[int, ...], new: tuple[int, ...], dimension: int) -> tuple[int, int] | None:
    """What a dimension was and is; None where it is the same."""
    if len(old) != len(new) or not 0 <= dimension < len(old) or old[dimension] == new[dimension]:
        return None
    return old[dimension], new[dimension]


def note_together(cause: Growing, at: Id, inputs: Inputs) -> None:
    """Note which sizes changed with the one that a recompile is about, when that compile is over."""
    failure = cause.failure
    if failure is None or failure.kind != "size":
        return
    found = inputs.together(failure.source, failure.dimension, Id(at.frame, at.compile - 1), at)
    if found is not None:
        known = cause.together = {} if cause.together is None else cause.together
        known.update((one, None) for one in found[: MOST_NAMED - len(known)])
