"""Whether a module class has anything to learn: parameters of its own, or layers that have some.

Losses, spectrograms and other preparation of data are modules, too. Nothing trains them, their kernels are few, and who
compiles a model seldom compiles them. What a class holds is read from its source; whatever is not understood and called
like a layer counts as one that learns.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compilelint.project.classes import ClassInfo
from compilelint.project.index import Program
from compilelint.survey.scopes import Scope, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.values import ClassRef, External, Value

WITHOUT = re.compile(
    r"(Module|ModuleList|ModuleDict|Sequential|Identity|Flatten|Unflatten|Fold|Unfold|Upsample\w*|Pixel\w+|ChannelShuffle"
    r"|\w*Dropout\d?d?|(Adaptive)?(Avg|Max|LP)Pool\dd|\w+Pad\dd|(?!PReLU)\w*(ReLU|Sigmoid|Tanh|ELU|SiLU|Swish|Mish|Softmax"
    r"|Softmin|Softplus|Softsign|shrink|Threshold)\d?d?|GLU|CosineSimilarity|PairwiseDistance|\w+Loss)"
)
"""The classes of `torch.nn` without parameters."""

_REGISTERS = frozenset({"register_parameter", "add_module", "register_module", "setattr"})


def learns(program: Program, cls: ClassInfo, around: frozenset[int] = frozenset()) -> bool:
    """Whether a module class holds parameters, as far as its source shows; `around` are the classes that hold it."""
    if id(cls) in around:
        return False
    inside = around | {id(cls)}
    unknown: set[str] = set()  # attributes that hold what is not understood
    called: set[str] = set()  # and those that are called, or iterated over
    for one in cls.mro:
        if not isinstance(one, ClassInfo):
            if _is_learning_base(one):
                return True
            continue
        for scope in _methods(program, one):
            own = scope.function.node.params[0].name if scope.function and scope.function.node.params else ""
            for s, _ in statements(scope.body):
                for expr in expressions(own_expressions(s)):
                    if isinstance(expr, ir.Call) and _is_learned(program, scope, expr, inside):
                        return True
                    called |= _called(expr, own)
                called |= {name for one in expressions(_iterated(s)) if (name := _attribute(one, own))}
                unknown |= _unknown(scope, s, own)
    return bool(unknown & called)


def _is_learning_base(name: str) -> bool:
    """Whether a base outside of the project may bring parameters: all but `Module` itself, losses and the like."""
    if name in ("object", "builtins.object"):
        return False
    return not _is_weightless(name)


def _is_weightless(name: str) -> bool:
    """Whether a dotted name is that of a layer of torch without parameters."""
    return name.startswith("torch.nn.") and WITHOUT.fullmatch(name.rpartition(".")[2]) is not None


def _methods(program: Program, cls: ClassInfo) -> Iterator[Scope]:
    module = cls.module
    top = Scope(program, module, module.ir.body)
    for s, _ in statements(cls.node.body):
        if isinstance(s, ir.Function):
            yield Scope(program, module, s.body, module.function(s), cls, top)


def _is_learned(program: Program, scope: Scope, call: ir.Call, inside: frozenset[int]) -> bool:
    """Whether a call makes a parameter, or a layer that has some, or registers one."""
    if isinstance(call.func, ir.Attr) and call.func.name in _REGISTERS:
        return True
    meaning = scope.meaning(call.func)
    if isinstance(meaning, External):
        last = meaning.name.rpartition(".")[2]
        layer = meaning.name.startswith("torch.nn.") and last[:1].isupper()
        return layer and (last.endswith("Parameter") or not WITHOUT.fullmatch(last))
    held = meaning.cls if isinstance(meaning, ClassRef) else None
    return isinstance(held, ClassInfo) and held.is_module and learns(program, held, inside)


def _iterated(s: ir.Stmt) -> list[ir.Expr]:
    """What a statement goes over, by a loop or in comprehensions."""
    every = [
        clause.iterable for one in expressions(own_expressions(s)) if isinstance(one, ir.Comp) for clause in one.clauses
    ]
    return [*every, s.iterable] if isinstance(s, ir.For) else every


def _called(expr: ir.Expr, own: str) -> set[str]:
    """The attribute that an expression calls: `x` of `self.x(...)` and `self.x[0](...)`."""
    if not isinstance(expr, ir.Call):
        return set()
    func = expr.func
    while isinstance(func, ir.Index):
        func = func.value
    name = _attribute(func, own)
    return {name} if name else set()


def _unknown(scope: Scope, s: ir.Stmt, own: str) -> set[str]:
    """The attributes that a statement stores something in whose source does not say what it is."""
    if not isinstance(s, (ir.Assign, ir.AnnAssign)) or s.value is None:
        return set()
    targets = s.targets if isinstance(s, ir.Assign) else (s.target,)
    if not any(_is_unclear(scope, expr) for expr in expressions([s.value])):
        return set()
    bare = [one.value if isinstance(one, ir.Index) else one for one in targets]
    return {name for one in bare if (name := _attribute(one, own))}


def _is_unclear(scope: Scope, expr: ir.Expr) -> bool:
    """Whether a value may be a layer: a parameter of the constructor, or what an unknown call gives."""
    if isinstance(expr, ir.Name):
        params = () if scope.function is None else scope.function.node.params
        given = next((p.default for p in params if p.name == expr.id), None)
        if isinstance(given, ir.Call):  # it is meant to be like its default
            return not (isinstance(made := scope.meaning(given.func), External) and _is_weightless(made.name))
        return scope.meaning(expr) is None
    return isinstance(expr, ir.Call) and not _is_known(scope.meaning(expr.func))


def _is_known(meaning: Value | None) -> bool:
    if isinstance(meaning, External):
        return meaning.name.startswith(("torch.", "numpy.", "math."))
    return isinstance(meaning, ClassRef)


def _attribute(expr: ir.Expr, own: str) -> str:
    is_own = isinstance(expr, ir.Attr) and isinstance(expr.value, ir.Name) and bool(own) and expr.value.id == own
    return expr.name if is_own and isinstance(expr, ir.Attr) else ""
