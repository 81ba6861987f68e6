"""An interpreter that remembers what it believed of every expression of some files, and what happened there.

A belief is the join over all passes, contexts and roots, as `reveal_type` answers it. What is run only to learn
something (a constructor, a host) believes nothing. Costs nothing where no file is watched: then `Interpreter` runs.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any, NamedTuple

from compilelint.events import Context, DynamoConfig, Event, RootKind
from compilelint.interp.core.frame import EVAL, Frame
from compilelint.interp.driver.interpreter import Interpreter
from compilelint.interp.kinds import assignment, objects
from compilelint.project.classes import ModuleInfo
from compilelint.project.index import Program
from compilelint.syntax import ir
from compilelint.torchfacts import TorchFacts
from compilelint.values import BOTTOM, Value, join

MAX_EVENTS = 64
"""Of one place: a line in a loop that forty roots reach is one line."""


class Observed(NamedTuple):
    """What was seen of one file.

    `beliefs` holds values by packed place and kind of node; `contexts` the frames that ran each function, by its
    qualified name; `events` what happened, by packed place, each once.
    """

    beliefs: dict[tuple[int, type], Value]
    contexts: dict[str, dict[tuple[str, RootKind, DynamoConfig], Context]]
    events: dict[int, list[Event]]


class Observer(Interpreter):
    """`watched` are the paths of the files to remember; `seen` what was seen of them, by path."""

    def __init__(
        self,
        program: Program,
        facts: TorchFacts,
        sink: Callable[[Event], None],
        config: DynamoConfig | None = None,
        own: Container[str] | None = None,
        timeout: float = 0.0,
        *,
        watched: Container[str],
    ) -> None:
        super().__init__(program, facts, self._noted, config, own, timeout)
        self._handed_on = sink
        self.watched = watched
        self.seen: dict[str, Observed] = {}
        self.frame_class = self._frame

    def _frame(self, interp: Interpreter, module: ModuleInfo, *rest: Any, **named: Any) -> Frame:
        """A frame that remembers, for code of a watched file; all other frames are as quick as without an observer."""
        kind = WatchedFrame if module.ir.path in self.watched else Frame
        return kind(interp, module, *rest, **named)

    def observed(self, path: str) -> Observed:
        """What was seen of a file so far."""
        return self.seen.setdefault(path, Observed({}, {}, {}))

    def _noted(self, event: Event) -> None:
        """Remember an event of a watched file, and hand it on."""
        path = event.site.context.where.path
        if path in self.watched:
            known = self.observed(path).events.setdefault(event.site.pos, [])
            if len(known) < MAX_EVENTS:
                known.append(event)
        self._handed_on(event)

    @staticmethod
    def method(f: Frame, n: ir.Attr) -> Value:
        """The callee of `receiver.name(...)`, which is no expression to `eval`."""
        value = objects.method(f, n)
        if isinstance(f, WatchedFrame):
            f.believe(n, value)
        return value

    @staticmethod
    def assign(f: Frame, target: ir.Expr, value: Value, pos: int, how: str = "assign") -> None:
        """Bind a target; its names hold then what they were given, or what their use says of that."""
        assignment.assign(f, target, value, pos, how)
        if not isinstance(f, WatchedFrame) or f.state is None:
            return
        for name in _names(target):
            held = f.state.names.get(name.id)
            if held is not None:
                f.believe(name, held)


def _names(target: ir.Expr) -> list[ir.Name]:
    """The names that a target binds, `a, (b, *c)` taken apart."""
    if isinstance(target, ir.Name):
        return [target]
    if isinstance(target, ir.Star):
        return _names(target.value)
    return [name for item in target.items for name in _names(item)] if isinstance(target, ir.Display) else []


class WatchedFrame(Frame):
    """A frame whose expressions leave what they came to, if its file is watched."""

    __slots__ = ("_beliefs",)

    _beliefs: dict[tuple[int, type], Value] | None

    def eval(self, node: ir.Expr) -> Value:
        """The value of an expression."""
        if self.state is None:
            return BOTTOM
        value = EVAL[node.__class__](self, node)
        if not self.modes.silent:
            self.believe(node, value)
        return value

    def believe(self, node: ir.Expr, value: Value) -> None:
        """Join a value to what is believed of a node."""
        if self.modes.silent:
            return
        try:
            beliefs = self._beliefs
        except AttributeError:
            beliefs = self._beliefs = self._watched()
        if beliefs is None:
            return
        key = (node.pos, node.__class__)
        known = beliefs.get(key)
        beliefs[key] = value if known is None else join(known, value)

    def _watched(self) -> dict[tuple[int, type], Value] | None:
        """The beliefs of this frame's file; None where it is not watched. Says that the function is run."""
        interp, context = self.interp, self.context
        assert isinstance(interp, Observer)
        path = self.module.ir.path
        if not context.linted or path not in interp.watched:
            return None
        seen = interp.observed(path)
        how = (context.root, context.root_kind, context.config)
        seen.contexts.setdefault(context.function, {}).setdefault(how, context)
        return seen.beliefs
