"""Memory of CUDA graphs: who owns what a recorded call gave, and when a later run writes over it.

The rules are those of torch's trees of graphs, checked against scripts run on an H200 (torch 2.11). All recorded calls
share one pool. A call begins a new generation unless a backward pass is still to come, and what earlier generations
gave is then written over: results, their views, and gradients that a backward pass left in the pool. Where the program
marks its steps itself, only a mark begins a generation. What eager code computes from a result is its own memory.
Does not belong here: what keeps a graph from being recorded at all.
"""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from compilelint.host.values import UNKNOWN, Compilation, Env, Result, Sym, Tensor, Value

Lost: TypeAlias = Literal["kept", "fed", "gradient"]

ALIASES = frozenset(
    """
    detach data view reshape flatten t transpose swapaxes permute movedim squeeze unsqueeze expand contiguous
    requires_grad_ detach_ narrow select to type float half double bfloat16 cuda chunk split unbind view_as
    expand_as unflatten diagonal
    """.split()
)
"""Operations whose result may share the memory of what they are given."""
_MOST_DEEP = 4
ANY = 0
"""Stands for the parameters of a call where they are not known."""


class Output:
    """What one recorded call gave: by which call, in which generation."""

    __slots__ = ("compilation", "env", "generation", "pos", "unsure")

    def __init__(self, compilation: Compilation, generation: int, env: Env, pos: int, unsure: bool = False) -> None:
        self.compilation, self.generation, self.env, self.pos = compilation, generation, env, pos
        self.unsure = unsure  # only on some path

    def doubted(self) -> Output:
        """The same where it is not known that the call gave a tensor of the graph."""
        return Output(self.compilation, self.generation, self.env, self.pos, unsure=True)


class Pool:
    """The memory that all recorded graphs of a run share."""

    def __init__(self) -> None:
        self.generation = 0
        self.pending = False  # a backward pass through a recorded call is still to come
        self.marked = False  # the program marks its steps itself
        self.gradients: dict[int, Output] = {}  # by parameter, `ANY` where not known: whose memory they have
        self.awaited: dict[int, Output] = {}  # by parameter: the calls of which the next backward pass is
        self.own_gradients = False  # gradients were given memory of their own
        self.last: Output | None = None  # the last recorded call with gradients

    def begin(self) -> None:
        """A recorded call begins: what earlier generations gave is written over."""
        if not self.marked and not self.pending:
            self.generation += 1

    def mark(self) -> None:
        """`torch.compiler.cudagraph_mark_step_begin()`."""
        self.marked, self.pending = True, False
        self.generation += 1

    def give(self, value: Value, given: list[Value], made: Output, gradients: bool, weights: list[Tensor]) -> Value:
        """What the call gave, of which the graph owns what it computed itself; `weights` may get gradients of it."""
        inputs = {id(one) for one in tensors_in(given)}
        for one in tensors_in([value]):
            if id(one) in inputs or one.param:
                continue
            one.graph = made if not isinstance(one, Result) else made.doubted()
            if gradients and one.grad is not False:
                self.pending = True
                self.last = one.graph
                self.awaited.update(dict.fromkeys([id(w) for w in weights if w.grad is not False] or [ANY], one.graph))
        return value

    def arrive(self, item: Value) -> None:
        """A generator is run to its end at once, but gives an item only when it is asked: it is of the newest run."""
        owned = [one for one in tensors_in([item]) if one.graph is not None]
        if owned and not self.marked and not self.pending:
            self.generation += 1
        for one in owned:
            old = one.graph
            one.graph = Output(old.compilation, self.generation, old.env, old.pos, old.unsure)

    def is_lost(self, tensor: Tensor) -> bool:
        """Whether a later run has written over a tensor."""
        return tensor.graph is not None and tensor.graph.generation < self.generation

    def accumulated(self) -> Output | None:
        """The lost gradients that a backward pass adds to, if it does; the pass leaves its own in the pool."""
        awaited, self.awaited, self.pending = self.awaited, {}, False
        if self.own_gradients:
            return None
        older = [self.gradients[one] for one in awaited if one in self.gradients]
        self.gradients = {**awaited, **self.gradients}
        return next((one for one in older if one.generation < self.generation), None)

    def clear_gradients(self, weights: list[Tensor] | None = None) -> None:
        """`zero_grad()`: what held gradients holds none; all, where it is not known which."""
        gone = {ANY, *(id(one) for one in weights or ())}
        self.gradients = {} if weights is None else {k: v for k, v in self.gradients.items() if k not in gone}


def on_some_path(values: list[Value]) -> Tensor | None:
    """One of several values, of which some are results of recorded calls: it may be the oldest of those."""
    owned = [one.graph for one in values if isinstance(one, Tensor) and one.graph is not None]
    if not owned:
        return None
    made, old = Tensor(None, "", None, ""), min(owned, key=lambda one: one.generation)
    made.graph = Output(old.compilation, old.generation, old.env, old.pos, unsure=True)
    return made


def followed(value: Value, grad: bool | None, given: dict[str, Value], depth: int = 0) -> Value:
    """What a compiled call gave, where what is not known of it is taken for results of the graph."""
    if value is UNKNOWN:
        return Result(grad, given)
    if depth < _MOST_DEEP and type(value) in (list, tuple):
        return type(value)([followed(one, grad, given, depth + 1) for one in value])
    if depth < _MOST_DEEP and isinstance(value, dict):
        return {key: followed(one, grad, given, depth + 1) for key, one in value.items()}
    return value


def sizes_of(given: list[Value]) -> object:
    """The sizes of what a call is given; one that equals no other where any is not known."""
    shapes = [one.shape for one in tensors_in(given)]
    known = bool(shapes) and all(shape is not None and all(type(d) is int for d in shape) for shape in shapes)
    return tuple(shapes) if known else object()


def tensors_in(values: list[Value], depth: int = 0) -> list[Tensor]:
    """The tensors among values, and in lists, tuples and dictionaries of them."""
    found: list[Tensor] = []
    for one in values:
        if isinstance(one, Tensor):
            found.append(one)
        elif depth < _MOST_DEEP and isinstance(one, (list, tuple)) and not isinstance(one, Sym):
            found += tensors_in(list(one), depth + 1)
        elif depth < _MOST_DEEP and isinstance(one, dict):
            found += tensors_in(list(one.values()), depth + 1)
    return found


def records(mode: Value, options: Value) -> bool:
    """Whether a compile call asks for CUDA graphs."""
    if isinstance(options, dict) and options.get("triton.cudagraphs") is True:
        return True
    return mode in ("reduce-overhead", "max-autotune")


def shared(tensor: Tensor, name: str, result: Any) -> Any:
    """The result of a tensor's method, which may share its memory."""
    if tensor.graph is not None and name in ALIASES:
        for one in tensors_in([result]):
            if one.dtype == tensor.dtype or not tensor.dtype:
                one.graph = tensor.graph
    return result
