"""What the code around its models does that decides how to deploy them: wrappers, optimizers, loaders, reads, caches.

Facts for the report on a deployment, and no findings: each is what a line says, with nothing evaluated. Does not belong
here: what is wrong around a compiled call (`around`, `lifetimes`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from compilelint.model import Location
from compilelint.model.slotted import dataclass
from compilelint.project.classes import FunctionInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.survey.loaders import keeps_last
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, scopes, spots, statements
from compilelint.survey.views import LOADERS
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import FunctionRef

PracticeKind: TypeAlias = Literal[
    "compiles",
    "sharded",
    "distributed",
    "replicated",
    "checkpoint",
    "autocast",
    "scaler",
    "quantized",
    "optimizer",
    "trains",
    "accumulates",
    "reads",
    "loader",
    "precision",
    "caches",
    "marked",
    "uncompiled",
    "methods",
    "handed",
    "unrolls",
]
"""What a line does."""

Order: TypeAlias = Literal["", "inside", "around"]
"""Whether a wrapper is given what is compiled (`around`), or is compiled itself (`inside`)."""


@dataclass(frozen=True, slots=True)
class Practice:
    """One line that matters to a deployment.

    `kind` is `compiles` (a compile call: `name` is what is compiled as written, `detail` its mode), `sharded`,
    `distributed` and `replicated` (FSDP, DDP and DataParallel, `order` says where the compile call stands),
    `checkpoint`, `autocast`, `scaler`, `quantized`, `optimizer` (`name` is the class; `detail` is `fused` or empty),
    `trains` (a backward pass), `accumulates` (gradients of several backward passes are added up before a step),
    `reads` (the host reads a tensor in each pass of a loop, or beside a backward pass, which `detail` says), `loader`
    (`detail` is `keeps last` where the last batch may be smaller), `precision`, `caches`, `marked` (a dimension is
    marked dynamic), `uncompiled` (what was compiled under another name, `detail`, is called as it was), `methods`
    (of a compiled wrapper, `name`, only methods are called, `detail`; `handed` where others are given the wrapper too),
    or `unrolls` (a loop over the size of a tensor calls something in each pass).
    """

    kind: PracticeKind
    location: Location
    name: str = ""
    detail: str = ""
    order: Order = ""


UNKNOWN = "?"
"""A mode that is no text in the source."""

_TRAINS = " in training"
_CALLED: Mapping[str, PracticeKind] = {
    "FullyShardedDataParallel": "sharded",
    "fully_shard": "sharded",
    "DistributedDataParallel": "distributed",
    "DataParallel": "replicated",
    "checkpoint": "checkpoint",
    "checkpoint_sequential": "checkpoint",
    "autocast": "autocast",
    "GradScaler": "scaler",
    "quantize_": "quantized",
    "quantize_dynamic": "quantized",
    "prepare_pt2e": "quantized",
    "set_float32_matmul_precision": "precision",
    "load_cache_artifacts": "caches",
    "save_cache_artifacts": "caches",
    "mark_dynamic": "marked",
    "maybe_mark_dynamic": "marked",
}
_WRAPPERS: frozenset[PracticeKind] = frozenset({"sharded", "distributed", "replicated"})
_FUSED = frozenset({"Adam", "AdamW", "SGD", "Adagrad"})  # that torch has fused kernels for
_SWITCHES: Mapping[str, PracticeKind] = {"allow_tf32": "precision", "fp32_precision": "precision"}
_CACHES = ("TORCHINDUCTOR_CACHE_DIR", "TORCHINDUCTOR_FX_GRAPH_REMOTE_CACHE")
_READS = frozenset({"item", "cpu", "numpy"})
_LOOPS = (ir.For, ir.While)


def practices(program: Program, modules: Sequence[ModuleInfo]) -> Iterator[Practice]:
    """The practices of the files given, file by file; what was read of one is not kept for the next."""
    steps = _steps(program, modules)
    for module in modules:
        seen = _seen(program, module)
        calls = {scope: [spot for spot in found if isinstance(spot.expr, ir.Call)] for scope, found in seen.items()}
        for scope in seen:
            yield from _of_scope(scope, seen[scope], calls, steps)


def _seen(program: Program, module: ModuleInfo) -> dict[Scope, list[Spot]]:
    return {scope: list(spots(scope, kept=False)) for scope in scopes(program, module)}


def _steps(program: Program, modules: Sequence[ModuleInfo]) -> frozenset[str]:
    """The names of functions that make one step of training: a backward pass that stands in no loop; and the names of
    objects whose class makes it when the object is called.
    """
    names: set[str] = set()
    classes: set[str] = set()
    objects: dict[str, set[str]] = {}  # names that hold what a call of a capitalised name gives, by that name
    for module in modules:
        for scope, found in _seen(program, module).items():
            for one in found:
                maker = last_name(one.expr.func) if isinstance(one.expr, ir.Call) else ""
                if maker[:1].isupper() and (bound := _bound_to(one)):
                    objects.setdefault(maker, set()).update(name.rpartition(".")[2] for name in bound)
            if scope.function is None or not any(_is_method(one.expr, "backward") and not _loops(one) for one in found):
                continue
            if scope.owner is not None and scope.function.node.name == "__call__":
                classes.add(scope.owner.node.name)
            elif scope.function.node.name not in _COMMON:
                names.add(scope.function.node.name)
    return frozenset(names.union(*(objects.get(name, set()) for name in classes)))


_COMMON = frozenset({"__init__", "backward", "forward", "main", "run", "call", "step"})


def _same_class(scope: Scope, other: Scope) -> bool:
    return scope.owner is not None and scope.owner is other.owner


def _of_scope(
    scope: Scope, seen: Sequence[Spot], every: Mapping[Scope, Sequence[Spot]], steps: frozenset[str]
) -> Iterator[Practice]:
    """The practices of one scope; `every` holds the calls of all scopes of its file."""
    calls = every[scope]
    compiled = list(_compile_calls(scope, seen))
    yield from (one for one, _, _ in compiled)
    for spot in calls:
        yield from _called(spot, compiled)
    for s, _ in statements(scope.body):
        yield from _switched(scope, s)
        if isinstance(s, ir.For) and scope.function is not None and _unrolls(scope, s):
            yield Practice("unrolls", scope.site(s.pos).location)
    trains = [spot for spot in calls if _is_method(spot.expr, "backward")]
    yield from (Practice("trains", spot.site().location) for spot in trains[:1])
    yield from _accumulated(calls, trains)
    yield from _read(scope, calls, bool(trains) or any(last_name(_func(spot)) in steps for spot in calls))
    if compiled:
        others = [other for other in every if other is not scope and _same_class(scope, other)]
        yield from _beside(calls, [one for other in others for one in every[other]], compiled)


_Compiled = tuple[Practice, ir.Expr | None, Spot]


def _compile_calls(scope: Scope, seen: Sequence[Spot]) -> Iterator[_Compiled]:
    """The calls of `torch.compile`, and `compile()` of an object with its keywords; each with what it is given."""
    for spot in seen:
        call = spot.expr
        if not isinstance(call, ir.Call):
            continue
        if scope.name(call.func) == "torch.compile":
            given = argument(call, 0, "model")
        elif isinstance(call.func, ir.Attr) and call.func.name == "compile" and _are_of_compile(call):
            given = call.func.value
        else:
            continue
        mode = argument(call, -1, "mode")
        known = isinstance(mode, ir.Const) and isinstance(mode.value, str)
        detail = str(mode.value) if isinstance(mode, ir.Const) and known else UNKNOWN if mode is not None else ""
        name = "" if given is None else dotted_name(given)
        yield Practice("compiles", spot.site().location, name, detail), given, spot


_OF_COMPILE = frozenset({"mode", "fullgraph", "dynamic", "backend", "options"})


def _are_of_compile(call: ir.Call) -> bool:
    """Whether keywords say that `x.compile(...)` is torch's: regular expressions and others have the method too."""
    return not call.args and bool(call.keywords) and all(name in _OF_COMPILE for name, _ in call.keywords)


def _called(spot: Spot, compiled: Sequence[_Compiled]) -> Iterator[Practice]:
    call, scope = spot.expr, spot.scope
    assert isinstance(call, ir.Call)
    name = scope.name(call.func)
    last = name.rpartition(".")[2]
    if name in LOADERS:
        yield Practice("loader", spot.site().location, "DataLoader", "keeps last" if keeps_last(call) else "")
    elif name.startswith("torch.optim.") and name.count(".") <= 3 and last in _FUSED:
        yield Practice("optimizer", spot.site().location, last, _fused(call))
    elif last in _CALLED and (name.startswith("torch.") or last == "quantize_"):
        kind = _CALLED[last]
        order = _order(call, spot, compiled) if kind in _WRAPPERS else ""
        yield Practice(kind, spot.site().location, last, order=order)


def _fused(call: ir.Call) -> str:
    """`fused` where it is asked for or cannot be seen; else empty."""
    if any(name is None for name, _ in call.keywords):
        return "fused"
    given = argument(call, -1, "fused")
    return "" if given is None or (isinstance(given, ir.Const) and not given.value) else "fused"


def _order(call: ir.Call, spot: Spot, compiled: Sequence[_Compiled]) -> Order:
    """The place of the compile call of the same object, in one scope; those in other scopes are not looked for."""
    given = argument(call, 0, "module", "model")
    for _, target, other in compiled:
        if given is not None and any(one is other.expr for one in expressions([given])):
            return "around"
        if target is not None and any(one is call for one in expressions([target])):
            return "inside"
        name = "" if given is None else dotted_name(given)
        held = {name, *_bound_to(spot)} - {""}
        if target is not None and dotted_name(target) in held:
            return "inside" if call.pos < other.expr.pos else "around"
        if name and name in _bound_to(other):
            return "around"
    return ""


def _bound_to(spot: Spot) -> set[str]:
    """The names that the statement of an expression gives it."""
    s = spot.statement
    if isinstance(s, ir.Assign) and s.value is spot.expr:
        return {dotted_name(target) for target in s.targets} - {""}
    return set()


def _switched(scope: Scope, s: ir.Stmt) -> Iterator[Practice]:
    """Switches that an assignment sets: precision of products, the folder of the caches."""
    if not isinstance(s, ir.Assign):
        return
    for target in s.targets:
        if isinstance(target, ir.Attr) and target.name in _SWITCHES and scope.name(target).startswith("torch."):
            yield Practice(_SWITCHES[target.name], scope.site(s.pos).location, target.name)
        key = target.index if isinstance(target, ir.Index) else None
        if isinstance(key, ir.Const) and key.value in _CACHES:
            yield Practice("caches", scope.site(s.pos).location, str(key.value))


def _unrolls(scope: Scope, loop: ir.For) -> bool:
    """Whether a loop goes over `range(x.shape[1])` or the like, and computes something by calls in each pass."""
    over = loop.iterable
    if isinstance(over, ir.Name) and len(made := scope.assigned(over.id)) == 1:
        over = made[0]
    if not (isinstance(over, ir.Call) and last_name(over.func) == "range"):
        return False
    sized = any(
        (isinstance(one, ir.Attr) and one.name == "shape") or _is_method(one, "size") for one in expressions(over.args)
    )
    return sized and any(
        isinstance(one, ir.Call) and last_name(one.func) not in ("append", "print", "range")
        for s, _ in statements(loop.body)
        for one in expressions(own_expressions(s))
    )


def _is_method(expr: ir.Expr, *names: str) -> bool:
    return isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) and expr.func.name in names


def _loops(spot: Spot) -> list[ir.Stmt]:
    return [block for block in spot.blocks if isinstance(block, _LOOPS)]


def _at_times(spot: Spot) -> list[ir.Stmt]:
    """The tests around an expression that hold in some passes alone: those with a remainder in them."""
    return [
        block
        for block in spot.blocks
        if isinstance(block, ir.If)
        and any(isinstance(one, ir.Binary) and one.op == "%" for one in expressions([test for test, _ in block.arms]))
    ]


def _accumulated(calls: Sequence[Spot], trains: Sequence[Spot]) -> Iterator[Practice]:
    """A step that several backward passes lead to: an inner loop of them, or a step in some passes alone."""
    steps = [spot for spot in calls if _is_method(spot.expr, "step") and _clears(spot, calls)]
    for step in steps:
        for spot in trains:
            inner = len(_loops(spot)) > len(_loops(step)) and _loops(spot)[: len(_loops(step))] == _loops(step)
            rests = [one for one in _at_times(step) if one not in _at_times(spot)]
            if inner or (rests and _loops(spot)):
                yield Practice("accumulates", step.site().location)
                return


def _clears(step: Spot, calls: Sequence[Spot]) -> bool:
    """Whether the gradients are cleared where the step is made: then it is an optimizer's, and they are added up."""
    name = _receiver(step.expr)
    given = step.expr.args[0] if isinstance(step.expr, ir.Call) and step.expr.args else None
    names = {name, "" if given is None else dotted_name(given)} - {""}
    return any(
        _is_method(one.expr, "zero_grad") and _receiver(one.expr) in names and _loops(one) == _loops(step)
        for one in calls
    )


def _receiver(expr: ir.Expr) -> str:
    return dotted_name(expr.func.value) if isinstance(expr, ir.Call) and isinstance(expr.func, ir.Attr) else ""


def _read(scope: Scope, calls: Sequence[Spot], trains: bool) -> Iterator[Practice]:
    """Reads beside a backward pass, and those in a loop; not what is read in some passes alone."""
    for spot in calls:
        if _at_times(spot) or not (trains or _loops(spot)) or not _is_read(scope, spot.expr):
            continue
        yield Practice("reads", spot.site().location, detail=_TRAINS if trains else "")


def _is_read(scope: Scope, expr: ir.Expr) -> bool:
    """`x.item()`, `x.cpu()`, `x.cpu().numpy()` once; a call of a function that does nothing but this."""
    if not isinstance(expr, ir.Call):
        return False
    if isinstance(expr.func, ir.Attr) and expr.func.name in _READS and not expr.args:
        return not any(_is_plain_read(one) for one in expressions([expr.func.value]))
    helper = _body_of(scope, expr.func)
    return helper is not None and any(_is_plain_read(one) for one in expressions([helper]))


def _is_plain_read(expr: ir.Expr) -> bool:
    return _is_method(expr, *_READS) and isinstance(expr, ir.Call) and not expr.args


def _body_of(scope: Scope, func: ir.Expr) -> ir.Expr | None:
    """What a function of one line, or a lambda, returns."""
    meaning = scope.meaning(func)
    code = meaning.code if isinstance(meaning, FunctionRef) else None
    if isinstance(code, FunctionInfo):
        body = code.node.body
        last = body[-1] if len(body) == 1 else None
        return last.value if isinstance(last, ir.Return) else None
    made = scope.assigned(func.id) if isinstance(func, ir.Name) else []
    if len(made) == 1 and isinstance(made[0], ir.Lambda):
        last = made[0].function.body[-1]
        return last.value if isinstance(last, ir.Return) else None
    return None


def _beside(calls: Sequence[Spot], of_class: Sequence[Spot], compiled: Sequence[_Compiled]) -> Iterator[Practice]:
    """What was compiled under another name and is called as it was; wrappers of which only methods are called.

    `of_class` are the calls in the other methods of the class, which see what is bound to `self`.
    """
    for one, target, spot in compiled:
        bound = _bound_to(spot)
        name = "" if target is None else dotted_name(target)
        if not bound or not name:
            continue
        later = [call for call in calls if call.expr.pos > spot.expr.pos]
        if any(held.startswith("self.") for held in bound):
            later += of_class
        direct = next((call for call in later if dotted_name(_func(call)) == name), None)
        if name not in bound and direct is not None:
            yield Practice("uncompiled", direct.site().location, name, min(bound))
        methods = sorted({last_name(_func(call)) for call in later if _receiver(call.expr) in bound} - _KEPT)
        if methods and not any(dotted_name(_func(call)) in bound for call in later):
            handed = any(_is_given(call, bound) for call in later)
            yield Practice("handed" if handed else "methods", one.location, min(bound), ", ".join(methods))


def _is_given(call: Spot, bound: set[str]) -> bool:
    """Whether a call is given the wrapper."""
    given = () if not isinstance(call.expr, ir.Call) else (*call.expr.args, *(v for _, v in call.expr.keywords))
    return any(dotted_name(value) in bound for value in given)


def _func(spot: Spot) -> ir.Expr:
    assert isinstance(spot.expr, ir.Call)
    return spot.expr.func


# Methods of every module, which compute nothing.
_KEPT = frozenset(
    """
    apply buffers children compile cuda double eval float forward half load_state_dict modules named_buffers
    named_children named_modules named_parameters parameters register_buffer requires_grad_ state_dict to train type
    zero_grad
    """.split()
)
