"""The fact for one call that leaves the program, and the event it becomes."""

from __future__ import annotations

from dataclasses import replace

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.origin_steps import OUTLIVES, first
from compilelint.interp.core.registry import Shape
from compilelint.model import Confidence
from compilelint.torchfacts import ArgKind, Fact
from compilelint.values import UNKNOWN, Scalar, Sequence, Tensor, Value, resumed, tensor_arm


def finish(
    f: Frame, name: str, receiver: Value | None, args: Args, pos: int, outcome: Fact | None, result: Value
) -> Value:
    """Emit a library call and resume behind it if it ends the graph."""
    if f.modes.silent or f.state is None:
        return result
    if outcome is not None and f.context.config.logs(name):
        return result
    f.trace.leaves(name, pos)
    f.emit(events.Call(f.site(pos), outcome, name, receiver, tuple(args.positional), args.keywords, result))
    if outcome is not None and f.context.config.breaks(outcome):
        tensor = tensor_arm(receiver) if receiver is not None else None
        f.broken_by(outcome, Confidence.CERTAIN if tensor is None else tensor.confidence)
        after = resumed(result)
        read = next((one for one in (receiver, *args.all()) if isinstance(one, Tensor)), None)
        return after_break(f, name, _drawn_number(name, args, after), pos, read)
    if holds_tensor(result):
        f.trace.captures(pos)
    return result


def _drawn_number(name: str, args: Args, result: Value) -> Value:
    """The number that `numpy.random.beta(1.0, 1.0)` gives behind its break; `result` where an array is asked for.

    Measured on 2.13 and 2.15: `if n > 2`, `range(n)` and `int(n)` of such a number trace.
    """
    if not name.startswith("numpy.random.") or not isinstance(result, Tensor) or not result.array:
        return result
    asked = args.keywords.keys() & {"size", "shape"} or args.star or args.double_star
    arrays = any(isinstance(value, Sequence) or tensor_arm(value) is not None for value in args.all())
    draw = name.rpartition(".")[2]
    sized = args.positional if draw in _SIZES_ALONE else len(args.positional) > _OF_A_DISTRIBUTION
    if asked or arrays or sized:
        return result
    return Scalar("int" if draw in _WHOLE else "float")


_SIZES_ALONE = frozenset({"rand", "randn", "random", "random_sample", "ranf", "sample", "choice"})
_WHOLE = frozenset({"randint", "integers", "binomial", "poisson", "geometric"})
_OF_A_DISTRIBUTION = 2  # parameters, before the size


def holds_tensor(value: Value) -> bool:
    """Whether a call that gives this is an operation of the graph: a tensor, or several."""
    if isinstance(value, Sequence):
        return isinstance(value.element, Tensor) or any(isinstance(one, Tensor) for one in value.items or ())
    return isinstance(value, Tensor)


def after_break(f: Frame, name: str, result: Value, pos: int, read: Tensor | None = None) -> Value:
    """What a call that ended the graph hands to the next one, where CUDA graphs are recorded.

    A Python float that a call makes changes from run to run, and the next graph takes it as a tensor on the host. What
    is `read` of a tensor that outlives the call is the same number each time, which Dynamo keeps as a constant.
    """
    if not recording(f) or (read is not None and first(read.origin, *OUTLIVES) is not None):
        return result
    is_float = isinstance(result, Scalar) and result.kind == "float"
    if not is_float and not (result is UNKNOWN and name in _FLOATS):
        return result
    parent = result.origin if isinstance(result, Scalar) else None
    drawn = name in _FLOATS or name.startswith("numpy.random.")
    return Scalar("float", origin=f.origin(DRAWN_BETWEEN if drawn else BETWEEN_GRAPHS, pos, parent))


def recording(f: Frame) -> bool:
    """Whether CUDA graphs are recorded of what the frame runs."""
    return f.context.config.records_cuda_graphs


def between_graphs(result: Value, *operands: Value) -> Value:
    """`result` of arithmetic with plain numbers, which is a float drawn between two graphs where one of them is."""
    if isinstance(result, Scalar) and result.kind == "float" and result.origin is None:
        for one in operands:
            if isinstance(one, Scalar) and one.origin is not None and one.origin.what == DRAWN_BETWEEN:
                return replace(result, origin=one.origin)
    return result


BETWEEN_GRAPHS = "made between two graphs"
DRAWN_BETWEEN = "drawn between two graphs"
_FLOATS = frozenset(
    """
    time.time time.perf_counter time.monotonic time.process_time random.random random.uniform random.gauss
    random.normalvariate random.betavariate random.expovariate random.triangular random.lognormvariate
    """.split()
)


def judged(fact: Fact | None, args: Args, receiver: Value | None = None) -> Fact | None:
    """The fact for these arguments."""
    if fact is None or not fact.forms:
        return fact
    found = fact.for_call(Shape(args, receiver))
    if (
        found.mixed
        and not found.breaks
        and any(isinstance(v, Scalar) and v.kind == "bool" for v in args.keywords.values())
    ):
        return found.worst  # a flag that is given but not known, as in `requires_grad=self.training`: one mode breaks
    if found.mixed and not found.breaks and any(_harmless(fact, args, receiver, kind) for kind in _USUAL):
        return replace(found, mixed=False, alternative=None)
    return found


_USUAL = (ArgKind.INT, ArgKind.FLOAT_TENSOR, ArgKind.LIST, ArgKind.NONE)
"""What an argument of which nothing is known may well be."""


def _harmless(fact: Fact, args: Args, receiver: Value | None, kind: ArgKind) -> bool:
    """Whether a call is clean where what nothing is known of is of that kind: that it may be another is no evidence."""
    assumed = fact.for_call(_Assumed(args, receiver, kind))
    return not (assumed.mixed or assumed.breaks or assumed.breaks_fullgraph)


class _Assumed(Shape):
    """A call whose arguments without any evidence are taken for a kind; `*args` of unknown length add none."""

    def __init__(self, args: Args, receiver: Value | None, assumed: ArgKind) -> None:
        super().__init__(args, receiver)
        self._assumed = assumed

    @property
    def open_ended(self) -> bool:
        return False

    @property
    def receiver(self) -> ArgKind:
        return self._known(super().receiver, self.of)

    def kind(self, key: int | str) -> ArgKind | None:
        found = super().kind(key)
        if found is not ArgKind.UNKNOWN:
            return found
        return self._known(found, self.args.keywords[key] if isinstance(key, str) else self.args.positional[key])

    def _known(self, kind: ArgKind, value: Value | None) -> ArgKind:
        """The kind; one arm of several that is a tensor is evidence of it."""
        unknown = kind is ArgKind.UNKNOWN and (value is None or tensor_arm(value) is None)
        return self._assumed if unknown else kind


def is_skipped(f: Frame, name: str) -> bool:
    """Whether Dynamo skips a third-party function whose name says nothing more: compiled, or of a package it shuns."""
    return f.interp.facts.skips_package(name) or f.interp.program.is_compiled(name)
