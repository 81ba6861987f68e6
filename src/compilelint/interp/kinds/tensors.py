"""What an attribute and a method of a tensor give: `x.shape`, `x.item()`, `x.to("cuda")`, and all of `operations`."""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.dtypes import dtype_class
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.origin_steps import VIEWS, steps_back
from compilelint.interp.devices.layouts import permuted, turned, turned_sizes
from compilelint.interp.kinds.call_arguments import device_class, plain_kind
from compilelint.interp.kinds.operations import op_result
from compilelint.model.sizes import Size
from compilelint.survey.dtype_tests import converted_behind_a_test
from compilelint.values import (
    BOTTOM,
    FALSE,
    INT,
    UNKNOWN,
    BoundMethod,
    Const,
    Dependence,
    External,
    Instance,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Union,
    Value,
    is_none,
    tensor_arm,
)

SHAPE_INT = Scalar("int", Dependence.SHAPE)
_SAME = ("data", "real", "imag", "grad", "_base")
_TRANSPOSED = ("T", "mT", "H", "mH")


# Where the state of a dtype keeps what it is unless the model is converted, that of a layout what most tensors have.
USUALLY = "<usually>"
OTHER_KINDS = frozenset(("is_sparse", "is_sparse_csr", "is_nested", "is_quantized", "is_mkldnn"))


def is_plain(t: Tensor) -> bool:
    """Whether nothing says that a tensor is sparse or jagged: then it is strided, unless a caller passes another."""
    return t.layout not in ("sparse", "jagged")


def _usual_dtype(f: Frame, t: Tensor) -> tuple[tuple[str, Value], ...]:
    """The dtype of a parameter of floats, where CUDA graphs are recorded: those of torch are `float32`."""
    if t.dtype not in ("float", "") or not f.context.config.records_cuda_graphs:
        return ()
    for step in steps_back(t.origin):
        if step.kind is OriginKind.OWNED:
            return ((USUALLY, Const("torch.float32")),)
        if step.what not in VIEWS:
            break
    return ()


def _usual_device(f: Frame, t: Tensor) -> tuple[tuple[str, Value], ...]:
    """CUDA graphs are recorded of what runs on such a device."""
    recording = f.context.config.records_cuda_graphs and not t.array
    return (("type", Scalar("str", usual=Const("cuda"))),) if recording else ()


def attribute(f: Frame, t: Tensor, name: str, pos: int) -> Value | None:
    """What an attribute of a tensor holds; None if it is a method."""
    if name in ("shape", "names"):
        return size_of(t if name == "shape" else t.but(sizes=None))
    if name in _SAME:
        return t.but(origin=f.origin(f".{name}", pos, t.origin, OriginKind.ATTRIBUTE))
    if name in _TRANSPOSED:
        wanted = turned("t" if name == "T" else "adjoint", t, Args([]), 0)
        return t.but(
            layout=permuted(t, wanted),
            source=Source.COMPUTED,
            origin=f.origin(f".{name}", pos, t.origin, OriginKind.ATTRIBUTE),
            sizes=turned_sizes(t, wanted),
        )
    if name == "ndim":
        return INT if t.rank is None else Const(t.rank)
    if name == "dtype":
        return Instance("torch.dtype", state=_usual_dtype(f, t))
    if name == "device":
        return Instance("torch.device", state=(("type", Const(t.device)),) if t.device else _usual_device(f, t))
    if name == "layout":
        return Instance("torch.layout", state=((USUALLY, Const("torch.strided")),) if is_plain(t) else ())
    if name in OTHER_KINDS and is_plain(t):
        return Scalar("bool", usual=FALSE)
    if t.array and name == "size":
        return SHAPE_INT
    if name == "grad_fn":
        return UNKNOWN
    measured = f.interp.facts.results.plain(f"get:torch.Tensor.{name}")
    return None if measured is None else Scalar(measured)


def size_of(t: Tensor) -> Value:
    """`t.shape`."""
    if t.rank is not None:
        return Sequence("tuple", tuple(map(_number, t.sizes or (None,) * t.rank)), BOTTOM)
    return Sequence("tuple", None, SHAPE_INT)


def _number(size: Size | None) -> Scalar:
    return SHAPE_INT if size is None else Scalar("int", Dependence.SHAPE, number=size)


def _size_at(t: Tensor, args: Args) -> Value:
    """`t.size(1)`."""
    whole, at = size_of(t), args.get(0, "dim")
    if isinstance(whole, Sequence) and whole.items is not None and isinstance(at, Const) and type(at.value) is int:
        return whole.items[at.value] if -len(whole.items) <= at.value < len(whole.items) else SHAPE_INT
    return SHAPE_INT


def _dimensions_named(args: Args) -> int | None:
    first = args.positional[0] if args.positional else args.keywords.get("dims")
    if isinstance(first, Sequence):
        return None if first.items is None else len(first.items)
    return len(args.positional) or None


def method_result(f: Frame, t: Tensor, name: str, args: Args, pos: int) -> Value:
    """What `t.name(...)` returns."""
    if name == "permute" and t.rank is None and args.star is None:
        t = t.but(rank=_dimensions_named(args))  # it has as many, since the line raises otherwise
    if name == "size":
        return _size_at(t, args) if args.positional or args.keywords else size_of(t)
    if name == "stride":
        return SHAPE_INT if args.positional or args.keywords else size_of(t.but(sizes=None))
    if name in ("dim", "ndimension"):
        return INT if t.rank is None else Const(t.rank)
    if name == "data_ptr":
        return Scalar(
            "int", Dependence.DATA, f.origin("an address", pos, t.origin)
        )  # read freely, but nothing can be decided by it
    if name in ("numel", "nelement", "storage_offset", "__len__", "element_size", "get_device"):
        return SHAPE_INT
    if name == "item":
        return _host_number(f, t)
    if name == "tolist":
        return _host_list(f, t)
    if name == "numpy":
        return t.but(array=True, device="cpu", origin=f.origin(".numpy()", pos, t.origin, OriginKind.ATTRIBUTE))
    if name in ("to", "type", "type_as", "astype"):
        return _converted(f, t, name, args, pos)
    if name in ("backward", "register_hook", "register_post_accumulate_grad_hook"):
        return UNKNOWN
    if name.startswith("to_sparse"):
        return t.but(
            layout="sparse", source=Source.COMPUTED, origin=f.origin(f".{name}", pos, t.origin, OriginKind.RESULT)
        )
    if name == "copy" and t.array:
        name = "clone"
    result = op_result(f, name, args, pos, t, f"{'numpy.ndarray' if t.array else 'torch.Tensor'}.{name}")
    if result is not None:
        return result
    if f.interp.facts.callable(f"torch.Tensor.{name}") is None:
        return UNKNOWN  # no method of tensors: what we believed to be one is something else
    if name.endswith("_") and not name.startswith("_"):
        return t.but(source=Source.COMPUTED)
    return t.but(
        dtype="",
        rank=None,
        layout="",
        source=Source.COMPUTED,
        origin=f.origin(f".{name}", pos, t.origin, OriginKind.RESULT),
    )


def _host_number(f: Frame, t: Tensor) -> Value:
    """The number behind `.item()`: plain after the break, unbacked data where scalars are captured."""
    outcome = f.interp.facts.callable("torch.Tensor.item")
    captured = outcome is not None and not f.context.config.breaks(outcome)
    kind = t.dtype if t.dtype in ("bool", "int", "float", "complex") else "float"
    return Scalar(kind, Dependence.DATA if captured else Dependence.STATIC, t.origin)


def _host_list(f: Frame, t: Tensor) -> Value:
    number = _host_number(f, t)
    if t.rank == 0:
        return number
    if t.rank == 1:
        return Sequence("list", None, number)
    inner = number if t.rank is None else Sequence("list", None, number)
    return Sequence("list", None, inner)


def _converted(f: Frame, t: Tensor, name: str, args: Args, pos: int) -> Value:
    if name == "type" and all(map(is_none, args.all())):
        return Scalar("str")
    dtype, device = t.dtype, t.device
    for value in args.all():
        other = tensor_arm(value)
        if other is not None:
            dtype, device = other.dtype, other.device
        elif value is args.get(0) and plain_kind(value):
            dtype = plain_kind(value)  # `x.to(0.5)`: a number is taken for a tensor
        elif isinstance(value, External):
            dtype = dtype_class(value.name) or dtype
        elif isinstance(value, Instance) and value.name == "torch.dtype":
            dtype = ""
        elif (isinstance(value, Instance) and value.name == "torch.device") or (
            isinstance(value, Const) and isinstance(value.value, str)
        ):
            device = device_class(value)
        elif value is UNKNOWN or isinstance(value, (Union, BoundMethod)):
            dtype, device = "", ""  # several things, or a misunderstood `y.device`
    kind = OriginKind.TO_HOST if device == "cpu" != t.device else OriginKind.RESULT
    recording = f.context.config.records_cuda_graphs
    another = recording and f.function is not None and converted_behind_a_test(f.function.node, pos)
    origin = f.origin(".to", pos, None if another else t.origin, kind)
    return t.but(dtype=dtype, device=device, source=Source.COMPUTED, origin=origin)
