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
_LOCAL_NAMES: Any = ir.Function.__dict__["local_names"]
_STATEMENTS: Any = ir.Module.__dict__["body"]


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


class Noted:
    """Which nodes were read, by `id`: bodies of functions and modules, and those that a fact was asked about."""

    __slots__ = ("asked", "read")

    def __init__(self) -> None:
        self.read: set[int] = set()
        self.asked: set[int] = set()

    def body(self, node: ir.Function) -> None:
        """A body is read."""
        self.read.add(id(node))

    def fact(self, node: Any, read: Callable[[Any], object]) -> None:
        """A fact is asked for, which may take all that is in a node."""
        self.asked.add(id(node))


@contextmanager
def noting(noted: Noted) -> Iterator[None]:
    """While this lasts, note what is read of nodes. Not for two threads at once."""
    global _watch  # noqa: PLW0603 - as above
    before, _watch = _watch, noted
    add = noted.read.add
    function: Any = ir.Function
    module: Any = ir.Module
    slots = [(function, "body", _BODY), (function, "local_names", _LOCAL_NAMES), (module, "body", _STATEMENTS)]
    found = [vars(kind)[name] for kind, name, _ in slots]

    def noted_by(slot: Any) -> property:
        get = slot.__get__

        def read(node: Any) -> Any:
            add(id(node))
            return get(node)

        return property(read, slot.__set__)

    for kind, name, slot in slots:
        setattr(kind, name, noted_by(slot))
    try:
        yield
    finally:
        for (kind, name, _), one in zip(slots, found, strict=True):
            setattr(kind, name, one)
        _watch = before


def top_level(module: ir.Module) -> ir.Body:
    """The statements of a module for a reader that notes itself what it takes of them."""
    body: ir.Body = _STATEMENTS.__get__(module)
    return body


def filled(node: ir.Class) -> bool:
    """Whether the body of a class is there, or still to be unpacked (`ir.Late`): then nobody has read it."""
    try:
        _CLASS_BODY.__get__(node)
    except AttributeError:
        return False
    return True


_CLASS_BODY: Any = ir.Class.__dict__["body"]
