"""Library callables that Dynamo has, and refuses for what they are given in one call.

The fact tables hold a verdict on each callable and on its usual forms. Here stand forms that a table has no condition
for, by the rule of Dynamo that refuses them. Measured on torch 2.13 and 2.15, each beside forms that are traced.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, TypeAlias

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.perform import Operation, Use, condition, rule
from compilelint.interp.core.refusals import call_refused, refusal
from compilelint.interp.refusals.refused_outside import GROUPS, is_object_dtype
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name, statements_of
from compilelint.torchfacts import Fact
from compilelint.values import (
    UNKNOWN,
    BoundMethod,
    ClassRef,
    Const,
    Dependence,
    External,
    FunctionRef,
    Instance,
    Object,
    Scalar,
    Sequence,
    Tensor,
    Value,
    tensor_arm,
)
from compilelint.values import Mapping as Dict

Refuses: TypeAlias = Callable[[Frame, Args], str]
"""The key in `refusals.json` of the rule that refuses a call with these arguments; "" where none does."""

_TABLE: dict[str, Refuses] = {}
UFUNC_METHODS: Final = frozenset({"outer", "reduce", "accumulate", "reduceat", "at"})
_LAYOUT_QUESTIONS: Final = frozenset({"is_contiguous", "stride"})


@rule(Operation.CALL, External)
def _by_ufunc(use: Use) -> Value | None:
    """A method of an operation of NumPy: `np.add.outer(a, b)`."""
    name = use.name
    if not name.startswith("numpy.") or name.count(".") != 2 or name.rpartition(".")[2] not in UFUNC_METHODS:
        return None
    return call_refused(use, "GB0290")


@condition(Operation.CALL, Instance)
def by_object(use: Use) -> Fact | None:
    """The fact on a call of a method of a library object, by canonical name."""
    f, name, args = use.frame, use.name, use.args
    constant_like = name.startswith(("re.Pattern.", "re.Match."))
    if constant_like and not f.modes.silent and any(is_no_constant(one) or _is_data(one) for one in args.all()):
        return refusal(f, "GB0299")
    return refusal(f, "GB0292") if name == "re.Pattern.finditer" and not f.modes.silent else None


@condition(Operation.CALL, Tensor)
def by_method(use: Use) -> Fact | None:
    """The fact on a call of a method of a tensor, or of an array."""
    f, name, (t,), args = use.frame, use.name, use.operands, use.args
    if f.modes.silent or not isinstance(t, Tensor):
        return None
    if name == "uniform_" and "from" in args.keywords:
        return refusal(f, "GB0110")
    if t.array and name == "astype" and is_object_dtype(args.get(0, "dtype")):
        return refusal(f, "GB0250")
    if name == "register_hook" and _asks_for_layout(args.get(0, "hook")):
        return refusal(f, "GB7444")
    return None


def is_no_constant(value: Value) -> bool:
    """Whether it is an object of the program, a method of one, a tensor, or a nested function that holds a tensor."""
    if isinstance(value, FunctionRef):
        method = isinstance(value.receiver, Object)
        return method or (isinstance(value.closure, Frame) and holds_tensor(value, value.closure))
    return isinstance(value, Object) or tensor_arm(value) is value


def holds_tensor(ref: FunctionRef, outer: Frame) -> bool:
    """Whether a nested function reads a variable of the function around it that is a tensor."""
    if not isinstance(ref.code, FunctionInfo) or outer.state is None:
        return False
    own = set(ref.code.node.local_names)
    names = {
        e.id
        for s in statements_of(ref.code.node.body)
        for e in expressions(own_expressions(s))
        if isinstance(e, ir.Name) and e.id not in own
    }
    held = [outer.state.names[name] for name in names if name in outer.state.names]
    return any(tensor_arm(one) is one for one in held)


_LEFT: Final = {GROUPS: Instance(GROUPS)}
"""What a call gives behind the break that it makes, by function, where that matters."""


def refuses(*names: str) -> Callable[[Refuses], Refuses]:
    """Decorator: this decides about calls of these callables."""

    def put(function: Refuses) -> Refuses:
        _TABLE.update(dict.fromkeys(names, function))

        def decide(use: Use) -> Value | None:
            if use.frame.modes.silent or use.args.star is not None:
                return None
            return call_refused(use, function(use.frame, use.args), _LEFT.get(use.name, UNKNOWN))

        rule(Operation.CALL, External, names=names)(decide)
        return function

    return put


@refuses("builtins.hasattr")
def _attribute_of(f: Frame, args: Args) -> str:
    """Of a function of NumPy, a compiled pattern, a slice and a bound method Dynamo does not know what they have."""
    value = args.get(0) or UNKNOWN
    numpy = isinstance(value, External) and value.name.startswith("numpy.") and value.name.count(".") == 1
    slice_ = isinstance(value, Sequence) and value.kind == "slice"
    receiver = value.receiver if isinstance(value, BoundMethod) else None
    if isinstance(value, Instance) and value.name == "re.Pattern":
        return "GB0150|hasattr of a pattern"
    if isinstance(receiver, (Sequence, Dict)):
        return "GB0150|hasattr of a method of a container"
    return "GB0150|hasattr" if numpy or slice_ or isinstance(receiver, Tensor) else ""


@refuses("builtins.getattr")
def _name_read(f: Frame, args: Args) -> str:
    return "GB0190" if _is_data(args.get(1)) else ""


@refuses("builtins.setattr")
def _name_written(f: Frame, args: Args) -> str:
    return "GB0254|setattr" if _is_data(args.get(1)) else ""


def _is_data(name: Value | None) -> bool:
    """Whether a name is text that was made of a tensor's data."""
    return isinstance(name, Scalar) and name.kind == "str" and name.dependence is Dependence.DATA


@refuses("itertools.groupby")
def _grouped(f: Frame, args: Args) -> str:
    """The key goes by name, and gives plain values; what is grouped does not."""
    if args.keywords.keys() - {"key"}:
        return "GB0155"
    if len(args.positional) > 1:
        return "GB0134"
    key = args.keywords.get("key")
    if isinstance(key, Const):  # `None` too, which Python takes
        return "GB0147|groupby by a constant"
    if isinstance(key, External) and key.name.startswith("torch."):
        return "GB0152"
    if not isinstance(key, FunctionRef) or not args.positional:
        return ""
    modes, f.modes = f.modes, f.modes.silenced
    item = f.interp.iterate(f, args.positional[0], 0)
    made = f.interp.call(f, key, Args([item]), 0)
    f.doomed, f.modes = False, modes
    return "GB0152" if tensor_arm(item) is not None and made is tensor_arm(made) else ""


@refuses("numpy.outer")
def _flattened(f: Frame, args: Args) -> str:
    """NumPy flattens what it is given, `torch.outer` in its place takes vectors only."""
    given = (args.get(0, "a") or UNKNOWN, args.get(1, "b") or UNKNOWN)
    return "GB4315|numpy.outer" if any(_is_no_vector(value) for value in given) else ""


def _is_no_vector(value: Value) -> bool:
    if isinstance(value, Tensor):
        return value.rank is not None and value.rank != 1
    if isinstance(value, Sequence) and value.items:
        return isinstance(value.items[0], Sequence)
    return isinstance(value, Const) and type(value.value) in (int, float)


@refuses("itertools.combinations_with_replacement")
def _combined(f: Frame, args: Args) -> str:
    return "GB0147|combinations_with_replacement"


@refuses("dataclasses.asdict", "dataclasses.astuple")
def _copied_fields(f: Frame, args: Args) -> str:
    """They copy what the fields hold, and a tensor cannot be copied so."""
    made = args.get(0, "obj")
    if not isinstance(made, Object) or not isinstance(made.cls, ClassInfo):
        return ""
    held = [f.interp.attribute(f, made, name, 0) for name in made.cls.fields()]
    return "GB4198" if any(tensor_arm(one) is one for one in held) else ""


@refuses("builtins.ImportError", "builtins.ModuleNotFoundError")
def _missing_import(f: Frame, args: Args) -> str:
    """An error with the name that is missing, given by keyword."""
    return "GB0273|ImportError" if args.keywords else ""


@refuses("builtins.AttributeError", "builtins.NameError")
def _missing_name(f: Frame, args: Args) -> str:
    return "GB0273|AttributeError" if args.keywords else ""


@refuses("traceback.format_exc")
def _formatted(f: Frame, args: Args) -> str:
    """It reads where the exception that is being handled was raised; without one there is nothing to read."""
    return "GB9625" if "except" in f.around.blocks else ""


@refuses("random.Random")
def _seeded(f: Frame, args: Args) -> str:
    return "GB0297" if args.keywords or len(args.positional) > 1 else ""


@refuses("numpy.finfo", "numpy.iinfo")
def _limits(f: Frame, args: Args) -> str:
    value = args.get(0) or UNKNOWN
    return "GB0300" if tensor_arm(value) is value else ""


@refuses("numpy.array", "numpy.asarray")
def _texts(f: Frame, args: Args) -> str:
    """An array of texts has no tensor to stand for it."""
    value = args.get(0)
    items = value.items if isinstance(value, Sequence) else None
    return "GB0087" if items and all(isinstance(i, Const) and isinstance(i.value, str) for i in items) else ""


@refuses("collections.namedtuple")
def _defaults(f: Frame, args: Args) -> str:
    value = args.keywords.get("defaults")
    items = value.items if isinstance(value, Sequence) else None
    return "GB0201" if items and any(tensor_arm(item) is item for item in items) else ""


@refuses("torch.nested.nested_tensor")
def _rows_of_nested(f: Frame, args: Args) -> str:
    value, layout = args.get(0) or UNKNOWN, args.keywords.get("layout")
    jagged = isinstance(layout, External) and layout.name == "torch.jagged"
    other = isinstance(value, Sequence) and value.kind not in ("list", "tuple")
    other = other or (isinstance(value, Instance) and value.name in ("generator", "genexpr"))
    return "GB0245" if jagged and (other or tensor_arm(value) is value) else ""


@refuses("torch.vmap", "torch.func.vmap")
def _mapped(f: Frame, args: Args) -> str:
    """`vmap(F.apply)` itself, from 2.15 on only of a function with a `vmap` of its own; what calls it is taken."""
    value = args.get(0, "func")
    of = value.receiver.cls if isinstance(value, BoundMethod) and isinstance(value.receiver, ClassRef) else None
    if not isinstance(of, ClassInfo) or not of.is_autograd_function:
        return ""
    return "GB0150|vmap of apply, which has one" if of.method("vmap") is not None else "GB0150|vmap of apply"


@refuses("torch.func.stack_module_state")
def _stacked(f: Frame, args: Args) -> str:
    """It marks what it stacks as needing gradients, and gives it back."""
    return "GB8985"


@refuses("torch._dynamo.comptime.comptime.graph_break")
def _asked_for(f: Frame, args: Args) -> str:
    return "GB0030"


@refuses("torch.utils.data.DataLoader")
def _loader(f: Frame, args: Args) -> str:
    return "GB0008"


def _asks_for_layout(hook: Value | None) -> bool:
    """Whether the function of a hook asks how the gradient lies in memory."""
    if not isinstance(hook, FunctionRef) or not isinstance(hook.code, FunctionInfo):
        return False
    node = hook.code.node
    names = {p.name for p in node.params[-1:]}
    return any(
        isinstance(e, ir.Attr) and e.name in _LAYOUT_QUESTIONS and isinstance(e.value, ir.Name) and e.value.id in names
        for s in statements_of(node.body)
        for e in expressions(own_expressions(s))
    )


TABLE: Final[Mapping[str, Refuses]] = MappingProxyType(_TABLE)
"""By canonical name; for tests, which call each of them both ways."""


def asks_comptime(f: Frame, node: ir.Function) -> bool:
    """Whether a function under `@comptime`, which Dynamo runs while it traces, calls `ctx.graph_break()`."""
    for decorator in node.decorators:
        if last_name(decorator) != "comptime" or isinstance(decorator, ir.Call):
            continue
        value = f.eval(decorator)
        if not (isinstance(value, External) and value.name == "torch._dynamo.comptime.comptime"):
            continue
        return _breaks_graph(node)
    return False


@refuses("torch._dynamo.comptime.comptime")
def _comptime(f: Frame, args: Args) -> str:
    """`comptime(function)`, where the function calls `ctx.graph_break()`."""
    value = args.get(0, "fn")
    code = value.code if isinstance(value, FunctionRef) else None
    if not isinstance(code, FunctionInfo) or not _breaks_graph(code.node):
        return ""
    method = isinstance(value, FunctionRef) and value.receiver is not None
    return "GB0030|comptime of a method" if method else "GB0030"


def _breaks_graph(node: ir.Function) -> bool:
    names = {p.name for p in node.params}
    for s in statements_of(node.body):
        for e in expressions(own_expressions(s)):
            if isinstance(e, ir.Call) and isinstance(e.func, ir.Attr) and e.func.name == "graph_break":
                return isinstance(e.func.value, ir.Name) and e.func.value.id in names
    return False
