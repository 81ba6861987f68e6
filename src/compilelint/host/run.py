"""Run the modules that may compile something, and say what their compiled calls come to.

Each module is run as the script that it may be (`__name__` is `"__main__"`), others as it imports them. A function
that holds a compile call and that nothing was seen to call is called last, with arguments of which nothing is known
but their defaults. Guarantee: bounded steps a module; nothing of what is read is executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from compilelint.events import (
    Compile,
    Context,
    Differs,
    DynamoConfig,
    Event,
    Recompiled,
    RecompiledBy,
    Site,
    WrapperHow,
    WrapperUse,
)
from compilelint.host.ambient import SETTINGS
from compilelint.host.guards import GRAD_MODE
from compilelint.host.machine import Machine
from compilelint.host.regions import MANY_VALUES, Failure, Regions
from compilelint.host.signals import OutOfStepsError, RaisedError
from compilelint.host.values import UNKNOWN, Env, Function, Lib, Thing
from compilelint.host.wrappers import Uses
from compilelint.model import Confidence, Doubt, Location
from compilelint.model.patterns import late_pattern
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.project.compile_calls import COMPILERS, FRAMEWORKS
from compilelint.project.index import Program
from compilelint.survey.deadline import LateError, within
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name, statements_of

_WORDS = frozenset({*(name.rpartition(".")[2] for name in COMPILERS), *(name for _, name in FRAMEWORKS), "compile"})
_MOST_FUNCTIONS = 40
_LIMIT = 8  # of versions, where the program sets none
_SEVERAL_CALLS = 3  # from as many on, calls in one size are no accident
_CLASS = late_pattern(r"(a )?`.*`$|another function")  # a guard of a class or of code, in words (`guards`)
_LENGTH = late_pattern(r"a \w+ of \d+$")  # of containers
_ADVICE = frozenset({"unused", "timed", "keys", "method", "identity"})
_STATES = frozenset({"training", "requires_grad"})


Failed = Callable[[ModuleInfo, Exception], None]
"""Takes an error of ours that ended the run of a module."""


def run(
    program: Program,
    modules: Iterable[ModuleInfo],
    known: Iterable[Event] = (),
    failed: Failed | None = None,
    seconds: float = 0.0,
    late: Callable[[ModuleInfo], None] = lambda _module: None,
) -> Iterator[Event]:
    """What the compiled calls of each of these modules come to, when it is run.

    `known` is what a survey of them has said: sizes that vary at a call are said once. An error of ours costs what its
    module would still have come to; without `failed` it is raised. `seconds` of CPU time are left for each, 0 for any:
    one that takes more is given to `late`, with what was seen until then.
    """
    known = list(known)
    varied = {one.site.location for one in known if isinstance(one, WrapperUse) and one.how.startswith("sizes")}
    kept = {one.made for one in known if isinstance(one, WrapperUse) and one.how == "kept-output"}
    for module, regions in _runs(program, modules, failed, seconds, late):
        for event in events_of(regions, module):
            if _raises(event) or not (event.by == "input" and event.site.location in varied):
                yield event
        for use in uses_of(regions):
            if not (isinstance(use, WrapperUse) and use.how == "overwritten" and use.made in kept):
                yield use


def _raises(event: Recompiled) -> bool:
    """Whether a call that compiles again raises, so that what the survey says of its sizes says too little."""
    return bool(event.refused) or (event.fullgraph and event.versions > (event.limit or _LIMIT))


def _runs(
    program: Program,
    modules: Iterable[ModuleInfo],
    failed: Failed | None,
    seconds: float = 0.0,
    late: Callable[[ModuleInfo], None] = lambda _module: None,
) -> Iterator[tuple[ModuleInfo, Uses]]:
    """What each module comes to, as far as it was run."""
    linted = {module.name: module for module in modules}
    for module in list(linted.values()):
        regions = Uses()
        machine = Machine(program, linted, regions)
        try:
            with within(seconds):
                _uncalled(machine, machine.run_module(module, "__main__"), module)
        except (OutOfStepsError, RecursionError):
            pass  # what was seen until then was seen
        except LateError:
            late(module)
        except Exception as error:
            if failed is None:
                raise
            failed(module, error)
            yield module, regions
            continue
        regions.unused(machine)
        regions.never_differentiated(machine)
        yield module, regions


def single_sized(program: Program, module: ModuleInfo) -> set[int]:
    """The positions of the compile calls of a module whose recorded calls all have the same sizes when it is run."""
    return {
        wrapper.compilation.pos
        for _, regions in _runs(program, [module], lambda _module, _error: None)
        for wrapper in regions.compilations
        if len(wrapper.compilation.sizes) == 1 and wrapper.compilation.calls >= _SEVERAL_CALLS
        if wrapper.compilation.env.module is module and not wrapper.compilation.guessed
    }


class CompiledCode(NamedTuple):
    """A function that a compile call of a run compiles, and how it is asked."""

    place: Location
    function: FunctionInfo
    owner: ClassInfo | None
    fullgraph: bool
    dynamic: bool | None


def compiled_code(
    program: Program, modules: Iterable[ModuleInfo], failed: Failed | None = None
) -> Iterator[CompiledCode]:
    """The functions that compile calls compile when these modules are run."""
    for _, regions in _runs(program, modules, failed):
        targets = [(wrapper.target, wrapper.compilation) for wrapper in regions.compilations]
        for target, compilation in [*targets, *regions.in_place]:
            function, owner = _entered(target)
            if function is not None:
                yield CompiledCode(compilation.place, function, owner, compilation.fullgraph, compilation.dynamic)


def _entered(target: object) -> tuple[FunctionInfo | None, ClassInfo | None]:
    """The function that a call of something enters, and the class of its instance."""
    if isinstance(target, Thing):
        name = "forward" if target.cls.is_module and target.cls.method("__call__") is None else "__call__"
        return target.cls.method(name), target.cls
    if isinstance(target, Function):
        receiver = target.receiver
        return target.info, receiver.cls if isinstance(receiver, Thing) else None
    return None, None


def _uncalled(machine: Machine, env: Env, module: ModuleInfo) -> None:
    """Call the functions that hold a compile call and were not called."""
    count = 0
    for value in list(env.names.values()):
        if not isinstance(value, Function) or value.env.globals is not env or value.info.module is not module:
            continue
        node = value.info.node
        if id(node) in machine.entered or not _compiles(node) or count >= _MOST_FUNCTIONS:
            continue
        count += 1
        unknown = any(p.default is None and p.kind in ("positional", "either", "keyword") for p in node.params)
        machine.guessed += unknown
        try:
            machine.call(env, value, [], {}, node.head)
        except RaisedError:
            pass
        finally:
            machine.guessed -= unknown


def _compiles(node: ir.Function) -> bool:
    from compilelint.survey.scopes import calls_among, own_expressions

    return any(
        last_name(call.func) in _WORDS for s in statements_of(node.body) for call in calls_among(own_expressions(s))
    )


def events_of(regions: Regions, module: ModuleInfo) -> Iterator[Recompiled]:
    """One event for each place and thing that differs, of all calls that compile again."""
    versions: dict[object, int] = {}
    for failure in regions.failures:
        versions[failure.key] = max(versions.get(failure.key, 0), failure.number)
    said: set[object] = set()
    for failure in regions.failures:
        many = len(regions.numbers.get((failure.key, failure.difference.path), ())) >= MANY_VALUES
        event = _recompiled(failure, versions[failure.key], many)
        # One finding for a call: the others that differ there follow from it, or come to the same remedy.
        key = (failure.key, event.call.path, event.call.span.line, event.by)
        if key not in said and event.site.context.linted:
            said.add(key)
            yield event


def uses_of(uses: Uses) -> Iterator[Event]:
    """The uses of wrappers that a run met, which no rule of spelling could see."""
    for use in uses.uses.values():
        sure = Confidence.CERTAIN if use.certain and use.how not in _ADVICE else Doubt.HOST_UNDECIDED.cap
        how: WrapperHow = use.how  # type: ignore[assignment]
        site = site_of(use.env, use.pos, use.compilation.fullgraph)
        if use.how == "again":
            if use.certain:
                yield Compile(site, None, "again", "", "", use.compilation.place)
        elif site.context.linted:
            yield WrapperUse(site, None, how, use.name, use.detail, use.compilation.place, sure, given=use.given)


def _recompiled(failure: Failure, versions: int, many: bool) -> Recompiled:
    by: RecompiledBy = failure.kind  # type: ignore[assignment]
    env, pos = failure.env, failure.pos
    call = env.module.ir.location(pos)
    if by == "state" and failure.write is not None:
        env, pos = failure.write.env, failure.write.pos
    elif by == "instance":
        env, pos = failure.compilation.env, failure.compilation.pos
    difference = failure.difference
    guard = spelled(difference.path)
    symbol = difference.what == "size" or (difference.what == "value" and _is_number(difference.before))
    return Recompiled(
        site_of(env, pos, failure.compilation.fullgraph),
        None,
        by,
        _differs(difference.path, difference.what, difference.before),
        guard,
        _name(guard),
        difference.before,
        difference.after,
        difference.dim,
        versions,
        symbol and versions <= 2,
        failure.compilation.fullgraph,
        failure.compilation.dynamic is False,
        call,
        failure.compilation.place,
        Confidence.CERTAIN if failure.certain else Doubt.HOST_UNDECIDED.cap,
        failure.compilation.records and many,
        failure.refused,
        failure.limit,
        failure.use,
        failure.remade,
    )


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def _differs(path: str, what: str, before: str) -> Differs:
    if path in SETTINGS:
        return "setting"
    if path == GRAD_MODE or path.rpartition(".")[2] in _STATES:
        return "mode"
    if what == "value" and path.endswith(".keys()"):
        return "keys"
    if what == "value" and _LENGTH.match(before):
        return "length"
    if what == "value" and _CLASS.match(before):
        return "class"
    return what  # type: ignore[return-value]


def spelled(path: str) -> str:
    """A guard's source as Dynamo prints it in a message: `self.scale`, `x.size()[0]`, `G['FLAG']`."""
    for word in (" itself", ".keys()", " settings", " items"):
        path = path.removesuffix(word)
    path = path.partition(" in test ")[0]
    if path.startswith("L['"):
        name, _, rest = path[3:].partition("']")
        return f"{name}{rest}"
    return path


def _name(guard: str) -> str:
    return guard[3:].replace("']", "", 1) if guard.startswith("G['") else guard


def site_of(env: Env, pos: int, fullgraph: bool) -> Site:
    """A place of the host program."""
    name = "" if env.function is None else env.function.node.qualname
    config = DynamoConfig(fullgraph=fullgraph)
    return Site(Context(env.module.ir, name, env.module.linted, name or "<module>", "host", config=config), pos)


__all__ = ["UNKNOWN", "Lib", "Thing", "events_of", "run", "site_of", "spelled"]
