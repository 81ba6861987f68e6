"""NumPy's functions: Dynamo traces them as tensors, so what one returns is an array."""

from __future__ import annotations

from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.kinds.call_arguments import first_tensor
from compilelint.interp.kinds.operations import op_result
from compilelint.model import Confidence, Doubt, weakest
from compilelint.torchfacts import Fact
from compilelint.torchfacts.result_rules import Argument, Arguments
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


_PLAIN = frozenset(
    {"dtype", "finfo", "iinfo", "set_printoptions", "savez", "load", "save", "issubdtype", "iterable", "isscalar"}
)


def result(f: Frame, name: str, args: Args, pos: int) -> Value:
    """What a function returns: an array, numbers included.

    Measured on 2.13 and 2.15: of Python numbers, a float result is folded into the program (`int(np.ceil(n / 2))`
    traces) and an integer one is an array of no dimension (`int(np.ceil(n))` must read it).
    """
    op = name.rpartition(".")[2]
    if op in _PLAIN or op[:1].isupper():
        return UNKNOWN
    if op in _ROWS:
        return Sequence("iterator", None, _ROWS[op])
    if op.startswith(("float", "int", "uint", "bool")) and op not in ("float_power", "interp", "intersect1d"):
        return UNKNOWN
    made = _array(f, name[6:], args, pos)
    kinds = {"" if value.dependence >= Dependence.DATA else type_name(value) for value in args.positional}
    numbers = kinds and kinds <= {"int", "float", "bool"} and not name.startswith("numpy.random.")
    if not isinstance(made, Tensor):
        return made
    if numbers and made.rank == 0 and (made.dtype == "float" or all(isinstance(value, Const) for value in args.all())):
        return Scalar("float")
    listed = any(isinstance(value, Sequence) for value in args.positional)
    if "" in kinds and not listed and not first_tensor(args) and _works_on_numbers(f, name):
        return made.but(confidence=Doubt.ARRAY_OF_NUMBERS.cap)  # of a number the result is folded
    return made


def _works_on_numbers(f: Frame, name: str) -> bool:
    """Whether a function was measured to work element by element, so that of a number it returns one."""
    if name.rpartition(".")[2] in _KEEP:
        return False
    for given, rank in ((Argument("float"), 0), (Argument("tensor", "float", 2), 2)):
        call = Arguments([given], {})
        rule = f.interp.facts.result(name, call)
        found = None if rule is None else rule.results(call)
        if not found or found[0].rank != rank:
            return False
    return True


# Of a number they make an array that holds it, which is not folded.
_KEEP = ("array", "asarray", "ascontiguousarray", "copy")


# Iterators of NumPy: what one step gives.
_INDICES = Sequence("tuple", None, INT)
_ROWS = {"ndindex": _INDICES, "ndenumerate": Sequence("tuple", (_INDICES, UNKNOWN), BOTTOM)}


def _array(f: Frame, name: str, args: Args, pos: int) -> Value:
    op = name.rpartition(".")[2]
    name = f"numpy.{name}"
    made = op_result(f, "tensor" if op == "array" else op, args, pos, None, name)
    if made is UNKNOWN:
        made = None
    made_here = name.startswith("numpy.random.") or first_tensor(args) is not None
    confidence = Confidence.CERTAIN if made_here else Doubt.ARRAY_OF_UNKNOWN.cap
    if isinstance(made, Tensor):
        return made.but(array=True, confidence=weakest(confidence, made.confidence), source=Source.COMPUTED)
    if made is not None:
        return made
    return Tensor(array=True, confidence=confidence, origin=f.origin(name, pos, kind=OriginKind.RESULT))
