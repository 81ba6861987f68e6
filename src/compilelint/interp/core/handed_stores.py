"""The constructors that store attributes on objects that they hold, and the functions that store on objects which they
are given or make, in all modules that are loaded.

Does not belong here: what such a store leaves in the attribute (`handed_fields`).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from functools import partial

from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo, ModuleInfo, NotedNames
from compilelint.project.index import Program
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.facts import aside, fact, top_level
from compilelint.syntax.walk import last_name, statements_of
from compilelint.values import Value

_INIT = "__init__"


@dataclass(frozen=True, slots=True)
class Store:
    """A statement of a constructor that stores on what `self` holds."""

    module: ModuleInfo
    cls: ir.Class
    init: ir.Function
    target: ir.Attr
    value: ir.Expr


@dataclass(frozen=True, slots=True)
class StoringFunction:
    """A function, or a method of a class, that stores on objects which it is given or makes: `state.best = loss`."""

    module: ModuleInfo
    cls: ir.Class | None
    node: ir.Function


class HandedFields:
    """What of the loaded modules stores on other objects than `self`, by the names of the attributes."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._seen: dict[int, ModuleInfo] = {}  # by identity, which is theirs as long as they are kept
        self._loads = -1  # of the program, when its modules were read last
        self._stores: dict[str, list[Store]] = {}
        self._functions: dict[str, list[StoringFunction]] = {}
        self._annotating: dict[str, list[tuple[ModuleInfo, ir.Class]]] = {}  # by the attribute that is annotated
        self.left_by: dict[int, list[tuple[Value, str, Value]] | None] = {}  # by function, None while it is at work
        self.at_work: set[int] = set()  # places of stores whose value is being looked up

    def of(self, name: str) -> list[Store]:
        """The statements that store an attribute of that name."""
        self._look()
        found = self._stores.get(name, [])
        for one in found:
            _depend_on(one.module, one.cls, one.init)
        return found

    def functions(self, name: str) -> list[StoringFunction]:
        """The functions that store an attribute of that name on a variable."""
        self._look()
        found = self._functions.get(name, [])
        for one in found:
            _depend_on(one.module, one.node if one.cls is None else one.cls, one.node)
        return found

    def annotating(self, name: str) -> Iterator[ClassInfo]:
        """The classes whose bodies say of what class an attribute is: `config: ThisConfig`."""
        self._look()
        for module, node in self._annotating.get(name, ()):
            _depend_on(module, node)
            yield self._program.class_info(module, node)

    def _look(self) -> None:
        """Read the modules that were loaded since the last time."""
        if self._loads == self._program.loads:
            return
        self._loads = self._program.loads
        for module in list(self._program.modules()):
            if id(module) not in self._seen:
                self._seen[id(module)] = module
                shared = isinstance(module.bindings, NotedNames)
                with aside(module.ir, HANDED, partial(said_of_handed, module)) if shared else nullcontext():
                    self._take(module)

    def _take(self, module: ModuleInfo) -> None:
        for one in _stores_in(module):
            self._stores.setdefault(one.target.name, []).append(one)
        for function in _functions_in(module):
            for name in fact(function.node, _stored_on_variables):
                self._functions.setdefault(name, []).append(function)
        for cls, name in _annotated_in(module):
            self._annotating.setdefault(name, []).append((module, cls))


HANDED = "handed"
"""The purpose of `said_of_handed`, for what is remembered."""


def said_of_handed(module: ModuleInfo) -> str:
    """What of a file says which attributes are stored and annotated, and where: a text that a later edit may keep.

    What is stored is not in it: who asks for an attribute reads the constructor then (`_depend_on`).
    """
    stores = [(one.cls.name, one.target.name) for one in _stores_in(module)]
    functions = [(one.node.qualname, sorted(fact(one.node, _stored_on_variables))) for one in _functions_in(module)]
    return repr((stores, [one for one in functions if one[1]], [(c.name, name) for c, name in _annotated_in(module)]))


def _depend_on(module: ModuleInfo, owner: ir.Class | ir.Function, init: ir.Function | None = None) -> None:
    """Read what was found aside, so that who asks for it depends on it."""
    module.bindings.get(owner.name)
    if init is not None:
        _ = init.body


def _annotated_in(module: ModuleInfo) -> Iterator[tuple[ir.Class, str]]:
    """The classes of a file, each with the attributes that its body annotates."""
    for cls in (s for s in top_level(module.ir) if isinstance(s, ir.Class)):
        for s in (s for s in cls.body if isinstance(s, ir.AnnAssign)):
            if isinstance(s.target, ir.Name):
                yield cls, s.target.id


def _stores_in(module: ModuleInfo) -> Iterator[Store]:
    """The statements of constructors, outside of tests, that store on what `self` holds."""
    for cls in (s for s in top_level(module.ir) if isinstance(s, ir.Class)):
        for init in (s for s in cls.body if isinstance(s, ir.Function) and s.name == _INIT and s.params):
            for s in (s for s in init.body if isinstance(s, ir.Assign)):
                for target in s.targets:
                    if isinstance(target, ir.Attr) and _is_held(target.value, init.params[0].name):
                        yield Store(module, cls, init, target, s.value)


def _functions_in(module: ModuleInfo) -> Iterator[StoringFunction]:
    """The functions of a file and the methods of its classes."""
    for s in top_level(module.ir):
        if isinstance(s, ir.Function):
            yield StoringFunction(module, None, s)
        elif isinstance(s, ir.Class):
            yield from (StoringFunction(module, s, one) for one in s.body if isinstance(one, ir.Function))


def _stored_on_variables(node: ir.Function) -> frozenset[str]:
    """The attributes that a body stores on a variable of its own other than the first parameter of a method.

    None of a function that compiles: it is a program around compiled code, and no part of it.
    """
    found: set[str] = set()
    own = node.params[0].name if node.params and "." in node.qualname else ""
    for s in statements_of(node.body):
        for target in s.targets if isinstance(s, ir.Assign) else ():
            if isinstance(target, ir.Index):
                target = target.value
            if isinstance(target, ir.Attr) and isinstance(target.value, ir.Name) and target.value.id != own:
                found.add(target.name)
    return frozenset() if found and _compiles(node) else frozenset(found)


def _compiles(node: ir.Function) -> bool:
    found = (e for s in statements_of(node.body) for e in expressions(own_expressions(s)))
    return any(isinstance(e, ir.Call) and last_name(e.func) == "compile" for e in found)


def _is_held(e: ir.Expr, self_name: str) -> bool:
    """Whether an expression is an attribute of `self`."""
    return isinstance(e, ir.Attr) and isinstance(e.value, ir.Name) and e.value.id == self_name
