"""NumPy's functions: Dynamo traces them as tensors, so what one returns is an array."""

from __future__ import annotations

from compilelint.interp.frame import Args, Frame
from compilelint.interp.models.call_arguments import first_tensor
from compilelint.interp.models.operations import op_result
from compilelint.model import Confidence, Doubt
from compilelint.torchfacts import Fact
from compilelint.values import (
    BOTTOM,
    INT,
    UNKNOWN,
    Const,
    Dependence,
    OriginKind,
    Scalar,
    Sequence,
    Source,
    Tensor,
    Value,
    type_name,
)

# Where NumPy's generators take the size: as the `n`-th argument, or as all of them.
DRAWS = {
    **{f"numpy.random.{name}": 2 for name in ("uniform", "normal", "randint")},
    **{f"numpy.random.{name}": 0 for name in ("random", "random_sample", "ranf", "sample", "rand", "randn")},
}


def drawn(f: Frame, name: str, args: Args, pos: int) -> tuple[Fact | None, Value]:
    """An array of random numbers is traced; a single one is a Python number, so its value is needed."""
    sized = len(args.positional) > DRAWS[name] or "size" in args.keywords or args.star or args.double_star
    outcome = None if sized else f.interp.facts.callable("numpy.random.uniform")
    return outcome, _array(f, name[6:], args, pos)


_LIKE_TORCH = {
    "concatenate": "cat",
    "array": "tensor",
    "asarray": "tensor",
    "absolute": "abs",
    "power": "pow",
    "arange": "arange",
    "expand_dims": "unsqueeze",
}
_PLAIN = frozenset(
    {"dtype", "finfo", "iinfo", "set_printoptions", "savez", "load", "save", "issubdtype", "iterable", "isscalar"}
)


# Element by element. Measured on 2.13 and 2.15: of Python numbers, a float result is folded into the program
# (`int(np.ceil(n / 2))` traces) and an integer one is an array of no dimension (`int(np.ceil(n))` must read it).
_FLOATING = frozenset(
    """
    sqrt cbrt log log2 log10 log1p exp exp2 expm1 sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh hypot radians
    degrees deg2rad rad2deg divide true_divide reciprocal sinc
    """.split()
)
_ELEMENTWISE = _FLOATING | frozenset(
    """
    ceil floor round around rint trunc fix abs absolute fabs power float_power square sign negative positive add
    subtract multiply floor_divide mod fmod remainder minimum maximum fmin fmax clip
    """.split()
)


def result(f: Frame, name: str, args: Args, pos: int) -> Value:
    """What a function returns: an array, numbers included."""
    op = name.rpartition(".")[2]
    if op in _PLAIN or op[:1].isupper():
        return UNKNOWN
    if op in _ROWS:
        return Sequence("iterator", None, _ROWS[op])
    if name == f"numpy.{op}" and op in _ELEMENTWISE:
        return _elementwise(f, op, args, pos)
    if args.positional and not name.startswith("numpy.random.") and all(isinstance(v, Const) for v in args.all()):
        return (
            Scalar("float")
            if op not in ("array", "asarray", "zeros", "ones", "arange", "full", "empty", "eye")
            else _array(f, op, args, pos)
        )
    if op.startswith(("float", "int", "uint", "bool")):
        return UNKNOWN
    return _array(f, name[6:], args, pos)


# Iterators of NumPy: what one step gives.
_INDICES = Sequence("tuple", None, INT)
_ROWS = {"ndindex": _INDICES, "ndenumerate": Sequence("tuple", (_INDICES, UNKNOWN), BOTTOM)}


def _elementwise(f: Frame, op: str, args: Args, pos: int) -> Value:
    kinds = {"" if value.dependence is Dependence.DATA else type_name(value) for value in args.positional}
    if kinds <= {"int", "float", "bool"} and (op in _FLOATING or "float" in kinds):
        return Scalar("float")
    made = _array(f, op, args, pos)
    if isinstance(made, Tensor) and "" in kinds and not first_tensor(args):
        return made.but(confidence=Doubt.ARRAY_OF_NUMBERS.cap)  # of a number the result is folded
    return made


def _array(f: Frame, name: str, args: Args, pos: int) -> Value:
    op = name.rpartition(".")[2]
    name = f"numpy.{name}"
    made = op_result(f, _LIKE_TORCH.get(op, op), args, pos, None)
    if made is UNKNOWN:
        made = None
    made_here = name.startswith("numpy.random.") or first_tensor(args) is not None
    confidence = Confidence.CERTAIN if made_here else Doubt.ARRAY_OF_UNKNOWN.cap
    if isinstance(made, Tensor):
        return made.but(array=True, confidence=min(confidence, made.confidence), source=Source.COMPUTED)
    if made is not None:
        return made
    return Tensor(array=True, confidence=confidence, origin=f.origin(name, pos, kind=OriginKind.RESULT))
