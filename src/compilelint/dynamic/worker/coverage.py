"""Which instructions of the user's files ran, and from which one each came: what distinguishes the sides of a branch.

Lines do not: both sides of `a if c else b` share one. Instructions have places in the text from Python 3.11 on; before,
nothing is distinguished, and `places` is False. Does not belong here: which sides a change must have exercised
(`dynamic.sides`).
"""

from __future__ import annotations

import contextlib
import dis
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType, FunctionType, TracebackType
from typing import Any

import torch

from compilelint.dynamic.worker.inputs import Call
from compilelint.dynamic.worker.values_seen import ValuesSeen
from compilelint.dynamic.worker.variations import mapped

Place = tuple[int, int, int, int]
"""Line, column, last line, last column, as `ast` counts them."""

PLACES = sys.version_info >= (3, 11)

_CHOOSING = ("where", "masked_fill", "masked_fill_")
# A jump has the place of its whole statement, and belongs to the test before it: what follows is where the test led.
_OF_A_JUMP = frozenset({"COPY", "TO_BOOL", "EXTENDED_ARG", "CACHE"})


class Watch:
    """Use with `with`, around eager runs, more than once if need be: traces every function of the files below folders.

    `folders` are absolute, and may be files; what is installed below them (`site-packages`) is not watched.
    """

    def __init__(self, folders: Sequence[str]) -> None:
        self._folders = tuple(one.rstrip(os.sep) + os.sep for one in folders)
        self._named = frozenset(folders)
        self._files: dict[str, str] = {}
        self._steps: dict[CodeType, set[tuple[int, int]]] = {}
        self._choices: dict[tuple[CodeType, int], list[bool]] = {}
        self._undo: list[Callable[[], None]] = []
        self._before: Any = None
        self.values: ValuesSeen | None = None
        """Where what names hold is kept too, if it is asked for."""

    def __enter__(self) -> Watch:
        self._listen(torch, "where", 0)
        self._listen(torch, "cond", 0)
        for name in _CHOOSING:
            self._listen(torch.Tensor, name, 1)
        if PLACES:
            self._listen_to_scripts()
        self._before = sys.gettrace()
        if PLACES:
            sys.settrace(self._called)
        return self

    @contextlib.contextmanager
    def importing(self) -> Iterator[None]:
        """Watch steps alone, and replace nothing of torch: what a module imports of it, the module keeps."""
        before = sys.gettrace()
        if PLACES:
            sys.settrace(self._called)
        try:
            yield
        finally:
            sys.settrace(before)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        sys.settrace(self._before)
        while self._undo:
            self._undo.pop()()

    def seen(self) -> dict[str, Any]:
        """By file: `steps` (from one place to the next, the first of a frame from None), and `choices`.

        A choice is the place of a call of `torch.where`, `torch.cond` or `masked_fill`, and whether its condition was
        true and was false of anything.
        """
        found: dict[str, Any] = {}
        for code, steps in self._steps.items():
            places = _places(code)
            file = found.setdefault(self._file(code), {"steps": [], "choices": []})
            moves = {(None if one < 0 else places(one), places(other)) for one, other in steps}
            file["steps"] += [[one, other] for one, other in moves]
        for (code, offset), (true, false) in self._choices.items():
            file = found.setdefault(self._file(code), {"steps": [], "choices": []})
            file["choices"].append([_places(code)(offset), true, false])
        return found

    def values_seen(self) -> dict[str, Any]:
        """By file what names held (`values_seen`); nothing where it was not asked for."""
        return {} if self.values is None else self.values.seen(self._file)

    def _file(self, code: CodeType) -> str:
        """The watched file of some code; empty for all other code."""
        name = code.co_filename
        known = self._files.get(name)
        if known is None:
            path = os.path.abspath(name) if not name.startswith("<") else ""
            inside = (
                path in self._named or path.startswith(self._folders)
            ) and f"{os.sep}site-packages{os.sep}" not in path
            known = self._files[name] = path if inside else ""
        return known

    def _called(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        if not self._file(code):
            return None
        frame.f_trace_opcodes = True
        frame.f_trace_lines = False
        add = self._steps.setdefault(code, set()).add
        last = -1
        values = None if self.values is None else self.values.begun(frame)

        def stepped(frame: FrameType, event: str, arg: Any) -> Any:
            nonlocal last
            if event == "opcode":
                add((last, frame.f_lasti))
                last = frame.f_lasti
                if values is not None:
                    values.step(frame)
            elif event == "return" and values is not None:
                values.end(arg)
            return stepped

        return stepped

    def _listen(self, owner: Any, name: str, condition: int) -> None:
        """Look at the condition of every call of a function that chooses."""
        original = getattr(owner, name, None)
        if original is None:
            return
        own = name in vars(owner)

        def choosing(*args: Any, **named: Any) -> Any:
            if self._undo:  # a model may have kept this while it was built, and compile it
                self._choice(sys._getframe(1), _condition(args, named, condition))
            return original(*args, **named)

        setattr(owner, name, choosing)
        self._undo.append(lambda: setattr(owner, name, original) if own else delattr(owner, name))

    def _listen_to_scripts(self) -> None:
        """Run the Python of every `torch.jit.script` too, on copies, since its compiled form takes no steps."""
        kind: Any = torch.jit.ScriptFunction
        original = kind.__call__

        def calling(script: Any, *args: Any, **named: Any) -> Any:
            body = getattr(script, "_torchdynamo_inline", None)
            if self._undo and isinstance(body, FunctionType) and self._file(body.__code__):
                _also(body, (args, named))
            return original(script, *args, **named)

        kind.__call__ = calling
        self._undo.append(lambda: setattr(kind, "__call__", original))

    def _choice(self, frame: FrameType, condition: Any) -> None:
        if not self._file(frame.f_code):
            return
        sides = self._choices.setdefault((frame.f_code, frame.f_lasti), [False, False])
        if isinstance(condition, torch.Tensor):
            chosen = condition.detach().bool()
            sides[0] |= bool(chosen.any())
            sides[1] |= bool((~chosen).any())
        elif isinstance(condition, bool):
            sides[0] |= condition
            sides[1] |= not condition


_KEPT: dict[tuple[str, ...], Watch] = {}


def watch_of(folders: Sequence[str]) -> Watch:
    """The one watch of this process for some folders; a process that is forked off goes on with what it saw."""
    return _KEPT.setdefault(tuple(folders), Watch(folders))


def _also(body: Callable[..., Any], call: Call) -> None:
    """Run a function for its steps alone: on copies, and neither its result nor what it draws or raises is used."""
    drawn = torch.get_rng_state()
    with contextlib.suppress(Exception):
        args, named = mapped(lambda one: one.detach().clone().requires_grad_(one.requires_grad), None, call)
        body(*args, **named)
    torch.set_rng_state(drawn)


def _condition(args: Sequence[Any], named: dict[str, Any], place: int) -> Any:
    for name in ("condition", "mask", "pred"):
        if name in named:
            return named[name]
    return args[place] if len(args) > place else None


def _places(code: CodeType) -> Callable[[int], Place | None]:
    """From the offset of an instruction to its place."""
    if not PLACES:
        return lambda offset: None
    known: dict[int, Place | None] = {}
    before: Place | None = None
    for one in dis.get_instructions(code, show_caches=True):  # type: ignore[call-arg,unused-ignore]  # Python 3.11
        if not {"JUMP", "IF"} <= {*one.opname.split("_")} and one.opname not in _OF_A_JUMP:
            before = _place_of(one.positions)  # type: ignore[attr-defined,unused-ignore]  # Python 3.11
        known[one.offset] = before
    return known.get


def _place_of(found: Any) -> Place | None:
    line, column, end_line, end_column = found.lineno, found.col_offset, found.end_lineno, found.end_col_offset
    return None if None in (line, end_line, column, end_column) else (line, column, end_line, end_column)
