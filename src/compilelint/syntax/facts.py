"""What the text of a function, class or module alone says, read off it once: an editor asks the same nodes again.

A fact stays with its node, over runs where the node does. Guarantee: it depends on nothing but the node. Does not
belong here: what depends on other files, on the torch that is predicted for, or on what was interpreted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
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
            with unnoted() if read in _OF_PLAIN or read in _OF_STATEMENTS else nullcontext():
                found = facts[read] = read(node)
        finally:
            _watch = watch
    if watch is not None:
        watch.fact(node, read)
    return found


def fact_once(node: Node, read: Callable[[Node], Found]) -> Found:
    """`fact`, let go of unless it was known before: what takes much memory and is asked for once."""
    known = read in getattr(node, "facts", ())
    found = fact(node, read)
    if not known:
        del node.facts[read]
    return found


@contextmanager
def watching(watch: Watch) -> Iterator[None]:
    """While this lasts, report what is read of nodes. Not for two threads at once."""

    def read(node: ir.Function) -> ir.Body:
        body: ir.Body = _BODY.__get__(node)
        if _watch is not None:
            _watch.body(node)
        return body

    with _read_through([(ir.Function, "body", property(read, _BODY.__set__))], watch):
        yield


@contextmanager
def _read_through(slots: Sequence[tuple[Any, str, Any]], watch: Watch | None) -> Iterator[None]:
    """While this lasts, slots of kinds of nodes are read as is given, and `watch` is asked of facts."""
    global _watch  # noqa: PLW0603 - nodes have no way to know who reads them
    before, _watch = _watch, watch
    found = [(kind, name, vars(kind)[name]) for kind, name, _ in slots]
    for kind, name, one in slots:
        setattr(kind, name, one)
    try:
        yield
    finally:
        for kind, name, one in found:
            setattr(kind, name, one)
        _watch = before


class Noted:
    """Which nodes were read, by `id`: bodies of functions and modules, and those that a fact was asked about."""

    __slots__ = ("asked", "plain", "read", "said")

    def __init__(self) -> None:
        self.read: set[int] = set()
        self.asked: set[int] = set()
        self.plain: set[int] = set()  # modules of which the statements were read that define and import nothing
        self.said: dict[int, dict[str, str]] = {}  # by module: what was read off all of it for one purpose (`aside`)

    def body(self, node: ir.Function) -> None:
        """A body is read."""
        self.read.add(id(node))

    def fact(self, node: Any, read: Callable[[Any], object]) -> None:
        """A fact is asked for, which may take all that is in a node."""
        (self.plain if read in _OF_PLAIN else self.read if read in _OF_STATEMENTS else self.asked).add(id(node))


@contextmanager
def noting(noted: Noted) -> Iterator[None]:
    """While this lasts, note what is read of nodes. Not for two threads at once."""
    add = noted.read.add

    def noted_by(slot: Any) -> property:
        get = slot.__get__

        def notes(node: Any) -> Any:
            add(id(node))
            return get(node)

        return property(notes, slot.__set__)

    with _read_through([(kind, name, noted_by(slot)) for kind, name, slot in _SLOTS], noted):
        yield


_SLOTS: tuple[tuple[Any, str, Any], ...] = (
    (ir.Function, "body", _BODY),
    (ir.Function, "local_names", _LOCAL_NAMES),
    (ir.Module, "body", _STATEMENTS),
)

_NOTES = "notes"  # the name of what reads a slot and notes it

_OF_PLAIN: set[Callable[[Any], object]] = set()
_OF_STATEMENTS: set[Callable[[Any], object]] = set()


def of_plain(read: Callable[[ir.Module], Found]) -> Callable[[ir.Module], Found]:
    """Decorator: a fact of a module that takes none of its statements but those of `plain_statements`."""
    _OF_PLAIN.add(read)
    return read


def of_statements(read: Callable[..., Found]) -> Callable[..., Found]:
    """Decorator: a fact that enters no function that is defined in a module or class."""
    _OF_STATEMENTS.add(read)
    return read


def plain_statements(module: ir.Module) -> Iterator[ir.Stmt]:
    """The statements of a module that define no function or class and import nothing, blocks whole."""
    if isinstance(_watch, Noted):
        _watch.plain.add(id(module))
    yield from (s for s in top_level(module) if s.__class__ not in NOT_PLAIN)


NOT_PLAIN = frozenset((ir.Function, ir.Class, ir.Import, ir.ImportFrom))


@contextmanager
def aside(module: ir.Module, purpose: str, said: Callable[[], str]) -> Iterator[None]:
    """What is read of a module inside depends on what is `said` of it then, and on nothing else of it."""
    watch = _watch
    if not isinstance(watch, Noted):
        yield
        return
    with unnoted():
        watch.said.setdefault(id(module), {})[purpose] = said()
        yield


@contextmanager
def unnoted() -> Iterator[None]:
    """What is read inside is not noted: who asks has noted it, or it goes into nothing that is found."""
    noted = [one for one in _SLOTS if getattr(getattr(vars(one[0])[one[1]], "fget", None), "__name__", "") == _NOTES]
    with _read_through(noted, None if isinstance(_watch, Noted) else _watch):
        yield


def top_level(module: ir.Module) -> ir.Body:
    """The statements of a module for a reader that notes itself what it takes of them."""
    body: ir.Body = _STATEMENTS.__get__(module)
    return body


def filled(node: ir.Class) -> bool:
    """Whether the body of a class is there, or still to be unpacked (`ir.Late`): then nothing has read it."""
    try:
        _CLASS_BODY.__get__(node)
    except AttributeError:
        return False
    return True


_CLASS_BODY: Any = ir.Class.__dict__["body"]
