"""Library functions that steer analysis: what is decided while compiling, and functions that call functions."""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.markers import DISABLED
from compilelint.interp.core.outcomes import finish
from compilelint.interp.core.refusals import refusal
from compilelint.interp.core.registry import instance_call, model
from compilelint.interp.kinds.drawn_numbers import failed
from compilelint.interp.models import control_flow
from compilelint.interp.regions.checkpoint_bodies import call_body
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    BOTTOM,
    FALSE,
    INT,
    TRUE,
    UNKNOWN,
    BoundMethod,
    Const,
    Dependence,
    FunctionRef,
    Instance,
    Mapping,
    Object,
    Partial,
    Scalar,
    Sequence,
    Tensor,
    Value,
    is_drawn,
)

_TRUE = (
    "torch.compiler.is_compiling",
    "torch._dynamo.is_compiling",
    "torch.compiler.is_dynamo_compiling",
    "torch._dynamo.external_utils.is_compiling",
    "torch._utils.is_compiling",
)
_FALSE = (
    "torch.jit.is_scripting",
    "torch.jit.is_tracing",
    "torch._C._get_tracing_state",
    "torch.onnx.is_in_onnx_export",
    "torch.overrides.has_torch_function",
    "torch.overrides.has_torch_function_unary",
    "torch.overrides.has_torch_function_variadic",
    "torch.fx._symbolic_trace.is_fx_tracing",
)


@model(*_TRUE)
def compiling(f: Frame, args: Args, pos: int) -> Value:
    if f.modes.host:
        return FALSE
    f.asked_compiling = True
    return TRUE


@model(*_FALSE)
def not_compiling(f: Frame, args: Args, pos: int) -> Value:
    return FALSE


@model("torch.compiler.is_exporting")
def exporting(f: Frame, args: Args, pos: int) -> Value:
    return Const(f.context.config.export)


@model("functools.partial")
def partial(f: Frame, args: Args, pos: int) -> Value:
    if not args.positional or args.star is not None:
        return UNKNOWN
    return Partial(args.positional[0], tuple(args.positional[1:]), tuple(args.keywords.items()))


TRANSFORM = "torch.func.transform"  # what `torch.vmap(f)` and its kin return


@model(
    "torch.vmap",
    "torch.func.vmap",
    "torch.func.grad",
    "torch.func.jacrev",
    "torch.func.jacfwd",
    "torch.func.hessian",
    "torch.func.functionalize",
)
def transform(f: Frame, args: Args, pos: int) -> Value:
    """Function transforms: what they return calls the function on tensors."""
    value = args.get(0, "func")
    return (
        Instance(TRANSFORM, f.modes.inside, (("function", value),))
        if isinstance(value, (FunctionRef, Partial))
        else UNKNOWN
    )


@model("torch.func.grad_and_value")
def grad_and_value(f: Frame, args: Args, pos: int) -> Value:
    """As `transform`; what it returns gives the gradient and the value."""
    made = transform(f, args, pos)
    if not isinstance(made, Instance):
        return made
    return Instance(TRANSFORM, made.inside, (*made.state, ("pair", TRUE)))


@instance_call(TRANSFORM)
def call_transformed(f: Frame, callee: Instance, args: Args, pos: int) -> Value:
    """Calls the function, for what happens in it; the shape of the result is the transform's own."""
    result = f.interp.call(f, dict(callee.state)["function"], args, pos)
    shaped = result.but(rank=None) if isinstance(result, Tensor) else result
    return Sequence("tuple", (shaped, result), BOTTOM) if "pair" in dict(callee.state) else shaped


@model("torch.compile")
def compile_(f: Frame, args: Args, pos: int) -> Value:
    """In the region it does nothing; without its function as the one positional argument it ends the graph.

    Measured on torch 2.13 and 2.15: `@torch.compile(dynamic=True)` and `torch.compile(model=f)` do.
    """
    made = transparent(f, args, pos)
    if f.modes.silent or len(args.positional) == 1:
        return made
    outcome = refusal(f, _COMPILE_CALL)
    return finish(f, "torch.compile", None, args, pos, outcome, made)


_COMPILE_CALL = "GB0223"  # "torch.compile call with > 1 args"


@model("torch.compiler.disable", "torch._dynamo.disable")
def disable(f: Frame, args: Args, pos: int) -> Value:
    """What Dynamo does not enter: every call of it ends the graph; its attributes are those of what it wraps."""
    value = args.get(0, "fn")
    if not isinstance(value, (FunctionRef, Object, Instance, BoundMethod, Partial)):
        return UNKNOWN
    return Instance(DISABLED, f.modes.inside, (("function", value),))


@model("functools.lru_cache", "functools.cache", "functools.wraps")
def transparent(f: Frame, args: Args, pos: int) -> Value:
    """Wrappers that behave as what they wrap."""
    value = args.get(0, "model")
    return value if isinstance(value, (FunctionRef, Object, Instance)) else UNKNOWN


@model("torch.utils.checkpoint.checkpoint")
def checkpoint(f: Frame, args: Args, pos: int) -> Value:
    """Calls its first argument on the others; traced in both modes."""
    if not args.positional:
        return UNKNOWN
    outcome = control_flow.contexts_of_new_object(f, args)
    if outcome is not None:
        finish(f, "torch.utils.checkpoint.checkpoint", None, args, pos, outcome, UNKNOWN)
    own = {"use_reentrant", "context_fn", "determinism_check", "debug", "preserve_rng_state", "early_stop"}
    rest = {k: v for k, v in args.keywords.items() if k not in own}
    given = Args(args.positional[1:], rest, args.star, args.double_star)
    return call_body(f, args.positional[0], given, pos)


@model("torch._higher_order_ops.wrap.wrap")
def wrap(f: Frame, args: Args, pos: int) -> Value:
    """The plainest operation of its kind, which the others are built on."""
    return checkpoint(f, args, pos)


@model("copy.copy")
def copied(f: Frame, args: Args, pos: int) -> Value:
    return args.get(0) or UNKNOWN


@model("dataclasses.replace")
def with_fields(f: Frame, args: Args, pos: int) -> Value:
    """A record with some of its fields replaced, which `_replace` of a named tuple is as well."""
    record = args.get(0) or UNKNOWN
    if not isinstance(record, Object):
        return record
    fields = {**dict(record.fields), **args.keywords}
    return Object(record.cls, tuple(fields.items()), inside=f.modes.inside)


@model("copy.deepcopy")
def deep_copied(f: Frame, args: Args, pos: int) -> Value:
    """A container is copied item by item, so a tensor in it meets the fate of a tensor."""
    value = args.get(0) or UNKNOWN
    tensor = _tensor_within(value)
    of_any = f.interp.facts.callable("copy.deepcopy")
    if tensor is not None and (of_any is None or not of_any.breaks):
        outcome = f.interp.facts.syntax(SyntaxForm.DEEPCOPY)
        f.emit(events.Call(f.site(pos), outcome, "copy.deepcopy", tensor, tuple(args.positional), args.keywords, value))
        f.broken_by(outcome, tensor.confidence)
    return value


def _tensor_within(value: Value) -> Tensor | None:
    """A tensor among the items of a list, tuple or dict, at any depth."""
    waiting: list[Value] = [value] if isinstance(value, (Sequence, Mapping)) else []
    while waiting:
        found = waiting.pop()
        if isinstance(found, Sequence):
            waiting.extend(found.items if found.items is not None else (found.element,))
        elif isinstance(found, Mapping):
            waiting.extend([item for _, item in found.entries] + [*found.rest])
        elif isinstance(found, Tensor):
            return found
    return None


@model("dataclasses.fields")
def dataclass_fields(f: Frame, args: Args, pos: int) -> Value:
    """A tuple of descriptions, traced as long as none of them leaves the region."""
    return Sequence("tuple", None, Instance("dataclasses.Field"))


@model("typing.cast")
def cast(f: Frame, args: Args, pos: int) -> Value:
    return args.get(1) or UNKNOWN


@model("logging.getLogger")
def get_logger(f: Frame, args: Args, pos: int) -> Value:
    return Instance("logging.Logger")


@model("torch.Size")
def size(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0)
    return (
        Sequence("tuple", value.items, value.element) if isinstance(value, Sequence) else Sequence("tuple", None, INT)
    )


@model("torch.device")
def device(f: Frame, args: Args, pos: int) -> Value:
    kind = args.get(0, "type")
    return Instance("torch.device", f.modes.inside, (("type", kind),) if isinstance(kind, Const) else ())


@model("torch.finfo", "torch.iinfo")
def finfo(f: Frame, args: Args, pos: int) -> Value:
    return Instance("torch.finfo")


@model(
    "random.uniform",
    "random.gauss",
    "random.normalvariate",
    "random.betavariate",
    "random.triangular",
    "random.expovariate",
)
def random_number(f: Frame, args: Args, pos: int) -> Value:
    """Traced, but its number is known at run time only; see `drawn_numbers` for what may be done with it."""
    return Scalar("float", Dependence.DRAWN, f.origin("a random number", pos))


@model("random.randint", "random.randrange")
def random_integer(f: Frame, args: Args, pos: int) -> Value:
    """As `random_number`, whole."""
    return Scalar("int", Dependence.DRAWN, f.origin("a random number", pos))


def _math(name: str, kind: str) -> None:
    @model(f"math.{name}")
    def call(f: Frame, args: Args, pos: int) -> Value:
        """A function of numbers; of a number that `random` drew in the region, Dynamo fails in its own code."""
        if any(map(is_drawn, args.all())):
            return failed(f, f"math.{name}", args, Scalar(kind), pos)
        return Scalar(kind, _strongest(args))


_MATH = (
    "sqrt log log2 log10 exp pow sin cos tan tanh prod fabs log1p erf atan2 hypot degrees radians copysign fmod".split()
)


_WHOLE = "ceil floor trunc gcd isqrt comb factorial lcm".split()
_TESTS = "isnan isinf isfinite isclose".split()
for _names, _kind in ((_MATH, "float"), (_WHOLE, "int"), (_TESTS, "bool")):
    for _name in _names:
        _math(_name, _kind)


def _strongest(args: Args) -> Dependence:
    return max((v.dependence for v in args.all() if isinstance(v, Scalar)), default=Dependence.STATIC)
