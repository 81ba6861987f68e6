"""`try`: which handlers may run, what they cost, and which blocks cannot raise."""

from __future__ import annotations

from compilelint import events
from compilelint.interp.core.frame import Frame, register_exec
from compilelint.interp.core.state import State, join_states
from compilelint.interp.eval.branches import keep_usual
from compilelint.interp.refusals import caught_errors
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    BOTTOM,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Instance,
    Value,
)


@register_exec(ir.Try)
def try_(f: Frame, n: ir.Try) -> None:
    blocks = f.around.blocks
    if n.star:
        outcome = f.interp.facts.syntax(SyntaxForm.EXCEPT_STAR)
        f.emit(events.Syntax(f.site(n.handlers[0].pos), outcome, SyntaxForm.EXCEPT_STAR.value))
        f.broken_by(outcome)
    before = f.here.copy()
    returned = f.returns
    guarded = (*blocks, "finally") if n.final else blocks
    f.around.blocks = (*guarded, "try") if n.handlers else guarded
    f.run(n.body)
    f.around.blocks = guarded
    body_end = f.state
    succeeds = body_end is not None and _imports_what_is_there(f, n.body)
    ends: list[State | None] = []
    if f.state is not None:
        f.run(n.other)
        ends.append(f.state)
    if not (body_end is None and _settled(f, n.body, returned)):
        for handler in n.handlers:
            # The exception may come from anywhere in the body: start from what held before and after it.
            f.state = join_states([before, body_end]) if body_end is not None else before.copy()
            if f.state is None:
                continue
            if body_end is not None:  # what Dynamo traces is the body: it has given up the frame before any handler
                f.state.broke, f.state.skipped = body_end.broke, body_end.skipped
            if handler.type is not None:
                kind = f.eval(handler.type)
                if body_end is None and _surely_raises(f, n.body, returned):
                    caught_errors.handled_by(f, kind, n.body, handler.type.pos)
            if handler.name:
                f.state.bind(handler.name, Instance("builtins.Exception", inside=True))
            f.around.blocks = (*guarded, "except")
            f.around.conditional += 1
            f.run(handler.body)
            f.around.conditional -= 1
            f.around.blocks = guarded
            if not (succeeds and handler.type is not None and last_name(handler.type) in _IMPORT_ERRORS):
                ends.append(f.state)
    f.around.blocks = blocks
    f.state = join_states(ends)
    if body_end is not None and ends:
        keep_usual(f.state, ends[0])
    if n.final:
        if f.state is not None:
            f.run(n.final)
        else:
            f.state = before
            f.run(n.final)
            f.state = None


def _surely_raises(f: Frame, body: ir.Body, returned: Value) -> bool:
    """Whether a `try` body that does not reach its end has not left it with `return` either."""
    if isinstance(body[-1], (ir.If, ir.Raise, ir.ExprStmt)):
        return True
    return isinstance(body[-1], ir.Return) and returned is BOTTOM and f.returns is BOTTOM


_IMPORT_ERRORS = frozenset({"ImportError", "ModuleNotFoundError"})


def _imports_what_is_there(f: Frame, body: ir.Body) -> bool:
    """Whether a `try` body imports names of modules of the analysed environment only: what an `ImportError` would
    bring in their place is not what the program goes on with.
    """
    program = f.interp.program
    found = [
        (f.module.absolute(s.module, s.level), name)
        for s in body
        if isinstance(s, ir.ImportFrom)
        for name, _ in s.names
    ]
    values = [program.member(base, name) for base, name in found if name != "*"]
    return bool(values) and all(
        isinstance(v, (FunctionRef, ClassRef)) or (isinstance(v, External) and program.is_compiled(v.name))
        for v in values
    )


def _settled(f: Frame, body: ir.Body, returned: Value) -> bool:
    """Whether a `try` body imports something and returns a constant: `is_compiling` helpers, whose handlers only

    serve a torch that does not know the answer.
    """
    has_import = any(isinstance(s, (ir.Import, ir.ImportFrom)) for s in body)
    return has_import and returned is not f.returns and isinstance(f.returns, Const)
