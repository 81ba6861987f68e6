"""The ways to a line: from which root, by which calls and tests, what its expressions are, and what happens there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from compilelint.events import Event
from compilelint.interp.driver.explained import LineQuestion, Visit
from compilelint.model import Confidence, Finding, Span
from compilelint.report.explanation import Belief, Happening, Test, Way
from compilelint.rulebook import Rulebook
from compilelint.syntax import ir
from compilelint.syntax.source import Source
from compilelint.torchfacts import TorchFacts
from compilelint.values import BoundMethod, ClassRef, Const, External, FunctionRef, Value, arms, tensor_arm
from compilelint.values.words import describe, reason

_MOST_BELIEFS = 12
_LONGEST = 90
_CALLED = (BoundMethod, ClassRef, External, FunctionRef)
"""What a call is of stands in the event of the call."""
_OUTCOMES = {True: "true", False: "false", None: "undecided: both ways are followed"}
_ROOTS = {
    "explicit": "compiled by a call",
    "forward": "the `forward` of a module",
    "autograd": "a method of an autograd function",
    "unreached": "analysed as a guess: it takes tensors, and no linted code compiles or calls it",
    "all": "a root by `--roots all`",
    "glob": "named by `--roots`",
}
_FIELDS = ("name", "form", "keyword", "how", "target")


class Story:
    """Puts what was seen of a line into words; `source` is the text of its file."""

    def __init__(self, question: LineQuestion, source: Source, book: Rulebook, facts: TorchFacts) -> None:
        self.question = question
        self.book = book
        self.facts = facts
        self._lines = source.lines

    def text(self, span: Span) -> str:
        """The source of a span on one line, cut where it is long."""
        first = self._lines[span.line - 1] if span.line <= len(self._lines) else ""
        end = span.end_column - 1 if span.end_line == span.line else len(first)
        text = first[span.column - 1 : end].strip()
        more = span.end_line != span.line or len(text) > _LONGEST
        return f"{text[:_LONGEST].rstrip()} ..." if more else text

    def ways(self, visits: Iterable[Visit]) -> list[Way]:
        """A way for each run, the surest of its findings first; ways that read the same are one."""
        found: dict[object, tuple[int, Way]] = {}
        for visit in visits:
            way = self.way(visit)
            found[way.root, way.calls, way.stop, way.tests, way.happened] = self._surest(visit), way
        in_order = sorted(found.values(), key=lambda one: (bool(one[1].stop), -one[0], len(one[1].calls)))
        return [way for _, way in in_order]

    def _surest(self, visit: Visit) -> int:
        """How sure the surest finding is that a run makes of the line; 0 where it makes none."""
        events = (event for at, event in self.question.events if at is visit)
        return max((int(one.confidence) for event in events for one in self.findings(event)), default=0)

    def way(self, visit: Visit) -> Way:
        """One run of the function around the line."""
        kind = _ROOTS.get(visit.context.root_kind, visit.context.root_kind)
        if visit.compiled_at is not None:
            kind = f"compiled at {visit.compiled_at.path}:{visit.compiled_at.span.line}"
        stop = self.stop(visit)
        events = [event for at, event in self.question.events if at is visit]
        return Way(
            visit.context.root,
            kind,
            visit.context.chain(),
            tuple(belief(name, value) for name, value in visit.given.items()),
            tuple(self._tests(visit)),
            stop,
            () if stop else tuple(self._beliefs(visit)),
            tuple(self.happenings(events)),
        )

    # ------------------------------------------------------------ the way there

    def _tests(self, visit: Visit) -> Iterator[Test]:
        module, before = visit.function.module.ir, visit.floor
        for statement, around in visit.tests_before(self.question.line):
            for arm, (test, body) in enumerate(statement.arms):
                outcome = visit.outcome(statement, arm)
                entered = visit.blocks.get(id(body))
                lowered = ""
                if around and entered is not None and self._is_inside(module, body):
                    lowered, before = _lowered(before, entered.cap), entered.cap
                place = module.location(test.pos)
                words = "" if outcome is not None and isinstance(test, ir.Const) else self._value(visit, test)
                yield Test(place, self.text(module.span(test.pos)), _OUTCOMES[outcome], words, around, lowered)
                if outcome is True:
                    break
            if around and self._is_inside(module, statement.other):
                entered = visit.blocks.get(id(statement.other))
                before = before if entered is None else entered.cap

    def _is_inside(self, module: ir.Module, body: ir.Body) -> bool:
        return bool(body) and module.span(body[0].pos).line <= self.question.line <= module.span(body[-1].pos).end_line

    def _value(self, visit: Visit, test: ir.Expr) -> str:
        """What a test came to: itself, or its operands, which are decided one by one."""
        known = visit.beliefs.get((test.pos, test.__class__))
        if known is not None:
            return in_words(known)
        operands = test.values if isinstance(test, ir.BoolOp) else (test.operand,) if isinstance(test, ir.Unary) else ()
        module = visit.function.module.ir
        parts = ((self.text(module.span(one.pos)), self._value(visit, one)) for one in operands)
        return "; ".join(f"`{text}` is {words}" for text, words in parts if words)

    def stop(self, visit: Visit) -> str:
        """What kept a run from the line; empty where it was reached."""
        stop = visit.stop_before(self.question.line)
        if stop is None:
            return ""
        if visit.is_broken_off:
            return f"the analysis of `{visit.context.root}` was broken off before (`--timeout`)"
        module, statement = visit.function.module.ir, stop.statement
        line = module.span(statement.pos).line
        if stop.after:
            return _left_at(statement, line)
        if isinstance(statement, ir.If):
            return self._not_taken(visit, statement, stop.block)
        if isinstance(statement, ir.Try):
            return f"no followed path enters its `except` or `else` block of the `try` on line {line}"
        if isinstance(statement, (ir.For, ir.While)):
            return f"the loop on line {line} has nothing to go over here"
        return f"the block on line {line} is not entered"

    def _not_taken(self, visit: Visit, statement: ir.If, block: int) -> str:
        """Which test of an `if` sends a run elsewhere."""
        module = visit.function.module.ir
        for arm, (test, _) in enumerate(statement.arms[: block + 1]):
            outcome = visit.outcome(statement, arm)
            if outcome is True or (arm == block and outcome is False):
                text, line = self.text(module.span(test.pos)), module.span(test.pos).line
                words = self._value(visit, test)
                known = f" ({words})" if words and words not in ("True", "False") else ""
                return f"`{text}` on line {line} is {_OUTCOMES[outcome]} while compiling{known}"
        return f"the `if` on line {module.span(statement.pos).line} is not followed to this block"

    # ---------------------------------------------------------- at the line itself

    def _beliefs(self, visit: Visit) -> Iterator[Belief]:
        """The expressions that begin on the line, from left to right, the larger before what it is made of."""
        module, line = visit.function.module.ir, self.question.line
        placed = [(module.span(pos), kind, value) for (pos, kind), value in visit.beliefs.items()]
        placed = [one for one in placed if one[0].line == line and one[1] is not ir.Const]
        here = [one for one in placed if not all(isinstance(arm, _CALLED) for arm in arms(one[2]))]
        here.sort(key=lambda one: (one[0].column, -one[0].end_line, -one[0].end_column))
        seen: dict[str, Belief] = {}
        for span, _, value in here:
            text = self.text(span)
            seen.setdefault(text, belief(text, value))
        yield from list(seen.values())[:_MOST_BELIEFS]

    def happenings(self, events: Iterable[Event]) -> list[Happening]:
        """Events in words, each once."""
        return list(dict.fromkeys(self._happening(event) for event in events))

    def _happening(self, event: Event) -> Happening:
        said = [f"{one.rule.code} {one.rule.name}: {one.confidence.explained}" for one in self.findings(event)]
        return Happening(event.site.location, _what(event), self._fact(event), tuple(dict.fromkeys(said)))

    def findings(self, event: Event) -> Sequence[Finding]:
        """What all rules say of an event."""
        return list(self.book.findings_for(event, self.facts))

    def _fact(self, event: Event) -> str:
        """What Dynamo does there, and how that is known."""
        fact = event.outcome
        if fact is None:
            return ""
        config = event.site.context.config
        reason_words = f" ({', '.join(one for one in (fact.gb_id, fact.reason and fact.reason.value) if one)})"
        if config.breaks(fact):
            words = f"ends the graph{reason_words}"
        elif fact.breaks or fact.breaks_fullgraph:
            words = "stays in the graph as this root is compiled"
        else:
            words = "stays in the graph"
        known = "concluded from other names or versions" if fact.assumed else "measured"
        other = "; other arguments may decide otherwise" if fact.mixed else ""
        return f"{words}; {known}, torch {self.facts.version}{other}"


def belief(text: str, value: Value) -> Belief:
    """A value in words, with where it comes from."""
    return Belief(text, in_words(value), reason(value))


def in_words(value: Value) -> str:
    """A value, and why it is no surer."""
    tensor = None if isinstance(value, Const) else tensor_arm(value)
    doubts = () if tensor is None else tensor.confidence.doubts[:2]
    since = "; and ".join(f"since {doubt.why}" for doubt in doubts)
    words = describe(value)
    words = words if len(words) <= _LONGEST else f"{words[:_LONGEST].rstrip()} ..."
    return f"{words}, {since}" if since else words


def _lowered(before: Confidence, after: Confidence) -> str:
    """What a test took from what may be claimed behind it."""
    new = [doubt for doubt in after.doubts if doubt not in before.doubts]
    return f"{after.label}, {'; and '.join(f'since {doubt.why}' for doubt in new)}" if new else ""


def _left_at(statement: ir.Stmt, line: int) -> str:
    if isinstance(statement, ir.Return):
        return f"the function returns on line {line}"
    if isinstance(statement, ir.Raise):
        return f"line {line} raises an error"
    if isinstance(statement, ir.Jump):
        return f"line {line} leaves the loop"
    if isinstance(statement, (ir.If, ir.Match)):
        return f"every way through the `if` on line {line} leaves the function or the loop"
    if isinstance(statement, ir.Assert):
        return f"the assertion on line {line} fails"
    return f"no path goes on behind line {line}: what it calls never returns"


def _what(event: Event) -> str:
    """An event in a few words: its kind, and the name or form that it is about."""
    kind = "".join(f" {one.lower()}" if one.isupper() else one for one in event.__class__.__name__).strip()
    named = [str(value) for name in _FIELDS if isinstance(value := getattr(event, name, None), str) and value]
    inner = event.site.inner
    where = "" if inner is None else f", in {inner.context.where.path}:{inner.location.span.line}"
    return f"{kind} {', '.join(dict.fromkeys(named))}{where}".strip()
