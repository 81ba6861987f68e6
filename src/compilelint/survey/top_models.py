"""The models of a project: module classes that no other module is built from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.project.roots import classes_of
from compilelint.survey.first_layers import Guess, first_input
from compilelint.survey.scopes import Scope, expressions, own_expressions, scopes, statements
from compilelint.syntax import ir
from compilelint.values import ClassRef, FunctionRef


@dataclass(frozen=True, slots=True)
class Model:
    """A model class as `verify` names it. `required` are arguments of its constructor without a default, `inputs`
    those of `forward`, `guess` what its one required input may be.
    """

    reference: str
    path: str
    line: int
    required: tuple[str, ...]
    inputs: tuple[str, ...]
    guess: Guess | None = field(default=None, compare=False)


def models(program: Program, modules: Iterable[ModuleInfo]) -> list[Model]:
    """The outermost module classes, in the order of the files.

    Left out are bases that nothing makes, what other models make, by themselves or by a function that they call, and
    what they are given as a class to make their layers of. A module without a `forward` is no model but what holds some
    (an agent, a trainer): what it makes is outermost.
    """
    modules = list(modules)
    found: dict[int, ClassInfo] = {}
    bases: set[int] = set()
    for module in modules:
        for cls in classes_of(program, module):
            if _is_model(cls):
                found[id(cls)] = cls
            bases.update(id(base) for base in cls.bases if isinstance(base, ClassInfo))
    inside: set[int] = set()
    made: dict[int, set[int]] = {}  # the classes that a function makes, by its node; 0 for the top level of files
    called: set[int] = set()  # the functions that layers call
    for module in modules:
        for scope in scopes(program, module):
            inside.update(id(cls) for cls in _parts(scope))
            if scope.owner is None or not _is_model(scope.owner):
                key = 0 if scope.function is None else id(scope.function.node)
                made.setdefault(key, set()).update(id(cls) for cls in _made(scope))
            else:
                called.update(_called(scope))
    inside.update(cls for function in called for cls in made.get(function, ()))
    inside.update(bases.difference(*made.values()))
    return [
        _model(program, cls) for key, cls in found.items() if key not in inside and not cls.node.name.startswith("_")
    ]


def _is_model(cls: ClassInfo) -> bool:
    return cls.is_module and cls.method("forward") is not None


def _made(scope: Scope) -> Iterator[ClassInfo]:
    """The module classes that a scope makes an object of."""
    for call in _calls(scope):
        cls = _class_of(scope, call.func)
        if cls is not None and cls.is_module:
            yield cls


def _called(scope: Scope) -> Iterator[int]:
    """The functions of the project that a scope calls, by their nodes."""
    for call in _calls(scope):
        meaning = scope.meaning(call.func)
        if isinstance(meaning, FunctionRef) and isinstance(meaning.code, FunctionInfo):
            yield id(meaning.code.node)


def _calls(scope: Scope) -> Iterator[ir.Call]:
    for statement, _ in statements(scope.body):
        yield from (one for one in expressions(own_expressions(statement)) if isinstance(one, ir.Call))


def _parts(scope: Scope) -> Iterator[ClassInfo]:
    """The classes that a scope shows to be a part of other modules."""
    owner = scope.owner if scope.owner is not None and _is_model(scope.owner) else None
    if owner is not None and scope.function is not None:
        defaults = [p.default for p in scope.function.node.params if p.default is not None]
        yield from _modules_in(scope, defaults)
    for statement, _ in statements(scope.body):
        for expr in expressions(own_expressions(statement)):
            if not isinstance(expr, ir.Call):
                continue
            made = _class_of(scope, expr.func)
            if made is None:
                continue
            if owner is not None and made is not owner:  # what a class makes of itself is a copy, no part
                yield made
            if _is_model(made):
                yield from _modules_in(scope, (*expr.args, *(value for _, value in expr.keywords)))


def _modules_in(scope: Scope, exprs: Iterable[ir.Expr]) -> Iterator[ClassInfo]:
    """The module classes that expressions name."""
    for expr in exprs:
        cls = _class_of(scope, expr)
        if cls is not None and cls.is_module:
            yield cls


def _class_of(scope: Scope, expr: ir.Expr) -> ClassInfo | None:
    meaning = scope.meaning(expr)
    return meaning.cls if isinstance(meaning, ClassRef) and isinstance(meaning.cls, ClassInfo) else None


def _model(program: Program, cls: ClassInfo) -> Model:
    location = cls.module.ir.location(cls.node.pos)
    required, inputs = _required(cls, "__init__"), _required(cls, "forward")
    return Model(
        f"{cls.module.name}:{cls.node.qualname}",
        location.path,
        location.span.line,
        required,
        inputs,
        first_input(program, cls) if len(inputs) == 1 and not required else None,
    )


def _required(cls: ClassInfo, name: str) -> tuple[str, ...]:
    """The parameters of a method that a caller must give, without `self`."""
    method = cls.method(name)
    params = () if method is None else method.node.params[1:]
    return tuple(p.name for p in params if p.default is None and p.kind not in ("star", "double-star"))
