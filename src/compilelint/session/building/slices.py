"""The lines that a call of a constructor needs, taken from around it: assignments, imports, defaults, options.

A backward slice over the syntax alone. A name that no line gives a value (data of a loader, a checkpoint) raises
UnresolvedError, or takes what the project's settings say of it.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from compilelint.session.building.bindings import (
    Parameter,
    argument_of,
    binding_in,
    default_of,
    first_parametrized,
    own_attribute,
    parses_options,
)
from compilelint.session.building.settings import Settings
from compilelint.session.building.sources import Chain, Source, calls_in, own_nodes

_DEEPEST = 12
_MOST_STATEMENTS = 40
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_GROWING = ("imports", "folders", "statements", "names", "spaces", "assumed")
_OF_TENSORS = frozenset({"shape", "size", "ndim", "dtype", "device", "T", "name"})
_LOADS = re.compile(r"(?i)load|open|read|data|fetch|download|corpus|vocab|tokeniz|from_pretrained|environ")


class UnresolvedError(Exception):
    """Nothing that can be copied gives a name its value."""


@dataclass(frozen=True, slots=True)
class Project:
    """The sources of a project by module name, and what its settings say."""

    sources: Mapping[str, Source]
    settings: Settings


@dataclass(slots=True)
class Slice:
    """What a factory says before its last line: imports, folders to import from, statements in order.

    `names` holds what is bound already, by its scope and name; `spaces` the variables that stand for parsed options,
    with the file of the parser; `assumed` says which values are no line of the project's. What loads data, by its name,
    has no value unless `reads_data`.
    """

    project: Project
    source: Source
    imports: dict[str, None] = field(default_factory=dict)
    folders: dict[str, None] = field(default_factory=dict)
    statements: list[ast.stmt] = field(default_factory=list)
    names: dict[tuple[int, str], str] = field(default_factory=dict)
    spaces: dict[str, str] = field(default_factory=dict)
    assumed: list[str] = field(default_factory=list)
    depth: int = 0
    reads_data: bool = True

    def tried(self, node: ast.expr, chain: Chain, line: int) -> ast.expr | None:
        """The expression as the factory writes it; None, with nothing added, where a name has no value."""
        before = {name: copy.copy(getattr(self, name)) for name in _GROWING}
        try:
            return self.expression(node, chain, line)
        except UnresolvedError:
            for name, value in before.items():
                setattr(self, name, value)
            return None

    def expression(self, node: ast.expr, chain: Chain, line: int) -> ast.expr:
        """The expression as the factory writes it, with the lines it needs added. Raises UnresolvedError."""
        if self.depth >= _DEEPEST or len(self.statements) >= _MOST_STATEMENTS:
            raise UnresolvedError("too much")
        self.depth += 1
        try:
            rewritten = _Rewriting(self, chain, line, _stored(node)).visit(copy.deepcopy(node))
        finally:
            self.depth -= 1
        assert isinstance(rewritten, ast.expr)
        return rewritten

    def setting(self, name: str) -> ast.expr:
        """The value that the project's settings give a name. Raises UnresolvedError."""
        text = self.project.settings.values.get(name)
        if text is None:
            raise UnresolvedError(name)
        return ast.parse(text, mode="eval").body

    # ------------------------------------------------------------------ names

    def name(self, name: str, chain: Chain, line: int) -> str:
        """What the factory calls a name of some scope. Raises UnresolvedError."""
        scopes = [one for one in chain if isinstance(one, (ast.Module, *_FUNCTIONS))]
        for scope in reversed(scopes):
            if (id(scope), name) in self.names:
                return self.names[id(scope), name]
            bound = binding_in(scope, name, line if scope is scopes[-1] else None)
            if bound is not None:
                return self._bound(bound, name, scope, chain[: chain.index(scope) + 1], line)
        if hasattr(builtins, name):
            return name
        for node in own_nodes(chain[0]):
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
                module = self._module(self.source.absolute(node))
                known = self.project.sources.get(module)
                if known is not None and binding_in(known.tree, name, None) is not None:
                    self.imports[f"from {module} import {name}"] = None
                    return name
        raise UnresolvedError(name)

    def attribute(self, attribute: str, chain: Chain, owner: ast.ClassDef) -> str:
        """The name of what `self.attribute` holds, from the line of the class that sets it."""
        if (id(owner), attribute) in self.names:
            return self.names[id(owner), attribute]
        found = own_attribute(owner, attribute)
        if found is None:
            raise UnresolvedError(attribute)
        value, method = found
        inner: Chain = (*chain[: chain.index(owner) + 1], *([method] if method is not None else []))
        return self._assign(attribute, owner, self.expression(value, inner, value.lineno))

    def _bound(self, bound: ast.AST | Parameter, name: str, scope: ast.AST, chain: Chain, line: int) -> str:
        if isinstance(bound, (ast.Import, ast.ImportFrom)):
            return self._imported(bound, name)
        if isinstance(bound, (*_FUNCTIONS, ast.ClassDef)):
            return self._defined(bound, scope, chain)
        self.names[id(scope), name] = ""  # a circle of names ends here
        try:
            if isinstance(bound, Parameter):
                return self._assign(name, scope, self._parameter(bound, name, chain))
            if isinstance(bound, (ast.Assign, ast.AnnAssign)) and bound.value is not None:
                return self._assigned(bound, name, scope, chain, line)
        finally:
            if not self.names.get((id(scope), name), "."):
                del self.names[id(scope), name]
        raise UnresolvedError(name)

    def _imported(self, node: ast.Import | ast.ImportFrom, name: str) -> str:
        for alias in node.names:
            if (alias.asname or alias.name.partition(".")[0]) != name:
                continue
            renamed = f" as {alias.asname}" if alias.asname else ""
            if isinstance(node, ast.Import):
                self.imports[f"import {self._module(alias.name)}{renamed}"] = None
            else:
                module = self._module(self.source.absolute(node))
                if not module:
                    raise UnresolvedError(name)
                self.imports[f"from {module} import {alias.name}{renamed}"] = None
        return name

    def _module(self, module: str) -> str:
        """A module's name; where it is a file beside this source, the folder is one to import from."""
        folder = self.source.path.rpartition("/")[0]
        if folder and self.source.module and module not in self.project.sources:
            beside = [f"{folder}/{module.partition('.')[0]}{end}" for end in (".py", "/__init__.py")]
            if any(one.path in beside for one in self.project.sources.values()):
                self.folders[folder] = None
        return module

    def _defined(self, node: ast.stmt, scope: ast.AST, chain: Chain) -> str:
        """A function or class at the top of a module: imported, or copied where its source is an example."""
        assert isinstance(node, (*_FUNCTIONS, ast.ClassDef))
        if not isinstance(scope, ast.Module):
            raise UnresolvedError(node.name)
        if self.source.module:
            if not all(part.isidentifier() for part in self.source.module.split(".")):
                raise UnresolvedError(node.name)
            self.imports[f"from {self.source.module} import {node.name}"] = None
            return node.name
        self.names[id(scope), node.name] = node.name
        for used in {one.id for one in ast.walk(node) if isinstance(one, ast.Name)} - {node.name}:
            if binding_in(scope, used, None) is not None:
                self.name(used, chain, node.lineno)
        self.statements.append(node)
        return node.name

    # ----------------------------------------------------------------- values

    def _assign(self, name: str, scope: ast.AST, value: ast.expr) -> str:
        if isinstance(value, ast.Name) and value.id in self.names.values():  # another name of the same value
            self.names[id(scope), name] = value.id
            return value.id
        taken = {*self.names.values()}
        chosen = next(one for one in (name, *(f"{name}_{n}" for n in range(2, 99))) if one not in taken)
        self.names[id(scope), name] = chosen
        if not (isinstance(value, ast.Name) and value.id == chosen):
            self.statements.append(ast.Assign([ast.Name(chosen, ast.Store())], value))
        return chosen

    def options(self, parser: str, scope: ast.AST, name: str = "args") -> str:
        """The name of the variable that stands for the options of the parser in a file."""
        known = next((one for one, path in self.spaces.items() if path == parser), None)
        if known is not None:
            return known
        chosen = self._assign(name, scope, ast.Call(ast.Name("SimpleNamespace", ast.Load()), [], []))
        self.spaces[chosen] = parser
        return chosen

    def _assigned(self, node: ast.Assign | ast.AnnAssign, name: str, scope: ast.AST, chain: Chain, line: int) -> str:
        assert node.value is not None
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        parser = parses_options(node.value, self.source, self.project.sources)
        if parser is not None:
            chosen = self.names[id(scope), name] = self.options(parser, node, name)
        elif isinstance(target, ast.Name):
            chosen = self._assign(name, scope, self.expression(node.value, chain, node.lineno))
        else:
            chosen = self._unpacked(target, name, scope, self.expression(node.value, chain, node.lineno))
        self._changes(name, chosen, scope, chain, (node.lineno, line))
        return chosen

    def _unpacked(self, target: ast.expr, name: str, scope: ast.AST, value: ast.expr) -> str:
        """`a, b = ...`: all names of the target are bound at once, under their own names."""
        stored = [one.id for one in ast.walk(target) if isinstance(one, ast.Name)]
        if {*stored} & {*self.names.values()}:
            raise UnresolvedError(name)
        self.names.update({(id(scope), one): one for one in stored})
        self.statements.append(ast.Assign([target], value))
        return name

    def _changes(self, name: str, chosen: str, scope: ast.AST, chain: Chain, between: tuple[int, int]) -> None:
        """The lines `name.attribute = ...` and `name[...] = ...` between its assignment and its use."""
        for node in own_nodes(scope):
            if not isinstance(node, ast.Assign) or not between[0] < node.lineno < between[1]:
                continue
            target = node.targets[0]
            if not isinstance(target, (ast.Attribute, ast.Subscript)) or not isinstance(target.value, ast.Name):
                continue
            if target.value.id == name and (value := self.tried(node.value, chain, node.lineno)) is not None:
                changed = copy.deepcopy(target)
                changed.value = ast.Name(chosen, ast.Load())
                self.statements.append(ast.Assign([changed], value))

    def _parameter(self, parameter: Parameter, name: str, chain: Chain) -> ast.expr:
        """The value of a function's parameter: its default, a test's first case, a caller's argument, a setting."""
        function, outer = parameter.function, chain[:-1]
        default = default_of(function, name)
        if default is not None and not (isinstance(default, ast.Constant) and default.value is None):
            return self.expression(default, outer, function.lineno)
        case = first_parametrized(function, name)
        if case is not None:
            return self.expression(case, outer, function.lineno)
        for call, around in calls_in(self.source.tree):
            called = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            if called == function.name and function not in around:
                argument = argument_of(call, function, name)
                value = None if argument is None else self.tried(argument, around, call.lineno)
                if value is not None:
                    return value
        return default if default is not None else self.setting(name)


def _stored(node: ast.AST) -> frozenset[str]:
    """The names that an expression binds itself: of comprehensions, lambdas and walruses."""
    stored = {one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    return frozenset(stored | {one.arg for one in ast.walk(node) if isinstance(one, ast.arg)})


class _Rewriting(ast.NodeTransformer):
    """Names of the factory for those of a scope; what moves to another device stays where it is."""

    def __init__(self, slice_: Slice, chain: Chain, line: int, stored: frozenset[str]) -> None:
        self._slice, self._chain, self._line, self._stored = slice_, chain, line, stored

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._stored or not isinstance(node.ctx, ast.Load):
            return node
        try:
            name = self._slice.name(node.id, self._chain, self._line)
        except UnresolvedError:
            return self._slice.setting(node.id)
        if not name:
            raise UnresolvedError(node.id)
        return ast.Name(name, ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        owner = next((one for one in reversed(self._chain) if isinstance(one, ast.ClassDef)), None)
        try:
            if owner is not None and isinstance(node.value, ast.Name) and node.value.id == "self":
                return ast.Name(self._slice.attribute(node.attr, self._chain, owner), ast.Load())
            visited = self.generic_visit(node)
            if isinstance(node.value, ast.Constant):  # a setting of the same name, which has no such attribute
                raise UnresolvedError(node.attr)
            return visited
        except UnresolvedError:
            if node.attr in _OF_TENSORS:
                raise
            return self._slice.setting(node.attr)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        try:
            return self.generic_visit(node)
        except UnresolvedError:
            key = node.slice
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                return self._slice.setting(key.value)
            raise

    def visit_Call(self, node: ast.Call) -> ast.AST:
        parser = parses_options(node, self._slice.source, self._slice.project.sources)
        if parser is not None:
            return ast.Name(self._slice.options(parser, node), ast.Load())
        if not self._slice.reads_data and _LOADS.search(ast.unparse(node.func)):
            raise UnresolvedError("data")
        if isinstance(node.func, ast.Attribute):
            words = " ".join(map(ast.unparse, (*node.args, *(one.value for one in node.keywords))))
            device = any(word in words for word in ("cuda", "device", "gpu"))
            if node.func.attr == "cuda" or (node.func.attr == "to" and device):
                return self.visit(node.func.value)  # type: ignore[no-any-return]
        node.keywords = [one for one in node.keywords if one.arg != "device"]
        return self.generic_visit(node)
