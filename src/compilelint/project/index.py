"""Who is who: modules, their names, classes and functions, found across files without running any of them.

`Program` loads modules on demand (IR only), resolves imports, re-exports and stars, and answers what a global name
holds. Values of plain assignments need an evaluator; the interpreter lends its own (`Program.evaluate`).
Does not belong here: what a call does, what an attribute of an instance holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from compilelint.project.classes import Assigned, Binding, ClassInfo, Imported, ModuleInfo
from compilelint.project.compile_calls import NO_OWN
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name
from compilelint.values import BOTTOM, UNKNOWN, ClassRef, External, FunctionRef, Value, join_all


class ModuleSource(Protocol):
    """Where modules come from: lowered IR for a dotted name, None if it is not to be followed or does not exist.

    `is_there` says whether a name would be found at all, followed or not.
    `may_bind` says whether it is worth loading a module for one of its names: False only where it has no such name.
    """

    def load(self, dotted: str) -> ir.Module | None: ...

    def is_package(self, dotted: str) -> bool: ...

    def is_there(self, dotted: str) -> bool: ...

    def is_in_project(self, dotted: str) -> bool: ...

    def is_compiled(self, dotted: str) -> bool: ...

    def may_bind(self, dotted: str, name: str) -> bool: ...


class Program:
    """All modules of a run.

    Two things are lent by the interpreter: `evaluate` turns (module, expression) into a value, `finished` a class into
    what its name is bound to once its decorators have run.
    """

    def __init__(self, source: ModuleSource, linted: Callable[[str], bool], notes: bool = False) -> None:
        """`notes` says that it is to be noted what is read of linted modules that were not put in."""
        self._source = source
        self._linted = linted
        self._notes = notes
        self._modules: dict[str, ModuleInfo | None] = {}
        self.loads = 0  # how many modules have been put in so far
        self._classes: dict[int, ClassInfo] = {}
        self._busy: set[tuple[str, str]] = set()
        self._tops: dict[tuple[str, str], str] = {}  # by package and top-level name: the package that holds it
        self._table: Callable[[], dict[Any, Any]] = dict
        self._searches: dict[str, set[str]] = {}  # by name: the modules whose stars were looked through for it
        self.annotated: dict[int, tuple[tuple[ModuleInfo, ir.Expr] | None, Value | None]] = {}  # by node, see `interp`
        self.compilers: Mapping[str, str] = NO_OWN  # by dotted name, how it is asked: what the project says compiles
        self.evaluate: Callable[[ModuleInfo, Assigned], Value] = lambda module, assigned: UNKNOWN
        self.finished: Callable[[ClassInfo], Value] = ClassRef

    # -------------------------------------------------------------- modules

    def record(self, table: Callable[..., dict[Any, Any]]) -> None:
        """Keep in such tables what is found from now on."""
        self._table = table
        for name in ("_modules", "_classes", "annotated"):
            made, known = table(of_nodes=name == "annotated"), getattr(self, name)
            dict.update(made, known)
            setattr(self, name, made)
        for module in self.modules():
            module.globals = table()

    def module(self, dotted: str) -> ModuleInfo | None:
        """The module of that name, loaded on first use; None if it is not followed or not there."""
        try:
            return self._modules[dotted]
        except KeyError:
            lowered = self._source.load(dotted)
            info = None if lowered is None else ModuleInfo(lowered, self._linted(lowered.path), self._named)
            if info is not None:
                info.globals = self._table()
                if self._notes and info.linted:
                    info.note_names()
            self._modules[dotted] = info
            self.loads += 1
            return info

    def _named(self, package: str, dotted: str) -> str:
        """The name of what a file of `package` imports as `dotted`, which may be meant to be run as a script.

        A script sees what lies beside it, though an `__init__.py` makes a package of its folder; so does what the
        script imports, of the folders around it.
        """
        top = dotted.partition(".")[0]
        known = self._tops.get((package, top))
        if known is None:
            known = self._tops[package, top] = self._around(package, top)
        return f"{known}.{dotted}" if known else dotted

    def _around(self, package: str, top: str) -> str:
        """The nearest of the packages around a file that holds `top`; empty where Python finds it without."""
        if self._source.is_there(top):
            return ""
        while package and not self._source.is_there(f"{package}.{top}"):
            package = package.rpartition(".")[0]
        return package

    def add(self, lowered: ir.Module, linted: bool = True) -> ModuleInfo:
        """Put in a module that was loaded from a path rather than by name."""
        info = ModuleInfo(lowered, linted, self._named)
        self._modules[lowered.name] = info
        self.loads += 1
        return info

    def is_in_project(self, dotted: str) -> bool:
        """Whether a name is a module of the project, loaded or not; False of what is installed or not there."""
        return self._source.is_in_project(dotted)

    def is_compiled(self, name: str) -> bool:
        """Whether a library's name lies in a compiled extension of the analysed environment."""
        return self._source.is_compiled(name)

    def modules(self) -> Iterable[ModuleInfo]:
        return [m for m in self._modules.values() if m is not None]

    def let_go(self) -> None:
        """Forget what was found out, which holds each other: nothing will be asked any more."""
        for module in self.modules():
            module.let_go()
        for cls in self._classes.values():
            cls.let_go()
        for table in (self._modules, self._classes, self.annotated):
            table.clear()

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
            cls = self.class_info(module, binding)
            return self.finished(cls) if binding.decorators else ClassRef(cls)
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
        value = self._from_stars(module, name)
        if value is None and not name.startswith("_") and any(map(self._is_extension, module.stars)):
            return External(canonical(f"{dotted}.{name}"))  # a name of the extension, under the one that is public
        return UNKNOWN if value is None else value

    def _is_extension(self, dotted: str) -> bool:
        """Whether a module is compiled, so that its names are not to be read."""
        return self.is_compiled(f"{dotted}.") and self.module(dotted) is None  # loading it is a dependence

    # -------------------------------------------------------------- classes

    def class_info(
        self,
        module: ModuleInfo,
        node: ir.Class,
        closure: object = None,
        local_bases: tuple[ClassInfo | str | None, ...] | None = None,
        apart: str = "",
    ) -> ClassInfo:
        """The one `ClassInfo` of a `class` statement; `local_bases` are those that are known from the frame around.

        Where the statement runs for several classes, each time deriving from another one, `apart` names the time.
        """
        found = None if apart else self._classes.get(id(node))
        if found is None:
            known = local_bases or (None,) * len(node.bases)
            resolved = [k or self._base(module, e) for k, e in zip(known, node.bases, strict=True)]
            bases = tuple([b for b in resolved if b is not None])
            found = ClassInfo(module, node, bases, closure, apart)
            if not apart:
                self._classes[id(node)] = found
        return found

    def _base(self, module: ModuleInfo, expr: ir.Expr) -> ClassInfo | str | None:
        if isinstance(expr, ir.Index):  # Generic[T]
            expr = expr.value
        value = self.resolve(module, expr)
        if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo):
            return value.cls
        if isinstance(value, External):
            return "typing.NamedTuple" if value.name == "collections.namedtuple" else value.name
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
