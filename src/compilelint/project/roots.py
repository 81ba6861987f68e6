"""Compile roots: the functions that TorchDynamo starts from.

`explicit`: what the code itself compiles or exports. `auto` adds the forwards of modules and autograd functions, and,
for whatever they do not reach, functions with a tensor among their annotated parameters. `all` starts every function
that nothing else reaches. A glob names functions by qualified name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from typing import Any, Protocol

from compilelint.events import DynamoConfig, RootKind
from compilelint.model import Confidence, Doubt, Location
from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo, FunctionInfo, Imported, ModuleInfo
from compilelint.project.compile_calls import CompileCall
from compilelint.project.globs import wildcard
from compilelint.project.index import Program
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name, statements_of
from compilelint.values import Value

# Decorators whose functions Dynamo never enters.
_OPAQUE = frozenset(
    {
        *("disable", "allow_in_graph", "nonstrict_trace", "custom_op", "assume_constant_result", "triton_op"),
        *("register_fake", "register_kernel", "impl", "impl_abstract"),  # of a custom operator
    }
)

# What `torch.compiler.disable` on a class keeps Dynamo out of: its other methods are traced.
_CALLED = frozenset({"forward", "__call__"})

# Decorators of numba, which turns bodies into machine code: Python never runs them.
_NUMBA = frozenset({"jit", "njit", "vectorize", "guvectorize", "stencil"})


class Arguments(Protocol):
    """What the parameters of a root hold in the calls that were seen of it; `promised` is believed without them.

    `names` has one entry for each kind of call, or one for all where there are many kinds.
    `changing` names the parameters that a loop around the calls changes, `settled` those of which every call passes the
    same kind (never None, always None) or the same number or text.
    """

    def names(self, frame: object, promised: dict[str, Value]) -> list[dict[str, Value]]: ...

    def changing(self, code: FunctionInfo, receiver: Value | None) -> Mapping[str, Any]: ...

    def settled(self, code: FunctionInfo, receiver: Value | None) -> frozenset[str]: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """What calling an instance of a class enters where its decorators have changed it (`interp.reworked`).

    `function` is None where the text counts; `sure` is the most that may be claimed of it.
    """

    function: FunctionInfo | None
    receiver: Value
    closure: object
    sure: Confidence


@dataclass(frozen=True, slots=True)
class Root:
    """A function to start from. `owner` is the class whose instance `self` is; `kind` says how it became a root.

    `compiled_at` is where an explicit root is compiled. `receiver`, `closure` (an interpreter's frame) and `given` are
    what the compile call and the calls of the compiled object were seen with; None where nothing is known of them.
    `sure` is the most that may be claimed of what is compiled here, `title` its name where the function has another.
    `called_from` is the compile call again: its module and packed place.
    """

    function: FunctionInfo
    owner: ClassInfo | None
    kind: RootKind
    config: DynamoConfig
    compiled_at: Location | None = None
    receiver: Value | None = None
    closure: object = None
    given: Arguments | None = None
    sure: Confidence = Confidence.CERTAIN
    title: str = ""
    called_from: tuple[ModuleInfo, int] | None = None

    @property
    def name(self) -> str:
        """`Class.forward` as the messages call it."""
        return self.title or self.function.node.qualname


@dataclass(slots=True)
class Roots:
    """`first` are started in any case, `rest` only if nothing started before reaches them.

    `calls` are the compile calls that were found, those of which it is not known what they compile included.
    """

    first: list[Root] = field(default_factory=list)
    rest: list[Root] = field(default_factory=list)
    calls: list[CompileCall] = field(default_factory=list)


@dataclass(slots=True)
class _Search:
    """Roots as they are found, each function once; `configs` are those that it is compiled with."""

    default: DynamoConfig
    roots: Roots
    configs: dict[tuple[int, int], set[DynamoConfig]] = field(default_factory=dict)

    def known(self, function: FunctionInfo, owner: ClassInfo | None) -> set[DynamoConfig]:
        """The configurations that a function is compiled under so far."""
        return self.configs.setdefault((id(function.node), id(owner)), set())

    def put(self, into: list[Root], root: Root) -> None:
        """Take a root whatever is known of its function."""
        self.known(root.function, root.owner).add(root.config)
        into.append(root)

    def add(self, into: list[Root], function: FunctionInfo, owner: ClassInfo | None, kind: RootKind) -> None:
        """Take a function as a root of a kind, unless an explicit compile call has made it a root before."""
        if not opaque(function) and not self.known(function, owner):
            self.put(into, Root(function, owner, kind, self.default))

    def add_class(self, cls: ClassInfo, entered: Callable[[ClassInfo, str], Entry | None] | None) -> None:
        """Take the methods by which a class is entered, or what stands in the place of `forward`."""
        for function, kind in _entry_points(cls):
            entry = entered(cls, function.node.name) if entered is not None and kind == "forward" else None
            if entry is None:
                self.add(self.roots.first, function, cls, kind)
                continue
            root, replaced = _in_its_place(function, cls, kind, self.default, entry)
            self.put(self.roots.first, root)
            if replaced is not None:
                self.put(self.roots.rest, replaced)

    def add_rest(self, functions: Iterable[FunctionInfo], kind: RootKind) -> None:
        """Take what is started after all others, if anything else does not compile it."""
        for function in functions:
            self.add(self.roots.rest, function, function.owner, kind)


def find_roots(
    program: Program,
    modules: Iterable[ModuleInfo],
    specs: tuple[str, ...],
    config: DynamoConfig | None = None,
    explicit: Iterable[Root] = (),
    calls: Iterable[CompileCall] = (),
    worth_starting: Callable[[FunctionInfo], bool] | None = None,
    entered: Callable[[ClassInfo, str], Entry | None] | None = None,
) -> Roots:
    """The roots of the linted modules for the given items of `--roots`; `explicit` are those that `calls` compile.

    `worth_starting` chooses among what nothing may reach; without it, what is annotated with tensors is started.
    `entered` says what stands in the place of a method once the decorators of its class have run.
    """
    modules = list(modules)
    search = _Search(config or DynamoConfig(), Roots(calls=list(calls)))
    worth = worth_starting or takes_tensors
    for root in explicit:
        search.put(search.roots.first, root)
    globs = [wildcard(s) for s in specs if s not in ("auto", "explicit", "all")]

    def named(module: ModuleInfo, function: FunctionInfo) -> bool:
        names = (function.qualified_name, f"{module.name}:{function.node.qualname}")
        return any(g.matches(n) for n in names for g in globs)

    def functions() -> Iterator[tuple[ModuleInfo, FunctionInfo]]:
        return ((module, one) for module in modules for one in functions_of(program, module))

    if "auto" in specs:
        for cls in (cls for module in modules for cls in classes_of(program, module)):
            search.add_class(cls, entered)
    if globs:
        search.add_rest((one for module, one in functions() if _can_start(one) and named(module, one)), "glob")
    if "auto" in specs:
        search.add_rest((one for _, one in functions() if worth(one)), "unreached")
    if "all" in specs:
        search.add_rest((one for _, one in functions() if _can_start(one)), "all")
    return search.roots


def _can_start(function: FunctionInfo) -> bool:
    return function.node.name != "__init__"


def _in_its_place(
    function: FunctionInfo, cls: ClassInfo, kind: RootKind, config: DynamoConfig, entry: Entry
) -> tuple[Root, Root | None]:
    """The root of what decorators have put in the place of a method, and of the method where that is another one.

    What was replaced runs where the one in its place calls it.
    """
    put = entry.function or function
    title = "" if put is function else f"{cls.node.qualname}.{function.node.name}"
    root = Root(put, cls, kind, config, None, entry.receiver, entry.closure, None, entry.sure, title)
    if put is function:
        return root, None
    return root, Root(function, cls, "unreached", config, sure=Doubt.REPLACED_ON_CLASS.cap)


def opaque(function: FunctionInfo) -> bool:
    """Whether Dynamo never enters the function."""
    owner = function.owner
    if (
        owner is not None
        and function.node.name in _CALLED
        and any(last_name(d) == "disable" for d in owner.node.decorators)
    ):
        return True
    for d in function.node.decorators:
        name = last_name(d)
        if name in _OPAQUE:
            return True
        call = d.func if isinstance(d, ir.Call) else d
        if (
            name in ("ignore", "unused", "jit")
            and isinstance(call, ir.Attr)
            and last_name(call.value) in ("jit", "triton")
        ):
            return True
        if name in _NUMBA and _package(function.module, dotted_name(call)) == "numba":
            return True
    return False


def _package(module: ModuleInfo, dotted: str) -> str:
    """The package that a file imports the first part of a dotted name from; empty where it does not."""
    for binding in module.bindings.get(dotted.partition(".")[0], ()):
        if isinstance(binding, Imported):
            return binding.module.partition(".")[0]
    return ""


def classes_of(program: Program, module: ModuleInfo) -> Iterator[ClassInfo]:
    """Classes defined at the top level of a module or of its classes."""
    waiting = [s for s in statements_of(module.ir.body) if isinstance(s, ir.Class)]
    for node in waiting:  # grows while it is read
        yield program.class_info(module, node)
        waiting.extend(s for s in statements_of(node.body) if isinstance(s, ir.Class))


def functions_of(program: Program, module: ModuleInfo) -> Iterator[FunctionInfo]:
    """Functions at the top level of a module, and methods."""
    for s in statements_of(module.ir.body):
        if isinstance(s, ir.Function):
            yield module.function(s, None)
    for cls in classes_of(program, module):
        yield from cls.methods()


def _entry_points(cls: ClassInfo) -> Iterator[tuple[FunctionInfo, RootKind]]:
    if cls.is_module:
        forward = cls.own("forward")
        if forward is None and any(not m.node.name.startswith("__") for m in cls.methods()):
            forward = cls.method("forward")  # a template method, run with the steps that this class defines
        if forward is not None:
            yield forward, "forward"
    elif cls.is_autograd_function:
        for name in ("forward", "setup_context", "backward", "jvp", "vmap"):
            method = cls.own(name)
            if method is not None:
                yield method, "autograd"


def takes_tensors(function: FunctionInfo) -> bool:
    """Whether a parameter is annotated with a tensor type."""
    return any(p.annotation is not None and names_tensor(p.annotation) for p in function.node.params)


def names_tensor(annotation: ir.Expr) -> bool:
    """Whether a tensor type stands in an annotation, alone or among others."""
    return _names_tensor(annotation, 0)


def _names_tensor(annotation: ir.Expr, depth: int) -> bool:
    """Whether a tensor type stands in an annotation, by its name alone: cheap, and aliases are rare."""
    if depth > 4:
        return False
    if isinstance(annotation, (ir.Name, ir.Attr)):
        return last_name(annotation).endswith("Tensor")
    if isinstance(annotation, ir.Binary):
        return _names_tensor(annotation.left, depth + 1) or _names_tensor(annotation.right, depth + 1)
    if isinstance(annotation, ir.Index):
        inside = annotation.index
        parts = inside.items if isinstance(inside, ir.Display) else (inside,)
        return _names_tensor(annotation.value, depth + 1) or any(_names_tensor(p, depth + 1) for p in parts)
    return False
