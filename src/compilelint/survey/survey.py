"""The survey: what stands outside compiled regions and decides whether compiling works at all.

A walk over the IR of the linted files, without interpretation: switches of torch, calls of `torch.compile`, and what
becomes of their results here; operators, native code and lost state have files of their own. Guarantee: nothing is
said of a name that might mean something else. Does not belong here: what happens inside a region (`interp`).
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Event
from compilelint.project.classes import ModuleInfo
from compilelint.project.index import Program
from compilelint.survey.around import around
from compilelint.survey.by_name import Spots
from compilelint.survey.compile_uses import compiles
from compilelint.survey.compiled_twice import compiled_twice
from compilelint.survey.custom_operators import operators
from compilelint.survey.deadline import look
from compilelint.survey.lifetimes import lifetimes
from compilelint.survey.lost_state import dropped
from compilelint.survey.optimized_modules import Wrappers, both_ends, uses_of, wrappers_in
from compilelint.survey.scopes import scopes, spots
from compilelint.survey.switches import switches
from compilelint.syntax import ir


def survey(program: Program, modules: list[ModuleInfo], kept: bool = True) -> Iterator[Event]:
    """The events of the files given, file by file; all but those of operators. `kept` as for `spots`."""
    for module in modules:
        found = scopes(program, module)
        seen = {scope: Spots(spots(scope, kept)) for scope in found}
        wrappers = Wrappers([wrapper for scope in found for wrapper in wrappers_in(scope, seen[scope])])
        yield from switches(seen)
        for scope in found:
            for spot in seen[scope]:
                look()
                yield from compiles(spot)
            yield from compiled_twice(wrappers, seen[scope])
            yield from lifetimes(wrappers.of(scope), seen[scope])
        uses = [use for scope in found for use in uses_of(wrappers, seen[scope])]
        yield from both_ends(uses, wrappers, seen.values())
        yield from around(seen)
        yield from dropped(found, seen)


def survey_operators(program: Program, modules: list[ModuleInfo], kept: bool = True) -> Iterator[Event]:
    """The events of operators, which are compared across all files given. `kept` as for `spots`."""
    read = [scopes(program, module) for module in modules]
    calls = {}
    for scope in (scope for found in read for scope in found):
        look()
        # Calls alone: of files that are compared all at once, every expression would be a lot.
        calls[scope] = [one for one in spots(scope, kept) if isinstance(one.expr, ir.Call)]
    for event in operators(read, calls):
        look()
        yield event
