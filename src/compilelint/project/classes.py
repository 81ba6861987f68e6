"""Modules, classes and functions of the program: what each binds, which bases a class has and in which order.

`ModuleInfo`, `ClassInfo` and `FunctionInfo` hold what the text alone says. Does not belong here: resolving a name
across files (`index`), what a call does or an attribute of an instance holds (`interp`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, KeysView
from typing import Any, TypeAlias

from compilelint.model.slotted import dataclass
from compilelint.syntax import ir
from compilelint.syntax.facts import top_level
from compilelint.syntax.walk import last_name, statements_of
from compilelint.values import Value


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

    __slots__ = ("bare", "module", "node", "owner", "qualified_name")

    def __init__(self, module: ModuleInfo, node: ir.Function, owner: ClassInfo | None) -> None:
        self.module = module
        self.node = node
        self.owner = owner
        self.qualified_name = f"{module.name}.{node.qualname}"
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
        "_functions",
        "_hooked",
        "_is_module",
        "_is_record",
        "_is_reworked",
        "_mro",
        "_reworked",
        "bases",
        "closure",
        "members",
        "module",
        "node",
        "qualified_name",
        "stored_in",
    )

    def __init__(
        self,
        module: ModuleInfo,
        node: ir.Class,
        bases: tuple[ClassInfo | str, ...],
        closure: object,
        apart: str = "",
    ) -> None:
        """Classes of one statement that are made `apart` differ by it; each has functions of its own."""
        self.module = module
        self.node = node
        self.bases = bases
        self.closure = closure
        self.qualified_name = f"{module.name}.{node.qualname}{apart and f'#{apart}'}"
        self._functions: dict[int, FunctionInfo] | None = {} if apart else None
        self.members: dict[str, list[Binding]] = bindings_of(node.body, module)
        self._mro: tuple[ClassInfo | str, ...] | None = None
        self._reworked: tuple[ClassInfo, ...] | None = None
        self._external: tuple[str, ...] | None = None
        self._is_module: bool | None = None
        self._is_record: bool | None = None
        self._is_reworked: bool | None = None
        self._hooked: bool | None = None
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
    def reworked(self) -> tuple[ClassInfo, ...]:
        """The classes of the MRO that code runs on when they are made: their decorators, `__init_subclass__`."""
        if self._reworked is None:
            self._reworked = ()  # a cyclic base ends here
            base = self.bases[0] if len(self.bases) == 1 else None
            if isinstance(base, ClassInfo):
                self._reworked = (self, *base.reworked) if self.is_reworked else base.reworked
            else:
                classes = [c for c in self.mro if isinstance(c, ClassInfo)]
                self._reworked = tuple([c for c in classes if c.is_reworked])
        return self._reworked

    @property
    def is_reworked(self) -> bool:
        """Whether code that receives this very class runs when it is made."""
        if self._is_reworked is None:
            decorated = any(last_name(d) not in _LEAVING for d in self.node.decorators)
            self._is_reworked = decorated or self._is_hooked
        return self._is_reworked

    @property
    def _is_hooked(self) -> bool:
        """Whether a class above this one has an `__init_subclass__`."""
        if self._hooked is None:
            self._hooked = False  # a cyclic base ends here
            above = [c for c in self.bases if isinstance(c, ClassInfo)]
            self._hooked = any("__init_subclass__" in c.members or c._is_hooked for c in above)
        return self._hooked

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
        if self._is_record is None:
            classes = [c for c in self.mro if isinstance(c, ClassInfo) and c.node.decorators]
            decorated = any(last_name(d) == "dataclass" for c in classes for d in c.node.decorators)
            self._is_record = decorated or self.descends_from("typing.NamedTuple")
        return self._is_record

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
                    yield self._function(b)

    def own(self, name: str) -> FunctionInfo | None:
        """The method of that name defined in the class body itself; the last definition wins."""
        for b in reversed(self.members.get(name, ())):
            if isinstance(b, ir.Function):
                return self._function(b)
        return None

    def _function(self, node: ir.Function) -> FunctionInfo:
        if self._functions is None:
            return self.module.function(node, self)
        found = self._functions.get(id(node))
        if found is None:
            found = self._functions[id(node)] = FunctionInfo(self.module, node, self)
        return found

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

    def let_go(self) -> None:
        """Forget what was found out of it: nothing will be asked any more."""
        self.members.clear()
        self.stored_in.clear()
        self._mro = self._reworked = self.closure = None

    def after(self, cls: ClassInfo) -> Iterator[ClassInfo | str]:
        """What `super()` sees from `cls` on an instance of this class."""
        mro = self.mro
        yield from mro[mro.index(cls) + 1 :] if cls in mro else cls.mro[1:]


# Modules of frameworks, by their last names, where the framework itself is not installed.
_MODULE_BASES = frozenset({"LightningModule", "PreTrainedModel", "ModelMixin"})

# Decorators that leave the methods of a class as they are written.
_LEAVING = frozenset({"dataclass", "total_ordering", "final", "unique", "runtime_checkable", "dataclass_transform"})

# Names below torch.nn that are no layer classes.
_NOT_MODULES = (
    "torch.nn.functional.",
    "torch.nn.init.",
    "torch.nn.Parameter",
    "torch.nn.parameter.",
    "torch.nn.utils.",
)


_MOST_BASES = 400
_FURTHER_BASES = "unfollowed.bases"


def _linearize(cls: ClassInfo) -> tuple[ClassInfo | str, ...]:
    """C3 linearization; where the bases contradict each other, depth first, each class once."""
    if len(cls.bases) == 1:
        (base,) = cls.bases
        return _shortened((cls, *(base.mro if isinstance(base, ClassInfo) else (base,))))
    orders = [b.mro if isinstance(b, ClassInfo) else (b,) for b in cls.bases]
    chains = [list(reversed(order)) for order in (*orders, cls.bases)]  # stacks, the head of each on top
    behind = Counter(c for chain in chains for c in chain[:-1])
    out: list[ClassInfo | str] = [cls]
    while chains := [chain for chain in chains if chain]:
        head = next((chain[-1] for chain in chains if not behind[chain[-1]]), None)
        if head is None:
            flat = [c for chain in chains for c in reversed(chain)]
            return _shortened((*out, *dict.fromkeys(c for c in flat if c is not cls)))
        out.append(head)
        for chain in chains:
            if chain[-1] == head:
                chain.pop()
                if chain:
                    behind[chain[-1]] -= 1
    return _shortened(tuple(out))


def _shortened(order: tuple[ClassInfo | str, ...]) -> tuple[ClassInfo | str, ...]:
    """A resolution order, of which the far end of very many classes is one class outside the program: each class of a
    chain has the whole chain in its own order, and what is asked of a class looks through all of it.
    """
    if len(order) <= _MOST_BASES:
        return order
    library = [c for c in order[_MOST_BASES:] if isinstance(c, str) and c != _FURTHER_BASES]
    return (*order[:_MOST_BASES], _FURTHER_BASES, *library)


class ModuleInfo:
    """A loaded module: its IR and what its top level binds. `linted` says that findings may lie in it.

    `named` gives the name under which the program knows what the file imports by an absolute name.
    """

    __slots__ = ("_functions", "_named", "bindings", "globals", "ir", "linted", "name", "stars")

    def __init__(self, module: ir.Module, linted: bool, named: Callable[[str, str], str] | None = None) -> None:
        self.ir = module
        self.name = module.name
        self.linted = linted
        self._named = named if linted else None  # what is installed is never run as a script
        statements = top_level(module)
        self.bindings = bindings_of(statements, self)
        self.stars = list(_stars(statements, self))
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

    def note_names(self) -> None:
        """Note from now on which names of the top level are looked up."""
        self.bindings = NotedNames(self.bindings)

    def let_go(self) -> None:
        """Forget what was found out of it: nothing will be asked any more."""
        self.bindings.clear()
        self.globals.clear()
        self._functions.clear()

    def functions(self) -> Iterable[FunctionInfo]:
        """The functions that were asked for so far."""
        return self._functions.values()

    def absolute(self, module: str, level: int) -> str:
        """The dotted name that the `from` of an import means."""
        if not level:
            return self.named(module)
        parts = self.name.split(".")
        keep = len(parts) - level + (1 if self.ir.is_package else 0)
        base = ".".join(parts[: max(keep, 0)])
        return f"{base}.{module}" if base and module else base or module

    def named(self, dotted: str) -> str:
        """The name under which the program knows what the file calls `dotted`."""
        package = self.name if self.ir.is_package else self.name.rpartition(".")[0]
        return self._named(package, dotted) if self._named is not None and package else dotted


class NotedNames(dict[str, list[Binding]]):
    """What a top level binds, and which names were looked up, there or not; `every` says that it was gone through."""

    __slots__ = ("every", "names")

    def __init__(self, bindings: dict[str, list[Binding]]) -> None:
        super().__init__(bindings)
        self.names: set[str] = set()
        self.every = False

    def __contains__(self, name: object) -> bool:
        if isinstance(name, str):
            self.names.add(name)
        return super().__contains__(name)

    def __getitem__(self, name: str) -> list[Binding]:
        self.names.add(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self.names.add(name)
        return super().get(name, default)

    def __iter__(self) -> Iterator[str]:
        self.every = True
        return super().__iter__()

    def keys(self) -> Any:
        self.every = True
        return super().keys()

    def values(self) -> Any:
        self.every = True
        return super().values()

    def items(self) -> Any:
        self.every = True
        return super().items()


def names_of(module: ir.Module) -> KeysView[str]:
    """The names that a module binds at its top level."""
    return ModuleInfo(module, linted=True).bindings.keys()


def bindings_of(body: ir.Body, module: ModuleInfo) -> dict[str, list[Binding]]:
    """What a module or class body binds, in order, blocks included, functions not entered."""
    out: dict[str, list[Binding]] = {}
    for s in statements_of(body):
        for name, binding in _bindings(s, module):
            out.setdefault(name, []).append(binding)
    return out


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
            top = dotted.partition(".")[0]
            yield (alias, Imported(module.named(dotted), None)) if alias else (top, Imported(module.named(top), None))
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
