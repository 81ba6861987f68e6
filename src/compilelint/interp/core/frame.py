"""One activation of a function, and the two tables through which expressions and statements are dispatched.

A frame knows its state, what surrounds the current line, what it has returned and stored. It does not know what any
construct means: `expressions`, `statements` and the rest register that here, which also keeps their imports one-way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeVar

from compilelint.events import Branch, Context, Event, Site, Unrecorded
from compilelint.interp.core.early_returns import LOOPS, before_returns
from compilelint.interp.core.engine import Engine
from compilelint.interp.core.modes import TRACED, Modes
from compilelint.interp.core.operands import CAPTURED, marked
from compilelint.interp.core.state import State
from compilelint.interp.core.summary import Summary, Trace
from compilelint.interp.core.surroundings import Around, Effects
from compilelint.model import Confidence, Doubt
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.values import (
    BOTTOM,
    LAZY,
    NONE,
    PLAIN,
    REBUILT,
    Const,
    External,
    Object,
    Origin,
    OriginKind,
    Sequence,
    Value,
    join,
    resumed,
    tensor_arm,
    uncompiled,
    unsized,
)

if TYPE_CHECKING:
    from compilelint.torchfacts import Fact

_T = TypeVar("_T")

OUTSIDE: Final = "iterator from outside"
"""The kind of an iterator that a module made when it was imported: Dynamo cannot advance it."""


class UnreachedError(Exception):
    """What was to be evaluated is not reached: the statement around it ends here. `frame` is the one that stopped."""

    def __init__(self, frame: Frame) -> None:
        super().__init__("not reached")
        self.frame = frame


MAX_ESCAPED = 32  # of one call into a library; each of them would be reported at the same line

EVAL: dict[type[Any], Callable[[Frame, Any], Value]] = {}
EXEC: dict[type[Any], Callable[[Frame, Any], None]] = {}


class Frame:
    """`state` is None after a `return`, `raise`, `break` or `continue`: the rest of the block is not reached.

    `serial` says which frame of the run it is, in keys that outlive it: an `id` would be given to another one then.
    """

    __slots__ = (
        "aliases",
        "around",
        "asked_compiling",
        "buffers",
        "called",
        "carried",
        "caught",
        "closure",
        "cold",
        "context",
        "depth",
        "doomed",
        "effects",
        "epoch",
        "floor",
        "function",
        "gathered",
        "interp",
        "kept",
        "modes",
        "module",
        "owner",
        "returns",
        "self_name",
        "serial",
        "settings",
        "state",
        "trace",
        "usual_return",
        "yields",
    )

    def __init__(
        self,
        interp: Engine[Frame],
        module: ModuleInfo,
        context: Context,
        state: State,
        function: FunctionInfo | None = None,
        closure: Frame | None = None,
        owner: ClassInfo | None = None,
        depth: int = 0,
        modes: Modes = TRACED,
    ) -> None:
        self.interp = interp
        interp.frames_made += 1
        self.serial = interp.frames_made
        self.module = module
        self.context = context
        self.state: State | None = state
        self.kept: State | None = None  # what a closure still sees after the frame has returned
        self.function = function
        self.closure = closure
        self.owner = owner
        self.depth = depth
        self.modes = modes
        self.around = Around()
        self.effects = Effects()
        self.caught = False  # a frame that leads here has a handler around its call
        self.cold = 0  # of a host: calls since the last function that leads to a compile call
        self.floor = Confidence.CERTAIN  # of what is not linted: the most that its caller may claim, where that is less
        self.returns: Value = BOTTOM
        self.yields: Value = BOTTOM
        self.gathered: list[Event] | None = None  # held back while the choices of one call are followed
        self.called: dict[int, Summary] = {}  # what was called, by identity
        self.trace = Trace()
        self.buffers: list[Value] = []  # what `nn.Buffer(...)` made in this frame
        params = () if function is None else function.node.params
        owned = function is not None and function.owner is not None
        self.self_name = params[0].name if owned and params else ""
        self.settings: dict[str, Value] = {}  # numbers that `self` was made with, once they were read
        self.asked_compiling = False
        self.usual_return: Const | None = None  # what it mostly returns, by tests that mostly come out one way
        self.carried: frozenset[str] = frozenset()  # attributes of `self` that the caller has stored, and hands on
        self.doomed = False
        self.aliases: dict[str, ir.Expr] = {}  # local names that stand for an attribute
        self.epoch = 0  # counts the graph breaks behind us, so that a saved state is known to be stale

    def entry(self) -> Callable[[], Frame]:
        """Makes frames like this one, which has not run yet."""
        kind, interp, module, context = self.__class__, self.interp, self.module, self.context
        code, closure, owner = self.function, self.closure, self.owner
        depth, modes, cap, floor = self.depth, self.modes, self.around.cap, self.floor
        caught, wrote_dict = self.caught, self.effects.wrote_dict

        def again() -> Frame:
            frame = kind(interp, module, context, State({}), code, closure, owner, depth, modes)
            frame.around.cap, frame.floor, frame.caught, frame.effects.wrote_dict = cap, floor, caught, wrote_dict
            return frame

        return again

    # ------------------------------------------------------------- running

    def eval(self, node: ir.Expr) -> Value:
        """The value of an expression; emits what happens on the way. Nothing is evaluated where nothing is reached."""
        if self.state is None:
            return BOTTOM
        return EVAL[node.__class__](self, node)

    def run(self, body: ir.Body) -> None:
        """Execute a block; stops where no path goes on. Raises OutOfTimeError where the root has used up its time."""
        self.interp.clock.look()
        around = (self.around.blocks, self.around.cap, self.around.conditional, self.modes)
        loops, tests = len(self.around.loops), len(self.around.tests)
        outer = self.around.statement
        for statement in body:
            if self.state is None:
                break
            self.around.statement = statement.pos
            try:
                EXEC[statement.__class__](self, statement)
            except UnreachedError as end:
                self.around.blocks, self.around.cap, self.around.conditional, self.modes = around
                del self.around.loops[loops:], self.around.tests[tests:]
                if end.frame is self:
                    self.state = None
            if self.doomed:  # the statement called something that never returns
                self.doomed = False
                self.state = None
        self.around.statement = outer

    @property
    def unsplit_by(self) -> tuple[str, ...]:
        """The blocks around the line at work, outermost first, without the loops in which Dynamo splits a frame."""
        blocks = self.around.blocks
        if not blocks or self.function is None or LOOPS.isdisjoint(blocks):
            return blocks
        if self.around.statement not in fact(self.function.node, before_returns):
            return blocks
        return tuple(block for block in blocks if block not in LOOPS)

    @property
    def here(self) -> State:
        """The state at a point that is reached; raises UnreachedError, which ends the statement, where it is not."""
        if self.state is None:
            raise UnreachedError(self)
        return self.state

    def returned(self, state: State) -> None:
        """The frame returns in this state, on one of its paths."""
        self.effects.exits = state.fresh if self.effects.exits is None else self.effects.exits & state.fresh
        self.effects.always_broke = (
            state.broke if self.effects.always_broke is None else self.effects.always_broke and state.broke
        )

    def result(self) -> Value:
        """What the frame returned, None included if its end is reached."""
        return self.returns if self.state is None else join(self.returns, NONE)

    # ------------------------------------------------------------- emitting

    def site(self, pos: int) -> Site:
        state = self.state
        skipped = state is not None and state.skipped
        resumed = state is not None and state.broke and not skipped
        return Site(self.context, pos, self.unsplit_by, self.around.cap, skipped, resumed=resumed)

    def emit(self, event: Event) -> None:
        """Hand an event to the checks, unless this frame is only run to learn what a class stores."""
        if self.modes.silent:
            return
        if event.breaks:
            self.trace.ended(event)
            if isinstance(event, Branch) and self.context.linted and self.state is not None:
                names = self.state.names.items()
                held = tuple((name, one) for name, one in names if tensor_arm(one) is not None)
                event = replace(event, held=held)
        if self.gathered is not None:
            self.gathered.append(event)
            return
        if self.context.linted:
            self.interp.emit(event)
        elif (event.breaks or isinstance(event, Unrecorded)) and len(self.effects.escaped) < MAX_ESCAPED:
            # Findings lie in linted files only: an event elsewhere is attributed to the linted call that led to it.
            # What an unknown configuration decides inside a library is no more than possible there.
            cap = Doubt.LIBRARY_BEHIND_A_TEST.lower(event.site.cap)
            if self.around.conditional and cap != event.site.cap:
                event = replace(event, site=replace(event.site, cap=cap))
            key = (event.__class__, id(event.site.context.where), event.site.pos)
            old = self.effects.escaped.get(key)
            if old is None or old.site.cap < event.site.cap:  # two calls lead there, one of them surely
                self.effects.escaped[key] = event

    def origin(self, what: str, pos: int, parent: Origin | None = None, kind: OriginKind = OriginKind.PLAIN) -> Origin:
        return Origin(what, (self.module.ir, pos), parent, kind)

    def broken_by(self, outcome: Fact | None, sure: Confidence = Confidence.CERTAIN, splits: bool = True) -> None:
        """Resume behind a graph break: the graph ends here, and what was computed so far is an input again.

        In a loop, `try` or `with`, and where the instruction cannot be split (`splits`), Dynamo gives up the whole
        frame: `skipped` marks what follows as not traced, unless the break itself is merely possible.
        """
        if outcome is None or not self.context.config.breaks(outcome):
            return
        if not splits:
            self.trace.unsplit()
        self.left(min(sure, self.around.cap) > Confidence.POSSIBLE, splits and not outcome.skips_frame)

    def left(self, sure: bool, splits: bool) -> None:
        """A graph ends at this line, here or in what it calls; `sure` says on every path through the line."""
        self.effects.broke = True
        self.effects.wrote_dict, self.effects.stranded = False, ""
        if sure and self.state is not None:
            self.state.broke = True
            if self.unsplit_by or not splits:
                self.state.skipped = True
                self.effects.left_to_python |= not self.around.conditional
            self._iterators_rebuilt(self.state)
        self.resume()

    def _iterators_rebuilt(self, state: State) -> None:
        """What `zip`, `map` and `filter` made comes from outside behind the break (torch 2.13 and 2.15)."""
        for name, value in state.names.items():
            if isinstance(value, Sequence) and value.kind == REBUILT:
                state.names[name] = Sequence(OUTSIDE, value.items, value.element)

    def unsplit(self, run: Callable[[], _T]) -> _T:
        """Run what Python does inside an instruction that Dynamo cannot split: a property, `__iter__`, `__bool__`.

        Measured on 2.13 and 2.15: a graph break in there leaves the frame around it to Python.
        """
        state = self.state
        if state is None:
            return run()
        before, state.broke = state.broke, False
        self.trace.whole += 1
        value = run()
        self.trace.whole -= 1
        if self.state is not None:
            if self.state.broke:
                self.state.skipped = True
            self.state.broke |= before
        return value

    def resume(self) -> None:
        """Turn computed tensors of this frame into inputs."""
        self.epoch += 1
        state = self.state
        self.effects.outlived = ()
        if state is None:
            return
        for held in (state.names, state.paths):
            for name, value in held.items():
                if value.__class__ not in PLAIN:
                    held[name] = resumed(value)
        self.effects.outlived = tuple([value for value in state.names.values() if value.__class__ is Object])

    def takes_rest(self, expr: ir.Expr) -> bool:
        """Whether an expression is the `args` or `kwargs` of this function's own `*args` or `**kwargs`."""
        if self.function is None or not isinstance(expr, ir.Name):
            return False
        return any(p.name == expr.id and p.kind in ("star", "double-star") for p in self.function.node.params)

    def loops_own(self, name: str) -> bool:
        """Whether a name is bound by a comprehension of this frame rather than by a statement."""
        return "comprehension" in self.around.blocks

    # ------------------------------------------------------------ branching

    def fork(self, arms: Iterable[Callable[[], None]]) -> list[State | None]:
        """Run each arm from a copy of the current state; the states they end in."""
        before = self.state
        ends: list[State | None] = []
        for arm in arms:
            self.state = None if before is None else before.copy()
            arm()
            ends.append(self.state)
        return ends

    def lookup(self, name: str) -> Value:
        """A name that is no local: enclosing functions, the module, builtins."""
        frame = self.closure
        while frame is not None:
            state = frame.state or frame.kept
            value = None if state is None else state.names.get(name)
            if value is not None:
                if self.modes.in_operator and not frame.modes.in_operator:
                    value = marked(value, CAPTURED)
                return value if self.modes.host else unsized(uncompiled(value))
            frame = frame.closure
        if self.modes.host:
            held = self.interp.hosts.held(self.module, name)
            if held is not None:
                return held
        value = self.interp.program.global_value(self.module, name)
        if value is None:
            return self.interp.builtin(name)
        if isinstance(value, External):
            return self.interp.constant(value)
        if isinstance(value, Sequence) and value.kind in ("iterator", "generator", LAZY, REBUILT):
            return Sequence(OUTSIDE, value.items, value.element)  # it waits where the last pass over it has stopped
        return value


def register_eval(kind: type[Any]) -> Callable[[Callable[[Frame, Any], Value]], Callable[[Frame, Any], Value]]:
    """Decorator: this function evaluates nodes of a kind."""

    def put(function: Callable[[Frame, Any], Value]) -> Callable[[Frame, Any], Value]:
        EVAL[kind] = function
        return function

    return put


def register_exec(kind: type[Any]) -> Callable[[Callable[[Frame, Any], None]], Callable[[Frame, Any], None]]:
    """Decorator: this function executes nodes of a kind."""

    def put(function: Callable[[Frame, Any], None]) -> Callable[[Frame, Any], None]:
        EXEC[kind] = function
        return function

    return put
