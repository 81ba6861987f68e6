"""An interpreter that remembers how it came to one line: each run of the function around it, and what happened there.

`LineQuestion` names the line and gathers the answers of all interpreters that are asked. A run is that of one function
in one context: what it was given, which blocks were entered and after which statement no path went on, so that a line
that was not reached can say why. Runs that only learn something, and those of hosts, judge nothing and are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from typing import Any, NamedTuple

from compilelint.events import Event
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.reached_files import Reach
from compilelint.interp.driver import unreached
from compilelint.interp.driver.observer import Observer, WatchedFrame
from compilelint.interp.text.usage import takes_tensors
from compilelint.model import Confidence, Finding
from compilelint.project.classes import FunctionInfo, ModuleInfo
from compilelint.project.roots import Root, Roots, functions_of
from compilelint.syntax import ir
from compilelint.syntax.walk import blocks_of, statements_of
from compilelint.values import Value, join

MOST_VISITS = 64
MOST_EVENTS = 512


class Entered(NamedTuple):
    """How a block was entered: the undecided tests around it with the arm that each took, and the most that counts."""

    tests: tuple[tuple[ir.Expr, bool], ...]
    cap: Confidence


class Stop(NamedTuple):
    """Why a line of a function was not reached in a run.

    `statement` is the one behind which no path goes on (`after`), or the one whose block was not entered; then `block`
    is its place among `blocks_of`.
    """

    statement: ir.Stmt
    after: bool
    block: int = 0


class Visit:
    """One function in one context, as far as it was run there."""

    __slots__ = ("_ran", "beliefs", "blocks", "compiled_at", "context", "floor", "function", "given", "is_broken_off")

    def __init__(self, frame: Frame, function: FunctionInfo, root: Root | None) -> None:
        self.function = function
        self.context = frame.context
        self.compiled_at = None if root is None else root.compiled_at
        self.floor = frame.around.cap
        """The most that may be claimed in this run, before its first test."""
        state = frame.state
        names = [param.name for param in function.node.params]
        self.given: dict[str, Value] = {} if state is None else {n: state.names[n] for n in names if n in state.names}
        self.is_broken_off = False
        self.blocks: dict[int, Entered] = {}
        self.beliefs: dict[tuple[int, type], Value] = {}
        self._ran: set[int] = set()

    def enters(self, frame: Frame, body: ir.Body) -> None:
        """A block is run in this state."""
        self.blocks[id(body)] = Entered(tuple(frame.around.tests), frame.around.cap)

    def passed(self, statement: ir.Stmt) -> None:
        """A statement was run, whether or not a path goes on behind it."""
        self._ran.add(id(statement))

    def believes(self, node: ir.Expr, value: Value) -> None:
        """Join a value to what is believed of a node in this run."""
        key = (node.pos, node.__class__)
        known = self.beliefs.get(key)
        self.beliefs[key] = value if known is None else join(known, value)

    def stop_before(self, line: int) -> Stop | None:
        """What kept this run from the line; None where it was reached."""
        return self._stop(self.function.node.body, line)

    def _stop(self, body: ir.Body, line: int) -> Stop | None:
        module = self.function.module.ir
        before: ir.Stmt | None = None
        for statement in body:
            if not covers(module, statement, line):
                before = statement if id(statement) in self._ran else before
                continue
            if id(statement) not in self._ran:
                return Stop(statement if before is None else before, after=True)
            for number, block in enumerate(blocks_of(statement)):
                if any(covers(module, one, line) for one in block):
                    return self._stop(block, line) if id(block) in self.blocks else Stop(statement, False, number)
            return self._passed_over(statement, line) if isinstance(statement, ir.If) else None
        return None

    def _passed_over(self, statement: ir.If, line: int) -> Stop | None:
        """The `if` itself, where the line holds the test of an `elif` that an earlier arm leaves no way to."""
        module, settled = self.function.module.ir, False
        for number, (test, _) in enumerate(statement.arms):
            span = module.span(test.pos)
            if settled and span.line <= line <= span.end_line:
                return Stop(statement, False, number)
            settled = settled or self.outcome(statement, number) is True
        return None

    def tests_before(self, line: int) -> Iterator[tuple[ir.If, bool]]:
        """The `if` statements that decide whether the line is reached, outermost first; True for those around it."""
        yield from self._tests(self.function.node.body, line)

    def _tests(self, body: ir.Body, line: int) -> Iterator[tuple[ir.If, bool]]:
        module = self.function.module.ir
        for statement in body:
            if covers(module, statement, line):
                inside = [block for block in blocks_of(statement) if any(covers(module, one, line) for one in block)]
                if isinstance(statement, ir.If) and inside:
                    yield statement, True
                for block in inside:
                    yield from self._tests(block, line)
                return
            if isinstance(statement, ir.If) and any(_leaves(block) for block in blocks_of(statement)):
                yield statement, False

    def outcome(self, statement: ir.If, arm: int) -> bool | None:
        """How the test of an arm came out: True, False, or None where both ways were followed."""
        test, body = statement.arms[arm]
        entered = self.blocks.get(id(body))
        if entered is None:
            return False
        return None if any(one is test for one, _ in entered.tests) else True


def covers(module: ir.Module, statement: ir.Stmt, line: int) -> bool:
    """Whether a statement, its decorators included, stands on a line."""
    span = module.span(statement.pos)
    first = span.line
    if isinstance(statement, (ir.Function, ir.Class)):
        first = min([first, *(module.span(one.pos).line for one in statement.decorators)])
    return first <= line <= span.end_line


def functions_around(module: ir.Module, line: int) -> list[ir.Function]:
    """The functions that a line stands in, outer before inner; lambdas are part of theirs."""
    found: list[ir.Function] = []
    body = module.body
    while body:
        around = next((one for one in statements_of(body) if _opens(one) and covers(module, one, line)), None)
        if isinstance(around, ir.Function):
            found.append(around)
        body = around.body if isinstance(around, (ir.Function, ir.Class)) else ()
    return found


def _opens(statement: ir.Stmt) -> bool:
    return isinstance(statement, (ir.Function, ir.Class))


def _leaves(body: ir.Body) -> bool:
    return bool(body) and isinstance(body[-1], (ir.Return, ir.Raise, ir.Jump))


class LineQuestion:
    """A line, and what was seen of it: visits of the functions around it, events there, and what checks said of them.

    `functions` are those around the line, outer before inner. Of them, `beyond` names those for whose bodies no budget
    was left, `leading` those that lead to a compile call and so run around compiled code. `given_up` names roots of the
    file that took longer than they may. `no_guess` says why the innermost is not checked as if it were compiled.
    """

    def __init__(self, path: str, line: int) -> None:
        self.path = path
        self.line = line
        self.visits: list[Visit] = []
        self.events: list[tuple[Visit | None, Event]] = []
        self.judged: list[tuple[Event | None, Finding]] = []
        self.module: ir.Module | None = None
        self.functions: list[ir.Function] = []
        self.beyond: set[str] = set()
        self.leading: set[str] = set()
        self.given_up: set[str] = set()
        self.no_guess = ""

    def is_at(self, module: Any, pos: int) -> bool:
        """Whether a packed place of a module lies on the line."""
        if module.path != self.path:
            return False
        span = module.location(pos).span
        return bool(span.line <= self.line <= span.end_line)

    def holds(self, function: FunctionInfo) -> bool:
        """Whether the line stands in a function."""
        return function.module.ir.path == self.path and covers(function.module.ir, function.node, self.line)

    def happens(self, visit: Visit | None, event: Event) -> None:
        """Remember an event at the line, however often its like was met."""
        if len(self.events) < MOST_EVENTS:
            self.events.append((visit, event))

    def ran(self, interp: Explainer) -> None:
        """Some roots were run: note what is gone when the interpreter is let go of."""
        for module in interp.program.modules():
            if module.ir.path == self.path and self.module is None:
                self.module = module.ir
                self.functions = functions_around(module.ir, self.line)
                self.no_guess = self._no_guess(interp, module)
        self.leading |= {one.qualname for one in self.functions if id(one) in interp.hosts.leading}
        self.given_up |= {one.name for one in interp.given_up if one.function.module.ir.path == self.path}

    def _no_guess(self, interp: Explainer, module: ModuleInfo) -> str:
        """Why the innermost function is not checked as if it were compiled; empty where nothing speaks against it."""
        inner = self.functions[-1] if self.functions else None
        function = next((one for one in functions_of(interp.program, module) if one.node is inner), None)
        if function is None or unreached.worth_starting(interp.program)(function):
            return ""
        if not takes_tensors(function):
            return "its parameters are neither annotated nor used as tensors"
        return "it looks like what only eager code runs: data loading, evaluation, plotting, conversion, tests"

    def line_of(self, pos: int) -> int:
        """The line of a packed place of the file."""
        return 0 if self.module is None else self.module.span(pos).line

    def said(self, event: Event | None, findings: list[Finding]) -> None:
        """What checks said of an event, or (None) rules on trees of the file."""
        for one in findings:
            if one.location.path == self.path and one.location.span.line <= self.line <= one.location.span.end_line:
                self.judged.append((event, one))


class Explainer(Observer):
    """Answers a `LineQuestion`; is otherwise the interpreter that all runs use."""

    def __init__(self, *given: Any, watched: Container[str], question: LineQuestion) -> None:
        super().__init__(*given, watched=watched)
        self.question = question

    def analyse(self, roots: Roots, failed: Callable[[Root, Exception], None] | None = None) -> dict[int, Reach]:
        """Run the roots."""
        reached = super().analyse(roots, failed)
        self.question.ran(self)
        return reached

    def _frame(self, interp: Any, module: ModuleInfo, *rest: Any, **named: Any) -> Frame:
        """A frame that notes where it goes, for code of the file in question."""
        if module.ir.path == self.question.path:
            return ExplainedFrame(interp, module, *rest, **named)
        return super()._frame(interp, module, *rest, **named)

    def hand_on(self, event: Event) -> None:
        """Note an event of the line in each context, and hand it on once."""
        question, site = self.question, event.site
        if question.is_at(site.context.where, site.pos):
            visit = next((one for one in reversed(question.visits) if one.context is site.context), None)
            question.happens(visit, event)
        super().hand_on(event)

    def afford(self, code: FunctionInfo) -> bool:
        """Whether the budget allows one more body; notes for which it did not."""
        affordable = super().afford(code)
        if not affordable and self.question.holds(code):
            self.question.beyond.add(code.node.qualname)
        return affordable

    def visit_of(self, frame: Frame) -> Visit | None:
        """A new visit for a frame that runs a function around the line."""
        function = frame.function
        visits = self.question.visits
        if function is None or frame.modes.silent or frame.modes.host or not self.question.holds(function):
            return None
        if len(visits) >= MOST_VISITS:
            return None
        visits.append(Visit(frame, function, self._at_work))
        return visits[-1]


class ExplainedFrame(WatchedFrame):
    """A frame of the file in question."""

    __slots__ = ("_visit",)

    _visit: Visit | None

    def run(self, body: ir.Body) -> None:
        """Execute a block statement by statement, and note after which of them a path goes on."""
        visit = self._begun()
        if visit is None:
            super().run(body)
            return
        visit.enters(self, body)
        for statement in body:
            if self.state is None:
                return
            try:
                super().run((statement,))
            except Exception:  # out of time, or a defect that is reported
                visit.is_broken_off = True
                raise
            visit.passed(statement)

    def believe(self, node: ir.Expr, value: Value) -> None:
        """Join a value to what is believed of a node, here and in the file."""
        super().believe(node, value)
        visit = getattr(self, "_visit", None)
        if visit is not None and not self.modes.silent:
            visit.believes(node, value)

    def _begun(self) -> Visit | None:
        """The visit that this frame is from its first block on, None where the line stands in another function."""
        try:
            return self._visit
        except AttributeError:
            interp = self.interp
            assert isinstance(interp, Explainer)
            self._visit = found = interp.visit_of(self)
            return found
