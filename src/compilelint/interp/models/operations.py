"""Results of tensor operations: `torch.X`, `torch.nn.functional.X`, `torch.linalg.X` and `Tensor.X` alike.

The table says what an operation makes of its first tensor. What is not listed and is known to `torchfacts` as
traced returns a tensor of which nothing more is known.
"""

from __future__ import annotations

from collections.abc import Callable

from compilelint.interp.binary_operators import promote
from compilelint.interp.frame import Args, Frame
from compilelint.interp.models.call_arguments import (
    axis_of,
    dtype_argument,
    first_tensor,
    has_unknown,
    is_true,
    keeps_dim,
    plain_kind,
)
from compilelint.interp.models.layouts import layout_after, permuted
from compilelint.interp.models.making import FACTORIES, LITERALS, NEW, made, table
from compilelint.interp.models.measured import corrected
from compilelint.interp.truth import dtype_class
from compilelint.model import Confidence
from compilelint.values import (
    BOTTOM,
    UNKNOWN,
    Const,
    External,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
    tensor_arm,
)

RULES = table(
    {
        "same": """abs absolute add add_ sub sub_ subtract mul mul_ multiply neg negative clone detach detach_
            clamp clamp_
            clip clip_ relu relu_ relu6 leaky_relu gelu silu mish elu selu celu hardswish hardtanh softplus
            sign sgn square
            cumsum cumprod roll flip fliplr flipud tril triu tril_ triu_ dropout alpha_dropout feature_dropout
            masked_fill
            masked_fill_ scatter scatter_ scatter_add scatter_add_ index_fill index_fill_ index_add index_add_
            index_copy
            index_copy_ fill_ zero_ zeros_like ones_like empty_like full_like rand_like randn_like remainder fmod
            floor ceil round trunc maximum minimum fmax fmin contiguous to_dense requires_grad_ copy_ sort_ normalize
            layer_norm group_norm batch_norm instance_norm rms_norm local_response_norm bernoulli exponential_ normal_
            uniform_ random_ masked_scatter masked_scatter_ index_put index_put_ put_ lerp lerp_ addcmul addcdiv
            nan_to_num rot90 renorm threshold glu logsigmoid tanhshrink softshrink hardshrink hardsigmoid prelu rrelu
            cummax_values pin_memory share_memory_ retain_grad alias positive conj resolve_conj resolve_neg dropout1d
            dropout2d dropout3d bitwise_and bitwise_or bitwise_xor bitwise_not bitwise_left_shift bitwise_right_shift
            cuda cpu xpu mps expm1_ mul_add floor_divide floor_divide_ relu_ neg_ abs_ nan_to_num_ type_as_same""",
        "float": """div div_ divide true_divide exp exp_ log log2 log10 log1p sqrt sqrt_ rsqrt sin cos tan
            asin acos atan
            sinh cosh tanh tanh_ sigmoid sigmoid_ softmax log_softmax softmin gumbel_softmax erf erfc erfinv
            expm1 reciprocal
            logit digamma lgamma polygamma pow_float hann_window half float double bfloat16 sinc i0 exp2 atan2
            deg2rad rad2deg""",
        "bool": """eq ne lt le gt ge eq_ ne_ isnan isinf isfinite isposinf isneginf isclose logical_and logical_or
            logical_not logical_xor logical_and_ logical_or_ logical_not_ logical_xor_ isin signbit bool greater less
            greater_equal less_equal not_equal isreal""",
        "int": "int long short char byte argsort bucketize searchsorted int_ floor_int",
        "reduce": "sum nansum amax amin prod logsumexp median_ max_ min_ nanmedian_ quantile nanquantile",
        "reduce-float": "mean nanmean std var norm vector_norm cosine_similarity dist",
        "reduce-bool": "any all",
        "reduce-int": "argmax argmin count_nonzero",
        "maximum": "max min median nanmedian mode kthvalue cummax cummin",
        "pair": "topk sort std_mean var_mean aminmax slogdet qr eigh eig frexp lu_factor",
        "many": """split chunk unbind unsafe_split unsafe_chunk tensor_split hsplit vsplit dsplit split_with_sizes
            meshgrid broadcast_tensors svd gradient unravel_index align_tensors atleast_1d_many""",
        "strided": """transpose transpose_ permute swapaxes swapdims movedim moveaxis t t_ adjoint mT mH T H narrow
            as_strided""",
        "view": "view view_as reshape reshape_as flatten ravel unflatten expand expand_as unfold view_copy",
        "more": "unsqueeze unsqueeze_",
        "fewer": "squeeze squeeze_ select diagonal diag_embed",
        "any": """matmul bmm mm mv addmm baddbmm einsum tensordot linear conv1d conv2d conv3d conv_transpose1d
            conv_transpose2d conv_transpose3d bilinear embedding embedding_bag pad interpolate grid_sample affine_grid
            adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d avg_pool1d avg_pool2d avg_pool3d max_pool1d
            max_pool2d max_pool3d adaptive_max_pool1d adaptive_max_pool2d fold pixel_shuffle pixel_unshuffle
            scaled_dot_product_attention outer ger inner dot kron cross cdist stack cat concat concatenate
            hstack vstack dstack column_stack gather
            index_select take take_along_dim where repeat repeat_interleave tile masked_select nonzero argwhere
            unique unique_consecutive one_hot bincount histc diff triu_indices tril_indices combinations
            cartesian_prod block_diag pow pow_ float_power lstsq solve inv pinverse cholesky fft ifft rfft
            irfft stft istft
            view_as_complex view_as_real polar real imag angle multinomial upsample""",
        "loss": """cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy
            binary_cross_entropy_with_logits kl_div ctc_loss cosine_embedding_loss margin_ranking_loss
            triplet_margin_loss
            hinge_embedding_loss poisson_nll_loss gaussian_nll_loss multi_margin_loss soft_margin_loss
            multilabel_margin_loss multilabel_soft_margin_loss""",
    }
)


def op_result(f: Frame, op: str, args: Args, pos: int, receiver: Tensor | None, name: str = "") -> Value | None:
    """The result of operation `op` (bare name), None if nothing is known of it.

    `receiver` is the tensor of a method call; for a function it is the first tensor among the arguments. `name` is the
    dotted name that torch's results are measured under, empty for what merely resembles an operation of torch.
    """
    believed = _believed(f, op, args, pos, receiver)
    if not name:
        return believed
    placed = RULES.get(op) in ("strided", "view") or op == "contiguous"
    return corrected(name, args, receiver, believed, lambda: _unmodelled(f, op, args, pos, receiver), placed=placed)


def _unmodelled(f: Frame, op: str, args: Args, pos: int, receiver: Tensor | None) -> Tensor:
    """A tensor of which only what was measured is known."""
    first = receiver or first_tensor(args) or Tensor()
    origin = f.origin(op if receiver is None else f".{op}", pos, first.origin, OriginKind.RESULT)
    confidence = first.confidence if receiver is not None else Confidence.CERTAIN
    return Tensor(device=_common_device(first, args), confidence=confidence, origin=origin, array=first.array)


def _believed(f: Frame, op: str, args: Args, pos: int, receiver: Tensor | None) -> Value | None:
    if op in FACTORIES or op in LITERALS:
        return made(f, op, args, pos)
    if receiver is not None and op in NEW:
        return made(f, op, args, pos).but(dtype=dtype_argument(args) or receiver.dtype, device=receiver.device)
    if receiver is not None and op == "new_tensor":
        return made(f, "tensor", args, pos).but(device=receiver.device)
    rule = RULES.get(op)
    if rule is None:
        return None
    first = receiver if receiver is not None else first_tensor(args)
    if first is None:
        if rule in ("maximum", "reduce", "reduce-bool") and not has_unknown(args):
            return UNKNOWN
        first = Tensor()
    at = 0 if receiver is not None else 1
    # A function by its bare name: `torch.nn.functional.pad` is no `torch.pad`, and both come here as `pad`.
    origin = f.origin(op if receiver is None else f".{op}", pos, first.origin, OriginKind.RESULT)
    # A function of torch returns tensors whatever we think of its argument; a method is only as sure as its receiver.
    confidence = first.confidence if receiver is not None else Confidence.CERTAIN
    base = first.but(
        source=Source.COMPUTED,
        origin=origin,
        layout=layout_after(rule, first.layout),
        device=_common_device(first, args),
        confidence=confidence,
    )
    return _APPLY[rule](f, op, base, args, at)


def _common_device(first: Tensor, args: Args) -> str:
    """The device of the result: that of the first tensor, unless another one is known to differ or not known."""
    if first.device:
        for value in args.positional:
            other = tensor_arm(value)
            if other is not None and other.device != first.device:
                return ""
    return first.device


def _reduced(t: Tensor, args: Args, at: int) -> Tensor:
    axis = axis_of(args, at)
    if axis is None:
        return t.but(rank=0)
    if t.rank is None or keeps_dim(args, at + 1):
        return t if t.rank is not None else t.but(rank=None)
    count = len(axis.items) if isinstance(axis, Sequence) and axis.items is not None else 1
    if isinstance(axis, Sequence) and axis.items is None:
        return t.but(rank=None)
    return t.but(rank=max(t.rank - count, 0))


def _same(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    if op == "contiguous":
        return t.but(layout="" if "memory_format" in args.keywords else "contiguous")
    if op in _DEVICES:
        return t.but(device="cuda" if op == "cuda" else op)
    if op.endswith("_like"):
        return t.but(dtype=dtype_argument(args) or t.dtype, source=Source.COMPUTED)
    if op in ("cumsum", "cumprod") and t.dtype == "bool":
        return t.but(dtype="int")
    if op in _BINARY_OPS:
        other = args.get(at, "other")
        second = tensor_arm(other) if other is not None else None
        if second is not None:
            rank = max(t.rank, second.rank) if t.rank is not None and second.rank is not None else None
            return t.but(dtype=promote(t.dtype, second.dtype), rank=rank)
    return t


_BINARY_OPS = frozenset(
    """
    add sub subtract mul multiply maximum minimum fmax fmin remainder fmod floor_divide bitwise_and bitwise_or
    bitwise_xor
    """.split()
)
_DEVICES = frozenset({"cuda", "cpu", "xpu", "mps"})


def _float(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    return t.but(dtype="complex" if t.dtype == "complex" else "float")


def _bool(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    other = tensor_arm(args.get(at, "other") or UNKNOWN)
    if other is not None and t.rank is not None:
        return t.but(dtype="bool", rank=max(t.rank, other.rank) if other.rank is not None else None)
    return t.but(dtype="bool")


def _maximum(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    """`max(x)` is 0-d, `max(x, dim)` a pair, `max(x, other)` elementwise."""
    other = args.get(at, "dim")
    second = None if other is None or "dim" in args.keywords else tensor_arm(other)
    if second is not None and second.rank == 0 and second.dtype == "int":
        return UNKNOWN  # a dimension, if torch takes it for one
    if second is not None:
        rank = max(t.rank, second.rank) if t.rank is not None and second.rank is not None else None
        return t.but(dtype=promote(t.dtype, second.dtype), rank=rank, layout="")
    if other is None and op in ("max", "min", "median", "nanmedian"):
        return t.but(rank=0)
    if other is None and "other" in args.keywords:
        return t
    values = t if op in ("cummax", "cummin") else _reduced(t, args, at if op != "kthvalue" else at + 1)
    return Sequence("tuple", (values, values.but(dtype="int")), BOTTOM)


def _pair(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    second = t.but(dtype="int") if op in ("topk", "sort") else t
    return Sequence("tuple", (t, second), BOTTOM)


def _many(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    if op == "unbind":
        t = t.but(rank=None if t.rank is None else max(t.rank - 1, 0))
    elif op in ("meshgrid", "broadcast_tensors"):
        t = t.but(rank=None)
    return Sequence("tuple", None, t.but(layout="strided" if op != "unbind" else ""))


def _strided(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    if op == "as_strided":
        return t.but(layout="strided", rank=None)
    return t.but(layout=permuted(op, t, args, at))


def _view(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    rank: int | None = None
    if op in ("view", "reshape", "expand") and args.star is None:
        sizes = args.positional[at:]
        if len(sizes) == 1 and isinstance(sizes[0], Sequence):
            rank = len(sizes[0].items) if sizes[0].items is not None else None
        elif len(sizes) == 1 and isinstance(sizes[0], External):
            return t.but(dtype=dtype_class(sizes[0].name))  # view(dtype)
        elif sizes and all(isinstance(s, (Const, Scalar, Tensor)) for s in sizes):
            rank = len(sizes)
    elif op in ("flatten", "ravel") and len(args.positional) == at:
        rank = 1 if not args.keywords else None
    if op.startswith("expand"):
        return t.but(rank=rank, layout="expanded")
    kept = op in ("view", "reshape", "flatten") and t.layout in ("contiguous", "")
    return t.but(rank=rank, layout="contiguous" if (kept and op != "view") or t.layout == "contiguous" else "")


def _more(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    return t.but(rank=None if t.rank is None else t.rank + 1)


def _fewer(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    if op == "select" and t.rank:
        return t.but(rank=t.rank - 1, layout="strided")
    return t.but(rank=None)


def _any(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    if op == "nonzero" and is_true(args.keywords.get("as_tuple")):
        return Sequence("tuple", None, t.but(dtype="int", rank=1))
    if op == "where":
        return _where(t, args, at)
    if op in ("unique", "unique_consecutive"):
        flags = [args.keywords.get(k) for k in ("return_inverse", "return_counts")]
        one = t.but(rank=None if "dim" in args.keywords else 1)
        if any(is_true(v) for v in flags):
            return Sequence("tuple", (one, *[one.but(dtype="int") for v in flags if is_true(v)]), BOTTOM)
        return one
    if op in ("nonzero", "argwhere", "one_hot", "bincount", "multinomial", "triu_indices", "tril_indices"):
        return t.but(dtype="int", rank=2 if op in ("nonzero", "argwhere") else 1 if op == "bincount" else None)
    if op == "masked_select":
        return t.but(rank=1)
    if op in ("dot", "inner"):
        return t.but(rank=0 if op == "dot" else None)
    if op in ("pow", "pow_"):
        return t.but(dtype="float" if t.dtype == "float" else "")
    if op in ("embedding", "embedding_bag", "float_power") or op.startswith(("conv", "avg_", "adaptive_")):
        return t.but(dtype="float", rank=None)
    if op in ("gather", "index_select", "take_along_dim"):
        return t
    if op in ("cat", "concat", "concatenate", "pad"):
        return t.but(rank=t.rank if op == "pad" else None)
    if op in ("matmul", "bmm", "mm", "linear", "interpolate", "fold", "repeat", "tile", "repeat_interleave", "stack"):
        return t.but(rank=None)
    return t.but(rank=None, dtype="" if op in ("real", "imag", "polar", "angle", "view_as_real") else t.dtype)


def _where(t: Tensor, args: Args, at: int) -> Value:
    if len(args.positional) + len(args.keywords) <= 1 and at:
        return Sequence("tuple", None, t.but(dtype="int", rank=1))
    arms = [tensor_arm(v) for v in (args.positional[1:3] if at else args.positional[1:2])]
    known = [a for a in arms if a is not None]
    dtype = known[0].dtype if known else ""
    if not known and at:
        plain = {plain_kind(v) for v in args.positional[1:3]}
        dtype = plain.pop() if len(plain) == 1 else ""
    if at == 0:
        dtype = t.dtype
    ranks = {a.rank for a in (*known, t)}
    return t.but(dtype=dtype, rank=ranks.pop() if len(ranks) == 1 else None, layout="contiguous")


def _loss(f: Frame, op: str, t: Tensor, args: Args, at: int) -> Value:
    reduction = args.keywords.get("reduction")
    plain = reduction is None or (isinstance(reduction, Const) and reduction.value in ("mean", "sum"))
    return t.but(dtype="float", rank=0 if plain else None)


_APPLY: dict[str, Callable[[Frame, str, Tensor, Args, int], Value]] = {
    "same": _same,
    "float": _float,
    "bool": _bool,
    "int": lambda f, op, t, args, at: t.but(dtype="int"),
    "reduce": lambda f, op, t, args, at: _reduced(t.but(dtype="int") if t.dtype == "bool" else t, args, at),
    "reduce-float": lambda f, op, t, args, at: _reduced(t.but(dtype="float"), args, at),
    "reduce-bool": lambda f, op, t, args, at: _reduced(t.but(dtype="bool"), args, at),
    "reduce-int": lambda f, op, t, args, at: _reduced(t.but(dtype="int"), args, at),
    "maximum": _maximum,
    "pair": _pair,
    "many": _many,
    "strided": _strided,
    "view": _view,
    "more": _more,
    "fewer": _fewer,
    "any": _any,
    "loss": _loss,
}
