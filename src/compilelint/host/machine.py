"""The host program, step by step: statements and expressions over values with identity.

Nothing of what is read is executed: names, attributes, loops and calls of the program are followed here, Python's
operators are applied to small numbers and texts alone, and what a library does is a table (`library`). A test that is
not known has both its sides run, and what they leave differently is unknown. Loops are run a few times, everything is
bounded. Does not belong here: which calls share what was compiled (`regions`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from compilelint.host import iterating, library, modules, operators
from compilelint.host.expressions import EXPRESSIONS
from compilelint.host.recorded import on_some_path
from compilelint.host.region import Region
from compilelint.host.regions import Regions
from compilelint.host.signals import (
    ENUMS,
    MOST_DEEP,
    MOST_ITEMS,
    MOST_STEPS,
    MOST_YIELDS,
    OutOfStepsError,
    RaisedError,
    Returned,
    Signal,
)
from compilelint.host.statements import STATEMENTS
from compilelint.host.values import (
    UNKNOWN,
    Bound,
    Class,
    Dispatch,
    Drawn,
    Env,
    External,
    Function,
    Lib,
    Member,
    Memo,
    Namespace,
    Partial,
    Result,
    Super,
    Sym,
    SymBool,
    Tensor,
    Thing,
    Value,
    Wrapper,
    WrapperMember,
    WrapperType,
    Write,
    is_plain,
    same,
)
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.project.index import Program, canonical
from compilelint.survey.deadline import look
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name


def _row(t: Tensor) -> Tensor:
    """One of the rows of a tensor of which not even the rank is known: it shares the memory."""
    if isinstance(t, Result):
        return t.part()
    made = Tensor(None, "", None, "")
    made.graph = t.graph
    return made


def _identity(value: Value) -> Any:
    """What is the same of two arguments if a call cannot see a difference."""
    if isinstance(value, tuple):
        return tuple([_identity(one) for one in value])
    return (type(value), value) if is_plain(value) else id(value)


def _store(items: list[Value] | dict[Value, Value], index: Value, value: Value) -> None:
    """`layers[index] = value`."""
    if isinstance(items, dict):
        if isinstance(index, str):
            items[index] = value
    elif isinstance(index, int) and -len(items) <= index < len(items):
        items[index] = value


class Machine:
    """One run of the modules of a program, in which what compiled calls meet is handed to `regions`."""

    def __init__(self, program: Program, linted: Mapping[str, ModuleInfo], regions: Regions) -> None:
        self.program = program
        self.regions = regions
        self.steps = 0
        self.most = MOST_STEPS
        self.depth = 0
        self.loops = 0
        self.uncertain = 0  # undecided tests around the step at work
        self.guessed = 0  # what is run on a guess: functions that nothing was seen to call
        self.gradients = True
        self.region: Region | None = None
        self.modules: dict[str, Env] = {}
        self.classes: dict[int, Class] = {}
        self.entered: set[int] = set()
        self.linted = linted
        self.journals: list[list[tuple[Any, str, Value, bool]]] = []
        self.yields: list[list[Value]] = []
        self.calls: list[tuple[Env, int]] = []  # the calls around the step at work
        self.at_work: dict[tuple[Any, ...], tuple[int, int]] = {}  # calls, each with the undecided tests before it
        self.exits = 0  # loops and functions that end on some path only
        self.grown: list[list[Value]] = []  # lists that got an item, in order
        self.lengths: dict[int, tuple[list[Value], Drawn]] = {}  # lists whose number of items is not known

    # ------------------------------------------------------------- modules

    def run_module(self, module: ModuleInfo, name: str) -> Env:
        """Run a module's body once; the names that it leaves."""
        known = self.modules.get(module.name)
        if known is not None:
            return known
        env = self.modules[module.name] = Env(module, {"__name__": name, "__file__": UNKNOWN})
        kept = self.region, self.uncertain, self.loops
        self.region, self.loops = None, 0
        self.calls.append((env, 0))
        try:
            self.body(env, module.ir.body)
        except RaisedError:
            pass
        finally:
            self.calls.pop()
            self.region, self.uncertain, self.loops = kept
        return env

    def module_of(self, dotted: str) -> ModuleInfo | None:
        """A module of the project, linted or not, by its dotted name; of what is installed nothing is followed."""
        found = self.linted.get(dotted)
        if found is None and self.program.is_in_project(dotted):
            found = self.program.module(dotted)
        return found

    def follows(self, module: ModuleInfo) -> bool:
        """Whether the functions and classes of a module are looked into: those of the project."""
        return module.linted or self.program.is_in_project(module.name)

    def tick(self) -> None:
        self.steps += 1
        if self.steps > self.most:
            raise OutOfStepsError
        look()

    # ---------------------------------------------------------- statements

    def body(self, env: Env, body: ir.Body) -> Signal:
        """Run a block; how it ended, None where its end is reached."""
        for s in body:
            self.tick()
            signal = STATEMENTS[s.__class__](self, env, s)
            if signal is not None:
                return signal
        return None

    def one_of(self, values: list[Value]) -> Value:
        tensors = [one for one in values if isinstance(one, Tensor)]
        if tensors and len(tensors) == len(values):
            shapes = {one.shape for one in tensors}
            made = tensors[0].but(shape=None) if len(shapes) > 1 else tensors[0]
            oldest = on_some_path(values)
            return made if oldest is None else made.but(graph=oldest.graph)
        kept = on_some_path(values)
        if kept is None:
            self.lost(values)
        return kept or UNKNOWN

    def lost(self, values: Iterable[Value]) -> None:
        """Values of which one is there, and it is not known which: what uses it may use any of them."""
        for value in values:
            self.regions.escapes(value)

    def counted(self, value: Value) -> Drawn | None:
        """What stands for the number of items of a list that a loop filled which ends when data say so."""
        known = self.lengths.get(id(value))
        return None if known is None or known[0] is not value else known[1]

    def function(self, env: Env, node: ir.Function) -> Function:
        """A `def` or a lambda as a value."""
        defaults = {p.name: self.eval(env, p.default) for p in node.params if p.default is not None}
        return Function(env.module.function(node, None), env, None, defaults)

    def decorated(self, env: Env, value: Value, decorators: Sequence[ir.Expr]) -> Value:
        """What decorators make of a function or class."""
        for d in reversed(decorators):
            function = self.eval(env, d)
            value = library.decorated(self, env, function, value, d)
        return value

    def defaults_of(self, cls: Class | None, method: FunctionInfo) -> dict[str, Value]:
        """The defaults of a method's parameters."""
        out: dict[str, Value] = {}
        for p in method.node.params:
            if isinstance(p.default, ir.Const):
                out[p.name] = p.default.value
            elif p.default is not None:
                out[p.name] = UNKNOWN if cls is None else cls.attrs.get(f"{method.node.name}({p.name}", UNKNOWN)
        return out

    # ---------------------------------------------------------- assignment

    def bind(self, env: Env, name: str, value: Value) -> None:
        """Bind a name where the code around means it to be bound."""
        scope: Env | None = env
        node = None if env.function is None else env.function.node
        if node is not None and name not in node.local_names and name not in env.names:
            scope = env.outer
            while scope is not None and scope is not env.globals and name not in scope.names:
                scope = scope.outer
            scope = scope or env.globals
        assert scope is not None
        if scope is env.globals or scope is not env:
            self.regions.name_written(self, env, scope, name)
        scope.names[name] = value

    def assign(self, env: Env, target: ir.Expr, value: Value) -> None:
        """`target = value`."""
        if isinstance(target, ir.Name):
            self.regions.name_place(env, target)
            self.bind(env, target.id, value)
        elif isinstance(target, ir.Attr):
            owner = self.eval(env, target.value)
            self.set_attribute(env, owner, target.name, value, target.pos)
        elif isinstance(target, ir.Index):
            held, index = self.eval(env, target.value), self.eval(env, target.index)
            if isinstance(held, Tensor) and self.region is not None:
                self.region.indexed(index)
            if (
                isinstance(held, dict)
                and (is_plain(index) or isinstance(index, (tuple, Member)))
                and len(held) < MOST_ITEMS
            ):
                if operators.hashable(index):
                    self.regions.container_written(self, env, held, target.pos)
                    held[index] = value
            elif isinstance(held, list) and isinstance(index, int) and -len(held) <= index < len(held):
                self.regions.container_written(self, env, held, target.pos)
                held[index] = value
            elif isinstance(held, Thing):
                self.call_method(env, held, "__setitem__", [index, value], {}, target.pos)
            elif isinstance(held, Wrapper):
                self.regions.special(self, env, held, "__setitem__", target.pos)
            elif isinstance(held, Lib) and isinstance(held.items, (list, dict)):
                self.regions.container_written(self, env, held, target.pos)
                _store(held.items, index, value)
            elif isinstance(value, Wrapper):
                root = library.model_around(held)
                if root is not None:
                    root.attrs.setdefault(library.PARTS, []).append(value)
        elif isinstance(target, (ir.Display, ir.Star)):
            self.unpack(env, target, value)

    def unpack(self, env: Env, target: ir.Expr, value: Value) -> None:
        if isinstance(target, ir.Star):
            self.assign(env, target.value, value if isinstance(value, list) else UNKNOWN)
            return
        assert isinstance(target, ir.Display)
        items, known = self.iterate(value, MOST_ITEMS)
        stars = [i for i, one in enumerate(target.items) if isinstance(one, ir.Star)]
        if (
            not known
            or (not stars and len(items) != len(target.items))
            or (stars and len(items) < len(target.items) - 1)
        ):
            for one in target.items:
                self.assign(env, one, _row(value) if isinstance(value, Tensor) else UNKNOWN)
            return
        if stars:
            at, tail = stars[0], len(target.items) - stars[0] - 1
            items = [*items[:at], list(items[at : len(items) - tail]), *items[len(items) - tail :]]
        for one, part in zip(target.items, items, strict=True):
            self.assign(env, one.value if isinstance(one, ir.Star) else one, part)

    def note_write(self, env: Env, owner: Any, name: str, pos: int) -> None:
        """Note who writes an attribute, and where tests around are undecided what it was."""
        owner.writes[name] = Write(env, pos, self.steps, self.region is not None)
        if self.journals:
            self.journals[-1].append((owner, name, owner.attrs.get(name), name in owner.attrs))

    def set_attribute(self, env: Env, owner: Value, name: str, value: Value, pos: int) -> None:
        """`owner.name = value`."""
        if isinstance(owner, Wrapper):
            owner = owner.target
        if isinstance(owner, (Thing, Lib)):
            if isinstance(owner, Thing):
                setter = self._setter(owner.cls, name)
                if setter is not None:
                    self.call(env, Function(setter, self._env_of(setter), owner, {}), [value], {}, pos)
                    return
            self.note_write(env, owner, name, pos)
            if self.region is not None:
                self.region.written(owner, name)
            owner.attrs[name] = value
        elif isinstance(owner, Class):
            owner.writes[name] = Write(env, pos, self.steps, self.region is not None)
            owner.attrs[name] = value
        elif isinstance(owner, Namespace):
            owner.env.names[name] = value
        elif isinstance(owner, External):
            self.regions.setting(self, env, f"{owner.name}.{name}", value, pos)
        elif isinstance(owner, Tensor) and name == "requires_grad" and isinstance(value, bool):
            self.regions.tensor_written(self, env, owner, pos)
            owner.grad = value
        elif name == "grad" and (isinstance(owner, Tensor) or owner is UNKNOWN):
            self.regions.gradient_set(owner, value)
        elif isinstance(owner, Tensor) and name == "data" and isinstance(value, Tensor):
            owner.shape, owner.dtype = value.shape, value.dtype

    def _setter(self, cls: ClassInfo, name: str) -> FunctionInfo | None:
        found = cls.find(name)
        if found is None:
            return None
        for b in found[1]:
            if isinstance(b, ir.Function) and any(isinstance(d, ir.Attr) and d.name == "setter" for d in b.decorators):
                return found[0].module.function(b, found[0])
        return None

    # --------------------------------------------------------- expressions

    def eval(self, env: Env, e: ir.Expr) -> Value:
        """The value of an expression."""
        return EXPRESSIONS[e.__class__](self, env, e)

    def attribute(self, env: Env, value: Value, name: str, pos: int) -> Value:
        """`value.name`."""
        if isinstance(value, Wrapper):
            return self.regions.wrapper_attribute(self, env, value, name, pos)
        if isinstance(value, WrapperType):
            return WrapperMember(value.wrapper, name)
        if isinstance(value, Thing):
            return self._thing_attribute(env, value, name, pos)
        if isinstance(value, Super):
            return self._super_attribute(value, name)
        if isinstance(value, Class):
            return self.class_attribute(value, name)
        if isinstance(value, Namespace):
            held = value.env.names.get(name, UNKNOWN)
            return held if self.region is None else self.region.name_read(value.env, name, held)
        if isinstance(value, External):
            made = canonical(f"{value.name}.{name}")
            return library.CONSTANTS.get(made) or External(made)
        if isinstance(value, Member):
            return value.name if name == "name" else value.value if name == "value" else UNKNOWN
        found = library.attribute(self, value, name)
        if self.region is not None and isinstance(value, Lib):
            found = self.region.attribute_read(value, name, found)
        return found

    def _thing_attribute(self, env: Env, value: Thing, name: str, pos: int) -> Value:
        if name in value.attrs:
            held = value.attrs[name]
            return held if self.region is None else self.region.attribute_read(value, name, held)
        if value.kind is not None and name in value.kind.attrs:
            held = value.kind.attrs[name]
            return held.bound(value) if isinstance(held, Function) else held
        if name == "__class__":
            return self.class_of(value.cls)
        found = value.cls.find(name)
        if found is not None:
            owner = self.class_of(found[0])
            held = UNKNOWN if owner is None else owner.attrs.get(name, UNKNOWN)
            if isinstance(held, (Wrapper, Function)):
                return Partial(held, [value], {}) if isinstance(held, Wrapper) else held.bound(value)
            method = found[0].own(name)
            if method is not None:
                return self._method(env, value, method, owner, pos)
            return held if self.region is None else self.region.attribute_read(value, name, held, owner)
        if name == "__dict__":
            return value.attrs
        if value.cls.is_module:
            if name == "training":
                return True if self.region is None else self.region.attribute_read(value, name, True)
            return Bound(value, name) if name in library.OF_MODULES else UNKNOWN
        return Bound(value, name) if value.cls.external_bases else UNKNOWN

    def _method(self, env: Env, value: Thing, method: FunctionInfo, owner: Class | None, pos: int) -> Value:
        function = Function(method, self._env_of(method), value, self.defaults_of(owner, method))
        if method.decorated("property", "cached_property"):
            return self.call(env, function, [], {}, pos)
        if method.decorated("staticmethod"):
            function.receiver = None
        elif method.decorated("classmethod"):
            function.receiver = self.class_of(value.cls)
        return function

    def _env_of(self, method: FunctionInfo) -> Env:
        cls = None if method.owner is None else self.classes.get(id(method.owner))
        if cls is not None:
            return cls.env
        return self.modules.get(method.module.name) or Env(method.module, {})

    def _super_attribute(self, value: Super, name: str) -> Value:
        receiver = value.receiver
        info = receiver.cls if isinstance(receiver, Thing) else receiver.info if isinstance(receiver, Class) else None
        for base in () if info is None else info.after(value.cls):
            if isinstance(base, ClassInfo) and name in base.members:
                held = None if (owner := self.class_of(base)) is None else owner.attrs.get(name)
                if isinstance(held, Wrapper):
                    return Partial(held, [receiver], {})
                method = base.own(name)
                if method is not None:
                    return Function(
                        method, self._env_of(method), receiver, self.defaults_of(self.class_of(base), method)
                    )
                return UNKNOWN
        return Bound(receiver, f"super.{name}")

    def class_of(self, info: ClassInfo) -> Class | None:
        """The class of an object as a value."""
        found = self.classes.get(id(info))
        if found is None and self.follows(info.module):
            self.run_module(info.module, info.module.name)
            found = self.classes.get(id(info))
        return found

    def class_attribute(self, cls: Class, name: str) -> Value:
        """`Class.name`."""
        if name == "__name__":
            return cls.info.node.name
        for base in cls.info.mro:
            if not isinstance(base, ClassInfo):
                continue
            owner = self.class_of(base)
            if owner is not None and name in owner.attrs:
                return owner.attrs[name]
            method = base.own(name)
            if method is not None:
                function = Function(method, self._env_of(method), None, self.defaults_of(owner, method))
                return function.bound(cls) if method.decorated("classmethod") else function
        return UNKNOWN

    # --------------------------------------------------------------- calls

    def call(
        self,
        env: Env,
        function: Value,
        args: list[Value],
        keywords: dict[str, Value],
        pos: int,
        node: ir.Call | None = None,
    ) -> Value:
        """Call a value."""
        self.tick()
        if isinstance(function, Wrapper):
            return self.regions.call(self, env, function, args, keywords, pos)
        if isinstance(function, Partial):
            return self.call(
                env, function.function, [*function.args, *args], {**function.keywords, **keywords}, pos, node
            )
        if isinstance(function, Function):
            return self.inline(env, function, args, keywords, pos)
        if isinstance(function, Memo):
            key = (tuple(args), tuple(sorted(keywords.items())))
            if not operators.hashable(key):
                return self.call(env, function.function, args, keywords, pos, node)
            if key not in function.table:
                function.table[key] = self.call(env, function.function, args, keywords, pos, node)
            return function.table[key]
        if isinstance(function, Dispatch):
            return self.call(env, self.regions.dispatched(self, env, function, args, pos), args, keywords, pos)
        if isinstance(function, Class):
            return self.instantiate(env, function, args, keywords, pos)
        if isinstance(function, WrapperMember):
            return function if function.name == "__name__" else UNKNOWN
        if isinstance(function, WrapperType):
            return self.regions.class_called(self, env, function, pos)
        if isinstance(function, Thing):
            return self.call_thing(env, function, args, keywords, pos)
        if isinstance(function, External):
            return library.call(self, env, function.name, args, keywords, pos, node)
        if isinstance(function, Lib):
            return library.call_instance(self, env, function, args, keywords, pos)
        if isinstance(function, Bound):
            return library.call_method(self, env, function.receiver, function.name, args, keywords, pos)
        if isinstance(function, Result) and function.member is not None:
            return library.call_method(self, env, *function.member, args, keywords, pos)
        for value in (*args, *keywords.values()):
            self.regions.escapes(value)
        return UNKNOWN

    def call_thing(self, env: Env, thing: Thing, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
        """`thing(...)`."""
        if thing.compiled is not None and self.region is None:
            return self.regions.call_in_place(self, env, thing, args, keywords, pos)
        return self.call_plain(env, thing, args, keywords, pos)

    def call_plain(self, env: Env, thing: Thing, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
        """The same, where no compile call stands before it."""
        self.regions.called_plainly(self, thing)
        if self.region is not None:
            self.region.hooks_met(thing)
        name = "forward" if thing.cls.is_module and thing.cls.method("__call__") is None else "__call__"
        if name in thing.attrs or thing.cls.find(name) is not None:
            result = self.call(env, self._thing_attribute(env, thing, name, pos), args, keywords, pos)
            return modules.hooked(self, thing, args, result) if "<hooks>" in thing.attrs else result
        bases = [b for b in thing.cls.external_bases if b.startswith("torch.nn.") and b != "torch.nn.Module"]
        return modules.call_layer(self, bases[0], thing, args, keywords) if bases else UNKNOWN

    def call_method(
        self, env: Env, thing: Value, name: str, args: list[Value], keywords: dict[str, Value], pos: int
    ) -> Value:
        """`thing.name(...)`."""
        return self.call(env, self.attribute(env, thing, name, pos), args, keywords, pos)

    def instantiate(self, env: Env, cls: Class, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
        """`Class(...)`."""
        info = cls.info
        if info.descends_from(*ENUMS):
            found = [m for m in cls.attrs.values() if isinstance(m, Member) and args and same(m.value, args[0])]
            return found[0] if found else UNKNOWN
        made = Thing(info)
        made.made = env, pos
        made.kind = cls if cls.name else None
        init = info.method("__init__")
        if init is not None:
            owner = None if init.owner is None else self.class_of(init.owner)
            constructor = Function(init, self._env_of(init), made, self.defaults_of(owner, init))
            self.call(env, constructor, args, keywords, pos)
        elif info.is_record:
            for i, name in enumerate(info.fields()):
                value = args[i] if i < len(args) else keywords.get(name, self.class_attribute(cls, name))
                made.attrs[name] = library.field(self, env, value, pos)
            post = info.method("__post_init__")
            if post is not None:
                self.call(env, Function(post, self._env_of(post), made, {}), [], {}, pos)
        elif info.descends_from("torch.nn.Sequential", "torch.nn.ModuleList"):
            made.attrs["<items>"] = list(args)
        return made

    def inline(self, env: Env, function: Function, args: list[Value], keywords: dict[str, Value], pos: int) -> Value:
        """Call a function of the program."""
        info, node = function.info, function.info.node
        if self.depth >= MOST_DEEP or not self.follows(info.module):
            return UNKNOWN
        if self.region is not None and info.decorated("disable"):
            return UNKNOWN
        inner = Env(info.module, {}, function.env, info, function.env.globals)
        receiver = function.receiver
        inner.receiver = receiver if receiver is not None else (args[0] if args and info.owner is not None else None)
        given = list(args) if receiver is None or info.decorated("staticmethod") else [receiver, *args]
        library.bind(self, function, given, keywords, inner.names)
        at_work = (id(node), *map(_identity, inner.names.values()))
        before = self.at_work.get(at_work)
        if before is not None and (self.uncertain > before[0] or self.exits > before[1]):
            return UNKNOWN  # it is at work already with the very same arguments, behind a test that is not known
        if self.region is not None:
            self.region.entered(inner, function)
        self.entered.add(id(node))
        kept = self.gradients, self.loops
        if info.decorated("no_grad", "inference_mode"):
            self.gradients = False
        token = self.regions.method_entered(self, function)
        disables = _disables_below(node)
        self.regions.disabled += disables
        self.depth += 1
        self.at_work[at_work] = self.uncertain, self.exits
        self.calls.append((env, pos))
        try:
            if node.is_generator:
                return self._generated(inner, node)
            signal = self.body(inner, node.body)
        finally:
            self.calls.pop()
            self.depth -= 1
            if before is None:
                del self.at_work[at_work]
            else:
                self.at_work[at_work] = before
            self.gradients, self.loops = kept
            self.regions.disabled -= disables
            self.regions.method_left(self, token)
        return signal.value if isinstance(signal, Returned) else None

    def _generated(self, inner: Env, node: ir.Function) -> Value:
        self.yields.append([])
        try:
            self.body(inner, node.body)
        except RaisedError:
            if len(self.yields[-1]) < MOST_YIELDS:
                raise
        finally:
            out = self.yields.pop()
        return iterating.Given(out)

    # -------------------------------------------------------------- truth

    def truth(self, value: Value) -> bool | None:
        """Whether a value is true; None where it is not known."""
        if isinstance(value, SymBool):
            if self.region is not None:
                self.region.decided(value)
            return value.value
        if isinstance(value, Sym) and self.region is not None:
            self.region.specialized(value, "test")
        if is_plain(value) or isinstance(value, (list, tuple, dict, set, range)):
            return bool(value)
        if isinstance(value, Thing):
            if value.cls.method("__len__") is None and value.cls.method("__bool__") is None:
                return True
            return None
        if isinstance(value, (Function, Class, Wrapper, Member, Namespace, Partial, Bound)):
            return True
        if isinstance(value, Lib) and value.items is None and value.is_module:
            return True
        return None

    def iterate(self, value: Value, limit: int) -> tuple[list[Value], bool]:
        """The first items of what is gone over, and whether these are what a run would meet."""
        items = iterating.items_of(self, value, limit)
        if items is not None:
            if self.region is not None:
                items = self.region.gone_over(value, items)
            return iterating.sampled(value, items, limit), True
        if isinstance(value, iterating.Some):
            return [value.element, value.element], False
        if isinstance(value, Tensor) and value.shape:
            row = value.but(shape=value.shape[1:])
            count = value.shape[0]
            if isinstance(count, int):
                return [row] * min(count, limit), True
            return [row, row], False
        if isinstance(value, Tensor):
            return [_row(value), _row(value)], False
        root = library.model_around(value)
        if root is not None:
            part = Lib("", [], {})
            root.attrs.setdefault(library.PARTS, []).append(part)
            return [part, part], False
        return [UNKNOWN, UNKNOWN], False

    @contextmanager
    def inside(self, region: Region) -> Iterator[None]:
        """While compiled code is followed."""
        kept, self.region = self.region, region
        loops, self.loops = self.loops, 0
        try:
            yield
        finally:
            self.region, self.loops = kept, loops


def _disables_below(node: ir.Function) -> bool:
    """Whether a decorator leaves a function and all that it calls to Python: `disable`, unless it is not recursive."""
    for one in node.decorators:
        made = one.func if isinstance(one, ir.Call) else one
        if dotted_name(made) in _DISABLE:
            given = dict(one.keywords).get("recursive") if isinstance(one, ir.Call) else None
            return not (isinstance(given, ir.Const) and given.value is False)
    return False


_DISABLE = frozenset({"torch.compiler.disable", "torch._dynamo.disable"})
