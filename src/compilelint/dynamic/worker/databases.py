"""SQLite in a worker: a connection attaches no file that may not be written.

Opening a database raises an audit event. `ATTACH`, `VACUUM INTO` and two settings name files in native code, which asks
the authorizer of the connection alone; that cannot be set while the event is raised, since the connection is
not ready. So every connection is of a class of ours, which sets one, and a connection that is made past it is refused.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias
from urllib.parse import unquote

try:
    import sqlite3  # at once, before a folder of the target is looked in for modules
except ImportError:  # Python can be built without
    sqlite3 = None  # type: ignore[assignment]

Judge: TypeAlias = Callable[[str], None]
"""Given the name of a file that is to be written; raises PermissionError if it may not."""

_PLACES = ("temp_store_directory", "data_store_directory")  # settings that say where SQLite puts files
_URI = 7  # the place of `uri` among the arguments of a connection
_FACTORY = 5


class Guard:
    """Keeps connections to files that `judge` lets through; `install` cannot be undone."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge
        self._making = threading.local()

    def judge_database(self, event: str, args: Sequence[Any]) -> None:
        """The audit event `sqlite3.connect`. Raises what the judge raises."""
        for name in files_of(args[0], is_address=True):
            self._judge(name)

    def judge_handle(self, event: str, args: Sequence[Any]) -> None:
        """The audit event `sqlite3.connect/handle`: a connection that nothing of ours is making has no authorizer."""
        if not getattr(self._making, "depth", 0):
            raise PermissionError("compilelint does not let a target open a database past `sqlite3.connect`")

    def install(self) -> None:
        """Put our class in the place of `sqlite3.Connection`; nothing where Python comes without SQLite."""
        if sqlite3 is None:
            return
        made: Any = sqlite3.Connection
        connect: Any = sqlite3.connect
        guard = self
        with self._at_work(), contextlib.closing(connect(":memory:")) as any_one:
            options = [option for (option,) in any_one.execute("PRAGMA compile_options")]
        always_address = "USE_URI" in options or "USE_URI=1" in options

        class Connection(made):  # type: ignore[misc]
            """A connection that attaches what may be written."""

            def __init__(self, *args: Any, **named: Any) -> None:
                asked = bool(args[_URI] if len(args) > _URI else named.get("uri"))
                self._is_address = asked or always_address
                if not self._is_address:
                    for name in files_of(args[0] if args else named.get("database", ""), is_address=False):
                        guard._judge(name)
                with guard._at_work():
                    super().__init__(*args, **named)
                self.set_authorizer(None)

            def set_authorizer(self, authorizer_callback: Any) -> None:
                """Both are asked, the program's own and ours."""
                made.set_authorizer(self, guard._authorizer(authorizer_callback, self._is_address))

        def judged_connect(*args: Any, **named: Any) -> Any:
            asked = args[_FACTORY] if len(args) > _FACTORY else named.get("factory", Connection)
            if len(args) <= _FACTORY:
                named["factory"] = asked
            if isinstance(asked, type) and issubclass(asked, Connection):
                return connect(*args, **named)
            with guard._at_work():
                found = connect(*args, **named)
            if isinstance(found, made):  # of a class that was made before ours
                made.set_authorizer(found, guard._authorizer(None, always_address))
            return found

        judged_connect.__doc__ = connect.__doc__
        Connection.__qualname__, Connection.__module__ = made.__qualname__, made.__module__
        for module in ("sqlite3", "sqlite3.dbapi2", "_sqlite3"):
            for name, value in (("Connection", Connection), ("connect", judged_connect)):
                setattr(sys.modules[module], name, value)

    @contextlib.contextmanager
    def _at_work(self) -> Iterator[None]:
        self._making.depth = getattr(self._making, "depth", 0) + 1
        try:
            yield
        finally:
            self._making.depth -= 1

    def _authorizer(self, asked_too: Any, is_address: bool) -> Callable[..., int]:
        """What SQLite asks before it compiles a statement; it can answer no more than that it is denied."""

        def authorizer(action: int, first: str | None, second: str | None, *rest: Any) -> int:
            named: str | None = None
            if action == sqlite3.SQLITE_ATTACH:
                named = first if first is not None else "a name that is not a literal"
            elif action == sqlite3.SQLITE_PRAGMA and first is not None and first.lower() in _PLACES:
                named = second
            if named is not None:
                try:
                    for readings in (True, False) if not is_address else (True,):
                        for name in files_of(named, is_address=readings):
                            self._judge(name)
                except PermissionError as error:
                    sys.stderr.write(f"{error}\n")  # the target meets "not authorized", and no reason
                    return sqlite3.SQLITE_DENY
            return sqlite3.SQLITE_OK if asked_too is None else asked_too(action, first, second, *rest)

        return authorizer


def files_of(database: Any, is_address: bool) -> Iterator[str]:
    """The file that SQLite would open under a name; none for a database in memory.

    `is_address` says how `file:...` is read: as a URI, or as it stands.
    """
    name = os.fsdecode(database)
    if name in ("", ":memory:"):
        return
    if not name.startswith("file:"):
        yield name
    elif not is_address:
        if os.path.isdir(os.path.dirname(name) or os.curdir):  # else nothing can be opened by that name
            yield name
    else:
        path, _, query = name.removeprefix("file:").partition("#")[0].partition("?")
        if path.startswith("//"):
            path = "/" + path[2:].partition("/")[2]
        path = unquote(path, errors="surrogateescape")
        if path not in ("", ":memory:") and "mode=memory" not in unquote(query).split("&"):
            yield path
