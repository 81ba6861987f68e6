"""What becomes of the result of `torch.compile` in the scope that made it: an `OptimizedModule`, and no model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from compilelint.events import Event, WrapperHow, WrapperUse
from compilelint.model import Confidence, Doubt, Location, weakest
from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo
from compilelint.survey.by_name import Spots
from compilelint.survey.compile_uses import is_compile
from compilelint.survey.deadline import look
from compilelint.survey.rebinding import bound_by, rebinds
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, spots, statements
from compilelint.syntax import ir, places
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import ClassRef, FunctionRef

# What `OptimizedModule` answers as the model would: the interface of `nn.Module`, and the call itself.
_MODULE_API = frozenset(
    """
    forward train eval to cuda cpu half float double bfloat16 type parameters named_parameters modules named_modules
    children named_children buffers named_buffers requires_grad_ zero_grad apply register_buffer register_parameter
    register_module add_module get_submodule get_parameter get_buffer state_dict load_state_dict compile share_memory
    extra_repr to_empty xpu ipu mtia set_submodule register_forward_hook register_forward_pre_hook
    register_full_backward_hook register_full_backward_pre_hook get_compiler_config
    """.split()
)
# Of models whose class is not at hand, only what libraries in general call by this name is known to run `self(...)`.
_RUNS_THE_MODEL = frozenset({"generate"})
_SAVERS = frozenset({"torch.save", "pickle.dump", "pickle.dumps"})
_STATE_METHODS: dict[str, WrapperHow] = {"state_dict": "state-dict", "load_state_dict": "load-state-dict"}
_JIT = frozenset({"torch.jit.script", "torch.jit.trace", "torch.jit.trace_module"})
# They begin with `torch.fx.Tracer.trace`, which asks the class of the model for `forward`.
FX = frozenset(
    {
        "torch.fx.symbolic_trace",
        *(f"torch.ao.quantization.quantize_fx.{name}" for name in ("prepare_fx", "prepare_qat_fx", "fuse_fx")),
        *(f"torch.quantization.quantize_fx.{name}" for name in ("prepare_fx", "prepare_qat_fx", "fuse_fx")),
    }
)
_PARALLEL = frozenset(
    {"torch.nn.parallel.DistributedDataParallel", "torch.nn.parallel.distributed.DistributedDataParallel"}
)
_MODULE_CLASSES = frozenset({"torch.nn.Module", "torch._dynamo.OptimizedModule", "builtins.object"})


@dataclass(frozen=True, slots=True, eq=False)
class Wrapper:
    """A name bound to what `torch.compile` returned. `cls` is the model's class where it is known."""

    key: str
    call: ir.Call
    scope: Scope
    kind: str  # `module`, `function` or empty where it is unknown
    cls: ClassInfo | None
    conditional: bool
    others: tuple[int, ...]  # the places behind which the name is bound to something else
    since: int = 0  # the line from which it holds the wrapper, where that is not the compile call

    @property
    def made(self) -> Location:
        return self.scope.module.ir.location(self.call.pos)

    @property
    def line(self) -> int:
        return self.since or places.line_of(self.call.pos)

    def holds_at(self, scope: Scope, pos: int) -> Confidence | None:
        """How sure it is that the name still means the wrapper at a place; None if it does not."""
        line = places.line_of(pos)
        if scope is self.scope:
            if line <= self.line or any(other < pos and self.line < places.line_of(other) for other in self.others):
                return None
            return Doubt.BOUND_BEHIND_A_TEST.cap if self.conditional else Confidence.CERTAIN
        if self.others:
            return None
        if self.key.startswith("self."):
            same = scope.owner is not None and scope.owner is self.scope.owner and not self._comes_after(scope, line)
            return Doubt.BOUND_ELSEWHERE.cap if same else None
        closed = self.scope.function is not None and "." not in self.key  # a name of the function around
        within = (self.scope.parent is None or closed) and scope.bindings(self.key) is self.scope.names.get(self.key)
        return Doubt.BOUND_ELSEWHERE.cap if within else None

    def _comes_after(self, scope: Scope, line: int) -> bool:
        """Whether a line of `__init__` runs before the method that compiles, which it has not called until there."""
        maker, method = scope.function, self.scope.function
        if maker is None or method is None or maker.node.name != "__init__":
            return False
        called = (one for s, _ in statements(scope.body) for one in expressions(own_expressions(s)))
        names = {dotted_name(one.func) for one in called if isinstance(one, ir.Call) and places.line_of(one.pos) < line}
        return f"self.{method.node.name}" not in names


class Wrappers:
    """The wrappers of a file, by the names that hold them."""

    def __init__(self, wrappers: Iterable[Wrapper] = ()) -> None:
        self._every = list(wrappers)
        self._of: dict[Scope, list[Wrapper]] = {}
        self._by_key: dict[tuple[str, Scope | ClassInfo | None], list[int]] = {}
        for number, one in enumerate(self._every):
            self._of.setdefault(one.scope, []).append(one)
            for where in self._seen_from(one):
                self._by_key.setdefault((one.key, where), []).append(number)

    @staticmethod
    def _seen_from(one: Wrapper) -> Iterator[Scope | ClassInfo | None]:
        """From where a wrapper may be seen by its name: its scope, the methods of its class, the whole file."""
        yield one.scope
        if one.key.startswith("self."):
            yield one.scope.owner
        elif one.scope.parent is None:
            yield None

    def __bool__(self) -> bool:
        return bool(self._every)

    def of(self, scope: Scope) -> Sequence[Wrapper]:
        """Those that a scope makes."""
        return self._of.get(scope, ())

    def named(self, key: str, scope: Scope) -> Iterator[Wrapper]:
        """Those that a name may hold in a scope, in the order of the file."""
        where = {scope, scope.owner, None}
        for number in sorted({number for one in where for number in self._by_key.get((key, one), ())}):
            yield self._every[number]


def wrappers_in(scope: Scope, seen: Spots) -> Iterator[Wrapper]:
    """The names that a scope binds to results of `torch.compile`."""
    found = list(_assigned(scope, seen))
    yield from found
    for wrapper in found:
        # What runs it in several processes holds it as `module`.
        yield from (replace(one, key=f"{one.key}.module") for one in run_in_parallel(wrapper, seen))


def run_in_parallel(wrapper: Wrapper, seen: Spots) -> Iterator[Wrapper]:
    """`model = DistributedDataParallel(model)` of a compiled model: calls of the one run the other."""
    for spot in seen.given(wrapper.key):
        look()
        s, call = spot.statement, spot.expr
        if spot.scope is not wrapper.scope or not isinstance(s, ir.Assign) or s.value is not call:
            continue
        given = argument(call, 0, "module") if isinstance(call, ir.Call) else None
        if given is None or not isinstance(call, ir.Call) or spot.scope.name(call.func) not in _PARALLEL:
            continue
        key = dotted_name(s.targets[0]) if len(s.targets) == 1 else ""
        if key and dotted_name(given) == wrapper.key and wrapper.holds_at(spot.scope, call.pos) is not None:
            since = places.line_of(s.pos)
            others = tuple(bound_by(one) for one in rebinds(key, seen, spot) if one is not s)
            others = tuple(one for one in others if places.line_of(one) > since)
            conditional = wrapper.conditional or bool(spot.blocks)
            yield replace(wrapper, key=key, conditional=conditional, others=others, since=places.line_of(s.pos))


def _assigned(scope: Scope, seen: Spots) -> Iterator[Wrapper]:
    for spot, call in seen.calls:
        statement = spot.statement
        if not (isinstance(statement, ir.Assign) and statement.value is call):
            continue
        key = dotted_name(statement.targets[0]) if len(statement.targets) == 1 else ""
        target = argument(call, 0, "model")
        if key and target is not None and is_compile(scope, call):
            kind, cls = _target_kind(scope, target)
            others = tuple(bound_by(s) for s in rebinds(key, seen, spot) if s is not statement)
            yield Wrapper(key, call, scope, kind, cls, bool(spot.blocks), others)


def _target_kind(scope: Scope, target: ir.Expr) -> tuple[str, ClassInfo | None]:
    """Whether a module or a function is compiled, and the module's class."""
    if isinstance(target, ir.Lambda):
        return "function", None
    meaning = scope.meaning(target)
    bound = (scope.bindings(target.id) or []) if isinstance(target, ir.Name) else []
    if isinstance(meaning, FunctionRef) or any(isinstance(b, ir.Function) for b in bound):
        return "function", None
    if isinstance(target, ir.Attr) and target.name in ("forward", "step", "backward", "__call__"):
        return "function", None
    made = [target] if isinstance(target, ir.Call) else scope.assigned(target.id) if isinstance(target, ir.Name) else []
    classes = [scope.meaning(one.func) for one in made if isinstance(one, ir.Call)]
    known = [one.cls for one in classes if isinstance(one, ClassRef) and isinstance(one.cls, ClassInfo)]
    if len(known) == 1 and known[0].is_module:
        return "module", known[0]
    names = [scope.name(one.func) for one in made if isinstance(one, ir.Call)]
    return ("module" if any(name.startswith("torch.nn.") for name in names) else ""), None


# ------------------------------------------------------------------------ uses


def uses_of(wrappers: Wrappers, seen: Spots) -> Iterator[Event]:
    """What a scope does with wrappers that a model would allow and a wrapper does not."""
    if not wrappers:
        return
    aware = any(_knows_wrappers(spot.expr) for spot in seen)
    for spot in seen:
        look()
        call = spot.expr
        if isinstance(call, ir.Call):
            yield from _call(wrappers, spot, call, aware)
        elif isinstance(call, ir.Compare) and len(call.ops) == 1 and call.ops[0] in ("is", "=="):
            yield from _type_test(wrappers, spot, call)


def both_ends(uses: Sequence[Event], wrappers: Wrappers, seen: Iterable[Spots]) -> Iterator[Event]:
    """The uses of one file, less sure of states that compiled objects of the same name both save and load."""
    states = [one for one in uses if isinstance(one, WrapperUse) and one.how in _STATE_METHODS.values()]
    hows: dict[str, set[str]] = {}
    for name, how in (*((one.name, one.how) for one in states), *(_in_closures(wrappers, seen) if states else ())):
        hows.setdefault(name, set()).add(how)
    trusted = any(isinstance(use, WrapperUse) and use.how == "saved" for use in uses) and _loads_anything(seen)
    for use in uses:
        if trusted and isinstance(use, WrapperUse) and use.how == "saved":
            continue
        if isinstance(use, WrapperUse) and use.how in _STATE_METHODS.values() and len(hows[use.name]) == 2:
            yield replace(use, sure=Doubt.BOTH_ENDS_COMPILED.lower(use.sure))
        else:
            yield use


def _loads_anything(seen: Iterable[Spots]) -> bool:
    """Whether all that one file loads is loaded with its classes: `torch.load(path, weights_only=False)`."""
    loads = [
        argument(call, -1, "weights_only")
        for each in seen
        for spot, call in each.calls
        if last_name(call.func) == "load" and spot.scope.name(call.func) == "torch.load"
    ]
    return bool(loads) and all(isinstance(given, ir.Const) and given.value is False for given in loads)


def _in_closures(wrappers: Wrappers, seen: Iterable[Spots]) -> Iterator[tuple[str, str]]:
    """The names whose state functions inside of the one that compiles under them save or load, and which of both."""
    for spot, one in (pair for each in seen for pair in each.calls):
        how = _STATE_METHODS.get(one.func.name) if isinstance(one.func, ir.Attr) else None
        outer = spot.scope.parent
        if how is None or outer is None or not isinstance(one.func, ir.Attr):
            continue
        name = dotted_name(one.func.value)
        if any(
            wrapper.scope is outer and spot.scope.bindings(name) is outer.names.get(name)
            for wrapper in wrappers.named(name, outer)
        ):
            yield name, how


def _knows_wrappers(expr: ir.Expr) -> bool:
    """Whether code speaks of the wrapped module or its prefix: then it knows what it has."""
    if isinstance(expr, ir.Attr):
        return expr.name == "_orig_mod"
    return isinstance(expr, ir.Const) and isinstance(expr.value, str) and "_orig_mod" in expr.value


def _wrapper_of(wrappers: Wrappers, spot: Spot, expr: ir.Expr | None) -> tuple[Wrapper, Confidence] | None:
    key = "" if expr is None else dotted_name(expr)
    if not key or expr is None:
        return None
    for wrapper in wrappers.named(key, spot.scope):
        sure = wrapper.holds_at(spot.scope, expr.pos)
        if sure is not None:
            return wrapper, sure
    return None


def _wrapper_use(
    spot: Spot, how: WrapperHow, detail: str, found: tuple[Wrapper, Confidence], cap: Confidence
) -> WrapperUse:
    wrapper, sure = found
    return WrapperUse(spot.site(), None, how, wrapper.key, detail, wrapper.made, weakest(sure, cap))


def _call(wrappers: Wrappers, spot: Spot, call: ir.Call, aware: bool) -> Iterator[Event]:
    first = argument(call, 0, "obj", "model", "root")
    if isinstance(call.func, ir.Name) and call.func.id == "isinstance" and len(call.args) == 2:
        found = _wrapper_of(wrappers, spot, first)
        if found is not None and found[0].kind != "function" and not aware and _no_match(spot, call.args[1]):
            cap = Confidence.CERTAIN if found[0].kind == "module" else Doubt.TARGET_UNKNOWN.cap
            yield _wrapper_use(spot, "isinstance", last_name(call.args[1]) or "the class", found, cap)
        return
    name = spot.scope.name(call.func) if first is not None else ""
    if name in FX:
        found = _wrapper_of(wrappers, spot, first)
        if found is not None and found[0].kind != "function":
            cap = Confidence.CERTAIN if found[0].kind == "module" else Doubt.TARGET_UNKNOWN.cap
            yield _wrapper_use(spot, "traced", last_name(call.func), found, cap)
        return
    if name in _JIT or name in _SAVERS:
        found = _wrapper_of(wrappers, spot, first)
        if found is not None and not aware:
            yield from _handed_over(spot, name, found)
        return
    if not isinstance(call.func, ir.Attr):
        return
    found = _wrapper_of(wrappers, spot, call.func.value)
    if found is None or found[0].kind == "function":
        return
    method = call.func.name
    if method in ("state_dict", "load_state_dict"):
        if not aware and not _comes_from_wrapper(wrappers, spot, call):
            how: WrapperHow = "state-dict" if method == "state_dict" else "load-state-dict"
            yield _wrapper_use(spot, how, method, found, Doubt.STATE_USED_ELSEWHERE.cap)
    elif method not in _MODULE_API and not method.startswith("_"):
        runs = _runs_model(found[0], method)
        if runs is not None:
            yield _wrapper_use(spot, "method", method, found, runs)


def _handed_over(spot: Spot, name: str, found: tuple[Wrapper, Confidence]) -> Iterator[Event]:
    kind = found[0].kind
    if name in _JIT:
        yield _wrapper_use(spot, "jit", name, found, Confidence.CERTAIN)
    elif kind == "function":
        if name.startswith("pickle.") and _another_name(found[0]):
            yield _wrapper_use(spot, "pickled-function", name, found, Doubt.FOUND_BY_NAME.cap)
    else:
        yield _wrapper_use(
            spot, "saved", name, found, Confidence.CERTAIN if kind == "module" else Doubt.TARGET_UNKNOWN.cap
        )


def _another_name(wrapper: Wrapper) -> bool:
    """Whether the wrapper of a function goes by another name than the function: pickle looks it up by name."""
    target = argument(wrapper.call, 0, "model")
    return target is None or dotted_name(target) != wrapper.key


def _comes_from_wrapper(wrappers: Wrappers, spot: Spot, call: ir.Call) -> bool:
    """Whether the state goes from wrapper to wrapper: `a.load_state_dict(b.state_dict())` of two compiled modules."""
    first = argument(call, 0, "state_dict")
    if isinstance(first, ir.Call) and isinstance(first.func, ir.Attr):
        return _wrapper_of(wrappers, spot, first.func.value) is not None
    outer = spot.statement.value if isinstance(spot.statement, (ir.ExprStmt, ir.Assign)) else None
    return (
        isinstance(outer, ir.Call)
        and isinstance(outer.func, ir.Attr)
        and outer.func.name == "load_state_dict"
        and outer is not call
        and _wrapper_of(wrappers, spot, outer.func.value) is not None
    )


def _no_match(spot: Spot, classes: ir.Expr) -> bool:
    """Whether no class that is asked for is a base of the wrapper; unknown names are taken for model classes."""
    asked = classes.items if isinstance(classes, ir.Display) else (classes,)
    for one in asked:
        value = spot.scope.meaning(one)
        if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo):
            if not value.cls.is_module:
                return False
        else:
            name = spot.scope.name(one)
            if not name.startswith("torch.nn.") or name in _MODULE_CLASSES:
                return False
    return bool(asked)


def _runs_model(wrapper: Wrapper, method: str) -> Confidence | None:
    """How sure it is that a method runs the model itself, past the wrapper; None if nothing speaks for it."""
    if wrapper.cls is None:
        return Doubt.METHOD_BY_NAME.cap if method in _RUNS_THE_MODEL else None
    found = wrapper.cls.method(method)
    if found is None:
        return None
    own = Scope(wrapper.scope.program, found.module, found.node.body, found, found.owner)
    params = found.node.params
    first = params[0].name if params else ""
    for spot in spots(own):
        call = spot.expr
        if isinstance(call, ir.Call) and dotted_name(call.func) in (first, f"{first}.forward"):
            return Confidence.CERTAIN
    return None


def _type_test(wrappers: Wrappers, spot: Spot, test: ir.Compare) -> Iterator[Event]:
    """`type(wrapper) is Model`."""
    left = test.left
    if isinstance(left, ir.Call) and isinstance(left.func, ir.Name) and left.func.id == "type" and len(left.args) == 1:
        found = _wrapper_of(wrappers, spot, left.args[0])
        if found is not None and found[0].kind != "function" and _no_match(spot, test.rights[0]):
            yield _wrapper_use(
                spot, "isinstance", last_name(test.rights[0]) or "the class", found, Doubt.TYPE_COMPARED.cap
            )
