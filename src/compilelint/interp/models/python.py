"""Python's own: builtins, methods of containers and strings, and the few library functions that steer analysis."""

from __future__ import annotations

from compilelint import events
from compilelint.interp.frame import Args, Frame
from compilelint.interp.items import exact_items, iterate, mixed_bag, outer_container, rebind
from compilelint.interp.models import tensors
from compilelint.interp.models.registry import model
from compilelint.interp.types import is_instance, types_of
from compilelint.model import Confidence
from compilelint.program import ir
from compilelint.program.index import ClassInfo, dotted_name
from compilelint.torchfacts import Fact, SyntaxForm
from compilelint.values import (
    BOTTOM,
    FALSE,
    INT,
    NONE,
    TRUE,
    UNKNOWN,
    ClassRef,
    Const,
    Dependence,
    External,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Partial,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Unknown,
    Value,
    arms,
    join_all,
    tensor_arm,
)

# Models that tell the checks themselves, under the syntax form that decides.
OWN_EVENTS = frozenset(
    f"builtins.{n}"
    for n in """int float bool complex len range str repr isinstance issubclass getattr setattr hasattr callable list tuple set
    dict zip enumerate reversed sorted map filter sum max min any all abs round iter next type""".split()
)


def _form(f: Frame, form: SyntaxForm, name: str, tensor: Tensor, args: Args, pos: int, result: Value) -> Value:
    """Tell of a builtin applied to a tensor."""
    outcome = f.interp.facts.syntax(form)
    _tell(f, outcome, name, tensor, args, pos, result)
    return result


def _tell(f: Frame, outcome: Fact | None, name: str, tensor: Tensor, args: Args, pos: int, result: Value) -> None:
    f.emit(events.Call(f.site(pos), outcome, name, tensor, tuple(args.positional), args.keywords, result))
    f.broken_by(outcome, tensor.confidence is Confidence.CERTAIN)


def _number(kind: str, form: SyntaxForm) -> None:
    @model(f"builtins.{kind}")
    def convert(f: Frame, args: Args, pos: int) -> Value:
        """`int(x)` and the like read a tensor's data; on everything else they are silent."""
        value = args.get(0)
        if value is None:
            return Scalar(kind)
        tensor = tensor_arm(value)
        if tensor is not None:
            outcome = f.interp.facts.syntax(form)
            captured = outcome is not None and not f.context.config.breaks(outcome)
            result = Scalar(kind, Dependence.DATA if captured else Dependence.STATIC)
            _tell(f, outcome, f"builtins.{kind}", tensor, args, pos, result)
            return result
        if isinstance(value, Const) and type(value.value) in (int, float, bool) and kind != "complex":
            return Const({"int": int, "float": float, "bool": bool}[kind](value.value)) if _finite(value.value) else Scalar(kind)
        dependence = value.dependence if isinstance(value, Scalar) else Dependence.STATIC
        return Scalar(kind, dependence)


def _finite(number: float) -> bool:
    return number == number and abs(number) != float("inf")


for _kind, _which in (("int", SyntaxForm.INT), ("float", SyntaxForm.FLOAT), ("bool", SyntaxForm.BOOL), ("complex", SyntaxForm.COMPLEX)):
    _number(_kind, _which)


@model("builtins.len")
def len_(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0)
    if value is None:
        return INT
    exact = exact_items(f, value)
    if exact is not None:
        return Const(len(exact))
    if isinstance(value, Const) and isinstance(value.value, str):
        return Const(len(value.value))
    return tensors.SHAPE_INT if tensor_arm(value) is not None else INT


@model("builtins.str", "builtins.repr", "builtins.ascii")
def str_(f: Frame, args: Args, pos: int) -> Value:
    tensor = tensor_arm(args.get(0) or UNKNOWN)
    if tensor is not None:
        return _form(f, SyntaxForm.STR, "builtins.str", tensor, args, pos, Scalar("str"))
    return Scalar("str")


@model("builtins.range")
def range_(f: Frame, args: Args, pos: int) -> Value:
    dependence = Dependence.STATIC
    for value in args.positional:
        tensor = tensor_arm(value)
        if tensor is not None:
            _form(f, SyntaxForm.RANGE, "builtins.range", tensor, args, pos, UNKNOWN)
        elif isinstance(value, Scalar):
            dependence = max(dependence, value.dependence)
    return Sequence("range", None, Scalar("int", Dependence.STATIC))


@model("builtins.isinstance", "builtins.issubclass")
def isinstance_(f: Frame, args: Args, pos: int) -> Value:
    if len(args.positional) != 2:
        return Scalar("bool")
    wanted = types_of(args.positional[1])
    if wanted is None:
        return Scalar("bool")
    known = is_instance(args.positional[0], wanted)
    return Scalar("bool") if known is None else (TRUE if known else FALSE)


@model("torch.is_tensor")
def is_tensor(f: Frame, args: Args, pos: int) -> Value:
    known = is_instance(args.get(0) or UNKNOWN, ("torch.Tensor",))
    return Scalar("bool") if known is None else (TRUE if known else FALSE)


@model("builtins.getattr")
def getattr_(f: Frame, args: Args, pos: int) -> Value:
    obj, name = args.get(0), args.get(1)
    default = args.get(2)
    if obj is None or not isinstance(name, Const) or not isinstance(name.value, str):
        return UNKNOWN
    value = f.interp.attribute(f, obj, name.value, pos)
    if default is None:
        return value
    return join_all([value, default])


@model("builtins.setattr")
def setattr_(f: Frame, args: Args, pos: int) -> Value:
    obj, name, value = args.get(0), args.get(1), args.get(2)
    if obj is not None and isinstance(name, Const) and isinstance(name.value, str) and value is not None and f.state is not None:
        f.emit(events.Mutation(f.site(pos), None, "self", name.value, "assign", value, obj))
        mine = f.state.names.get(f.self_name) if f.self_name else None
        if isinstance(obj, Object) and mine is obj:
            f.writes[name.value] = value
            f.state.paths[f"{f.self_name}.{name.value}"] = value
    return NONE


@model("builtins.hasattr", "builtins.callable")
def hasattr_(f: Frame, args: Args, pos: int) -> Value:
    return Scalar("bool")


@model("builtins.type")
def type_(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0)
    if isinstance(value, Object) and len(args.positional) == 1:
        return ClassRef(value.cls)
    if isinstance(value, Instance) and len(args.positional) == 1:
        return External(value.name)
    return UNKNOWN


# ------------------------------------------------------------------ containers


def _collect(kind: str) -> None:
    @model(f"builtins.{kind}")
    def build(f: Frame, args: Args, pos: int) -> Value:
        value = args.get(0)
        if value is None:
            return Sequence(kind, (), BOTTOM) if kind != "set" else Sequence(kind, None, BOTTOM)
        exact = exact_items(f, value)
        if exact is not None and kind in ("list", "tuple"):
            return Sequence(kind, exact, BOTTOM)
        return Sequence(kind, None, iterate(f, value, pos))


for _kind in ("list", "tuple", "set", "frozenset"):
    _collect(_kind)


@model("builtins.dict", "collections.OrderedDict")
def dict_(f: Frame, args: Args, pos: int) -> Value:
    base = args.get(0)
    entries: dict[object, Value] = {}
    element: Value = BOTTOM
    exact = args.double_star is None
    if isinstance(base, Mapping):
        entries.update(base.entries)
        element, exact = base.element, base.exact and exact
    elif base is not None:
        exact = False
        pair = iterate(f, base, pos)
        element = pair.items[1] if isinstance(pair, Sequence) and pair.items is not None and len(pair.items) == 2 else UNKNOWN
    entries.update(args.keywords)
    return Mapping(tuple(entries.items()), join_all([element, args.double_star or BOTTOM]), exact)


@model("collections.defaultdict")
def defaultdict_(f: Frame, args: Args, pos: int) -> Value:
    return Mapping((), UNKNOWN)


@model("builtins.zip")
def zip_(f: Frame, args: Args, pos: int) -> Value:
    if args.star is not None:
        return Sequence("iterator", None, Sequence("tuple", None, iterate(f, args.star, pos)))
    return Sequence("iterator", None, Sequence("tuple", tuple([iterate(f, v, pos) for v in args.positional]), BOTTOM))


@model("builtins.enumerate")
def enumerate_(f: Frame, args: Args, pos: int) -> Value:
    return Sequence("iterator", None, Sequence("tuple", (INT, iterate(f, args.get(0) or UNKNOWN, pos)), BOTTOM))


@model("builtins.reversed", "builtins.iter", "itertools.cycle", "itertools.islice")
def same_items(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0) or UNKNOWN
    return Sequence("iterator", None, iterate(f, value, pos))


@model("itertools.chain")
def chain(f: Frame, args: Args, pos: int) -> Value:
    return Sequence("iterator", None, join_all([iterate(f, v, pos) for v in args.positional]))


@model("itertools.product")
def product(f: Frame, args: Args, pos: int) -> Value:
    return Sequence("iterator", None, Sequence("tuple", tuple([iterate(f, v, pos) for v in args.positional]), BOTTOM))


@model("builtins.next")
def next_(f: Frame, args: Args, pos: int) -> Value:
    return join_all([iterate(f, args.get(0) or UNKNOWN, pos), args.get(1) or BOTTOM])


@model("builtins.sorted")
def sorted_(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0) or UNKNOWN
    element = iterate(f, value, pos)
    key = args.keywords.get("key")
    compared = f.interp.call(f, key, Args([element]), pos) if key is not None and key is not NONE else element
    tensor = tensor_arm(compared)
    if tensor is not None:
        _form(f, SyntaxForm.SORTED, "builtins.sorted", tensor, args, pos, UNKNOWN)
    return Sequence("list", None, element)


@model("builtins.map")
def map_(f: Frame, args: Args, pos: int) -> Value:
    function = args.get(0)
    if function is None:
        return UNKNOWN
    items = [iterate(f, v, pos) for v in args.positional[1:]]
    blocks = f.blocks
    f.blocks = (*blocks, "comprehension")
    element = f.interp.call(f, function, Args(items), pos)
    f.blocks = blocks
    return Sequence("iterator", None, element)


@model("builtins.filter")
def filter_(f: Frame, args: Args, pos: int) -> Value:
    function, items = args.get(0), args.get(1)
    element = iterate(f, items or UNKNOWN, pos)
    if function is not None and function is not NONE:
        tested = f.interp.call(f, function, Args([element]), pos)
        f.interp.test(f, tested, "comprehension", pos)
    return Sequence("iterator", None, element)


@model("functools.reduce")
def reduce_(f: Frame, args: Args, pos: int) -> Value:
    element = iterate(f, args.get(1) or UNKNOWN, pos)
    return f.interp.call(f, args.get(0) or UNKNOWN, Args([element, element]), pos)


@model("builtins.sum")
def sum_(f: Frame, args: Args, pos: int) -> Value:
    element = iterate(f, args.get(0) or UNKNOWN, pos)
    tensor = tensor_arm(element)
    if tensor is not None:
        return tensor.but(source=Source.COMPUTED, origin=f.origin("result of `sum`", pos, tensor.origin))
    start = args.get(1, "start")
    return _plain(join_all([element, start or BOTTOM]))


def _plain(value: Value) -> Value:
    found = [Scalar("int") if isinstance(a, Const) and type(a.value) in (bool, int) else a for a in arms(value)]
    return join_all(found) if found else UNKNOWN


@model("builtins.max", "builtins.min")
def extremum(f: Frame, args: Args, pos: int) -> Value:
    """Over tensors it stays in the graph and gives a tensor, whatever the other operands are."""
    values = args.positional
    if len(values) == 1 and args.star is None:
        values = [iterate(f, values[0], pos)]
    elif args.star is not None:
        values = [*values, args.star]
    tensor = next((t for t in (tensor_arm(v) for v in values) if t is not None), None)
    key = args.keywords.get("key")
    if key is not None and key is not NONE and values:
        compared = tensor_arm(f.interp.call(f, key, Args([values[0]]), pos))
        if compared is not None:
            _form(f, SyntaxForm.SORTED, "builtins.max", compared, args, pos, UNKNOWN)
        return join_all(values)
    if tensor is not None:
        certain = all(isinstance(v, (Tensor, Const, Scalar)) for v in values)
        made = tensor.but(source=Source.COMPUTED, rank=0 if tensor.rank == 0 else None, origin=f.origin("result of `max`/`min`", pos, tensor.origin))
        if certain:
            return made
        return join_all([made.but(confidence=min(made.confidence, Confidence.LIKELY)), *[a for v in values for a in arms(v) if isinstance(a, (Scalar, Const))]])
    folded = [a for v in values for a in arms(v)]
    dependence = max((a.dependence for a in folded), default=Dependence.STATIC)
    if folded and all(isinstance(a, (Const, Scalar)) for a in folded):
        joined = join_all([Scalar(_kind_name(a), dependence) for a in folded])
        return joined
    return join_all(values) if values else UNKNOWN


def _kind_name(value: Value) -> str:
    return value.kind if isinstance(value, Scalar) else type(value.value).__name__ if isinstance(value, Const) else ""


@model("builtins.any", "builtins.all")
def any_(f: Frame, args: Args, pos: int) -> Value:
    """Builtin `any`/`all` over tensors tests each of them: a jump an item."""
    value = args.get(0) or UNKNOWN
    element = value if isinstance(value, Tensor) and value.rank == 1 else iterate(f, value, pos)
    tensor = tensor_arm(element)
    if tensor is not None:
        return _form(f, SyntaxForm.ANY, "builtins.any", tensor, args, pos, Scalar("bool"))
    return Scalar("bool")


@model("builtins.abs", "builtins.round")
def abs_(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0) or UNKNOWN
    tensor = tensor_arm(value)
    if tensor is not None:
        return tensor.but(source=Source.COMPUTED)
    return value if isinstance(value, Scalar) else Scalar(_kind_name(value)) if isinstance(value, Const) else UNKNOWN


@model("builtins.pow")
def pow_(f: Frame, args: Args, pos: int) -> Value:
    return UNKNOWN


# ----------------------------------------------------- decided while compiling

_TRUE = ("torch.compiler.is_compiling", "torch._dynamo.is_compiling", "torch.compiler.is_dynamo_compiling",
         "torch._dynamo.external_utils.is_compiling", "torch._utils.is_compiling")  # fmt: skip
_FALSE = ("torch.jit.is_scripting", "torch.jit.is_tracing", "torch._C._get_tracing_state", "torch.onnx.is_in_onnx_export",
          "torch.compiler.is_exporting", "torch.overrides.has_torch_function", "torch.overrides.has_torch_function_unary",
          "torch.overrides.has_torch_function_variadic", "torch.fx._symbolic_trace.is_fx_tracing", "torch.distributed.is_initialized_")  # fmt: skip


@model(*_TRUE)
def compiling(f: Frame, args: Args, pos: int) -> Value:
    return TRUE


@model(*_FALSE)
def not_compiling(f: Frame, args: Args, pos: int) -> Value:
    return TRUE if f.context.config.export and f.interp.facts is None else FALSE


# --------------------------------------------------------------- higher order


@model("functools.partial")
def partial(f: Frame, args: Args, pos: int) -> Value:
    if not args.positional or args.star is not None:
        return UNKNOWN
    return Partial(args.positional[0], tuple(args.positional[1:]), tuple(args.keywords.items()))


@model("torch.compile", "torch.no_grad.__call__", "functools.lru_cache", "functools.cache", "functools.wraps")
def transparent(f: Frame, args: Args, pos: int) -> Value:
    """Wrappers that behave as what they wrap."""
    value = args.get(0, "model")
    return value if isinstance(value, (FunctionRef, Object, Instance)) else UNKNOWN


@model("torch.utils.checkpoint.checkpoint")
def checkpoint(f: Frame, args: Args, pos: int) -> Value:
    """Calls its first argument on the others; traced in both modes."""
    if not args.positional:
        return UNKNOWN
    own = {"use_reentrant", "context_fn", "determinism_check", "debug", "preserve_rng_state", "early_stop"}
    rest = {k: v for k, v in args.keywords.items() if k not in own}
    return f.interp.call(f, args.positional[0], Args(args.positional[1:], rest, args.star, args.double_star), pos)


@model("torch.cond")
def cond(f: Frame, args: Args, pos: int) -> Value:
    operands = args.get(3, "operands")
    items = list(operands.items) if isinstance(operands, Sequence) and operands.items is not None else []
    return join_all([f.interp.call(f, args.get(i, n) or UNKNOWN, Args(items), pos) for i, n in ((1, "true_fn"), (2, "false_fn"))])


@model("copy.copy", "copy.deepcopy", "typing.cast_", "dataclasses.replace")
def copied(f: Frame, args: Args, pos: int) -> Value:
    return args.get(0) or UNKNOWN


@model("typing.cast")
def cast(f: Frame, args: Args, pos: int) -> Value:
    return args.get(1) or UNKNOWN


@model("logging.getLogger")
def get_logger(f: Frame, args: Args, pos: int) -> Value:
    return Instance("logging.Logger")


@model("torch.Size")
def size(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0)
    return Sequence("tuple", value.items, value.element) if isinstance(value, Sequence) else Sequence("tuple", None, INT)


@model("torch.device")
def device(f: Frame, args: Args, pos: int) -> Value:
    kind = args.get(0, "type")
    return Instance("torch.device", not f.silent, (("type", kind),) if isinstance(kind, Const) else ())


@model("torch.finfo", "torch.iinfo")
def finfo(f: Frame, args: Args, pos: int) -> Value:
    return Instance("torch.finfo")


@model("random.uniform", "random.gauss", "random.normalvariate", "random.betavariate", "random.triangular", "random.expovariate")
def random_number(f: Frame, args: Args, pos: int) -> Value:
    """Traced, but its number is known at run time only: arithmetic is clean, a branch on it is not."""
    return Scalar("float", Dependence.DATA, f.origin("a random number", pos))


_MATH = """ceil floor sqrt log log2 log10 exp pow sin cos tan tanh prod gcd isqrt fabs trunc isnan isinf isfinite isclose comb
    factorial log1p erf atan2 hypot degrees radians""".split()


@model(*[f"math.{n}" for n in _MATH])
def math_(f: Frame, args: Args, pos: int) -> Value:
    return Scalar("float", max((v.dependence for v in args.all() if isinstance(v, Scalar)), default=Dependence.STATIC))


# --------------------------------------------------- methods of plain containers

_GROWING = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "clear", "remove", "discard",
                      "appendleft", "sort", "reverse"})  # fmt: skip


def container_method(f: Frame, receiver: Value, name: str, args: Args, pos: int, node: ir.Call | None) -> Value:
    """Methods of lists, dicts, sets, strings and numbers; a change is bound back to the name that held the container."""
    if isinstance(receiver, Mapping):
        result, updated = _mapping_method(f, receiver, name, args, pos)
    elif isinstance(receiver, Sequence):
        result, updated = _sequence_method(f, receiver, name, args, pos)
    else:
        if name == "format":
            for value in args.all():
                tensor = tensor_arm(value)
                if tensor is not None:
                    _form(f, SyntaxForm.STR, "builtins.str.format", tensor, args, pos, UNKNOWN)
        return _text_method(receiver, name)
    if node is not None and isinstance(node.func, ir.Attr):
        target = node.func.value
        if updated is not None:
            rebind(f, target, updated)
        if name in _GROWING:
            outer = outer_container(f, target)
            if outer:
                f.emit(events.Mutation(f.site(pos), None, outer, dotted_name(target), name, args.get(0)))
    return result


def softened(value: Const) -> Value:
    """A constant known by type only."""
    return Scalar(type(value.value).__name__)


def _mapping_method(f: Frame, m: Mapping, name: str, args: Args, pos: int) -> tuple[Value, Value | None]:
    any_value = mixed_bag([m.element, *[v for _, v in m.entries]])
    if name == "keys":
        return Sequence("iterator", None, iterate(f, m, pos)), None
    if name == "values":
        return Sequence("iterator", None, any_value), None
    if name == "items":
        keys = iterate(f, m, pos)
        return Sequence("iterator", None, Sequence("tuple", (UNKNOWN if keys is BOTTOM else keys, any_value), BOTTOM)), None
    if name in ("get", "pop", "setdefault"):
        key, default = args.get(0), args.get(1)
        if isinstance(key, Const):
            found = m.get(key.value)
            if found is not None:
                return found, None
            fallback = default if default is not None else (NONE if name == "get" else BOTTOM)
            if m.exact:
                return fallback, None
            if isinstance(fallback, Const) and fallback.value is not None:
                return join_all([softened(fallback), UNKNOWN]), None  # of the default's type, if of any that we know
            return join_all([m.element if m.element is not BOTTOM else UNKNOWN, fallback]), None
        return join_all([any_value, default or (NONE if name == "get" else BOTTOM)]), None
    if name == "copy":
        return m, None
    if name == "update":
        other = args.get(0)
        entries = dict(m.entries)
        element, exact = m.element, m.exact
        if isinstance(other, Mapping):
            entries.update(other.entries)
            element, exact = join_all([element, other.element]), exact and other.exact
        elif other is not None:
            element, exact = UNKNOWN, False
        entries.update(args.keywords)
        return NONE, Mapping(tuple(entries.items()), element, exact)
    return UNKNOWN, None


def _sequence_method(f: Frame, s: Sequence, name: str, args: Args, pos: int) -> tuple[Value, Value | None]:
    element = s.element if s.items is None else join_all(s.items)
    first = args.get(0)
    if name in ("append", "add", "appendleft") and first is not None:
        return NONE, _grown(f, s, element, first)
    if name == "insert" and args.get(1) is not None:
        return NONE, Sequence(s.kind, None, join_all([element, args.get(1) or UNKNOWN]))
    if name in ("extend", "update") and first is not None:
        exact = exact_items(f, first)
        if s.items is not None and exact is not None and not f.loops and len(s.items) + len(exact) <= 16:
            return NONE, Sequence(s.kind, s.items + exact, BOTTOM)
        return NONE, Sequence(s.kind, None, join_all([element, iterate(f, first, pos)]))
    if name == "pop":
        return (element if element is not BOTTOM else UNKNOWN), Sequence(s.kind, None, element)
    if name in ("copy", "reverse", "sort", "numel"):
        return (s if name == "copy" else INT if name == "numel" else NONE), None
    if name in ("index", "count"):
        tensor = tensor_arm(element)
        if tensor is not None and first is not None and tensor_arm(first) is not None:
            return INT, None
        return INT, None
    if name in ("union", "intersection", "difference"):
        return Sequence("set", None, element), None
    return UNKNOWN, None


def _grown(f: Frame, s: Sequence, element: Value, item: Value) -> Value:
    if s.items is not None and not f.loops and len(s.items) < 16:
        return Sequence(s.kind, (*s.items, item), BOTTOM)
    return Sequence(s.kind, None, join_all([element, item]))


_TEXT = frozenset({"join", "format", "upper", "lower", "strip", "lstrip", "rstrip", "replace", "removeprefix", "removesuffix", "title"})


def _text_method(receiver: Value, name: str) -> Value:
    if name in _TEXT:
        return Scalar("str")
    if name in ("split", "rsplit", "splitlines", "partition", "rpartition"):
        return Sequence("list", None, Scalar("str"))
    if name in ("startswith", "endswith", "isdigit", "is_integer"):
        return Scalar("bool")
    if name in ("bit_length", "find", "index", "count"):
        return INT
    return UNKNOWN


__all__ = ["OWN_EVENTS", "ClassInfo", "Union", "Unknown", "container_method"]
