"""From compile calls to roots: the functions in what was compiled, and the arguments that its calls were seen with."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from compilelint.host.run import Failed, compiled_code
from compilelint.interp.core import binding
from compilelint.interp.core.args import Args
from compilelint.interp.core.compile_calls import MOST_CALLS, Changing, Met, Target
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.markers import HELD, WRAPPED
from compilelint.interp.driver.attribute_candidates import try_candidates
from compilelint.interp.driver.hosting import run_hosts
from compilelint.interp.driver.unreached import worth_starting
from compilelint.interp.driver.unresolved import reason, unmet
from compilelint.interp.hosts import host_objects
from compilelint.interp.kinds import class_decorators
from compilelint.interp.models.steering import TRANSFORM
from compilelint.model import Confidence, Doubt, Location
from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.project.compile_calls import CompileCall
from compilelint.project.roots import Root, Roots, find_roots, opaque
from compilelint.values import (
    BoundMethod,
    ClassRef,
    Compiled,
    Const,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Origin,
    OriginKind,
    Partial,
    Sequence,
    Tensor,
    Unknown,
    Value,
    arms,
    join_all,
    resumed,
    uncompiled,
)

if TYPE_CHECKING:
    from compilelint.events import DynamoConfig
    from compilelint.interp.driver.interpreter import Interpreter

_ANY_MODULE = ("torch.nn.Module", "torch.nn.modules.module.Module")
_DEEP = 8  # wrappers around wrappers
_MOST_KINDS = 4  # of calls of one compiled function
_MOST_CLOSURES = 6  # of one function, compiled in the frames of several callers


def roots_of(
    interp: Interpreter,
    modules: Iterable[ModuleInfo],
    specs: tuple[str, ...],
    config: DynamoConfig | None = None,
    hosting: Iterable[ModuleInfo] | None = None,
    failed: Failed | None = None,
) -> Roots:
    """The roots of the linted modules for the items of `--roots`, after running what may compile something.

    `hosting` are the modules whose text holds a word by which something is compiled; all, if not given. `failed` takes
    an error of ours that ended the run of one as a program; without it the error is raised.
    """
    modules = list(modules)
    hosting = modules if hosting is None else list(hosting)
    run_hosts(interp, modules, hosting)
    guessed = try_candidates(interp, modules)
    explicit: list[Root] = []
    compile_calls: list[CompileCall] = []
    for met in interp.hosts.met.values():
        candidates = guessed.get(id(met), frozenset())
        found = list(_roots(interp, met, candidates))
        explicit += found
        if met.module.linted:
            compile_calls.append(_call(met, found, bool(candidates)))
    known = {(id(met.module.ir), met.pos) for met in interp.hosts.met.values()} | interp.hosts.evaluated
    compile_calls += unmet(interp.program, hosting, known)
    found_by_runs, compile_calls = _found_by_runs(interp, hosting, compile_calls, failed)
    return chosen_roots(interp, modules, specs, config, [*explicit, *found_by_runs], compile_calls)


def _found_by_runs(
    interp: Interpreter, hosting: list[ModuleInfo], calls: list[CompileCall], failed: Failed | None
) -> tuple[list[Root], list[CompileCall]]:
    """What a run of the program shows compile calls to compile that were not resolved: at most likely.

    A loop over a list that a function fills compiles what it was given.
    """
    open_calls = {call.location: call for call in calls if not call.resolved and not call.roots}
    paths = {location.path for location in open_calls}
    roots: dict[tuple[Location, int, int], Root] = {}
    for code in compiled_code(interp.program, [module for module in hosting if module.ir.path in paths], failed):
        if code.place in open_calls and not opaque(code.function):
            config = replace(interp.config, fullgraph=code.fullgraph, dynamic=code.dynamic)
            receiver = None if code.owner is None else Object(code.owner)
            sure = Doubt.SHOWN_BY_A_RUN.cap
            root = Root(code.function, code.owner, "explicit", config, code.place, receiver, None, None, sure)
            roots.setdefault((code.place, id(code.function.node), id(code.owner)), root)
    names: dict[Location, list[str]] = {}
    for root in roots.values():
        assert root.compiled_at is not None
        names.setdefault(root.compiled_at, []).append(root.name)
    known = [
        CompileCall(call.location, call.how, tuple(dict.fromkeys(names[call.location])))
        if call.location in names and call.location in open_calls
        else call
        for call in calls
    ]
    return list(roots.values()), known


def chosen_roots(
    interp: Interpreter,
    modules: Iterable[ModuleInfo],
    specs: tuple[str, ...],
    config: DynamoConfig | None,
    explicit: Iterable[Root],
    calls: Iterable[CompileCall],
) -> Roots:
    """The roots, beside those that the program compiles itself."""
    with nullcontext() if interp.recorder is None else interp.recorder.unasked():  # they are chosen after each edit
        return find_roots(
            interp.program,
            modules,
            specs,
            config,
            explicit,
            calls,
            worth_starting(interp.program),
            partial(class_decorators.entry, interp),
        )


def _call(met: Met, roots: list[Root], has_candidates: bool) -> CompileCall:
    names = tuple(dict.fromkeys(root.name for root in roots))
    if has_candidates and names:
        return CompileCall(met.module.ir.location(met.pos), met.how, names)
    unknown = next(_outside(met), "") or (reason(met.module, met.pos) if met.unknown else "")
    return CompileCall(met.module.ir.location(met.pos), met.how, names, unknown)


def _outside(met: Met) -> Iterator[str]:
    """What of the targets lies in code that was not followed; a layer of torch itself has nothing to follow."""
    for target in met.targets.values():
        value: Value = target.value
        method = ""
        if isinstance(value, BoundMethod):
            method, value = f".{value.name}", value.receiver
        if isinstance(value, (External, Instance)):
            name = value.name
            if isinstance(value, Instance) and WRAPPED in dict(value.state):
                continue  # the wrapper is a call of its own; what it calls is judged
            if name in _ANY_MODULE:
                yield f"{reason(met.module, met.pos)}, but that it is a module"
            elif name.partition(".")[0] not in ("torch", "builtins"):
                yield f"`{name}{method}` was not found, or its source is not followed"


def _roots(interp: Interpreter, met: Met, candidates: Container[Hashable]) -> Iterator[Root]:
    """The functions that a compile call compiles; `candidates` are the keys of targets that are guesses."""
    place = met.module.ir.location(met.pos)
    count: dict[int, int] = {}
    for key, target in met.targets.items():
        for one in _functions(target.value, 0, interp):
            code = one.ref.code
            assert isinstance(code, FunctionInfo)
            if opaque(code):
                continue
            count[id(code.node)] = count.get(id(code.node), 0) + 1
            if count[id(code.node)] > _MOST_CLOSURES:
                continue
            receiver = one.ref.receiver
            owner = receiver.cls if isinstance(receiver, (Object, ClassRef)) else None
            yield Root(
                code,
                owner if isinstance(owner, ClassInfo) else None,
                "explicit",
                target.called_config,
                place,
                receiver,
                one.ref.closure,
                _Given(target, one.first) if one.called else None,
                Doubt.HAS_THE_ATTRIBUTES.lower(one.sure) if key in candidates else one.sure,
                called_from=(met.module, met.pos),
            )


@dataclass(frozen=True, slots=True)
class _Function:
    """A function in what is compiled. `called` says that calls of the compiled object are calls of it."""

    ref: FunctionRef
    first: Partial | None = None
    called: bool = True
    sure: Confidence = Confidence.CERTAIN


def _functions(
    value: Value, depth: int, interp: Interpreter, first: Partial | None = None, called: bool = True
) -> Iterator[_Function]:
    """The functions of the program that calling a value enters."""
    if depth > _DEEP:
        return
    if isinstance(value, FunctionRef):
        if isinstance(value.code, FunctionInfo):
            yield _Function(value, first, called)
    elif isinstance(value, Compiled):
        yield from _functions(value.target, depth + 1, interp, first, called)
    elif isinstance(value, Object):
        found = _callable_of(interp, value)
        if found is not None:
            yield _Function(found, first, called)
    elif isinstance(value, Partial):
        if first is not None:
            value = Partial(value.function, (*value.args, *first.args), (*value.keywords, *first.keywords))
        yield from _functions(value.function, depth + 1, interp, value, called)
    elif isinstance(value, BoundMethod):
        if value.name in ("__call__", "forward"):
            yield from _functions(value.receiver, depth + 1, interp, first, called)
    elif isinstance(value, Instance):
        state = dict(value.state)
        if value.name == TRANSFORM:
            yield from _functions(state["function"], depth + 1, interp, first, called)
        elif WRAPPED in state:
            for one in _functions(state[WRAPPED], depth + 1, interp, None, False):
                yield replace(one, sure=Doubt.WRAPPER_NOT_FOLLOWED.lower(one.sure))
        held = state.get(HELD)
        if isinstance(held, Sequence):
            for item in held.items if held.items is not None else (held.element,):
                yield from _functions(item, depth + 1, interp, None, False)
        elif isinstance(held, Mapping):
            for item in (*[v for _, v in held.entries], *held.rest):
                yield from _functions(item, depth + 1, interp, None, False)
    else:
        for arm in arms(value):
            if arm is not value:
                yield from _functions(arm, depth + 1, interp, first, called)


def _callable_of(interp: Interpreter, obj: Object) -> FunctionRef | None:
    cls = obj.cls
    if not isinstance(cls, ClassInfo):
        return None
    name = "forward" if cls.is_module and cls.method("__call__") is None else "__call__"
    put = class_decorators.member(interp, cls, name)
    if put is not None:
        return next((arm for arm in arms(class_decorators.bound(put, obj)) if isinstance(arm, FunctionRef)), None)
    found = cls.find(name)
    method = None if found is None else found[0].own(name)
    return None if found is None or method is None else FunctionRef(method, obj, found[0].closure)


# ------------------------------------------------------------------- arguments


@dataclass(frozen=True, slots=True)
class _Given:
    """The calls that were seen of a compiled function; satisfies `project.roots.Arguments`."""

    target: Target
    first: Partial | None

    def names(self, frame: object, promised: dict[str, Value]) -> list[dict[str, Value]]:
        """What the parameters hold in each kind of call; what no call passes holds what is `promised` of it.

        Dynamo compiles each kind by itself. Of many kinds nothing is said but what they have in common.
        """
        assert isinstance(frame, Frame)
        assert frame.function is not None
        code, receiver = frame.function, _receiver(frame.function, promised)
        kinds: dict[object, dict[str, Value]] = {}
        passed: set[str] = set()
        for args in self.target.calls:
            args = self._entering(frame, args)
            bound = binding.bind(frame, code, receiver, args, exact=True)
            kinds.setdefault(tuple([(name, value.key) for name, value in bound.items()]), bound)
            passed |= _passed(code, receiver, args)
        if not kinds:
            return [promised]
        calls = list(kinds.values())
        if len(calls) > _MOST_KINDS:
            calls = [{name: join_all([one[name] for one in calls]) for name in calls[0]}]
        if self.target.local:
            return calls
        return [{name: one[name] if name in passed else value for name, value in promised.items()} for one in calls]

    def changing(self, code: FunctionInfo, receiver: Value | None) -> dict[str, Changing]:
        """The parameters that a loop around the calls changes, and how."""
        params = [p.name for p in code.node.params if p.kind in ("positional", "either")]
        before = (receiver is not None) + (0 if self.first is None else len(self.first.args))
        found: dict[str, Changing] = {}
        for key, how in self.target.changing.items():
            if isinstance(key, str):
                found[key] = how
            elif before + key < len(params):
                found[params[before + key]] = how
        return found

    def settled(self, code: FunctionInfo, receiver: Value | None) -> frozenset[str]:
        """The parameters that every call seen passes alike: no guard on them fails.

        Of an object that other files can call only what all calls of this one pass counts, as in `names`.
        """
        calls = [self._entering_by_name(code, receiver, args) for args in self.target.calls]
        if not calls or len(calls) >= MOST_CALLS:
            return frozenset()
        found: set[str] = set()
        for p in code.node.params:
            passed = [one.get(p.name) for one in calls if one is not None]
            kinds = {"omitted" if value is None else _kind_of(value) for value in passed}
            alike = len(passed) == len(calls) and len(kinds) == 1 and not kinds & {""}
            if alike and (self.target.local or kinds != {"omitted"}):
                found.add(p.name)
        return frozenset(found)

    def _entering_by_name(self, code: FunctionInfo, receiver: Value | None, args: Args) -> dict[str, Value] | None:
        """What a call passes, by parameter; None where something is starred."""
        if args.star is not None or args.double_star is not None:
            return None
        params = [p.name for p in code.node.params if p.kind in ("positional", "either")]
        params = params[receiver is not None :]
        first = self.first
        positional = [*(() if first is None else first.args), *args.positional]
        before = dict(() if first is None else first.keywords)
        return {**dict(zip(params, positional, strict=False)), **before, **args.keywords}

    def _entering(self, f: Frame, args: Args) -> Args:
        """Arguments as the region meets them: computed outside of it."""
        first = self.first
        positional = [*(() if first is None else first.args), *args.positional]
        keywords = {**dict(() if first is None else first.keywords), **args.keywords}
        return Args(
            [_from_outside(f, value) for value in positional],
            {name: _from_outside(f, value) for name, value in keywords.items()},
            None if args.star is None else _from_outside(f, args.star),
            None if args.double_star is None else _from_outside(f, args.double_star),
        )


def _kind_of(value: Value) -> str:
    """What a guard on an argument asks: the value of a constant, else what kind of thing it is; empty if unknown."""
    kinds = set()
    for arm in arms(value):
        if isinstance(arm, Unknown):
            return ""
        kinds.add(repr(arm.value) if isinstance(arm, Const) else type(arm).__name__)
    return kinds.pop() if len(kinds) == 1 and not kinds & {"Scalar"} else ""


def _from_outside(f: Frame, value: Value) -> Value:
    return _handed_over(host_objects.handed_in(f, resumed(uncompiled(value))))


def _handed_over(value: Value) -> Value:
    """Tensors that the caller has computed are arguments here, which graphs take in."""
    if isinstance(value, Tensor):
        origin = value.origin
        if origin is None or origin.kind not in (OriginKind.RESULT, OriginKind.MADE):
            return value
        return value.but(origin=Origin(f"({origin.how})", origin.place, kind=OriginKind.ARGUMENT))
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple([_handed_over(item) for item in value.items])
        return Sequence(value.kind, items, _handed_over(value.element))
    return value


def _receiver(code: FunctionInfo, promised: dict[str, Value]) -> Value | None:
    """What the first parameter of a method is bound to."""
    if code.owner is None or not code.node.params or code.decorated("staticmethod"):
        return None
    value = promised[code.node.params[0].name]
    return value if isinstance(value, (Object, ClassRef)) else None


def _passed(code: FunctionInfo, receiver: Value | None, args: Args) -> set[str]:
    """The parameters that a call passes a value of its own."""
    params = [p.name for p in code.node.params if p.kind in ("positional", "either")]
    count = len(args.positional) + (receiver is not None)
    rest = {p.name for p in code.node.params if p.kind in ("star", "double-star")}
    return {*params[:count], *args.keywords, *rest}
