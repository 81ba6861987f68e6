"""What is believed at one point of a frame: variables, and narrowed or assigned attribute paths.

`names` maps variables to values; `paths` maps dotted texts (`self.bias`, `out.logits`) to what was last assigned or
narrowed there; `broke` says that a graph ends on every path to here, `skipped` that it does so where Dynamo cannot
split the frame (in a loop, `try` or `with`) and gives it up; `fresh` holds the slots (`guards`) that this call has
written on every path to here. States are copied at a branch and joined where paths meet; a name bound on one path
only keeps its value, since code that reads it relies on that path.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from compilelint.values import Value, join


class State:
    """Mutable while one path is followed; `copy` before a branch."""

    __slots__ = ("broke", "fresh", "names", "paths", "skipped")

    def __init__(
        self,
        names: dict[str, Value],
        paths: dict[str, Value] | None = None,
        skipped: bool = False,
        fresh: frozenset[Any] = frozenset(),
        broke: bool = False,
    ) -> None:
        self.names = names
        self.paths = {} if paths is None else paths
        self.skipped = skipped
        self.fresh = fresh
        self.broke = broke

    def copy(self) -> State:
        return State(dict(self.names), dict(self.paths), self.skipped, self.fresh, self.broke)

    def bind(self, name: str, value: Value) -> None:
        """Assign a variable: what was known below its attributes is gone."""
        self.names[name] = value
        if self.paths:
            self.forget(name)

    def forget(self, path: str) -> None:
        """Drop what is known below a path."""
        prefix = path + "."
        for key in [k for k in self.paths if k.startswith(prefix)]:
            del self.paths[key]

    def forget_attributes(self, names: Iterable[str]) -> None:
        """Drop every path that ends in one of these attributes: other code may have written them."""
        gone = set(names)
        for key in [k for k in self.paths if k.rpartition(".")[2] in gone]:
            del self.paths[key]

    def same_as(self, other: State) -> bool:
        """Whether both believe the same: the loop has reached its fixpoint."""
        return _same_values(self.names, other.names) and _same_values(self.paths, other.paths)


def _same_values(a: dict[str, Value], b: dict[str, Value]) -> bool:
    if len(a) != len(b):
        return False
    for name, value in a.items():
        other = b.get(name)
        if other is not value and (other is None or other.key != value.key):
            return False
    return True


def join_states(states: Iterable[State | None]) -> State | None:
    """Where paths meet. None stands for a path that does not get there; None if no path does."""
    alive = [s for s in states if s is not None]
    if not alive:
        return None
    first, *rest = alive
    for other in rest:
        names = dict(first.names)
        for name, value in other.names.items():
            mine = names.get(name)
            if mine is not value:
                names[name] = value if mine is None else join(mine, value)
        # A path known on one side only falls back to what the attribute holds in general.
        paths = {k: join(v, other.paths[k]) for k, v in first.paths.items() if k in other.paths}
        fresh = first.fresh if first.fresh is other.fresh else first.fresh & other.fresh
        first = State(names, paths, first.skipped and other.skipped, fresh, first.broke and other.broke)
    return first
