"""The interpreter: runs compile roots over the program and emits events for the checks.

It owns what outlives a frame: summaries, what classes store, what has been reached. The meaning of each construct
lives in the modules beside this one; they call each other through the methods here, so that they need not import
each other.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Container, Hashable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from compilelint.events import Branch, Call, Context, DynamoConfig, Event

# Imported for their effect: they register what expressions, statements and library calls mean.
from compilelint.interp.arguments import annotations as promises
from compilelint.interp.arguments import parameters
from compilelint.interp.arguments import varying_arguments as arguments
from compilelint.interp.calls import bounds, calls, inlining
from compilelint.interp.core.args import Args
from compilelint.interp.core.changed_classes import Standing
from compilelint.interp.core.clock import Clock, OutOfTimeError
from compilelint.interp.core.compile_calls import Changing, Hosts
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.handed_stores import HandedFields
from compilelint.interp.core.modes import SILENT, TRACED
from compilelint.interp.core.reached_files import Beneath, Elsewhere, Reach, reach_of
from compilelint.interp.core.slots import Use
from compilelint.interp.core.state import State
from compilelint.interp.core.summaries import key_of, promised, summarize
from compilelint.interp.core.summary import Summary
from compilelint.interp.devices import kept_results
from compilelint.interp.driver import unreached
from compilelint.interp.driver.recorded_tables import Counts, Known, Marks, Table
from compilelint.interp.driver.recording import Left, Recorder
from compilelint.interp.driver.said_at_calls import said_at_call
from compilelint.interp.effects import state_recompiles
from compilelint.interp.eval import branches, comprehensions, expressions, statements, tries, truth, with_statement
from compilelint.interp.kinds import (
    assignment,
    binary_operators,
    class_attributes,
    class_decorators,
    items,
    objects,
    sets_of_tensors,
)
from compilelint.interp.regions import error_on_break, leaving_region
from compilelint.interp.text import usage
from compilelint.project.classes import Assigned, ClassInfo, FunctionInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.project.roots import Root, Roots
from compilelint.survey.operator_kernels import Kernels
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.torchfacts import Fact, TorchFacts
from compilelint.values import (
    BOTTOM,
    UNKNOWN,
    External,
    FunctionRef,
    Object,
    Origin,
    OriginKind,
    Partial,
    Source,
    Tensor,
    Value,
    arms,
)

_T = TypeVar("_T")

_BUILTINS = frozenset(dir(builtins))
_SILENT_DEPTH = 4
_GUESSES = frozenset({"all", "unreached", "glob"})

# By kind of event: the fields, first choice first, that hold the value it depends on, and those that hold how it came.
_KEY_FIELDS: dict[type[Event], tuple[tuple[str, ...], tuple[str, ...]]] = {}


def _key_fields(kind: type[Event]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    deciding = [name for name in ("condition", "receiver", "value") if hasattr(kind, name)]
    return tuple(deciding), tuple([name for name in ("keyword", "how") if hasattr(kind, name)])


# What numbers of contexts are held against.
_BOUNDS = (
    bounds.MAX_EXACT_CONTEXTS,
    bounds.MAX_CONTEXTS,
    bounds.MAX_CHOOSER_CONTEXTS,
    bounds.MAX_PROPERTY_CONTEXTS,
    bounds.MAX_HOST_CONTEXTS,
)


class Interpreter:
    """One run over one program. Events go to `sink` in the order in which they are met.

    `own` holds the files of the part of the program that is at work; None means all. `timeout` is the CPU time in
    seconds that the roots of one file may take, 0 for any; `given_up` are the roots that would have taken more.
    """

    def __init__(
        self,
        program: Program,
        facts: TorchFacts,
        sink: Callable[[Event], None],
        config: DynamoConfig | None = None,
        own: Container[str] | None = None,
        timeout: float = 0.0,
    ) -> None:
        self.program = program
        self.facts = facts
        self.sink = sink
        self.config = config or DynamoConfig()
        self.own = own
        self.clock = Clock(timeout)
        self.given_up: list[Root] = []
        self.summaries: dict[object, Summary] = {}
        self._beneath = Beneath(self.clock.look)
        self.frames_made = self.symbols = 0  # the newest serial numbers of a frame, and of a size (`sizes`)
        self.contexts: dict[int, int] = {}
        self.active: dict[int, int] = {}
        self.stored: dict[int, dict[str, Value | None]] = {}
        self.class_slices: dict[tuple[int, str], ir.Body] = {}
        self.method_writes: dict[object, dict[str, Value]] = {}
        self.method_stack: list[FunctionInfo] = []
        self.reached: set[int] = set()
        self.trusted: set[int] = set()  # reached from a root that is no guess
        self.elsewhere: Elsewhere | None = None  # what other parts of the project reached
        self.silent_depth = _SILENT_DEPTH
        self.backward_hooked: dict[ClassInfo, dict[str, str]] = {}
        self.changing: dict[int, frozenset[str]] = {}  # by class: attributes that methods write after construction
        self.assigned: dict[int, dict[str, list[tuple[int, ir.Expr]]]] = {}  # by function: what its locals are made of
        self.finished: list[tuple[Root, Frame, FunctionInfo, Use | None]] = []  # roots, to be asked about their state
        self.called: set[int] = set()  # functions that the program itself calls
        self.shown: dict[tuple[str, int], bool] = {}  # where the checks say that a graph ends (`pieces`)
        self.buffers: dict[int, Value] = {}  # what `nn.Buffer(...)` made, anywhere, by identity
        self.recorder: Recorder | None = None  # of an editor, which repeats calls after an edit (`recording`)
        self.hosts = Hosts()
        self.standing: dict[int, Standing] = {}  # by class: what was made of it (`reworked`)
        self.reworking: dict[int, dict[str, Value]] = {}  # by class whose decorators are at work: what they stored
        self.kernels = Kernels(program)
        self.handed_fields = HandedFields(program)
        self.written: dict[str, Value] = {}  # what the call that returned last has stored on its receiver
        self.held: set[int] = set()  # classes that constructors and module level make objects of
        self.given_back: dict[int, int] = {}  # by function: the parameter that it gives back, by position
        self.constructing = 0  # depth of questions what a constructor is given
        self.leaving: list[tuple[FunctionInfo, Event]] = []  # what leaves the region, unless traced code calls
        self.lambdas: list[tuple[Root, FunctionRef, Frame]] = []  # of `--roots all`, with the frames that make them
        self.recalled = 0  # kinds of calls of the root at work that precede this one
        self._at_work: Root | None = None
        self.frame_class: Callable[..., Frame] = Frame
        self._emitted: set[object] = set()
        self._bodies = self._foreign_bodies = 0
        self._wrappers: dict[int, Value | None] = {}
        self._bare: dict[int, FunctionInfo] = {}  # kept: keys of values hold its identity
        self._defaults: dict[int, Value] = {}
        self._builtins: dict[str, Value] = {}
        self._expected: dict[object, tuple[FunctionInfo, dict[str, Value]]] = {}
        self._annotated: dict[tuple[object, ...], tuple[ir.Expr, Value]] = {}
        program.evaluate = self._global_value
        program.finished = partial(class_decorators.finished, self)

    def emit(self, event: Event) -> None:
        """Hand an event to the checks, once: contexts and loop passes meet the same line again and again."""
        if self.recorder is not None:
            self.recorder.event(event)
            if self.recorder.repeating is not None:
                return
        self.hand_on(event)

    def hand_on(self, event: Event) -> None:
        """Hand an event to the checks if none was that is its like."""
        self.clock.look_at_time()
        site = event.site
        context = site.context
        outcome = event.outcome
        kind = event.__class__
        fields = _KEY_FIELDS.get(kind)
        if fields is None:
            fields = _KEY_FIELDS[kind] = _key_fields(kind)
        deciding = how = None
        for name in fields[0]:
            deciding = deciding or getattr(event, name)
        for name in fields[1]:
            how = how or getattr(event, name)
        key = (
            kind,
            id(context.where),
            site.pos,
            None if outcome is None else id(outcome.verdict),
            site.cap,
            site.after_skip,
            context.root_kind,
            context.host_class,
            context.config,
            how or None,
            getattr(deciding, "key", None),
            tuple([a.key for a in event.args]) if isinstance(event, Call) else None,
            getattr(event, "sure", None),  # a root that is surer of it counts too
            _held_by(event) if isinstance(event, Branch) else None,  # what rewrites ask, on every way
        )
        if key not in self._emitted:
            self._emitted.add(key)
            self.sink(event)

    def has_reached(self, code: FunctionInfo) -> bool:
        """Whether a function has been run, here or in another part of the project."""
        if id(code.node) in self.reached:
            return True
        return self.elsewhere is not None and self.elsewhere.reaches(code.place)

    def afford(self, code: FunctionInfo) -> bool:
        """Whether the root's budget allows to run one more body; beyond it, annotations must do.

        A call tree of thousands of functions (a computer algebra system, say) has a context of its own for nearly every
        call, so that the bound on contexts a function does not end it in time.
        """
        self._bodies += 1
        if not code.module.linted:
            self._foreign_bodies += 1
        affordable = self._foreign_bodies <= bounds.MAX_FOREIGN_BODIES and self._bodies <= bounds.MAX_BODIES
        if self.recorder is not None and not affordable:
            self.recorder.refused()
        return affordable

    def start_host(self) -> None:
        """A host begins, with a budget of its own."""
        self._bodies = self._foreign_bodies = 0

    def afford_host(self) -> bool:
        """Whether the budget of a host allows to run one more body."""
        return self._bodies < bounds.MAX_HOST_BODIES

    def table(self) -> dict[Any, Any]:
        """An empty table of what is learnt, which a recorder watches."""
        return {} if self.recorder is None else Table(self.recorder)

    # -------------------------------------------------------------- roots

    def analyse(self, roots: Roots, failed: Callable[[Root, Exception], None] | None = None) -> dict[int, Reach]:
        """Run the roots: `first` all, `rest` where nothing has been before. How far each reaches that was run, by `id`.

        A root that an error of ours ends is handed to `failed`, and the others go on; without it the error is raised.
        """
        reached: dict[int, Reach] = {}

        def attempt(root: Root, step: Callable[[], object]) -> None:
            try:
                step()
            except Exception as error:
                if failed is None:
                    raise
                failed(root, error)

        def run(root: Root) -> None:
            reach = self.run(root)
            if reach is not None:
                reached[id(root)] = reach

        for root in roots.first:
            attempt(root, partial(run, root))
        for root in roots.rest:
            if not self.has_reached(root.function):
                attempt(root, partial(run, root))
        for root, frame, code, use in self.finished:
            # A method that another one calls is a guess of a root; its caller knows what was written before.
            if frame.context.root_kind not in _GUESSES or id(code.node) not in self.called:
                with nullcontext() if self.recorder is None else self.recorder.finishing(root, frame, code):
                    attempt(root, partial(state_recompiles.emit, frame, use))
                    attempt(root, partial(kept_results.kept, frame, use))
                    attempt(root, partial(arguments.emit, frame, code, use, *arguments_seen(root, code)))
        self.finished.clear()
        # Last, so that a lambda that hands its argument to a function is not taken for the one that calls it.
        for root, ref, frame in self.lambdas:
            attempt(root, partial(self._run_lambda, ref, frame))
        self.lambdas.clear()
        if self.recorder is not None:
            self.recorder.transcript.append(Left())
        self.say_leaving()
        return reached

    def leaves(self, code: FunctionInfo, event: Event) -> None:
        """Something leaves the region with a function, unless traced code calls it."""
        if self.recorder is not None:
            self.recorder.leaving(code, event)
            if self.recorder.repeating is not None:
                return
        self.leaving.append((code, event))

    def forget_sent(self) -> None:
        """All events are about to be sent again."""
        self._emitted.clear()

    def say_leaving(self) -> None:
        """Say what has left the region with functions that no traced code calls."""
        for code, event in self.leaving:
            if event.site.context.root_kind == "explicit" or id(code.node) not in self.called:
                self.hand_on(event)
        self.leaving.clear()

    def answer(self, question: Callable[..., _T], about: Any, *further: object) -> _T:
        """The answer to a question about what a text says; an editor's run puts it again after an edit."""
        if self.recorder is None:
            return question(about, *further)
        return self.recorder.ask((question, *further), about, partial(question, about, *further))

    def record(self) -> Recorder:
        """From now on, record what is done and which entries of tables that takes; nothing may have been done yet."""
        recorder = self.recorder = Recorder()
        self.contexts = Counts(recorder, _BOUNDS)
        self.method_writes, self.buffers = Table(recorder), Table(recorder)
        self._wrappers, self._defaults = Table(recorder), Table(recorder)
        self.standing = Table(recorder)
        self._annotated, self._expected = Table(recorder, of_nodes=True), Table(recorder)
        self.held, self.called = Known(recorder), Marks(recorder)
        self.program.record(partial(Table, recorder))
        return recorder

    def run(self, root: Root) -> Reach | None:
        """Run one root; how far it reaches, None where it is given up."""
        try:
            with self.clock.running(root.function.module.ir.path):
                return self._run(root)
        except OutOfTimeError:
            self.given_up.append(root)
            if self.recorder is not None:
                self.recorder.broken_off()
            # What was at work has learnt half of what it would have; what was known before is found out again.
            self.summaries.clear()
            self._beneath = Beneath(self.clock.look)
            self.active.clear()
            self.method_stack.clear()
            return None

    def _run(self, root: Root) -> Reach:
        self._bodies = self._foreign_bodies = 0
        self._at_work = root
        code = root.function
        host_class = (
            root.kind == "unreached"
            and root.owner is not None
            and not root.owner.is_module
            and self.answer(unreached.drives, root.owner)
        )
        context = Context(
            code.module.ir,
            code.node.qualname,
            code.module.linted,
            root.name,
            root.kind,
            config=error_on_break.under_decorators(self.program, code, root.config),
            host_class=host_class,
            takes_tensors=root.kind == "unreached" and usage.takes_tensors(code),
            pos=code.node.head,
        )
        receiver = root.receiver or (None if root.owner is None else Object(root.owner))
        owner = code.owner
        made_in = root.closure if root.closure is not None or owner is None else owner.closure
        closure = made_in if isinstance(made_in, Frame) else None
        # A function without parameters takes no tensors: it is not compiled, but what it defines may be.
        idle = root.kind == "all" and not code.node.params
        frame = self.frame_class(
            self, code.module, context, State({}), code, closure, owner, modes=SILENT if idle else TRACED
        )
        frame.around.cap = root.sure
        leaving_region.root(frame, code)
        names = self.parameters(frame, code, receiver)
        first, *others = [names] if root.given is None else root.given.names(frame, names)
        summaries = [self._run_root(root, frame, code, first)]
        for self.recalled, names in enumerate(others, 1):
            summaries.append(self._run_root(root, frame, code, names))
        summary = summaries[-1]
        self.recalled = 0

        def further() -> None:
            for one in summaries:
                for event in said_at_call(root, one):
                    self.emit(event)
            self._run_left_over(root, frame)
            self._run_wrapper(frame, code, receiver)

        if self.recorder is None:
            further()
            return reach_of(summary, self.shown, self._beneath)
        if others:
            self.recorder.again_and_again(code)
        self.recorder.root(root, frame, summary, further)
        return self.recorder.answer(partial(reach_of, summary, self.shown))

    def _run_root(self, root: Root, frame: Frame, code: FunctionInfo, names: dict[str, Value]) -> Summary:
        """Run the body of a root for one kind of call."""
        sets_of_tensors.given(frame, code, names)
        key = key_of(frame, code, names)
        summary = self.summaries.get(key)
        if summary is None:
            self.contexts[id(code.node)] = self.contexts.get(id(code.node), 0) + 1
            summary = summarize(frame, code, names, key)
        elif self.recorder is not None:
            self.recorder.uses(frame, summary)
        frame.called, frame.trace = summary.called, summary.trace
        self.finished.append((root, frame, code, summary.use))
        return summary

    def _run_left_over(self, root: Root, frame: Frame) -> None:
        """Functions and modules that a root defines and no known code calls: it returns them or hands them on."""
        for ref in frame.effects.made:
            code = ref.code
            if isinstance(code, FunctionInfo) and not self.has_reached(code) and inlining.is_traced(code):
                context = replace(frame.context, function=code.node.qualname, where=code.module.ir, caller=None)
                inner = self.frame_class(self, code.module, context, State({}), code, frame, code.owner)
                inner.around.cap = root.sure
                names = self.parameters(inner, code, ref.receiver)
                summary = summarize(inner, code, names, key_of(inner, code, names))
                frame.called[id(summary)] = summary
                self.finished.append((root, inner, code, summary.use))
                self._run_left_over(root, inner)

    def lambda_made(self, ref: FunctionRef, frame: Frame) -> None:
        """A lambda is a function like others: note it, to be run when all others are done."""
        if self._at_work is not None:
            self.lambdas.append((self._at_work, ref, frame))
            if self.recorder is not None:
                self.recorder.broken_off()

    def _run_lambda(self, ref: FunctionRef, frame: Frame) -> None:
        """A lambda that no known code has called, in a run whose roots are all functions."""
        code = ref.code
        if not isinstance(code, FunctionInfo) or self.has_reached(code):
            return
        context = replace(frame.context, function=code.node.qualname, where=code.module.ir, caller=None)
        inner = self.frame_class(self, code.module, context, State({}), code, frame, code.owner)
        names = self.parameters(inner, code, ref.receiver)
        try:
            with self.clock.running(code.module.ir.path):
                self._bodies = self._foreign_bodies = 0
                summarize(inner, code, names, key_of(inner, code, names))
        except OutOfTimeError:
            self.summaries.clear()
            self._beneath = Beneath(self.clock.look)
            self.active.clear()
            self.method_stack.clear()

    def _run_wrapper(self, frame: Frame, code: FunctionInfo, receiver: Value | None) -> None:
        """The wrapper that decorators put around a root is traced code too."""
        if not code.node.decorators:
            return
        frame.state = State({})
        wrapper = self.wrapper_of(frame, FunctionRef(code, receiver), code)
        if wrapper is not None:
            first = [] if receiver is None else [receiver]
            calls.call(frame, wrapper, Args(first, None, UNKNOWN, UNKNOWN), code.node.head)

    # ----------------------------------------------------------- parameters

    def parameters(self, frame: Frame, code: FunctionInfo, receiver: Value | None) -> dict[str, Value]:
        """What is believed about the parameters of a function that no known code calls."""
        return parameters.parameters(frame, code, receiver)

    def expected(self, frame: Frame, code: FunctionInfo, receiver: Value | None) -> dict[str, Value]:
        """The same for a call, whose frame changes nothing of it: kept, since popular functions are asked again and
        again. The caller must not change it."""
        if self.program.resolving or self.method_stack:  # halfway through, the answer may be another
            return parameters.parameters(frame, code, receiver)
        key = (id(code.node), frame.modes.silent, None if receiver is None else receiver.key)
        known = self._expected.get(key)
        if known is None:
            known = self._expected[key] = (code, parameters.parameters(frame, code, receiver))
        return known[1]

    def parameter(self, frame: Frame, code: FunctionInfo, p: ir.Param) -> Value:
        """What is believed about one parameter."""
        return parameters.parameter(frame, code, p)

    def default(self, code: FunctionInfo, p: ir.Param) -> Value:
        """The value of a default that is no literal; evaluated once, silently."""
        assert p.default is not None
        known = self._defaults.get(id(p))
        if known is None:
            self._defaults[id(p)] = UNKNOWN
            known = self._defaults[id(p)] = self._silent(code.module, code.owner).eval(p.default)
        return known

    def defaults_of(self, f: Frame, node: ir.Function) -> None:
        """Evaluate the defaults of a nested function where it is defined: they may name locals."""
        for p in node.params:
            if p.default is not None and not isinstance(p.default, ir.Const):
                self._defaults[id(p)] = f.eval(p.default)

    def at_module_level(self, module: ModuleInfo, expr: ir.Expr) -> Value:
        """An expression as the module itself would evaluate it, silently."""
        return self._silent(module).eval(expr)

    def annotated(self, module: ModuleInfo, expr: ir.Expr, origin: Origin) -> Value:
        """What an annotation promises: the very value as before for the same thing at the same line."""
        place = origin.place
        key = (id(expr), origin.what, origin.kind, None if place is None else (id(place[0]), place[1]))
        if self.program.resolving:  # in the middle of a global's own value the answer may be another
            return promises.annotated(self.program, module, expr, origin)
        known = self._annotated.get(key)
        if known is None:
            value = promises.annotated(self.program, module, expr, origin)
            known = self._annotated[key] = (expr, value)  # the node is held, so that its number stays its own
        return known[1]

    # -------------------------------------------------------------- globals

    def _silent(self, module: ModuleInfo, owner: ClassInfo | None = None, closure: Frame | None = None) -> Frame:
        context = Context(module.ir, "<module>", False, "", "module", config=self.config)
        return Frame(self, module, context, State({}), None, closure, owner, depth=_SILENT_DEPTH, modes=SILENT)

    def around(self, cls: ClassInfo) -> Frame:
        """A frame in which the text around a class is evaluated, silently."""
        return self._silent(cls.module, None, cls.closure if isinstance(cls.closure, Frame) else None)

    def _global_value(self, module: ModuleInfo, assigned: Assigned) -> Value:
        """The value of a module-level or class-level assignment."""
        if assigned.expr is None:
            return UNKNOWN
        frame = self._silent(module)
        value = frame.eval(assigned.expr)
        for i in assigned.path:
            exact = items.exact_items(frame, value)
            value = exact[i] if exact is not None and i < len(exact) else items.iterate(frame, value, 0)
        return _as_global(value)

    def builtin(self, name: str) -> Value:
        """A name that is bound nowhere: a builtin, or unknown."""
        known = self._builtins.get(name)
        if known is None and name == "reveal_type":
            known = self._builtins[name] = External("typing.reveal_type")
        if known is None:
            known = self._builtins[name] = External(f"builtins.{name}") if name in _BUILTINS else UNKNOWN
        return known

    # ------------------------------------------------------------ decorators

    def wrapper_of(self, f: Frame, ref: FunctionRef, code: FunctionInfo) -> Value | None:
        """What decorators of the program make of a function; None where they leave it as it is or are not known."""
        if not code.node.decorators or code.bare:
            return None
        key = id(code.node)
        if key not in self._wrappers:
            self._wrappers[key] = None
            self._wrappers[key] = self._apply_decorators(code)
        wrapper = self._wrappers[key]
        code_of = wrapper.code if isinstance(wrapper, FunctionRef) else None
        if isinstance(code_of, FunctionInfo) and self.contexts.get(id(code_of.node), 0) >= bounds.MAX_CONTEXTS:
            return None  # the wrapper is known well enough by now: go straight to the body
        return wrapper

    def _apply_decorators(self, code: FunctionInfo) -> Value | None:
        bare = self._bare[id(code.node)] = FunctionInfo(code.module, code.node, code.owner)
        bare.bare = True
        value: Value = FunctionRef(bare)
        changed = False
        frame = self._silent(code.module, code.owner)
        for decorator in reversed(code.node.decorators):
            if last_name(decorator) in _TRANSPARENT:
                continue
            function = frame.eval(decorator)
            frame.state = frame.state or State({})
            if isinstance(function, FunctionRef):
                made = calls.call(frame, function, Args([value]), decorator.pos)
                found = [a for a in arms(made) if isinstance(a, FunctionRef)]
                # One that does not hold the function was made for any: its body is not the one that is called.
                if found and found[0].code is not bare and _encloses(found[0], bare, set()):
                    value, changed = found[0], True
        return value if changed else None

    # ------------------------------------- how the parts of the interpreter call each other

    constant = staticmethod(objects.constant)
    attribute = staticmethod(objects.attribute)
    method = staticmethod(objects.method)
    super_attribute = staticmethod(objects.super_attribute)
    peek = staticmethod(objects.peek)
    initially = staticmethod(class_attributes.initially)
    call = staticmethod(calls.call)
    call_method = staticmethod(calls.call_method)
    escape = staticmethod(calls.escape)
    promised = staticmethod(promised)
    assign = staticmethod(assignment.assign)
    load_item = staticmethod(items.load_item)
    store_item = staticmethod(assignment.store_item)
    iterate = staticmethod(items.iterate)
    binary = staticmethod(binary_operators.binary)
    enter = staticmethod(with_statement.enter)
    test = staticmethod(truth.test_value)

    def breaks_on_data_only(self, outcome: Fact) -> bool:
        """Whether a break depends on tensor data, so that a call with Python numbers alone is clean."""
        return outcome.data_dependent


_TRANSPARENT = frozenset(
    """
    property staticmethod classmethod cached_property abstractmethod no_grad setter wraps lru_cache cache
    contextmanager overload inference_mode jit script compile
    """.split()
)


def _held_by(event: Branch) -> tuple[Hashable, ...]:
    """What rewrites may ask of the names at a branch: which are tensors, and of which dtype."""
    return tuple((name, one.dtype if isinstance(one, Tensor) else None) for name, one in event.held)


def _encloses(wrapper: FunctionRef, code: FunctionInfo, seen: set[int]) -> bool:
    """Whether a function, or one that it holds, sees that other one around it; frames in `seen` are done."""
    frame = wrapper.closure
    while isinstance(frame, Frame) and id(frame) not in seen:
        seen.add(id(frame))
        state = frame.state or frame.kept
        for value in () if state is None else state.names.values():
            for arm in arms(value):
                if isinstance(arm, FunctionRef) and (arm.code is code or _encloses(arm, code, seen)):
                    return True
        frame = frame.closure
    return False


def arguments_seen(root: Root, code: FunctionInfo) -> tuple[Mapping[str, Changing], frozenset[str]]:
    """The parameters of a root that loops around its calls change, and those that all calls pass alike.

    None of another function's.
    """
    if root.given is None or code is not root.function:
        return {}, frozenset()
    receiver = root.receiver if code.owner is not None and not code.decorated("staticmethod") else None
    return root.given.changing(code, receiver), root.given.settled(code, receiver)


def _as_global(value: Value) -> Value:
    """A module's global: tensors in it were made outside the region."""
    if isinstance(value, Tensor):
        return class_attributes.placed_outside(value.but(source=Source.BUFFER), "tensor", OriginKind.GLOBAL)
    if isinstance(value, Partial) or value is BOTTOM:
        return UNKNOWN if value is BOTTOM else value
    return value


__all__ = ["Interpreter", "branches", "comprehensions", "expressions", "statements", "tries"]
