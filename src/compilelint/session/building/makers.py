"""Where a project makes a model: calls of its class, and of functions that return an instance of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from compilelint.session.building.bindings import binding_in
from compilelint.session.building.sources import Chain, Function, Source, calls_in, own_nodes

_MOST_MAKERS = 8
_MOST_EXPORTS = 4
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*_FUNCTIONS, ast.ClassDef)


@dataclass(frozen=True, slots=True, eq=False)
class Maker:
    """A class, or a function that returns one of its instances, and where it is defined."""

    node: ast.ClassDef | Function
    home: Source

    @property
    def function(self) -> Function | None:
        """What takes the arguments of a call of it."""
        if isinstance(self.node, ast.ClassDef):
            methods = [one for one in self.node.body if isinstance(one, _FUNCTIONS)]
            return next((one for one in methods if one.name == "__init__"), None)
        return self.node


@dataclass(frozen=True, slots=True)
class Site:
    """A call of a maker with what is around it."""

    call: ast.Call
    chain: Chain
    source: Source
    maker: Maker


def makers_of(cls: ast.ClassDef, home: Source, sources: Sequence[Source]) -> list[Maker]:
    """The class and the functions at the top of modules that return an instance of it."""
    by_module = {one.module: one for one in sources if one.module}
    found = [Maker(cls, home)]
    for maker in found:  # grows: a function may return what another one returns
        for source in sources:
            for node in source.tree.body:
                if len(found) < _MOST_MAKERS and isinstance(node, ast.FunctionDef) and source.module:
                    known = any(one.node is node for one in found)
                    if not known and _returns(node, maker, source, by_module):
                        found.append(Maker(node, source))
    return found


def _returns(function: ast.FunctionDef, maker: Maker, source: Source, by_module: Mapping[str, Source]) -> bool:
    returned = [one.value for one in own_nodes(function) if isinstance(one, ast.Return) and one.value is not None]
    names = {one.id for one in returned if isinstance(one, ast.Name)}
    for node in own_nodes(function):
        value = node.value if isinstance(node, (ast.Return, ast.Assign)) else None
        if not isinstance(value, ast.Call) or not _means(value.func, (source.tree, function), source, maker, by_module):
            continue
        if isinstance(node, ast.Return) or any(
            isinstance(one, ast.Name) and one.id in names for one in getattr(node, "targets", ())
        ):
            return True
    return False


def sites_of(makers: Sequence[Maker], sources: Sequence[Source]) -> Iterator[Site]:
    """The calls of the makers outside of themselves, the best examples first."""
    by_module = {one.module: one for one in sources if one.module}
    names = {one.node.name: one for one in makers}
    for source in sorted(sources, key=lambda one: one.kind):
        renamed = _renamed(source, names)
        for call, chain in calls_in(source.tree):
            called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            maker = names.get(called) or renamed.get(called)
            if maker is None or maker.node in chain or makers[0].node in chain:
                continue
            if _means(call.func, chain, source, maker, by_module):
                yield Site(call, chain, source, maker)


def _renamed(source: Source, names: Mapping[str, Maker]) -> dict[str, Maker]:
    """Makers by the other names that a source imports them under."""
    imports = [one for one in ast.walk(source.tree) if isinstance(one, ast.ImportFrom)]
    return {
        alias.asname: names[alias.name]
        for node in imports
        for alias in node.names
        if alias.asname and alias.name in names
    }


def _means(func: ast.expr, chain: Chain, source: Source, maker: Maker, by_module: Mapping[str, Source]) -> bool:
    """Whether what is called is the maker, as far as imports say."""
    if isinstance(func, ast.Name):
        bound = _bound(func.id, chain)
        if bound is maker.node:
            return True
        if isinstance(bound, ast.ImportFrom):
            original = next((one.name for one in bound.names if (one.asname or one.name) == func.id), func.id)
            return original == maker.node.name and _exports(
                _found(bound, source, by_module), original, maker, by_module
            )
        return bound is None and func.id == maker.node.name and _star_imports(source)
    if isinstance(func, ast.Attribute) and func.attr == maker.node.name and isinstance(func.value, ast.Name):
        bound = _bound(func.value.id, chain)
        if isinstance(bound, ast.ImportFrom):
            module = ".".join(filter(None, (source.absolute(bound), func.value.id)))
            return _names_home(module, maker) or _names_home(source.absolute(bound), maker)
        if isinstance(bound, ast.Import):
            return any(_names_home(alias.name, maker) for alias in bound.names)
    return False


def _bound(name: str, chain: Chain) -> object:
    for scope in reversed(chain):
        if not isinstance(scope, ast.ClassDef) and (bound := binding_in(scope, name, None)) is not None:
            return bound
    return None


def _found(node: ast.ImportFrom, source: Source, by_module: Mapping[str, Source]) -> Source | None:
    """The source that `from ... import` names: a module of the project, or a file beside the importing one."""
    module = source.absolute(node)
    beside = ".".join([*source.module.split(".")[:-1], module])
    return by_module.get(module) or by_module.get(beside)


def _exports(source: Source | None, name: str, maker: Maker, by_module: Mapping[str, Source]) -> bool:
    """Whether a name of a module is the maker; yes where the module is not there."""
    for _ in range(_MOST_EXPORTS):
        if source is None:
            return True
        bound = binding_in(source.tree, name, None)
        if isinstance(bound, _DEFINITIONS):
            return bound is maker.node
        if isinstance(bound, ast.ImportFrom):
            name = next((one.name for one in bound.names if (one.asname or one.name) == name), name)
            source = _found(bound, source, by_module)
            continue
        return bound is None and _star_imports(source)
    return False


def _star_imports(source: Source) -> bool:
    return any(isinstance(one, ast.ImportFrom) and one.names[0].name == "*" for one in source.tree.body)


def _names_home(module: str, maker: Maker) -> bool:
    """Whether a module is the maker's own, or a package around it that may give its name on."""
    return (
        maker.home.module == module
        or maker.home.module.startswith(f"{module}.")
        or (maker.home.module.endswith(f".{module}"))
    )
