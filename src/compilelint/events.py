"""What the interpreter and the survey emit: facts about places, without judgement. Checks turn them into findings.

Every event has a `site`. `outcome` is what TorchDynamo does there according to `torchfacts` for the root's
configuration and torch version, None where the facts are silent or say that it traces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from compilelint.model import CallSite, Confidence, Location
from compilelint.torchfacts import Capture, Fact
from compilelint.values import UNKNOWN, Value


@dataclass(frozen=True, slots=True)
class DynamoConfig:
    """The part of a root's Dynamo configuration that changes the answer; torch's defaults unless given otherwise."""

    fullgraph: bool = False
    export: bool = False
    captures: frozenset[Capture] = frozenset()
    dynamic: bool | None = None
    mode: str | None = None

    def breaks(self, outcome: Fact) -> bool:
        """Whether a graph ends there; under `fullgraph` and export, compilation stops there with an error."""
        return outcome.breaks_under(fullgraph=self.fullgraph or self.export, captures=self.captures)


DEFAULT = DynamoConfig()


class Where(Protocol):
    """A file that can turn a packed position into a location (`syntax.ir.Module`)."""

    @property
    def path(self) -> str: ...

    def location(self, pos: int) -> Location: ...


@dataclass(frozen=True, slots=True)
class Context:
    """The frame an event happens in: the function, how it was reached, and from which root.

    `caller` and `call_pos` lead back to the root. `linted` says that findings may lie in this file; `root` is the
    root's name and `root_kind` how it became one (`explicit`, `forward`, `autograd`, `unreached`, `all`, `glob`).
    `host_class` says that the root is a method of a class that is no module (a pipeline, a trainer): of all that
    nothing compiled reaches, the least likely to be compiled.
    """

    where: Where
    function: str
    linted: bool
    root: str
    root_kind: str
    caller: Context | None = None
    call_pos: int = 0
    config: DynamoConfig = DEFAULT
    host_class: bool = False

    def chain(self) -> tuple[CallSite, ...]:
        """The calls from the root down to this frame, outermost first."""
        steps: list[CallSite] = []
        here: Context | None = self
        while here is not None and here.caller is not None:
            steps.append(CallSite(here.caller.where.location(here.call_pos), here.caller.function))
            here = here.caller
        return tuple(reversed(steps))


@dataclass(frozen=True, slots=True)
class Choice:
    """Which of the callees that may stand at a call do what an event says: their names, and how many there are."""

    names: tuple[str, ...]
    of: int


@dataclass(frozen=True, slots=True)
class Site:
    """A place in a frame.

    `blocks` are the enclosing `for`, `while`, `try` and `with` statements of the frame, outermost first: a break in
    one of them skips the whole frame. `cap` is the most that may be claimed here, with the reason in `capped_by`.
    `after_skip` says that an earlier certain break already made Dynamo skip this frame. `inner` is the place inside
    a file that is not linted where it really happens; the site itself is then the call that leads there. `choice` names
    the callees, of several that may be called there, that do it.
    """

    context: Context
    pos: int
    blocks: tuple[str, ...] = ()
    cap: Confidence = Confidence.CERTAIN
    after_skip: bool = False
    inner: Site | None = None
    choice: Choice | None = None

    @property
    def location(self) -> Location:
        return self.context.where.location(self.pos)


@dataclass(frozen=True, slots=True)
class Event:
    """The common part."""

    site: Site
    outcome: Fact | None

    @property
    def breaks(self) -> bool:
        """Whether a graph ends here under the configuration of the root."""
        return self.outcome is not None and self.site.context.config.breaks(self.outcome)


@dataclass(frozen=True, slots=True)
class Branch(Event):
    """A truth test: a jump that Dynamo must decide while tracing.

    `keyword` is `if`, `elif`, `while`, `assert`, `and`, `or`, `not`, `if-expression`, `comparison` (a link of a
    chained compare) or `comprehension`.
    """

    keyword: str
    condition: Value


@dataclass(frozen=True, slots=True)
class Call(Event):
    """A call of a library function, method, class or builtin, under its canonical dotted name.

    Methods of tensors are `torch.Tensor.item`, with the tensor as `receiver`; `result` is what the call returns.
    """

    name: str
    receiver: Value | None
    args: tuple[Value, ...]
    keywords: Mapping[str, Value]
    result: Value


@dataclass(frozen=True, slots=True)
class Index(Event):
    """`value[index]`; `store` for an assignment or deletion. `how` is the syntax form that decides, if any."""

    value: Value
    index: Value
    store: bool
    how: str


@dataclass(frozen=True, slots=True)
class Attribute(Event):
    """An attribute of a tensor or library object is read or (`store`) written; `name` is canonical."""

    name: str
    receiver: Value
    store: bool
    value: Value | None = None


@dataclass(frozen=True, slots=True)
class Enter(Event):
    """A context manager is entered; `inside` says that it was made in the `with` line or at least in the region."""

    name: str
    manager: Value
    inside: bool


@dataclass(frozen=True, slots=True)
class Syntax(Event):
    """A language construct that Dynamo treats in its own way; `form` is a key of `torchfacts` syntax."""

    form: str
    operands: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Mutation(Event):
    """State that outlives the call is changed.

    `target` is `global`, `nonlocal`, `self`, `class`, `argument` or `default`; `name` what is changed; `how` is
    `assign`, `augmented`, `item`, `delete` or the name of the mutating method; `read_back` says that the region
    also reads it, so that a guard depends on it.
    """

    target: str
    name: str
    how: str
    value: Value = UNKNOWN
    owner: Any = None


@dataclass(frozen=True, slots=True)
class Placed(Event):
    """A tensor is used in a way whose cost hangs on its device or on how it lies in memory. No graph ends here.

    `how` names the pattern: `host-built`, `host-random`, `host-kept`, `to-host`, `async-host`, `round-trip`, `literal`,
    `mismatch`, `read-into-tensor`, `dtype-round-trip`, `module-moved`, `module-to-host` for devices and dtypes; `view`,
    `expanded`, `expanded-item`, `multi-view`, `contiguous`, `memory-format`, `out`, `out-empty` for layouts; `data` for
    writes through `.data`. `name` is the operation as written, `detail` what it meets, `sure` how well both are known.
    `peer` names a parameter that is another tensor there, for a `literal`; empty where there is none.
    """

    how: str
    name: str
    receiver: Value
    detail: str
    sure: Confidence
    peer: str = ""


@dataclass(frozen=True, slots=True)
class StateChange(Event):
    """State that outlives the call, guarded by Dynamo and changed by the very code that is compiled.

    `how` is `counts` (a number or text that follows from its old value), `settles` (a number that stops changing),
    `varies` (a float, or an int of an enclosing function: dynamic after the first change), `flips` (one constant
    becomes another), `appears` (None, or nothing at all, becomes a value), `retypes` (a number becomes a tensor, or a
    tensor a number), `gains-key`, `grows` (a container, in every call), `lengthens` (a tensor) or `advances` (an
    iterator). `where` is as in `interp.kept_state`; `name` is the state and `guard` the test that fails, as Dynamo
    spells them. `alone` says that nothing but the changing statement looks at it, `training` that only training
    changes it.
    """

    how: str
    where: str
    name: str
    guard: str
    sure: Confidence
    alone: bool = False
    training: bool = False


@dataclass(frozen=True, slots=True)
class InputGuard(Event):
    """A test or loop whose outcome the caller's inputs decide, so that other inputs compile again.

    `how` is `size` (a number that follows from sizes), `number`, `text` or `optional` (an argument), or `layer` (an
    attribute that holds the number of a layer, in code that all layers share); `guard` as Dynamo spells it.
    """

    how: str
    name: str
    guard: str


# --------------------------------------------------- emitted by the survey, from code outside compiled regions


@dataclass(frozen=True, slots=True)
class Setting(Event):
    """A switch of torch is set: `name` is canonical (`torch._dynamo.config.disable`, `os.environ.TORCHDYNAMO_DISABLE`).

    `value` is a constant where the source shows one.
    """

    name: str
    value: Value


@dataclass(frozen=True, slots=True)
class Compile(Event):
    """`torch.compile(...)`, `model.compile()`, or `torch._dynamo.reset()` where it undoes one in a repeated place.

    `use` is `discarded`, `per-call` (again and again for the same target), `fresh-backend` (the same, with a new
    backend object each time), `reset` (as `per-call`, for the reset), `library-in-place` (`compile()` of a bare library
    module), `scripted` or `traced` (the target comes from `torch.jit`), `flat-parameters` (the target is wrapped by
    FSDP with its parameters flattened), `blocks` (a whole model that loops over blocks of one class), or
    `recorded-sizes` (`dynamic=True` where CUDA graphs are recorded). `target` is what is compiled, as written; `where`
    says in words where it is repeated, or what the blocks are.
    """

    use: str
    target: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class CompileArgument(Event):
    """An argument of `torch.compile` that torch refuses or ignores.

    `how` is `mode-and-options`, `unknown-mode`, `nested-option`, `dynamic-text`, `backend-takes-none` (all refused) or
    `ignored`; `name` is the argument, or the word it holds where the word is wrong; `detail` what it meets.
    """

    how: str
    name: str
    detail: str
    sure: Confidence


@dataclass(frozen=True, slots=True)
class WrapperUse(Event):
    """What `torch.compile` returned is used as if it were the model itself, or in a way that compiles it again.

    `how` is `isinstance`, `state-dict`, `load-state-dict`, `saved`, `pickled-function`, `method`, `jit` or `traced` (by
    FX); `autocast` (called when the `autocast` around `torch.compile` is over); `changed`
    (the model is changed between two calls), `sizes` and `sizes-fixed` (called with tensors of several sizes, with
    `dynamic=None` and `False`) or `kept-output` (results of CUDA graphs are collected). `name` is the wrapper as
    written, `detail` the class, method, function or variable it meets. `made` is where it was compiled; `sure` says
    how well that is known.
    """

    how: str
    name: str
    detail: str
    made: Location
    sure: Confidence


@dataclass(frozen=True, slots=True)
class Operator(Event):
    """An operator that Python code registers, with all that the linted files say about it.

    `how` is `custom_op`, `triton_op` or `library`. `fake` and `autograd` are for registrations; `traceable` that its
    kernel runs on fake tensors (a composite key); `undeclared` are parameters that the body writes in place and the
    schema does not declare; `trained` that the same file runs a backward pass. `sure` is lowered where registrations
    may lie out of sight.
    """

    name: str
    how: str
    fake: bool
    autograd: bool
    traceable: bool
    undeclared: tuple[str, ...]
    trained: bool
    sure: Confidence


@dataclass(frozen=True, slots=True)
class OperatorUse(Event):
    """`torch.ops.NAMESPACE.NAME(...)`, where no linted file registers the namespace."""

    name: str
    sure: Confidence


@dataclass(frozen=True, slots=True)
class NativeCall(Event):
    """A function of a C++ extension (`how` is `extension`) or of a shared library (`ctypes`) is called.

    `name` is the call as written, `made` where the library is loaded.
    """

    how: str
    name: str
    made: Location
    sure: Confidence


@dataclass(frozen=True, slots=True)
class KernelLaunch(Event):
    """`kernel[grid](...)` of a Triton kernel; `inside` is the kind of function around it (`triton_op`, `custom_op`)."""

    name: str
    inside: str
    wrapped: bool


@dataclass(frozen=True, slots=True)
class Dropped(Event):
    """A change of state that Dynamo is measured not to repeat on every call.

    `how` is `reorder` (`OrderedDict.move_to_end`), `popitem`, `unfinished-generator`, `cached-state` or
    `cached-random`; `name` is what is changed or called, `detail` what gets lost. `sure` says how likely a region
    reaches the place.
    """

    how: str
    name: str
    detail: str
    sure: Confidence


@dataclass(frozen=True, slots=True)
class GradientRule(Event):
    """An `autograd.Function` that does not keep the contract between its forward and its backward.

    `how` is `gradient-count`, `saved-object`, `ctx-tensor`, `saved-written`, `gradient-written` or `instance-call`;
    `name` is the class or variable, `detail` what contradicts it.
    """

    how: str
    name: str
    detail: str
    sure: Confidence
