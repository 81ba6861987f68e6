"""Compiles the programs of one kind; outcomes are spelled as `torchfacts.kinds` says."""

from __future__ import annotations

import dis
import functools
from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo as dynamo
from torch._dynamo import exc, guards
from torch._dynamo.utils import counters
from torch._logging import _internal

from compilelint.torchfacts.generate.fault import Fault
from compilelint.torchfacts.generate.kinds.programs import (
    MEMBERS,
    ORIGINS,
    Origin,
    candidates,
    members_of,
    operations,
    program,
)
from compilelint.torchfacts.generate.measure import first_line, limited, registry
from compilelint.torchfacts.kinds import ACROSS, FAILS, FULL, INSIDE, MAKE, NOT_EAGER, SKIPS, TRACED

_SECONDS = 60
_EAGER_SECONDS = 4
_IDS = {entry["Gb_type"]: gb_id for gb_id, entries in registry().items() for entry in entries}
Run = Callable[[], tuple[Callable[..., Any], list[Any]]]


def settled(run: Run, name: str, statement: str, known: dict[tuple[str, str], str]) -> str:
    """What becomes of one program, which does operation `name` by `statement`.

    How the default mode ends depends on the instructions and on what is met there: `known` keeps it by both.
    """
    with Fault() as fault, limited(_EAGER_SECONDS):
        function, arguments = run()
        function(*arguments)
    if fault.error is not None:
        return NOT_EAGER
    splits = name == ACROSS
    full = "" if splits else _full(run)
    if full == TRACED:
        return TRACED
    key = (_instructions(statement), full)
    plain = known.get(key) if full.startswith("GB") else None
    if plain is None:
        plain = known[key] = _plain(run)
    if plain == TRACED:
        return TRACED if splits else FULL + full
    if plain == FAILS:
        return FAILS
    id_ = full if full.startswith("GB") else plain.removeprefix(SKIPS)
    return (SKIPS if plain.startswith(SKIPS) else "") + id_


@functools.cache
def _instructions(statement: str) -> str:
    """The instructions of a statement that do more than load and store names."""
    code = compile(f"def f():\n    {statement}", "", "exec").co_consts[0]
    names = {one.opname for one in dis.get_instructions(code)}
    return " ".join(sorted(name for name in names if not name.startswith(("LOAD_CONST", "LOAD_GLOBAL", "STORE_FAST"))))


def _full(run: Run) -> str:
    error = _compiled(run, fullgraph=True)
    if error is None:
        return TRACED
    return _id_of(error)


def _id_of(error: BaseException) -> str:
    if not isinstance(error, exc.Unsupported):
        return FAILS
    words = getattr(error, "gb_type", None) or first_line(getattr(error, "msg", error))
    return _IDS.get(words, FAILS)


def _plain(run: Run) -> str:
    """The default mode: traced, fails, or the id of what it met, which may be empty, after a mark if it skips."""
    error = _compiled(run, fullgraph=False)
    if error is not None:
        return FAILS
    found = [_IDS.get(first_line(words), "") for words in counters.get("graph_break") or ()]
    found = [one for one in found if one != _EXPLICIT]
    if found:
        return found[0]
    frames = counters.get("frames") or {}
    if frames.get("total", 0) > frames.get("ok", 0):
        words = first_line(next(iter(counters.get("unimplemented") or ()), ""))
        return SKIPS + _IDS.get(words, "")
    return TRACED


_EXPLICIT = "GB0025"  # "Call to `torch._dynamo.graph_break()`"


def _compiled(run: Run, *, fullgraph: bool) -> BaseException | None:
    with Fault() as making:
        function, arguments = run()
    if making.error is not None:
        return making.error
    dynamo.reset()
    counters.clear()
    with Fault() as fault, limited(_SECONDS):
        torch.compile(function, backend="eager", fullgraph=fullgraph)(*arguments)
    return fault.error


def quickened() -> None:
    """Drops what compiling does for people alone, logs and the measuring of guards, which take half of the time."""
    guards.profile_guard_manager = lambda *_: 0.0
    _internal.trace_log.handlers.clear()
    settled(lambda: program("int", "outside", "pass"), "", "pass", {})


def measured(asked: str) -> dict[str, dict[str, str]]:
    """What becomes of the operations (`len`) on a kind, or of the members (`.append`) of `KIND|members`.

    By where the object was made. Where it cannot be made inside without a break, `make` says so and nothing else is
    asked there.
    """
    kind, of_members = asked.removesuffix(MEMBERS), asked.endswith(MEMBERS)
    statements: dict[str, str | None] = dict(operations())
    if of_members:
        statements = {MAKE: statements[MAKE], **{name: _member(kind, name) for name in members_of(kind)}}
    found: dict[str, dict[str, str]] = {}
    for origin in ORIGINS:
        row = found[origin] = {}
        for name, statement in statements.items():
            if statement is not None and (origin != INSIDE or row.get(MAKE, TRACED) == TRACED):
                row[name] = settled(_run(kind, origin, statement), name, statement, _PLAIN_OF)
    return found


_PLAIN_OF: dict[tuple[str, str], str] = {}


def _run(kind: str, origin: Origin, statement: str) -> Run:
    return lambda: program(kind, origin, statement)


def _member(kind: str, name: str) -> str | None:
    """The first statement on a member (`.append()`) that runs; None where none does."""
    for statement in candidates(name):
        with Fault() as fault, limited(_EAGER_SECONDS):
            function, arguments = program(kind, "outside", statement)
            function(*arguments)
        if fault.error is None:
            return statement
    return None
