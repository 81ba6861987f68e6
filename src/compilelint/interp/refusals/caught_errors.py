"""Errors that Python raises and the program catches, at which Dynamo ends the frame.

Python goes on in the handler, so that the program is right without compilation; where nothing catches the error, it
fails in any case and nothing is said. Measured on torch 2.13 and 2.15: a local that is not bound on any path, a name
that is bound nowhere (up to 2.14), an assertion that constants decide, `except` followed by what is no class (up to
2.14), an exception that was made outside of the region, `super().name` that no parent has.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable
from typing import Final

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.judging import if_judged_else_false
from compilelint.interp.core.perform import Operation, Use, rule
from compilelint.interp.core.refusals import refused
from compilelint.interp.refusals.refused_super import lacks
from compilelint.project.classes import ClassInfo, FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.facts import top_level
from compilelint.syntax.walk import statements_of
from compilelint.values import UNKNOWN, BoundMethod, Const, FunctionRef, Instance, Object, Scalar, Sequence, Value

_UNBOUND: Final = "GB0011"  # "Attempted to read undefined local variable"
_CELL: Final = "GB0091"  # "Read uninitialized cell"
_IN_CELL: Final = "GB0055|unset variable of a function around"  # "Failed to convert args/kwargs to proxy"
_NOWHERE: Final = "GB0354"  # "failed to find name in frame builtins"
_FALSE: Final = "GB0034|assert"  # "Data-dependent assertion failed (cannot compile partial graph)"
_SYMBOLIC: Final = "GB0002|assert"  # "Assertion failed on symbolic shapes"
_NO_TYPE: Final = "GB0050"  # "Exception with bad expected type"
_NO_TYPE_AMONG: Final = "GB0051"  # "Exception with non-type expectation"
_ODD_MESSAGE: Final = ", message not a string"
_HELD: Final = "GB0088|raise of a held exception"  # "Observed exception"
_HELD_HANDLED: Final = "GB0088|raise of a held exception, at the handler"
_NO_PARENT: Final = "GB0113"  # "Unable to resolve super getattr"
_OF_MODULES: Final = ("__name__", "__file__", "__doc__", "__package__", "__spec__", "__path__", "__builtins__")


@if_judged_else_false
def is_caught(f: Frame) -> bool:
    """Whether an error here may be caught in the frame, or by one that has called it.

    Asked last: a call of which this was never asked answers for those that have a handler around them and those that
    have none.
    """
    if "try" in f.around.blocks:
        return True
    f.effects.heeds = True
    return f.caught


def name_read(f: Frame, n: ir.Name, found: Value) -> None:
    """A name that no path has bound is read; `found` is what enclosing scopes hold."""
    if f.function is None or "comprehension" in f.around.blocks:
        return
    if n.id in f.function.node.local_names:
        if is_caught(f):
            refused(f, _UNBOUND, n.id, (), n.pos)
    elif found is not UNKNOWN or not is_caught(f):
        return
    elif _is_unset(f, n.id):
        refused(f, _IN_CELL, n.id, (), n.pos)
    elif _is_bound_nowhere(f, n.id):
        refused(f, _NOWHERE, n.id, (), n.pos)


def _is_unset(f: Frame, name: str) -> bool:
    """Whether the name is that of a variable of a function around this one which is still running, not yet bound."""
    frame = f.closure
    while frame is not None:
        if frame.function is not None and name in frame.function.node.local_names:
            return frame.state is not None and frame.kept is None and name not in frame.state.names
        frame = frame.closure
    return False


@rule(Operation.CALL, FunctionRef)
def entered(use: Use) -> None:
    """A nested function is called before a variable of the function around it is bound that it reads."""
    f, (ref,), pos = use.frame, use.operands, use.pos
    closure = ref.closure if isinstance(ref, FunctionRef) and isinstance(ref.closure, Frame) else None
    code = ref.code if isinstance(ref, FunctionRef) else None
    if (
        not isinstance(code, FunctionInfo)
        or closure is None
        or closure.function is None
        or closure is not f
        or f.state is None
        or not is_caught(f)
    ):
        return
    own, outer = code.node.local_names, closure.function.node.local_names
    for s in statements_of(code.node.body):
        for e in expressions(own_expressions(s)):
            if isinstance(e, ir.Name) and e.id in outer and e.id not in own and e.id not in f.state.names:
                refused(f, _CELL, f"{code.node.name}()", (), pos)
                return


def _is_bound_nowhere(f: Frame, name: str) -> bool:
    if name in f.module.bindings or "*" in f.module.bindings or hasattr(builtins, name) or name in _OF_MODULES:
        return False
    frame = f.closure
    while frame is not None:
        if frame.function is not None and name in frame.function.node.local_names:
            return False
        frame = frame.closure
    star = any(isinstance(s, ir.ImportFrom) and any(one == "*" for one, _ in s.names) for s in top_level(f.module.ir))
    return not star and f.interp.program.global_value(f.module, name) is None


def asserted(f: Frame, n: ir.Assert, value: Value) -> None:
    """`assert`: one that constants fail is no error of the graph; a plain `False` is left to `raise`.

    From torch 2.15 on the same holds of one whose message is no text.
    """
    test = n.test
    odd = "" if n.message is None or isinstance(n.message, (ir.Const, ir.FString)) else _ODD_MESSAGE
    if f.interp.facts.traces(_FALSE + odd):
        return
    fails = isinstance(value, Const) and not value.value and not isinstance(test, ir.Const)
    if (not fails and not isinstance(test, ir.Compare)) or not is_caught(f):
        return
    if fails:
        refused(f, _FALSE + odd, "assert that fails", (value,), test.pos)
    elif isinstance(test, ir.Compare) and _fails_by_size(f, test):
        key = _SYMBOLIC if f.interp.recalled else _FALSE  # from the second kind of call on sizes are symbols
        refused(f, key + odd, "assert that fails", (value,), test.pos)


def _fails_by_size(f: Frame, test: ir.Compare) -> bool:
    """Whether two known numbers, one of which is a size, do not compare as the assertion wants."""
    compare = _COMPARE.get(test.ops[0])
    if len(test.ops) != 1 or compare is None:
        return False
    modes, f.modes = f.modes, f.modes.silenced
    left, right = _number(f.eval(test.left)), _number(f.eval(test.rights[0]))
    f.modes = modes
    return left is not None and right is not None and not compare(left, right)


def _number(value: Value) -> int | None:
    if isinstance(value, Const):
        return value.value if type(value.value) is int else None
    return value.number.number if isinstance(value, Scalar) and value.number is not None else None


_COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}


def handled_by(f: Frame, kind: Value, body: ir.Body, pos: int) -> None:
    """`except kind` of a body that surely raises."""
    if not is_caught(f):
        return
    last = body[-1]
    if isinstance(last, ir.Raise) and isinstance(last.exc, (ir.Name, ir.Attr)) and f.state is not None:
        error = f.eval(last.exc)
        if _is_held(error):
            refused(f, _HELD_HANDLED, "raise", (error,), pos)
    if isinstance(kind, Const):
        refused(f, _NO_TYPE, "except", (kind,), pos)
    elif isinstance(kind, Sequence) and any(isinstance(one, Const) for one in kind.items or ()):
        refused(f, _NO_TYPE_AMONG, "except", (kind,), pos)


def raised(f: Frame, value: Value, pos: int) -> None:
    """`raise error` of an error that the caller has made; up to torch 2.14 the frame ends at the handler."""
    if not f.interp.facts.traces(_HELD) and _is_held(value) and is_caught(f):
        refused(f, _HELD, "raise", (value,), pos)


def _is_held(value: Value) -> bool:
    """Whether it is an exception that was made outside of the region."""
    own = isinstance(value, Object) and isinstance(value.cls, ClassInfo) and value.cls.descends_from(*_BASES)
    known = isinstance(value, Instance) and value.name.startswith("builtins.") and value.name.endswith("Error")
    return (own or known) and isinstance(value, (Object, Instance)) and not value.inside


_ERRORS: Final = [
    name for name, one in vars(builtins).items() if isinstance(one, type) and issubclass(one, BaseException)
]
_BASES: Final = tuple(f"builtins.{name}" for name in _ERRORS)


def parent_asked(f: Frame, n: ir.Attr, found: Value) -> None:
    """`super().name` that none of the parents has, all of which are of the program."""
    owner = f.owner
    inherited = isinstance(found, BoundMethod)  # of a library class, which may have it
    if owner is None or (found is not UNKNOWN and not inherited) or not is_caught(f):
        return
    if lacks(f, owner, n.name):
        refused(f, _NO_PARENT, f"super().{n.name}", (), n.pos)
