"""A target's code as one module: the definitions that it needs, from all files of the project, in their order of need.

Imports of the project's own modules are replaced by what they import; those of other packages stay. What cannot be
followed (a star import of another package, a name that code binds in two ways) is left as it is: the trial decides.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Find = Callable[[str], "str | None"]
"""From the name of a module to the text of its file; None where it is none of the project's."""

_BUILTINS = frozenset(dir(builtins)) | {"__file__", "__name__", "__doc__"}
_MOST_STATEMENTS = 5_000


class NotSlicedError(Exception):
    """The code could not be cut out; the text says why."""


@dataclass
class _Module:
    """One file: its statements, and which of them bind each name at the top level."""

    name: str
    is_package: bool
    body: list[ast.stmt]
    bound: dict[str, list[int]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


class Slicer:
    """Collects what a name needs. `package_of` says whether a module's name is that of a package."""

    def __init__(self, find: Find, is_package: Callable[[str], bool]) -> None:
        self._find, self._is_package = find, is_package
        self._modules: dict[str, _Module | None] = {}
        self._emitted: dict[tuple[str, int], None] = {}
        self._names: dict[str, tuple[str, str]] = {}
        self._asked: set[tuple[str, str]] = set()
        self.out: list[ast.stmt] = []

    def need(self, module: str, name: str) -> str:
        """Emit what binds a name in a module; the name by which the slice knows it."""
        found = self._module(module)
        if found is None:
            raise NotSlicedError(f"module {module} is not in the project")
        return self._need(found, name)

    def _need(self, module: _Module, name: str) -> str:
        key = (module.name, name)
        if key in self._asked:
            return name
        self._asked.add(key)
        places = module.bound.get(name)
        if places is None:
            for star in module.stars:
                inner = self._module(star)
                if inner is not None and (name in inner.bound or inner.stars):
                    return self._need(inner, name)
            return name  # a builtin, or bound in a way that cannot be seen
        for place in places:
            self._emit(module, place, name)
        return name

    def _emit(self, module: _Module, place: int, name: str) -> None:
        statement = module.body[place]
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            self._import(module, statement, name)
            return
        if (module.name, place) in self._emitted:
            return
        self._emitted[module.name, place] = None
        if len(self._emitted) > _MOST_STATEMENTS:
            raise NotSlicedError("it needs too much of the project")
        for used in _used(statement):
            if used != name and used not in _BUILTINS:
                self._need(module, used)
        bound = set(_bound_by(statement))
        for one in bound:
            owner = self._names.setdefault(one, (module.name, one))
            if owner[0] != module.name:
                raise NotSlicedError(f"{owner[0]} and {module.name} both define {one}")
        self.out.append(self._without_project_modules(module, statement))

    def _import(self, module: _Module, statement: ast.Import | ast.ImportFrom, name: str) -> None:
        for alias in statement.names:
            local = alias.asname or alias.name.partition(".")[0]
            if local != name:
                continue
            if isinstance(statement, ast.ImportFrom):
                self._import_from(module, statement, alias, name)
            elif self._module(alias.name if alias.asname else local) is None:
                self._put(ast.Import([alias]))
            return

    def _import_from(self, module: _Module, statement: ast.ImportFrom, alias: ast.alias, name: str) -> None:
        source = _absolute(module, statement)
        inner = self._module(source)
        if inner is None and self._module(f"{source}.{alias.name}") is not None:
            return  # a module of the project: its uses are replaced where they stand
        if inner is None:
            self._put(ast.ImportFrom(source, [alias], 0))
        elif alias.name in inner.bound or inner.stars:
            known = self._need(inner, alias.name)
            if known != name:
                self._put(ast.Assign([ast.Name(name, ast.Store())], ast.Name(known, ast.Load())))

    def _put(self, statement: ast.stmt) -> None:
        text = ast.unparse(ast.fix_missing_locations(statement))
        if text not in {ast.unparse(one) for one in self.out}:
            self.out.append(statement)

    def _without_project_modules(self, module: _Module, statement: ast.stmt) -> ast.stmt:
        """The statement with `layers.Block` as `Block`, where `layers` is a module of the project."""
        modules = {}
        for name in set(_used(statement)):
            for place in module.bound.get(name, ()):
                imported = self._imported_module(module, module.body[place], name)
                if imported:
                    modules[name] = imported
        if not modules:
            return statement

        def need(imported: str, attribute: str) -> str | None:
            inner = self._module(imported)
            return self._need(inner, attribute) if inner is not None and attribute in inner.bound else None

        replaced: ast.stmt = _Attributes(modules, need, self._module).visit(statement)
        return ast.fix_missing_locations(replaced)

    def _imported_module(self, module: _Module, statement: ast.stmt, name: str) -> str:
        """The project's module that a name stands for; empty where it stands for something else."""
        if isinstance(statement, ast.Import):
            for alias in statement.names:
                whole = alias.name if alias.asname == name else alias.name.partition(".")[0]
                if (alias.asname or whole) == name and self._module(whole) is not None:
                    return whole
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                inner = f"{_absolute(module, statement)}.{alias.name}"
                if (alias.asname or alias.name) == name and self._module(inner) is not None:
                    return inner
        return ""

    def _module(self, name: str) -> _Module | None:
        if name not in self._modules:
            text = self._find(name)
            self._modules[name] = None if text is None else self._read(name, text)
        return self._modules[name]

    def _read(self, name: str, text: str) -> _Module | None:
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return None
        module = _Module(name, self._is_package(name), tree.body)
        for place, statement in enumerate(tree.body):
            if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
                module.stars.append(_absolute(module, statement))
            for one in _bound_by(statement):
                module.bound.setdefault(one, []).append(place)
        return module


class _Attributes(ast.NodeTransformer):
    """Replaces an attribute of a project's module by the name that the slice has for it."""

    def __init__(
        self,
        modules: dict[str, str],
        need: Callable[[str, str], str | None],
        module: Callable[[str], object],
    ) -> None:
        self._modules, self._need, self._module = modules, need, module

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        owner = getattr(node.value, "project_module", None)
        if owner is None and isinstance(node.value, ast.Name):
            owner = self._modules.get(node.value.id)
        if owner is None:
            return node
        known = self._need(owner, node.attr)
        if known is not None:
            return ast.copy_location(ast.Name(known, ast.Load()), node)
        if self._module(f"{owner}.{node.attr}") is not None:
            node.project_module = f"{owner}.{node.attr}"  # type: ignore[attr-defined]
        return node


def _absolute(module: _Module, statement: ast.ImportFrom) -> str:
    """The module that a `from ... import` names, dots resolved."""
    if not statement.level:
        return statement.module or ""
    parts = module.name.split(".")
    package = parts if module.is_package else parts[:-1]
    package = package[: len(package) - statement.level + 1]
    return ".".join([*package, *([statement.module] if statement.module else [])])


def _bound_by(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement of the top level binds."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names if alias.name != "*")
    else:
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                yield node.name
            elif isinstance(node, ast.alias):
                yield node.asname or node.name.partition(".")[0]


def _used(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement reads anywhere, each once; those in quoted annotations too."""
    seen: dict[str, None] = {}
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            seen.setdefault(node.id)
    yield from seen
