"""What every room of the interpreter may ask of the engine that runs it: operations on values, tables, budgets.

The engine stands above all rooms, and its protocol below them, so that a room calls what lies above it without an
import of it: an attribute is looked up in `kinds`, a call is followed in `calls`. `FrameT` is the frame, which knows
this protocol in its turn. Does not belong here: what only the driver needs.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from typing import Any, Protocol, TypeVar

from compilelint.events import DynamoConfig, Event, Keyword
from compilelint.interp.core.args import Args
from compilelint.interp.core.changed_classes import Standing
from compilelint.interp.core.clock import Clock
from compilelint.interp.core.compile_calls import Hosts
from compilelint.interp.core.handed_stores import HandedFields
from compilelint.interp.core.summary import Summary
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.survey.operator_kernels import Kernels
from compilelint.syntax import ir
from compilelint.torchfacts import Fact, TorchFacts
from compilelint.values import External, FunctionRef, Object, Origin, Value

FrameT = TypeVar("FrameT")
_FrameT = TypeVar("_FrameT", contravariant=True)
_T = TypeVar("_T")


class Operations(Protocol[_FrameT]):
    """What an operation on values comes to in a frame; each emits what happens on the way."""

    def constant(self, value: External, /) -> Value:
        """The value of a name of a library, a constant where it is known as one."""

    def attribute(self, f: _FrameT, value: Value, name: str, pos: int, /) -> Value:
        """`value.name`."""

    def method(self, f: _FrameT, n: ir.Attr, /) -> Value:
        """The callee of `receiver.name(...)`."""

    def super_attribute(self, f: _FrameT, n: ir.Attr, /) -> Value:
        """`super().name`."""

    def peek(self, f: _FrameT, owner: Value, name: str, /) -> Value | None:
        """What an attribute holds, looked up without an event; None where nothing is known."""

    def initially(self, f: _FrameT, cls: ClassInfo, name: str, /) -> Value | None:
        """What an attribute holds when an object is made."""

    def call(self, f: _FrameT, callee: Value, args: Args, pos: int, node: ir.Call | None = None, /) -> Value:
        """`callee(*args)`."""

    def call_method(self, f: _FrameT, obj: Object, name: str, args: Args, pos: int, /) -> Value:
        """A call of a method that Python makes by itself, by name."""

    def escape(self, f: _FrameT, args: Args, pos: int, /) -> None:
        """Call the functions among the arguments of a call that is not followed."""

    def promised(self, f: _FrameT, code: FunctionInfo, /) -> Value:
        """What the return annotation of a function says."""

    def assign(self, f: _FrameT, target: ir.Expr, value: Value, pos: int, how: str = "assign", /) -> None:
        """Bind a target to a value."""

    def load_item(self, f: _FrameT, value: Value, index: Value, pos: int, /) -> Value:
        """`value[index]`."""

    def store_item(self, f: _FrameT, target: ir.Index, value: Value, pos: int, /) -> None:
        """`target[index] = value`."""

    def iterate(self, f: _FrameT, value: Value, pos: int, /) -> Value:
        """An item of what iterating over a value gives."""

    def binary(self, f: _FrameT, op: str, left: Value, right: Value, pos: int, /) -> Value:
        """`left op right`."""

    def enter(self, f: _FrameT, manager: Value, expr: ir.Expr, /) -> tuple[Value, bool]:
        """What `with manager as ...` binds, and whether the body may be left early."""

    def test(self, f: _FrameT, value: Value, keyword: Keyword, pos: int, /) -> bool | None:
        """How a test of a value comes out; None where it is not known."""


class Recording(Protocol[_FrameT]):
    """What an editor's run notes of each call, so that an edit repeats no more than it must."""

    def begin(self, frame: _FrameT, names: dict[str, Value], key: object, /) -> Any:
        """A body begins to run; the record of it."""

    def ended(self, record: Any, summary: Summary, /) -> None:
        """A body has been run."""

    def broken_off(self) -> None:
        """An error has ended a body."""

    def uses(self, frame: _FrameT, summary: Summary, /) -> None:
        """A call is answered by a summary."""

    def sets(self, frame: _FrameT, /) -> None:
        """A function sets a variable of one around it."""

    def learnt_from(self, node: ir.Function, /) -> None:
        """What a body says is noted for all."""


class Engine(Operations[FrameT], Protocol[FrameT]):
    """The interpreter, as its rooms see it: operations, and what outlives a frame.

    Tables are keyed by the identity of a class, function or node unless they say otherwise.
    """

    program: Program
    facts: TorchFacts
    config: DynamoConfig
    kernels: Kernels
    handed_fields: HandedFields
    hosts: Hosts
    clock: Clock
    frame_class: Callable[..., FrameT]
    frames_made: int
    symbols: int
    constructing: int
    silent_depth: int
    summaries: dict[object, Summary]
    contexts: dict[int, int]
    active: dict[int, int]
    stored: dict[int, dict[str, Value | None]]
    class_slices: dict[tuple[int, str], ir.Body]
    method_writes: dict[object, dict[str, Value]]
    method_stack: list[FunctionInfo]
    reached: set[int]
    trusted: set[int]
    backward_hooked: dict[ClassInfo, dict[str, str]]
    changing: dict[int, frozenset[str]]
    assigned: dict[int, dict[str, list[tuple[int, ir.Expr]]]]
    called: set[int]
    shown: dict[tuple[str, int], bool]
    buffers: dict[int, Value]
    standing: dict[int, Standing]
    reworking: dict[int, dict[str, Value]]
    written: dict[str, Value]
    held: set[int]
    given_back: dict[int, int]
    own: Container[str] | None
    recalled: int

    @property
    def recorder(self) -> Recording[FrameT] | None:
        """The notes of an editor's run; None where nothing is recorded."""

    def table(self) -> dict[Any, Any]:
        """An empty table of what is learnt, which a recorder watches."""

    def answer(self, question: Callable[..., _T], about: Any, /, *further: object) -> _T:
        """The answer to a question about what a text says."""

    def emit(self, event: Event, /) -> None:
        """Hand an event to the checks, once."""

    def leaves(self, code: FunctionInfo, event: Event, /) -> None:
        """Something leaves the region with a function, unless traced code calls it."""

    def lambda_made(self, ref: FunctionRef, frame: FrameT, /) -> None:
        """Note a lambda, to be run when all others are done."""

    def afford(self, code: FunctionInfo, /) -> bool:
        """Whether the root's budget allows to run one more body."""

    def start_host(self) -> None:
        """A host begins, with a budget of its own."""

    def afford_host(self) -> bool:
        """Whether the budget of a host allows to run one more body."""

    def parameters(self, frame: FrameT, code: FunctionInfo, receiver: Value | None, /) -> dict[str, Value]:
        """What is believed about the parameters of a function that no known code calls."""

    def expected(self, frame: FrameT, code: FunctionInfo, receiver: Value | None, /) -> Mapping[str, Value]:
        """The same for a call, whose frame changes nothing of it."""

    def parameter(self, frame: FrameT, code: FunctionInfo, p: ir.Param, /) -> Value:
        """What is believed about one parameter."""

    def default(self, code: FunctionInfo, p: ir.Param, /) -> Value:
        """The value of a default that is no literal."""

    def defaults_of(self, f: FrameT, node: ir.Function, /) -> None:
        """Evaluate the defaults of a nested function where it is defined."""

    def at_module_level(self, module: ModuleInfo, expr: ir.Expr, /) -> Value:
        """An expression as the module itself would evaluate it, silently."""

    def annotated(self, module: ModuleInfo, expr: ir.Expr, origin: Origin, /) -> Value:
        """What an annotation promises."""

    def around(self, cls: ClassInfo, /) -> FrameT:
        """A frame in which the text around a class is evaluated, silently."""

    def builtin(self, name: str, /) -> Value:
        """A name that is bound nowhere: a builtin, or unknown."""

    def wrapper_of(self, f: FrameT, ref: FunctionRef, code: FunctionInfo, /) -> Value | None:
        """What decorators of the program make of a function; None where they leave it as it is."""

    def breaks_on_data_only(self, outcome: Fact, /) -> bool:
        """Whether a break depends on tensor data."""
