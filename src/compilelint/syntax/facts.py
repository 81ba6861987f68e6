"""What the text of a function, class or module alone says, read off it once: an editor asks the same nodes again.

A fact stays with its node, over runs where the node does. Guarantee: it depends on nothing but the node. Does not
belong here: what depends on other files, on the torch that is predicted for, or on what was interpreted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

from compilelint.syntax import ir

Node = TypeVar("Node", ir.Function, ir.Class, ir.Module)
Found = TypeVar("Found")


class Watch(Protocol):
    """Records what is read of nodes: `body` of a function by any reader, `fact` by those that ask for one."""

    def body(self, node: ir.Function) -> None: ...

    def fact(self, node: Any, read: Callable[[Any], object]) -> None: ...


_watch: Watch | None = None
_BODY: Any = ir.Function.__dict__["body"]


def fact(node: Node, read: Callable[[Node], Found]) -> Found:
    """What a function of a module's top level reads off a node. The caller must not change it."""
    global _watch  # noqa: PLW0603 - reading a fact is watched as one look, whatever bodies it takes
    try:
        facts = node.facts
    except AttributeError:
        facts = node.facts = {}
    watch = _watch
    try:
        found: Found = facts[read]
    except KeyError:
        _watch = None
        try:
            found = facts[read] = read(node)
        finally:
            _watch = watch
    if watch is not None:
        watch.fact(node, read)
    return found


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """While this lasts, report what is read of nodes. Not for two threads at once."""
    global _watch  # noqa: PLW0603 - nodes have no way to know who reads them
    before, _watch = _watch, watch
    function: Any = ir.Function

    def read(node: ir.Function) -> ir.Body:
        body: ir.Body = _BODY.__get__(node)
        if _watch is not None:
            _watch.body(node)
        return body

    function.body = property(read, _BODY.__set__)
    try:
        yield
    finally:
        function.body = _BODY
        _watch = before
