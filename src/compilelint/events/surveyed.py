"""What the survey emits: facts about code outside compiled regions."""

from __future__ import annotations

from typing import Literal, TypeAlias

from compilelint.events.event import Event
from compilelint.model import Confidence, Location, Related
from compilelint.model.slotted import dataclass
from compilelint.values import Value

CompileUse: TypeAlias = Literal[
    "library-in-place",
    "scripted",
    "traced",
    "flat-parameters",
    "blocks",
    "generation",
    "again",
    "again-in-place",
    "inside",
    "served",
]
"""What is done to what `torch.compile` is given, or with what it returns."""

WrapperHow: TypeAlias = Literal[
    "isinstance",
    "identity",
    "state-dict",
    "load-state-dict",
    "saved",
    "pickled-function",
    "method",
    "jit",
    "traced",
    "autocast",
    "changed",
    "sizes",
    "sizes-fixed",
    "kept-output",
    "late-hook",
    "truth",
    "special",
    "signature",
    "keys",
    "children",
    "unused",
    "double-backward",
    "freed",
    "function-member",
    "scheduler",
    "mark-inside",
    "mark-constant",
    "timed",
    "overwritten",
    "thread",
    "pending",
]
"""How the result of `torch.compile` is used."""

OperatorHow: TypeAlias = Literal["custom_op", "triton_op", "library"]
"""How an operator is registered."""

AroundHow: TypeAlias = Literal["read", "uneven", "rate", "float32"]
"""What the code around a compiled call does in each step, or in one that differs."""

NativeHow: TypeAlias = Literal["extension", "ctypes"]
"""What loads native code."""

DroppedHow: TypeAlias = Literal[
    "reorder", "popitem", "unfinished-generator", "cached-state", "cached-random", "optimizer-attribute"
]
"""What change of state is not repeated."""


@dataclass(frozen=True, slots=True)
class Setting(Event):
    """A switch of torch is set: `name` is canonical (`torch._dynamo.config.disable`, `os.environ.TORCHDYNAMO_DISABLE`).

    `value` is a constant where the source shows one. `read` is where torch has already read the variable, which then
    changes nothing any more. `trial` says that the file is a test or a benchmark, which sets switches on purpose,
    `passing` that the switch is thrown back at the end of a block or function, and `each_size` that the same file
    compiles attention kernels that are made for one size, `guarded` that it stands behind a test or a `try`.
    `functions` are the canonical names of those that a setting is given.
    """

    name: str
    value: Value
    read: Location | None = None
    trial: bool = False
    passing: bool = False
    each_size: bool = False
    guarded: bool = False
    functions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Compile(Event):
    """`torch.compile(...)` or `model.compile()`.

    `use` is `library-in-place` (`compile()` of a bare library module), `scripted` or `traced` (the target comes from
    `torch.jit`), `flat-parameters` (the target is wrapped by FSDP with its parameters flattened), `blocks` (a whole
    model that loops over blocks of one class), `generation` (the loop that generates, rather than its step), `again`
    and `again-in-place` (what is compiled already, by a wrapper or in place), `inside` (a compiled region calls what is
    compiled), or `served` (nothing but the handlers of a server calls it). `target` is what is compiled, as written;
    `where` says in words what the blocks are, which handler calls it, or what the inner call asks for; `other` is the
    place of that handler, or of the compile call before.
    """

    use: CompileUse
    target: str
    where: str = ""
    other: Location | None = None

    @property
    def what(self) -> str:
        """What is compiled, in words: as written, where it has a name."""
        return f"`{self.target}`" if self.target else "the model"


@dataclass(frozen=True, slots=True)
class WrapperUse(Event):
    """What `torch.compile` returned is used as if it were the model itself, or in a way that compiles it again.

    `how` is `isinstance`, `identity` (it is compared with the model inside), `state-dict`, `load-state-dict`, `saved`,
    `pickled-function`, `method`, `jit` or `traced` (by FX), `truth` (its truth value is asked), `signature` (of its
    class's `forward`), `keys` (a name is looked for without the prefix `_orig_mod.`), `unused` (nothing calls it),
    `double-backward` (what it gave is differentiated twice), `scheduler` (a compiled `optimizer.step` is given to a
    schedule), `mark-inside` and `mark-constant` (a dimension is marked inside, or one that meets a constant size),
    `timed` (the first call is measured), `overwritten` (a later run has written over what a recorded call gave: `name`
    says whether it was `kept`, is `fed` to that run, or is a `gradient` that a backward pass adds to; `given` is the
    call that gave it), `thread` (a recorded call is first made in a worker thread), `pending` (no backward pass follows
    recorded calls with gradients); `autocast` (called when the `autocast` around `torch.compile` is over); `changed`
    (the model is changed between two calls), `sizes` and `sizes-fixed` (called with tensors of several sizes, with
    `dynamic=None` and `False`), `kept-output` (results of CUDA graphs are collected) or `late-hook` (a layer of the
    model gets a hook after the model has been called). `name` is the wrapper as written, `detail` the class, method,
    function or variable it meets. `made` is where it was compiled; `sure` says how well that is known. Of sizes,
    `dimensions` are those of `tensor` that vary (none where they are not known), and `count` is how many there are
    (None where it is not known).
    """

    how: WrapperHow
    name: str
    detail: str
    made: Location
    sure: Confidence
    dimensions: tuple[int, ...] = ()
    tensor: str = ""
    count: int | None = None
    given: Location | None = None

    @property
    def compiled_here(self) -> Related:
        """The compile call, beside the use."""
        return Related(self.made, "compiled here")


@dataclass(frozen=True, slots=True)
class Around(Event):
    """The code around a compiled call does what each step pays for, or what one step pays for dearly.

    `how` is `read` (the host reads what the call computed, in each iteration of a loop), `uneven` (a loop goes over a
    `DataLoader` whose last batch may be smaller), `rate` (a compiled optimizer step has a learning rate that is a
    number, and a schedule changes it) or `float32` (a model of matrix products trains without another precision).
    `name` is the wrapper as written, `detail` the read, the loader, the optimizer or the model's class; `others` are
    further reads of the same loop, `made` is where it was compiled.
    """

    how: AroundHow
    name: str
    detail: str
    made: Location
    others: tuple[Location, ...]
    sure: Confidence

    @property
    def compiled_here(self) -> Related:
        """The compile call, beside what is done around its result."""
        return Related(self.made, "compiled here")


@dataclass(frozen=True, slots=True)
class Operator(Event):
    """An operator that Python code registers, with all that the linted files say about it.

    `how` is `custom_op`, `triton_op` or `library`. `fake` and `autograd` are for registrations; `traceable` that its
    kernel runs on fake tensors (a composite key); `undeclared` are parameters that the body writes in place and the
    schema does not declare; `trained` that the same file runs a backward pass. `sure` is lowered where registrations
    may lie out of sight.
    """

    name: str
    how: OperatorHow
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

    how: NativeHow
    name: str
    made: Location
    sure: Confidence


@dataclass(frozen=True, slots=True)
class Dropped(Event):
    """A change of state that Dynamo is measured not to repeat on every call.

    `how` is `reorder` (`OrderedDict.move_to_end`), `popitem`, `unfinished-generator`, `cached-state`,
    `cached-random` or `optimizer-attribute`; `name` is what is changed or called, `detail` what gets lost. `sure` says
    how likely a region reaches the place.
    """

    how: DroppedHow
    name: str
    detail: str
    sure: Confidence
