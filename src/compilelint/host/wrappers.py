"""The compiled wrapper as a value: type tests, truth, keys, methods that run the plain model, second derivatives.

What a run meets is kept as `Use`s, each once; `run` makes events of them. Does not belong here: which calls share what
was compiled (`regions`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from compilelint.host.modules import HOOKS, children_of, modules_of, parameters_of
from compilelint.host.optimizers import gradient
from compilelint.host.protocol import Machine
from compilelint.host.recorded import Lost, Output, tensors_in
from compilelint.host.regions import Regions, is_instance
from compilelint.host.signals import MOST_TIMED
from compilelint.host.values import (
    UNKNOWN,
    Bound,
    Class,
    Compilation,
    Dispatch,
    Drawn,
    Env,
    External,
    Function,
    Key,
    Lib,
    NamePart,
    Partial,
    Parts,
    Sym,
    Tensor,
    Thing,
    Value,
    Wrapper,
    WrapperMember,
    WrapperType,
)
from compilelint.model import Location
from compilelint.project.classes import ClassInfo
from compilelint.survey.optimized_modules import FX
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name

_PREFIX = "_orig_mod."
_CLOCKS = frozenset(
    {"time.time", "time.perf_counter", "time.monotonic", "timeit.default_timer", "time.perf_counter_ns"}
)
_SIGNATURES = frozenset({"inspect.signature", "inspect.getfullargspec"})
_OF_WRAPPER = frozenset(
    {"named_parameters", "named_modules", "named_children", "named_buffers", "children", "state_dict"}
)
_OF_MODULE = _OF_WRAPPER | frozenset(
    {
        "parameters",
        "modules",
        "buffers",
        "eval",
        "train",
        "zero_grad",
        "load_state_dict",
        "requires_grad_",
        "apply",
        "to",
    }
)
_NAMES = frozenset({"__name__", "__qualname__"})
_TEXT_METHODS = frozenset({"lower", "upper", "replace", "split", "startswith", "endswith", "removesuffix"})
_CONTAINERS = ("torch.nn.Sequential", "torch.nn.ModuleList", "torch.nn.ModuleDict", "torch.nn.ParameterList")
_SECOND_DERIVATIVES = frozenset(
    {*(f"torch.autograd.functional.{name}" for name in ("hvp", "vhp", "jvp")), "torch.autograd.gradgradcheck"}
)
_MANY_CALLS = 3  # of a call that warms up, one that records, and those that would replay


class Use(NamedTuple):
    """How the wrapper, or what a compiled call gave, is used at a place."""

    how: str
    env: Env
    pos: int
    name: str
    detail: str
    compilation: Compilation
    certain: bool
    given: Location | None = None  # the call whose result it is


class Clock:
    """A time that was read: what was compiled and called until then."""

    __slots__ = ("backwards", "calls", "compiled", "env", "pos")

    def __init__(self, env: Env, pos: int, compiled: int, calls: int, backwards: int) -> None:
        self.env, self.pos, self.compiled, self.calls, self.backwards = env, pos, compiled, calls, backwards


class Uses(Regions):
    """The regions of a run, and the uses of what they are made of."""

    def __init__(self) -> None:
        super().__init__()
        self.uses: dict[tuple[str, int, int], Use] = {}
        self.plain: set[int] = set()  # what was called without being compiled
        self.methods: dict[int, tuple[Wrapper, str, Env, int]] = {}
        self.forwarded: set[int] = set()  # modules compiled in place whose `forward` was called by its name
        self.overridden: set[int] = set()  # compiled methods in whose place another one was called
        self.backwards = 0
        self.freed: set[int] = set()  # compiled calls through which a backward pass went that kept nothing
        self.walks: dict[int, tuple[Env, Parts]] = {}  # models whose wrapper was asked for its parts, and where
        self.timed: list[tuple[Compilation, Env, int]] = []

    def used(self, m: Machine, how: str, env: Env, pos: int, name: str, detail: str, compilation: Compilation) -> None:
        """Note a use, once a place."""
        key = how, id(env.module), pos
        if key not in self.uses:
            self.uses[key] = Use(how, env, pos, name, detail, compilation, not m.uncertain and not m.guessed)

    # --------------------------------------------------------------- types

    def type_of(self, m: Machine, value: Value) -> Value:
        """`type(value)`: of a compiled module, the wrapper's own class."""
        if isinstance(value, Wrapper) and value.of_module:
            return WrapperType(value)
        return super().type_of(m, value)

    def tests_type(self, m: Machine, env: Env, how: str, value: Value, cls: Value, pos: int, node: Any) -> Value:
        """`isinstance(value, cls)` and `issubclass(type(value), cls)`."""
        wrapper = value if isinstance(value, Wrapper) else value.wrapper if isinstance(value, WrapperType) else None
        if id(value) in self.walks and how == "isinstance":
            self._part_tested(m, env, value, cls, pos)
        if wrapper is None or not wrapper.of_module:
            return super().tests_type(m, env, how, value, cls, pos, node)
        kinds = cls if isinstance(cls, tuple) else (cls,)
        if any(isinstance(one, External) and one.name == "torch.nn.Module" for one in kinds):
            return True
        meant = [one for one in kinds if is_instance(wrapper.target, one)]
        if meant:
            self.used(m, "isinstance", env, pos, _written(node), _called(meant[0]), wrapper.compilation)
            return False
        return UNKNOWN if any(not isinstance(one, Class) for one in kinds) else False

    def _part_tested(self, m: Machine, env: Env, value: Value, cls: Value, pos: int) -> None:
        """`isinstance(child, nn.Linear)`, of the one child of a wrapper, in the loop over its children."""
        walk, parts = self.walks[id(value)]
        kinds = cls if isinstance(cls, tuple) else (cls,)
        missed = any(is_instance(part, kind) for _, part in children_of(value) for kind in kinds)
        if walk is env and missed and not any(is_instance(value, kind) for kind in kinds):
            self.used(m, "children", env, pos, "", str(parts.parts), parts.compilation)

    def parts_asked(self, m: Machine, env: Env, value: Value, parts: Parts) -> None:
        """`children()` of a wrapper."""
        self.walks[id(value)] = env, parts

    def compared(self, m: Machine, env: Env, op: str, left: Value, right: Value, expr: Any) -> None:
        """`type(model) is Net`, `type(model).__name__ == "Net"`, `name == "encoder.weight"`."""
        for one, other in ((left, right), (right, left)):
            others = other if isinstance(other, (list, tuple, set, dict)) and op in ("in", "not in") else (other,)
            if isinstance(other, Wrapper) and op in ("in", "not in") and other is right:
                self.special(m, env, other, "__contains__", expr.pos)
            if isinstance(one, Wrapper) and one.of_module and other is one.target and op in ("is", "=="):
                self.used(m, "identity", env, expr.pos, "", _class_name(other), one.compilation)
            if isinstance(one, WrapperType):
                meant = [c for c in others if isinstance(c, (Class, External)) and is_instance(one.wrapper.target, c)]
                if meant:
                    self.used(m, "isinstance", env, expr.pos, "type(...)", _called(meant[0]), one.wrapper.compilation)
            elif isinstance(one, WrapperMember) and one.name in _NAMES:
                self._named(m, env, one, others, expr.pos)
            elif isinstance(one, Key) and op in ("==", "!=", "in", "not in"):
                self._key_sought(m, env, one, others, expr.pos)

    def _named(self, m: Machine, env: Env, member: WrapperMember, others: Any, pos: int) -> None:
        target = member.wrapper.target
        own = _class_name(target)
        if any((isinstance(c, dict) and own in c) or c == own for c in others if isinstance(c, (str, dict))):
            self.used(m, "isinstance", env, pos, "type(...).__name__", own, member.wrapper.compilation)

    def _key_sought(self, m: Machine, env: Env, key: Key, others: Any, pos: int) -> None:
        dots = [one for one in others if one == "." and isinstance(one, str)] if isinstance(others, tuple) else []
        plain = key.replace(_PREFIX, "")
        if dots and "." in key and "." not in plain and key != plain:  # how deep a part lies
            self.used(m, "keys", env, pos, key.text, str(plain), key.compilation)
            return
        if key == _PREFIX.rstrip("."):
            inside = next((one.target for one in self.compilations if one.compilation is key.compilation), None)
            parts = {name for name, _ in children_of(inside)}
            names = [name for c in others for name in (c if isinstance(c, dict) else (c,)) if isinstance(name, str)]
            sought = next((name for name in names if name in parts), None)
            if sought is not None:
                self.used(m, "keys", env, pos, key.text, sought, key.compilation)
            return
        if any(
            (isinstance(c, str) and c == plain) or (isinstance(c, dict) and plain in c and key not in c) for c in others
        ):
            self.used(m, "keys", env, pos, key.text, str(plain), key.compilation)

    def item_sought(self, m: Machine, env: Env, container: Value, index: Value, pos: int) -> None:
        """`table[name]`, `list(model.children())[:-1]`."""
        if isinstance(container, Parts) and container.parts > 1 and isinstance(index, (slice, int)):
            self.used(m, "children", env, pos, "", str(container.parts), container.compilation)
        if isinstance(container, dict) and isinstance(index, Key):
            self._key_sought(m, env, index, (container,), pos)
        elif isinstance(container, dict) and isinstance(index, WrapperMember):
            self._named(m, env, index, (container,), pos)
        elif isinstance(container, dict) and isinstance(index, WrapperType):
            self._table_asked(m, env, container, index, pos)
        elif isinstance(container, dict) and isinstance(index, str) and index not in container:
            key = next((one for one in container if isinstance(one, Key) and one == _PREFIX + index), None)
            if key is not None:
                self.used(m, "keys", env, pos, key.text, index, key.compilation)
        self.special(m, env, container, "__getitem__", pos)

    def _table_asked(self, m: Machine, env: Env, table: dict[Any, Value], index: WrapperType, pos: int) -> None:
        """`HANDLERS[type(model)]`: there is an entry for the model's class, and none for the wrapper's."""
        meant = [c for c in table if isinstance(c, (Class, External)) and is_instance(index.wrapper.target, c)]
        if meant:
            self.used(m, "isinstance", env, pos, "type(...)", _called(meant[0]), index.wrapper.compilation)

    def name_converted(self, m: Machine, env: Env, part: NamePart, pos: int) -> None:
        """`int(name.split(".")[1])`: behind `_orig_mod.` another word stands there."""
        if not part.isdigit():
            self.used(m, "keys", env, pos, part.key.text, part.key.replace(_PREFIX, ""), part.key.compilation)

    def special(self, m: Machine, env: Env, value: Value, method: str, pos: int) -> None:
        """Python asks the class of a value for a special method: that of the wrapper has none but `__len__`."""
        if not isinstance(value, Wrapper) or not value.of_module:
            return
        target = value.target
        if isinstance(target, Thing):
            has = target.cls.method(method) is not None or target.cls.descends_from(*_CONTAINERS)
        else:
            has = target.name in _CONTAINERS
        if has:
            self.used(m, "special", env, pos, "the wrapper", method, value.compilation)

    def dispatched(self, m: Machine, env: Env, function: Dispatch, args: list[Value], pos: int) -> Value:
        """`describe(model)`, of a function behind `singledispatch`."""
        first = args[0] if args else None
        if isinstance(first, Wrapper) and first.of_module:
            meant = [cls for cls, _ in function.table if is_instance(first.target, cls)]
            if meant:
                self.used(m, "isinstance", env, pos, "the wrapper", _called(meant[0]), first.compilation)
            return function.function
        return super().dispatched(m, env, function, args, pos)

    def tested(self, m: Machine, env: Env, value: Value, expr: Any) -> None:
        """`if model`, `model or Net()`: the wrapper has a length only if the model has."""
        target = value.target if isinstance(value, Wrapper) and value.of_module else None
        if isinstance(target, Thing) and all(target.cls.method(name) is None for name in ("__len__", "__bool__")):
            self.used(m, "truth", env, expr.pos, dotted_name(expr) or "the wrapper", "", value.compilation)

    def class_called(self, m: Machine, env: Env, value: WrapperType, pos: int) -> Value:
        """`type(model)(...)`: the wrapper's class is given what the model's takes."""
        compilation = value.wrapper.compilation
        self.used(m, "isinstance", env, pos, "type(...)", _class_name(value.wrapper.target), compilation)
        return UNKNOWN

    def gradient_of(self, tensor: Tensor) -> Value:
        """`tensor.grad`."""
        found = super().gradient_of(tensor)
        return gradient(tensor, self.backwards) if found is UNKNOWN and not self.pool.own_gradients else found

    def member_of_type(self, value: WrapperType, name: str) -> Value:
        """`type(model).forward`."""
        return WrapperMember(value.wrapper, name)

    # ------------------------------------------------------------- methods

    def wrapper_attribute(self, m: Machine, env: Env, wrapper: Wrapper, name: str, pos: int) -> Value:
        """`wrapper.name`: a method of the model inside, which does not know the wrapper."""
        if name == "__class__" and wrapper.of_module:
            return WrapperType(wrapper)
        if not wrapper.of_module and isinstance(wrapper.target, (Function, Bound)) and name in _OF_MODULE:
            self.used(m, "function-member", env, pos, "", name, wrapper.compilation)
            return UNKNOWN
        if name == "_get_name" and wrapper.of_module:
            return Partial(WrapperMember(wrapper, "__name__"), [], {})
        found = super().wrapper_attribute(m, env, wrapper, name, pos)
        if isinstance(found, Function) and found.receiver is wrapper.target:
            self.methods[id(found)] = wrapper, name, env, pos
            self.kept.append(found)
        if isinstance(found, Bound) and (name in _OF_WRAPPER or name in HOOKS):
            return Bound(wrapper, name)
        return found

    def method_entered(self, m: Machine, function: Function) -> Any:
        """A function is entered: what was called plainly until then, if it is a method that the wrapper handed on."""
        receiver = function.receiver
        if m.region is None and isinstance(receiver, Thing) and function.info.node.name == "forward":
            self.plain.add(id(receiver))
            if receiver.compiled is not None:
                self.forwarded.add(id(receiver))
        if isinstance(receiver, Thing):
            self._overrides(m, receiver, function)
        found = self.methods.get(id(function))
        if found is None or m.region is not None:
            return None
        before = id(found[0].target) in self.plain
        self.plain.discard(id(found[0].target))
        return found, before

    def _overrides(self, m: Machine, receiver: Thing, function: Function) -> None:
        """A method is entered that stands in the place of compiled ones of its class's bases."""
        name, owner = function.info.node.name, function.info.owner
        if owner is None or owner.own(name) is None:
            return
        for base in receiver.cls.after(owner) if self.compilations else ():
            if not isinstance(base, ClassInfo):
                continue
            cls = m.classes.get(id(base))
            held = None if cls is None else cls.attrs.get(name)
            if isinstance(held, Wrapper) and isinstance(held.target, Function):
                self.overridden.add(id(held.target.info.node))

    def method_left(self, m: Machine, token: Any) -> None:
        """It is left again: whether it has called the model that it belongs to."""
        if token is None:
            return
        (wrapper, name, env, pos), before = token
        if id(wrapper.target) in self.plain and not wrapper.compilation.in_place:
            self.used(m, "method", env, pos, "the wrapper", name, wrapper.compilation)
        if before:
            self.plain.add(id(wrapper.target))

    def called_plainly(self, m: Machine, value: Value) -> None:
        """A module is called as it is."""
        if m.region is None:
            self.plain.add(id(value))
            self.kept.append(value)

    def unused(self, m: Machine) -> None:
        """At the end of a run: wrappers that nothing called, although what they wrap was used."""
        by_method = {id(use.compilation) for use in self.uses.values() if use.how == "method"}
        for wrapper in self.compilations:
            compilation = wrapper.compilation
            if id(compilation) in by_method:  # said where the method is called
                continue
            if compilation.calls and sum(compilation.idle.values()) == compilation.calls:
                why = next(iter(compilation.idle))
                self.used(m, "unused", compilation.env, compilation.pos, "", why, compilation)
                continue
            if compilation.calls or id(wrapper) in self.escaped or compilation.guessed:
                continue
            target = wrapper.target
            if isinstance(target, Function):
                overridden = id(target.info.node) in self.overridden
                plain = id(target.info.node) in m.entered or overridden
                if overridden:
                    self.used(m, "unused", compilation.env, compilation.pos, "", "overridden", compilation)
                    continue
            else:
                plain = any(id(one) in self.plain for _, one in modules_of(target))
            if plain:
                name = target.cls.node.name if isinstance(target, Thing) else ""
                self.used(m, "unused", compilation.env, compilation.pos, name, "", compilation)
        for module, compilation in self.in_place:
            called = compilation.calls or id(module) in self.escaped
            if id(module) in self.forwarded and not called and not compilation.guessed:
                self.used(m, "unused", compilation.env, compilation.pos, "", "forward", compilation)

    # ------------------------------------------------------ library calls

    def library_called(
        self, m: Machine, env: Env, name: str, args: list[Value], keywords: dict[str, Value], pos: int
    ) -> Value:
        """A library's function that is given what a compiled call gave, or the wrapper; UNKNOWN for any other."""
        first = args[0] if args else None
        if name in _SIGNATURES and isinstance(first, WrapperMember) and first.name in ("forward", "__call__"):
            self.used(m, "signature", env, pos, name, first.name, first.wrapper.compilation)
        if name in _SIGNATURES and isinstance(first, Wrapper) and first.of_module:
            self.used(m, "signature", env, pos, name, "forward", first.compilation)
        if name in FX and isinstance(first, Wrapper) and first.of_module:
            self.used(m, "traced", env, pos, "the model", name.rpartition(".")[2], first.compilation)
        if name in _SECOND_DERIVATIVES and isinstance(first, Wrapper) and first.compilation.aot:
            self.used(m, "double-backward", env, pos, "", "", first.compilation)
        if name == "torch.autograd.grad":
            return self._differentiated(m, env, args, keywords, pos)
        if name == "torch.autograd.backward" and first is not None:
            self.backward(m, env, first, pos)
            return None
        if name in _CLOCKS:
            return Clock(env, pos, self.made, self.called, self.backwards)
        if name.startswith("torch.optim.lr_scheduler.") and isinstance(first, Lib):
            step = first.attrs.get("step")
            if isinstance(step, Wrapper):
                self.used(m, "scheduler", env, pos, "step", name.rpartition(".")[2], step.compilation)
        return UNKNOWN

    def _differentiated(self, m: Machine, env: Env, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
        outputs = args[0] if args else keywords.get("outputs")
        inputs = args[1] if len(args) > 1 else keywords.get("inputs")
        self.backward(m, env, outputs, pos)
        kept = keywords.get("retain_graph", keywords.get("create_graph", args[3] if len(args) > 3 else False))
        self._freed(m, env, outputs, kept, pos)
        tensors = [one for one in _all(outputs) if isinstance(one, Tensor)]
        given = next((one.given for one in tensors if one.given is not None), None)
        if m.region is not None and self.at_work is not None and self.at_work.aot:
            given = self.at_work
        graph = keywords.get("create_graph", args[4] if len(args) > 4 else False) is True
        made = []
        for one in _all(inputs):
            gradient = one.but(grad=graph, given=None) if isinstance(one, Tensor) else Tensor(None, "", graph)
            gradient.second = (env, pos, given) if graph and given is not None else None
            made.append(gradient)
        return tuple(made)

    def _freed(self, m: Machine, env: Env, value: Value, kept: Value, pos: int) -> None:
        """A backward pass goes through compiled calls, and frees what they saved unless it is kept."""
        for one in _all(value):
            if not isinstance(one, Tensor) or one.given is None or m.region is not None or one.second is not None:
                continue
            if one.calls & self.freed:
                self.used(m, "freed", env, pos, "", "", one.given)
            elif kept is False or kept is None:
                self.freed |= one.calls

    def backward(self, m: Machine, env: Env, value: Value, pos: int) -> None:
        """A backward pass begins there."""
        self.backwards += 1
        if m.region is None:
            self.read(m, env, [value], pos)
            lost = self.pool.accumulated()
            if lost is not None:
                self._overwritten(m, env, pos, "gradient", lost)
        for one in _all(value):
            if isinstance(one, Tensor) and one.second is not None:
                at_env, at_pos, compilation = one.second
                self.used(m, "double-backward", at_env, at_pos, "", "", compilation)

    def method_called(
        self, m: Machine, env: Env, receiver: Value, name: str, args: list[Value], keywords: Any, pos: int
    ) -> None:
        """A method of anything but an object of the program is called."""
        if name == "backward" and isinstance(receiver, (Tensor, Lib)):
            self.backward(m, env, receiver if isinstance(receiver, Tensor) else next(iter(args), UNKNOWN), pos)
        if name == "backward" and isinstance(receiver, Tensor):
            kept = keywords.get("retain_graph", args[1] if len(args) > 1 else keywords.get("create_graph", False))
            self._freed(m, env, receiver, kept, pos)
        if name == "zero_grad" and (args[0] if args else keywords.get("set_to_none", True)) is not False:
            self.pool.clear_gradients(_cleared(receiver))
        if isinstance(receiver, dict) and name in ("get", "pop", "setdefault") and args:
            self.item_sought(m, env, receiver, args[0], pos)
        if isinstance(receiver, WrapperMember) and receiver.name in _NAMES and name in _TEXT_METHODS:
            target = receiver.wrapper.target
            own = _class_name(target)
            self.used(m, "isinstance", env, pos, f"type(...).{receiver.name}", own, receiver.wrapper.compilation)
        starts = args[0] if args and isinstance(args[0], (str, tuple)) else ()
        if isinstance(receiver, Key) and name == "startswith":
            plain = receiver.replace(_PREFIX, "")
            texts = tuple(one for one in ((starts,) if isinstance(starts, str) else starts) if isinstance(one, str))
            if plain.startswith(texts) and not receiver.startswith(texts):
                self.used(m, "keys", env, pos, receiver.text, plain, receiver.compilation)
        strict = keywords.get("strict", args[1] if len(args) > 1 else True) is not False
        if name == "load_state_dict" and args and isinstance(args[0], dict) and strict:
            self._loaded(m, env, receiver, args[0], pos)

    def _loaded(self, m: Machine, env: Env, receiver: Value, state: dict[Any, Value], pos: int) -> None:
        keys = [key for key in state if isinstance(key, Key)]
        if keys and not isinstance(receiver, Wrapper):
            self.used(m, "keys", env, pos, keys[0].text, "load_state_dict", keys[0].compilation)

    # --------------------------------------------------------- CUDA graphs

    def read(self, m: Machine, env: Env, values: list[Value], pos: int, how: Lost = "kept") -> None:
        """Values are read outside of compiled code: of a recorded graph, too late."""
        if m.region is not None or not self.pool.generation:
            return
        for one in tensors_in(values):
            if self.pool.is_lost(one):
                self._overwritten(m, env, pos, how, one.graph)
                return

    def threaded(self, m: Machine, env: Env, compilation: Compilation, pos: int) -> None:
        """A recorded call is made in a worker thread, before any in the thread that started it."""
        self.used(m, "thread", env, pos, "", "", compilation)

    def never_differentiated(self, m: Machine) -> None:
        """At the end of a run: recorded calls with gradients that no backward pass follows."""
        found = self.pool.last
        if found is None or found.unsure:
            return
        if not self.backwards and found.compilation.calls >= _MANY_CALLS:
            self.used(m, "pending", found.env, found.pos, "", "", found.compilation)

    def _overwritten(self, m: Machine, env: Env, pos: int, how: Lost, lost: Output) -> None:
        made = lost.env.module.ir.location(lost.pos)
        key = "overwritten", id(lost.env.module), lost.pos  # one finding for what one call gives
        if key not in self.uses:
            certain = not m.uncertain and not m.guessed and not lost.unsure
            self.uses[key] = Use("overwritten", env, pos, how, "", lost.compilation, certain, made)

    # ------------------------------------------------------ marks, clocks

    def marked(self, m: Machine, env: Env, t: Tensor, d: int, pos: int) -> None:
        """A dimension is marked."""
        t.marked[d] = env, pos
        if m.region is not None and self.at_work is not None:
            self.used(m, "mark-inside", env, pos, "mark_dynamic", "", self.at_work)

    def met(self, m: Machine, a: Tensor, b: Tensor) -> None:
        """Two tensors meet in an operation: a marked dimension and a constant one."""
        if m.region is None or self.at_work is None or a.shape is None or b.shape is None:
            return
        for one, other in ((a, b), (b, a)):
            for d, kind in one.marks.items():
                at = d - len(one.shape or ()) if d >= 0 else d
                size = other.shape[at] if other.shape is not None and -at <= len(other.shape) else 1
                fixed = isinstance(size, int) and not isinstance(size, Sym) and size > 1 and not other.marks
                if kind == "dynamic" and fixed and d in one.marked:
                    env, pos = one.marked[d]
                    self.used(m, "mark-constant", env, pos, "mark_dynamic", str(size), self.at_work)

    def subtracted(self, m: Machine, a: Value, b: Value) -> bool:
        """`end - start` of two times: what was compiled in between was measured."""
        if not (isinstance(a, Clock) and isinstance(b, Clock)):
            return False
        early = [one for one in self.timed if b.compiled <= one[0].number < a.compiled]
        few = a.calls - b.calls <= MOST_TIMED and a.backwards == b.backwards
        if early and few:
            self.used(m, "timed", a.env, a.pos, "", "", early[0][0])
        return True


def _cleared(receiver: Value) -> list[Tensor] | None:
    """The parameters whose gradients `zero_grad()` clears, of an optimizer or a module; None where not known."""
    if not isinstance(receiver, Lib) or receiver.is_module or not receiver.name.startswith("torch.optim."):
        module = isinstance(receiver, (Wrapper, Thing)) or (isinstance(receiver, Lib) and receiver.is_module)
        return [one for _, one in parameters_of(receiver)] or None if module else None
    given = receiver.args[0] if receiver.args else receiver.keywords.get("params")
    groups = given if isinstance(given, list) else []
    flat = [one for group in groups for one in _all(group.get("params") if isinstance(group, dict) else group)]
    known = flat and all(isinstance(one, Tensor) and one.param for one in flat)
    return flat if known else None


def _all(value: Value) -> list[Value]:
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _class_name(model: Value) -> str:
    return model.cls.node.name if isinstance(model, Thing) else str(model.name).rpartition(".")[2]


def _called(value: Value) -> str:
    return value.info.node.name if isinstance(value, Class) else str(value.name).rpartition(".")[2]


def _written(node: Any) -> str:
    if isinstance(node, ir.Call) and node.args:
        return dotted_name(node.args[0]) or "type(...)"
    return "the wrapper"


__all__ = ["Clock", "Drawn", "Use", "Uses"]
