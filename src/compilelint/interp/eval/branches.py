"""Statements that choose: `if` and `match`, with what is known and believed on each side."""

from __future__ import annotations

from compilelint.interp.arguments import varying_arguments as arguments
from compilelint.interp.core import usual_tests
from compilelint.interp.core.frame import Frame, register_exec
from compilelint.interp.core.state import State, join_states
from compilelint.interp.eval import truth
from compilelint.interp.eval.filled_mappings import keep_filled
from compilelint.interp.kinds import narrowing
from compilelint.model import Doubt
from compilelint.syntax import ir
from compilelint.values import (
    UNKNOWN,
    Scalar,
    Tensor,
    kind_of,
    tensor_arm,
    usual_of,
)


@register_exec(ir.If)
def if_(f: Frame, n: ir.If) -> None:
    cap = f.around.cap
    ends: list[State | None] = []
    usually: bool | None = None  # how the test mostly comes out
    likely: bool | None = None  # likewise, where it says how sure the arms are: in code that is merely followed
    for i, (test, body) in enumerate(n.arms):
        value, decided = truth.decide_value(f, test, "elif" if i else "if")
        if f.state is None:
            break
        if decided is None and value.__class__ is Scalar:
            arguments.tested(f, test, value, body)
        before = f.state
        if decided is False:
            f.trace.tested(test.pos, False)
        else:
            f.state = before.copy()
            usual = usual_of(value)
            usually = None if usual is None else bool(usual.value)
            f.trace.tested(test.pos, _comes_out(f, test, usually) if decided is None else decided)
            likely = None if f.context.linted else usually
            known = decided is None and (likely is True or truth.asks_for_type(f, test))
            other = decided is None and truth.asks_unknown_for_other(f, test)
            truth.assume(f, test, True)
            if decided is None and f.state is not None:
                _run_undecided(f, test, body, usually, likely, known=known, other=other)
            else:
                f.run(body)
            ends.append(f.state)
        if decided is True:
            f.state = None
            break
        f.state = before
        truth.assume(f, test, False)
        if f.state is None:
            break
    if f.state is not None:
        if ends and n.other:
            _run_other(f, n, usually, likely)
        else:
            f.run(n.other)
        ends.append(f.state)
    f.around.cap = cap
    f.state = join_states(ends)
    if usually is not None and len(n.arms) == 1 and len(ends) == 2:
        keep_usual(f.state, ends[0] if usually else ends[1])
    if len(n.arms) == 1 and len(ends) == 2:
        keep_filled(f, ends[0], n.arms[0][0])


def _run_undecided(
    f: Frame, test: ir.Expr, body: ir.Body, usually: bool | None, likely: bool | None, *, known: bool, other: bool
) -> None:
    """Run an arm whose test is not decided; `known` says that it counts as none, `other` that it asks for a type that
    is not the one believed."""
    around = f.around
    before, outer = around.conditional, around.cap
    around.conditional += not known
    around.rare, around.doubtful = around.rare + (usually is False), around.doubtful + (usually is None)
    around.tests.append((test, True))
    around.cap = Doubt.OF_THAT_TYPE_ONLY.lower(outer) if other else outer
    if usually is False:
        around.cap = Doubt.OFF_BY_DEFAULT.lower(around.cap)
    _lower_cap(f, test, True, body)
    f.run(body)
    around.cap = outer
    around.tests.pop()
    around.rare, around.doubtful = around.rare - (usually is False), around.doubtful - (usually is None)
    # Returns inside of what is mostly passed by put nothing behind it under a test.
    around.conditional = before if likely is False else around.conditional - (not known)
    if not f.context.linted and f.state is None and isinstance(body[-1], ir.Return):
        # The rest of the function stands under the same test.
        around.conditional += likely is True or not (known or likely is False or truth.asks_for_none(test))


def _run_other(f: Frame, n: ir.If, usually: bool | None, likely: bool | None) -> None:
    """Run the `else` behind tests that are not all decided."""
    around, test = f.around, n.arms[-1][0]
    around.conditional += likely is not False
    around.tests.append((test, False))
    around.rare, around.doubtful = around.rare + (usually is True), around.doubtful + (usually is None)
    _lower_cap(f, test, False, n.other)
    f.run(n.other)
    around.tests.pop()
    around.rare, around.doubtful = around.rare - (usually is True), around.doubtful - (usually is None)
    around.conditional -= likely is not False


def _comes_out(f: Frame, test: ir.Expr, usually: bool | None) -> bool | None:
    return usual_tests.outcome(f, test) if usually is None else usually


def keep_usual(joined: State | None, usual: State | None) -> None:
    """Behind a test that mostly goes one way, values are usually what they are on that way.

    Texts and flags have that value, and a tensor is as surely one as it is there.
    """
    if joined is None or usual is None or joined is usual:
        return
    for name, value in joined.names.items():
        on_that_way = usual.names.get(name, UNKNOWN)
        if value is on_that_way:
            continue
        if value.__class__ is Scalar:
            held = usual_of(on_that_way)
            if held is not None and kind_of(held) == value.kind:
                joined.names[name] = Scalar(value.kind, value.dependence, value.origin, held)
        elif value.__class__ is Tensor is on_that_way.__class__ and on_that_way.confidence > value.confidence:
            joined.names[name] = value.but(confidence=on_that_way.confidence)


def _lower_cap(f: Frame, test: ir.Expr, taken: bool, body: ir.Body) -> None:
    """Claim less inside an arm that is switched off by default, or that leads to an error."""
    truth.lower_in_arm(f, test, taken)
    if _only_raises(f, body):
        f.around.cap = Doubt.FAILS_ANYWAY.lower(f.around.cap)


def _only_raises(f: Frame, body: ir.Body) -> bool:
    """Whether an arm ends in an error that is not caught here: what precedes it runs when the program fails anyway."""
    return bool(body) and isinstance(body[-1], ir.Raise) and "try" not in f.around.blocks


@register_exec(ir.Match)
def match(f: Frame, n: ir.Match) -> None:
    subject = f.eval(n.subject)
    ends: list[State | None] = []
    for case in n.cases:
        if f.state is None:
            break
        before = f.state
        f.state = before.copy()
        for value in case.values:
            f.eval(value)
            compared = tensor_arm(subject)
            if compared is not None:
                truth.test_value(f, compared, "match", value.pos)
        if case.types and isinstance(n.subject, ir.Name):
            narrowing.assume_types(f, n.subject, [f.eval(t) for t in case.types])
            if f.state is None:
                f.state = before
                continue
        for name in case.binds:
            f.state.bind(name, subject if case.irrefutable else UNKNOWN)
        if case.guard is not None:
            truth.decide(f, case.guard, "if")
            truth.assume(f, case.guard, True)
        f.run(case.body)
        ends.append(f.state)
        f.state = None if case.irrefutable else before
    ends.append(f.state)
    f.state = join_states(ends)
