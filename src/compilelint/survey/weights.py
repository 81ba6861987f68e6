"""Whether a module class has anything to learn: parameters of its own, or layers that have some.

Losses, spectrograms and other preparation of data are modules, too. Nothing trains them, their kernels are few, and who
compiles a model seldom compiles them. What a class holds is read from its source; whatever is not understood and called
like a layer counts as one that learns.
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.model.patterns import late_pattern
from compilelint.project.classes import ClassInfo
from compilelint.project.compile_calls import how_of
from compilelint.project.index import Program
from compilelint.survey.scopes import Scope, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.values import ClassRef, External, Value

WITHOUT = late_pattern(
    r"(Module|ModuleList|ModuleDict|Sequential|Identity|Flatten|Unflatten|Fold|Unfold|Upsample\w*|Pixel\w+|ChannelShuffle"
    r"|\w*Dropout\d?d?|(Adaptive)?(Avg|Max|LP)Pool\dd|\w+Pad\dd|(?!PReLU)\w*(ReLU|Sigmoid|Tanh|ELU|SiLU|Swish|Mish|Softmax"
    r"|Softmin|Softplus|Softsign|shrink|Threshold)\d?d?|GLU|CosineSimilarity|PairwiseDistance|\w+Loss)"
)
"""The classes of `torch.nn` without parameters."""

_REGISTERS = frozenset({"register_parameter", "add_module", "register_module", "setattr"})


class Weights:
    """Which module classes have anything to learn; the source of each is read once for all that derive from it."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._read: dict[int, _Own] = {}

    def learns(self, cls: ClassInfo, around: frozenset[int] = frozenset()) -> bool:
        """Whether a class holds parameters, as far as its source shows; `around` are the classes that hold it."""
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
            own = self._read.get(id(one)) or self._own(one)
            if own.learned or (own.held and any(self.learns(held, inside) for held in own.held)):
                return True
            unknown |= own.unknown
            called |= own.called
        return bool(unknown & called)

    def _own(self, cls: ClassInfo) -> _Own:
        """What the methods of a class itself say."""
        found = self._read[id(cls)] = _Own()
        for scope in _methods(self._program, cls):
            own = scope.function.node.params[0].name if scope.function and scope.function.node.params else ""
            for s, _ in statements(scope.body):
                for expr in expressions(own_expressions(s)):
                    if isinstance(expr, ir.Call):
                        _make(found, scope, expr)
                    found.called |= _called(expr, own)
                found.called |= {name for one in expressions(_iterated(s)) if (name := _attribute(one, own))}
                found.unknown |= _unknown(scope, s, own)
        return found


def compiles_itself(program: Program, cls: ClassInfo) -> bool:
    """Whether the `forward` of a class hands something to `torch.compile`: what it computes is compiled then, and it
    itself is the program around it.
    """
    forward = cls.method("forward")
    owner = None if forward is None else forward.owner
    for scope in _methods(program, owner) if isinstance(owner, ClassInfo) else ():
        if scope.function is not None and scope.function.node.name == "forward":
            calls = (one for s, _ in statements(scope.body) for one in expressions(own_expressions(s)))
            return any(isinstance(one, ir.Call) and how_of(scope.name(one.func)) == "wraps" for one in calls)
    return False


class _Own:
    """What one class makes: whether a parameter or a layer of torch that has some; which modules of the program; the
    attributes that it calls, and those of which it is not said what they hold.
    """

    def __init__(self) -> None:
        self.learned = False
        self.held: list[ClassInfo] = []
        self.called: set[str] = set()
        self.unknown: set[str] = set()


def _make(found: _Own, scope: Scope, call: ir.Call) -> None:
    """Put down what a call makes, or registers."""
    if isinstance(call.func, ir.Attr) and call.func.name in _REGISTERS:
        found.learned = True
        return
    meaning = scope.meaning(call.func)
    if isinstance(meaning, External):
        last = meaning.name.rpartition(".")[2]
        layer = meaning.name.startswith("torch.nn.") and last[:1].isupper()
        found.learned = found.learned or (layer and (last.endswith("Parameter") or not WITHOUT.fullmatch(last)))
    held = meaning.cls if isinstance(meaning, ClassRef) else None
    if isinstance(held, ClassInfo) and held.is_module:
        found.held.append(held)


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
