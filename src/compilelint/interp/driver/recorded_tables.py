"""The interpreter's tables while a run is recorded, in place of a plain dictionary or set.

They know when each entry was made and by which call, and hold a repeated call (`repeating`) to what it found the first
time. Guarantee: nothing here changes what an interpreter comes to; an editor alone records.
"""

from __future__ import annotations

from typing import Any

from compilelint.interp.driver.recording import Record, Recorder, UnrepeatableError


class Table(dict[Any, Any]):
    """A table of the interpreter; a second value for the same key in one go is still the first entry.

    `of_nodes` says that its keys are nodes, and its values follow from them and from other tables: a new node may be
    put in by a repeated call.
    """

    __slots__ = ("made", "of_nodes", "recorder")

    def __init__(self, recorder: Recorder, of_nodes: bool = False) -> None:
        self.recorder = recorder
        self.of_nodes = of_nodes
        self.made: dict[Any, tuple[int, Record | None]] = {}

    def _found(self, key: Any) -> bool:
        if dict.__contains__(self, key):
            if self.recorder.repeating is not None and key in self.made:
                self.recorder.touch(self, key, *self.made[key])
            return True
        if self.recorder.top is not None:
            self.recorder.top.misses(self, key)
        return False

    def __contains__(self, key: object) -> bool:
        return self._found(key)

    def __getitem__(self, key: Any) -> Any:
        self._found(key)
        return dict.__getitem__(self, key)

    def get(self, key: Any, default: Any = None) -> Any:
        return dict.__getitem__(self, key) if self._found(key) else default

    def __setitem__(self, key: Any, value: Any) -> None:
        if dict.__contains__(self, key) and dict.__getitem__(self, key) is value:
            self._found(key)
            if self.recorder.repeating is None and self.recorder.top is not None:
                self.recorder.top.closes(self, key)
            return
        self.made[key] = self.recorder.made(self, key)
        dict.__setitem__(self, key, value)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        if not self._found(key):
            self[key] = default
        return dict.__getitem__(self, key)

    def __delitem__(self, key: Any) -> None:
        if self.recorder.repeating is not None:
            raise UnrepeatableError("forgets something")
        self.made.pop(key, None)
        dict.__delitem__(self, key)


class Counts(dict[Any, int]):
    """How many contexts a function has had: only whether a bound is reached makes a difference."""

    __slots__ = ("bounds", "recorder", "times")

    def __init__(self, recorder: Recorder, bounds: tuple[int, ...]) -> None:
        self.recorder = recorder
        self.bounds = bounds
        self.times: dict[Any, list[int]] = {}

    def get(self, key: Any, default: Any = None) -> Any:
        repeated = self.recorder.repeating
        if repeated is not None:
            least, most = self.recorder.past(self.times.get(key, ()), repeated)
            if any((least >= bound) != (most >= bound) for bound in self.bounds):
                raise UnrepeatableError("reaches a bound of contexts")
            return most or default
        return dict.get(self, key, default)

    def __setitem__(self, key: Any, value: int) -> None:
        if self.recorder.repeating is not None:
            raise UnrepeatableError("counts contexts")
        self.times.setdefault(key, []).append(self.recorder.tick())
        dict.__setitem__(self, key, value)


class Known(set[Any]):
    """A table of which only the keys count."""

    __slots__ = ("made", "recorder")
    of_nodes = False

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.made: dict[Any, tuple[int, Record | None]] = {}

    def add(self, key: Any) -> None:
        if key not in self:
            self.made[key] = self.recorder.made(self, key)
            set.add(self, key)

    def __contains__(self, key: object) -> bool:
        found = set.__contains__(self, key)
        if found and self.recorder.repeating is not None:
            self.recorder.touch(self, key, *self.made[key])
        return found


class Marks(set[Any]):
    """A set that is asked when all calls are done, and to which many may add the same: what each adds must stay."""

    __slots__ = ("recorder",)

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder

    def add(self, key: Any) -> None:
        recorder = self.recorder
        if recorder.repeating is not None:
            recorder.marks.add(key)
            return
        if recorder.top is not None:
            recorder.top.marks.add(key)
        set.add(self, key)
