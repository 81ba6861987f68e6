"""Who is who: modules, their names, classes and functions, found across files without running any of them.

`Program` loads modules on demand (IR only), resolves imports, re-exports and stars, and answers what a global name
holds. Values of plain assignments need an evaluator; the interpreter lends its own (`Program.evaluate`).
Does not belong here: what a call does, what an attribute of an instance holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from compilelint.syntax import ir
from compilelint.values import BOTTOM, UNKNOWN, ClassRef, External, FunctionRef, Value, join_all


class ModuleSource(Protocol):
    """Where modules come from: lowered IR for a dotted name, None if it is not to be followed or does not exist.

    `may_bind` says whether it is worth loading a module for one of its names: False only where it has no such name.
    """

    def load(self, dotted: str) -> ir.Module | None: ...

    def is_package(self, dotted: str) -> bool: ...

    def is_compiled(self, dotted: str) -> bool: ...

    def may_bind(self, dotted: str, name: str) -> bool: ...


@dataclass(frozen=True, slots=True)
class Imported:
    """`import module` (`name` None) or `from module import name`."""

    module: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Assigned:
    """A name bound by an assignment: the expression, and which item of it after unpacking.

    `expr` is None for what has no expression of its own (a loop variable, `except ... as e`, `del`).
    """

    expr: ir.Expr | None
    path: tuple[int, ...] = ()


CONSTRUCTORS = frozenset({"__init__", "__post_init__", "__new__", "__setstate__"})
"""Methods that run before the object is called."""

Binding: TypeAlias = Imported | Assigned | ir.Function | ir.Class


class FunctionInfo:
    """A function of the program; satisfies `values.Code`. One object a `def`, so identity is equality."""

    __slots__ = ("bare", "module", "node", "owner", "qualified_name", "usage")

    def __init__(self, module: ModuleInfo, node: ir.Function, owner: ClassInfo | None) -> None:
        self.module = module
        self.node = node
        self.owner = owner
        self.qualified_name = f"{module.name}.{node.qualname}"
        self.usage: dict[str, str] | None = None
        self.bare = False  # the function itself, as its own decorators see it

    def __repr__(self) -> str:
        return f"<function {self.qualified_name}>"

    @property
    def place(self) -> str:
        """File and position of the `def`: the same in every process that reads the file."""
        return f"{self.module.ir.path}:{self.node.head}"

    @property
    def asks_for_mode(self) -> bool:
        """Whether the body reads `self.training` more than once."""
        return self.node.mode_reads > 1

    def decorated(self, *names: str) -> bool:
        """Whether a decorator's last name is one of `names` (`functools.cached_property` is `cached_property`)."""
        decorators = self.node.decorators
        return bool(decorators) and any(last_name(d) in names for d in decorators)


class ClassInfo:
    """A class of the program; satisfies `values.Named`."""

    __slots__ = (
        "_annotations",
        "_external",
        "_is_module",
        "_mro",
        "bases",
        "closure",
        "members",
        "module",
        "node",
        "qualified_name",
        "stored_in",
    )

    def __init__(self, module: ModuleInfo, node: ir.Class, bases: tuple[ClassInfo | str, ...], closure: object) -> None:
        self.module = module
        self.node = node
        self.bases = bases
        self.closure = closure
        self.qualified_name = f"{module.name}.{node.qualname}"
        self.members: dict[str, list[Binding]] = bindings_of(node.body, module)
        self._mro: tuple[ClassInfo | str, ...] | None = None
        self._external: tuple[str, ...] | None = None
        self._is_module: bool | None = None
        self._annotations: dict[str, ir.Expr] | None = None
        self.stored_in: dict[str, list[FunctionInfo]] = {}
        for method in self.methods():
            for name in method.node.stores:
                self.stored_in.setdefault(name, []).append(method)

    def __repr__(self) -> str:
        return f"<class {self.qualified_name}>"

    @property
    def mro(self) -> tuple[ClassInfo | str, ...]:
        """Method resolution order; classes outside the program stand in it by dotted name."""
        if self._mro is None:
            self._mro = (self,)  # a cyclic base (broken code) ends here
            self._mro = _linearize(self)
        return self._mro

    @property
    def external_bases(self) -> tuple[str, ...]:
        if self._external is None:
            self._external = tuple([c for c in self.mro if isinstance(c, str)])
        return self._external

    def descends_from(self, *names: str) -> bool:
        """Whether a library class of one of these dotted names is among the bases."""
        return any(name in names for name in self.external_bases)

    @property
    def is_module(self) -> bool:
        """Whether instances are `torch.nn.Module`s."""
        if self._is_module is None:
            names = self.external_bases
            self._is_module = any(
                (n.startswith("torch.nn.") and not n.startswith(_NOT_MODULES)) or n.rpartition(".")[2] in _MODULE_BASES
                for n in names
            )
        return self._is_module

    @property
    def is_autograd_function(self) -> bool:
        return self.descends_from("torch.autograd.Function", "torch.autograd.function.Function")

    @property
    def is_record(self) -> bool:
        """A dataclass, NamedTuple or a subclass of one: its constructor stores its arguments as fields."""
        return any(
            "dataclass" in {last_name(d) for d in c.node.decorators} for c in self.mro if isinstance(c, ClassInfo)
        ) or self.descends_from("typing.NamedTuple")

    def fields(self) -> list[str]:
        """Names of a record's fields, in order of the constructor's parameters."""
        out: dict[str, None] = {}
        for c in reversed(self.mro):
            if isinstance(c, ClassInfo):
                for s in c.node.body:
                    if isinstance(s, ir.AnnAssign) and isinstance(s.target, ir.Name):
                        out[s.target.id] = None
        return list(out)

    @property
    def annotations(self) -> dict[str, ir.Expr]:
        """What the class body annotates, at its own level; the first annotation of a name counts."""
        if self._annotations is None:
            self._annotations = {}
            for s in self.node.body:
                if isinstance(s, ir.AnnAssign) and isinstance(s.target, ir.Name):
                    self._annotations.setdefault(s.target.id, s.annotation)
        return self._annotations

    def methods(self) -> Iterator[FunctionInfo]:
        """Functions defined in the class body itself."""
        for found in self.members.values():
            for b in found:
                if isinstance(b, ir.Function):
                    yield self.module.function(b, self)

    def own(self, name: str) -> FunctionInfo | None:
        """The method of that name defined in the class body itself; the last definition wins."""
        for b in reversed(self.members.get(name, ())):
            if isinstance(b, ir.Function):
                return self.module.function(b, self)
        return None

    def find(self, name: str) -> tuple[ClassInfo, list[Binding]] | None:
        """The class of the MRO that defines a member, and what it binds."""
        for c in self.mro:
            if isinstance(c, ClassInfo) and name in c.members:
                return c, c.members[name]
        return None

    def method(self, name: str) -> FunctionInfo | None:
        """A method by MRO."""
        found = self.find(name)
        return None if found is None else found[0].own(name)

    def stored_later(self, name: str) -> bool:
        """Whether a method other than a constructor stores an attribute."""
        return any(
            method.node.name not in CONSTRUCTORS
            for c in self.mro
            if isinstance(c, ClassInfo)
            for method in c.stored_in.get(name, ())
        )

    def after(self, cls: ClassInfo) -> Iterator[ClassInfo | str]:
        """What `super()` sees from `cls` on an instance of this class."""
        mro = self.mro
        yield from mro[mro.index(cls) + 1 :] if cls in mro else cls.mro[1:]


# Modules of frameworks, by their last names, where the framework itself is not installed.
_MODULE_BASES = frozenset({"LightningModule", "PreTrainedModel", "ModelMixin"})

# Names below torch.nn that are no layer classes.
_NOT_MODULES = (
    "torch.nn.functional.",
    "torch.nn.init.",
    "torch.nn.Parameter",
    "torch.nn.parameter.",
    "torch.nn.utils.",
)


def _linearize(cls: ClassInfo) -> tuple[ClassInfo | str, ...]:
    """C3 linearization; where the bases contradict each other, depth first, each class once."""
    chains = [list(b.mro) if isinstance(b, ClassInfo) else [b] for b in cls.bases] + [list(cls.bases)]
    out: list[ClassInfo | str] = [cls]
    while chains := [c for c in chains if c]:
        for chain in chains:
            if not any(chain[0] in other[1:] for other in chains):
                break
        else:
            flat = [c for chain in chains for c in chain]
            return (*out, *dict.fromkeys(c for c in flat if c is not cls))
        head = chain[0]
        out.append(head)
        chains = [c[1:] if c[0] == head else c for c in chains]
    return tuple(out)


class ModuleInfo:
    """A loaded module: its IR and what its top level binds. `linted` says that findings may lie in it."""

    __slots__ = ("_functions", "bindings", "globals", "ir", "linted", "name", "stars")

    def __init__(self, module: ir.Module, linted: bool) -> None:
        self.ir = module
        self.name = module.name
        self.linted = linted
        self.bindings = bindings_of(module.body, self)
        self.stars = list(_stars(module.body, self))
        self.globals: dict[str, Value] = {}
        self._functions: dict[int, FunctionInfo] = {}

    def __repr__(self) -> str:
        return f"<module {self.name}>"

    def function(self, node: ir.Function, owner: ClassInfo | None = None) -> FunctionInfo:
        """The one `FunctionInfo` of a `def`."""
        found = self._functions.get(id(node))
        if found is None:
            found = self._functions[id(node)] = FunctionInfo(self, node, owner)
        return found

    def functions(self) -> Iterable[FunctionInfo]:
        """The functions that were asked for so far."""
        return self._functions.values()

    def absolute(self, module: str, level: int) -> str:
        """The dotted name that a relative import means."""
        if not level:
            return module
        parts = self.name.split(".")
        keep = len(parts) - level + (1 if self.ir.is_package else 0)
        base = ".".join(parts[: max(keep, 0)])
        return f"{base}.{module}" if base and module else base or module


def last_name(expr: ir.Expr) -> str:
    """`cached_property` of `functools.cached_property` and of `functools.cached_property(...)`."""
    if isinstance(expr, ir.Call):
        expr = expr.func
    if isinstance(expr, ir.Attr):
        return expr.name
    return expr.id if isinstance(expr, ir.Name) else ""


def dotted_name(expr: ir.Expr) -> str:
    """`a.b.c` for a chain of attributes on a name, "" for anything else."""
    parts: list[str] = []
    while isinstance(expr, ir.Attr):
        parts.append(expr.name)
        expr = expr.value
    if not isinstance(expr, ir.Name):
        return ""
    return ".".join([expr.id, *reversed(parts)])


def bindings_of(body: ir.Body, module: ModuleInfo) -> dict[str, list[Binding]]:
    """What a module or class body binds, in order, blocks included, functions not entered."""
    out: dict[str, list[Binding]] = {}
    for s in statements_of(body):
        for name, binding in _bindings(s, module):
            out.setdefault(name, []).append(binding)
    return out


def statements_of(body: ir.Body) -> Iterator[ir.Stmt]:
    """Every statement of a body and of the blocks in it, functions and classes not entered; iterative."""
    stack = [iter(body)]
    while stack:
        for s in stack[-1]:
            yield s
            if s.__class__ in WITH_BLOCKS:
                stack.extend([iter(b) for b in reversed(blocks_of(s))])
                break
        else:
            stack.pop()


WITH_BLOCKS = frozenset((ir.If, ir.For, ir.While, ir.Try, ir.With, ir.Match))
"""The statements that `blocks_of` finds bodies in: one statement in ten, so it pays to ask before."""


def blocks_of(s: ir.Stmt) -> list[ir.Body]:
    """The bodies nested in a statement, in order."""
    if isinstance(s, ir.If):
        return [*(b for _, b in s.arms), s.other]
    if isinstance(s, (ir.For, ir.While)):
        return [s.body, s.other]
    if isinstance(s, ir.Try):
        return [s.body, *(h.body for h in s.handlers), s.other, s.final]
    if isinstance(s, ir.With):
        return [s.body]
    if isinstance(s, ir.Match):
        return [c.body for c in s.cases]
    return []


def _bindings(s: ir.Stmt, module: ModuleInfo) -> Iterator[tuple[str, Binding]]:
    if isinstance(s, (ir.Function, ir.Class)):
        yield s.name, s
    elif isinstance(s, ir.Assign):
        for target in s.targets:
            yield from _targets(target, s.value, ())
    elif isinstance(s, ir.AnnAssign) and isinstance(s.target, ir.Name):
        if s.value is not None:
            yield s.target.id, Assigned(s.value)
    elif isinstance(s, ir.AugAssign) and isinstance(s.target, ir.Name):
        yield s.target.id, Assigned(None)
    elif isinstance(s, ir.For):
        yield from _targets(s.target, None, ())
    elif isinstance(s, ir.With):
        for _, bound in s.items:
            if bound is not None:
                yield from _targets(bound, None, ())
    elif isinstance(s, ir.Import):
        for dotted, alias in s.names:
            yield (
                (alias, Imported(dotted, None))
                if alias
                else (dotted.partition(".")[0], Imported(dotted.partition(".")[0], None))
            )
    elif isinstance(s, ir.ImportFrom):
        base = module.absolute(s.module, s.level)
        for name, alias in s.names:
            if name != "*":
                yield alias or name, Imported(base, name)


def _targets(target: ir.Expr, expr: ir.Expr | None, path: tuple[int, ...]) -> Iterator[tuple[str, Binding]]:
    if isinstance(target, ir.Name):
        yield target.id, Assigned(expr, path)
    elif isinstance(target, ir.Display):
        for i, item in enumerate(target.items):
            yield from _targets(item.value if isinstance(item, ir.Star) else item, expr, (*path, i))


def _stars(body: ir.Body, module: ModuleInfo) -> Iterator[str]:
    for s in statements_of(body):
        if isinstance(s, ir.ImportFrom) and s.names and s.names[0][0] == "*":
            yield module.absolute(s.module, s.level)


class Program:
    """All modules of a run. `evaluate` is lent by the interpreter: it turns (module, expression) into a value."""

    def __init__(self, source: ModuleSource, linted: Callable[[str], bool]) -> None:
        self._source = source
        self._linted = linted
        self._modules: dict[str, ModuleInfo | None] = {}
        self._classes: dict[int, ClassInfo] = {}
        self._busy: set[tuple[str, str]] = set()
        self._searches: dict[str, set[str]] = {}  # by name: the modules whose stars were looked through for it
        self.annotated: dict[int, tuple[tuple[ModuleInfo, ir.Expr] | None, Value | None]] = {}  # by node, see `interp`
        self.evaluate: Callable[[ModuleInfo, Assigned], Value] = lambda module, assigned: UNKNOWN

    # -------------------------------------------------------------- modules

    def module(self, dotted: str) -> ModuleInfo | None:
        """The module of that name, loaded on first use; None if it is not followed or not there."""
        try:
            return self._modules[dotted]
        except KeyError:
            lowered = self._source.load(dotted)
            info = None if lowered is None else ModuleInfo(lowered, self._linted(lowered.path))
            self._modules[dotted] = info
            return info

    def add(self, lowered: ir.Module, linted: bool = True) -> ModuleInfo:
        """Put in a module that was loaded from a path rather than by name."""
        info = ModuleInfo(lowered, linted)
        self._modules[lowered.name] = info
        return info

    def is_compiled(self, name: str) -> bool:
        """Whether a library's name lies in a compiled extension of the analysed environment."""
        return self._source.is_compiled(name)

    def modules(self) -> Iterable[ModuleInfo]:
        return [m for m in self._modules.values() if m is not None]

    # ---------------------------------------------------------------- names

    @property
    def resolving(self) -> bool:
        """Whether the value of some global is being found out right now."""
        return bool(self._busy)

    def global_value(self, module: ModuleInfo, name: str) -> Value | None:
        """What a global name of a module may hold; None if the module does not bind it."""
        known = module.globals.get(name)
        if known is not None:
            return known
        found = module.bindings.get(name)
        if found is None:
            return self._from_stars(module, name)
        if (module.name, name) in self._busy:
            return UNKNOWN
        self._busy.add((module.name, name))
        try:
            value = join_all([self.bound(module, b, name) for b in found])
        finally:
            self._busy.discard((module.name, name))
        value = UNKNOWN if value is BOTTOM else value
        module.globals[name] = value
        return value

    def _from_stars(self, module: ModuleInfo, name: str) -> Value | None:
        if not module.stars or name.startswith("_") or (module.name, "*") in self._busy:
            return None
        searched = self._searches.get(name)
        outermost = searched is None
        if searched is None:
            searched = self._searches[name] = set()
        if module.name in searched:  # else every way through modules that import each other would be gone
            return None
        searched.add(module.name)
        self._busy.add((module.name, "*"))
        try:
            for target in module.stars:
                if target not in self._modules and not self._source.may_bind(target, name):
                    continue  # a package of stars would have every module of it lowered for one name
                other = self.module(target)
                value = self.global_value(other, name) if other is not None else None
                if value is not None:
                    module.globals[name] = value
                    return value
        finally:
            self._busy.discard((module.name, "*"))
            if outermost:
                del self._searches[name]
        return None

    def bound(self, module: ModuleInfo, binding: Binding, name: str = "", owner: ClassInfo | None = None) -> Value:
        """The value of one binding of a module or class body."""
        if isinstance(binding, ir.Function):
            return FunctionRef(module.function(binding, owner))
        if isinstance(binding, ir.Class):
            return ClassRef(self.class_info(module, binding))
        if isinstance(binding, Imported):
            if binding.name is None:
                return External(binding.module)
            return self.member(binding.module, binding.name)
        if binding.expr is None:
            return UNKNOWN
        return self.evaluate(module, binding)

    def member(self, dotted: str, name: str) -> Value:
        """`name` of the module `dotted`: a global, a submodule, or a library's name."""
        module = self.module(dotted)
        if module is None:
            return External(canonical(f"{dotted}.{name}"))
        if name in module.globals or (name in module.bindings and (module.name, name) not in self._busy):
            return self.global_value(module, name) or UNKNOWN
        # A submodule before the stars: looking through those may load half a package.
        if self._source.is_package(dotted) and self.module(f"{dotted}.{name}") is not None:
            return External(f"{dotted}.{name}")
        return self._from_stars(module, name) or UNKNOWN

    # -------------------------------------------------------------- classes

    def class_info(
        self,
        module: ModuleInfo,
        node: ir.Class,
        closure: object = None,
        local_bases: tuple[ClassInfo | str | None, ...] | None = None,
    ) -> ClassInfo:
        """The one `ClassInfo` of a `class` statement; `local_bases` are those that are known from the frame around."""
        found = self._classes.get(id(node))
        if found is None:
            known = local_bases or (None,) * len(node.bases)
            resolved = [k or self._base(module, e) for k, e in zip(known, node.bases, strict=True)]
            bases = tuple([b for b in resolved if b is not None])
            found = self._classes[id(node)] = ClassInfo(module, node, bases, closure)
        return found

    def _base(self, module: ModuleInfo, expr: ir.Expr) -> ClassInfo | str | None:
        if isinstance(expr, ir.Index):  # Generic[T]
            expr = expr.value
        value = self.resolve(module, expr)
        if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo):
            return value.cls
        if isinstance(value, External):
            return value.name
        name = dotted_name(expr)
        return f"builtins.{name}" if name and "." not in name else name or None

    def resolve(self, module: ModuleInfo, expr: ir.Expr) -> Value | None:
        """What a dotted name means at a module's top level; None for other expressions and unbound names."""
        if isinstance(expr, ir.Name):
            return self.global_value(module, expr.id)
        if isinstance(expr, ir.Attr):
            base = self.resolve(module, expr.value)
            if isinstance(base, External):
                return self.member(base.name, expr.name)
            if isinstance(base, ClassRef) and isinstance(base.cls, ClassInfo):
                found = base.cls.find(expr.name)
                if found is not None:
                    return join_all([self.bound(found[0].module, b, expr.name, found[0]) for b in found[1]])
        return None


_PUBLIC = (
    ("torch.functional.", "torch."),
    ("torch.nn.parameter.", "torch.nn."),
    ("torch.autograd.function.", "torch.autograd."),
    ("torch.autograd.grad_mode.", "torch."),
    ("torch._tensor.", "torch."),
)


def canonical(dotted: str) -> str:
    """The public name of a library object known under several: `torch.nn.modules.x.Linear` is `torch.nn.Linear`."""
    if dotted.startswith("torch."):
        if dotted.startswith("torch.nn.modules."):
            parts = dotted.split(".")
            return f"torch.nn.{'.'.join(parts[4:])}" if len(parts) > 4 else dotted
        for prefix, public in _PUBLIC:
            if dotted.startswith(prefix):
                return public + dotted[len(prefix) :]
    return dotted
