"""An interpreter that says what it believes: the value behind every `reveal_type(EXPR)`, in every pass over it."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint import events
from compilelint.events import Event
from compilelint.interp.driver.interpreter import Interpreter
from compilelint.values import Value


class Witness(Interpreter):
    """Emits every pass over a line: a belief is the join of what is believed in all of them."""

    def emit(self, event: Event) -> None:
        """Hand on an event as often as it is met."""
        self.sink(event)


def revealed(event: Event) -> Iterator[Value]:
    """The value that an event reveals, if it is a call of `reveal_type`."""
    if isinstance(event, events.Call) and event.name == "typing.reveal_type" and event.args:
        yield event.args[0]
