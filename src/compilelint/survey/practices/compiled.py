"""Compile calls as they are written, and how what they give is called."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from compilelint.model.slotted import dataclass
from compilelint.project.compile_calls import COMPILERS
from compilelint.survey.practices.practice import UNKNOWN, Order, Practice
from compilelint.survey.practices.written import bound_to, func_of, loops_of, receiver
from compilelint.survey.scopes import Scope, Spot, argument, expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name

Compiled: TypeAlias = tuple[Practice, "ir.Expr | None", Spot]
"""A compile call, what it is given, and where it stands."""


def compile_calls(scope: Scope, seen: Sequence[Spot]) -> Iterator[Compiled]:
    """The calls that wrap (`torch.compile`), and `compile()` of an object with its keywords; each with its model."""
    for spot in seen:
        call = spot.expr
        if not isinstance(call, ir.Call):
            continue
        if COMPILERS.get(scope.name(call.func)) == "wraps":
            given = argument(call, 0, "model")
        elif isinstance(call.func, ir.Attr) and call.func.name == "compile" and _are_of_compile(call):
            given = call.func.value
        else:
            continue
        mode = argument(call, -1, "mode")
        known = isinstance(mode, ir.Const) and isinstance(mode.value, str)
        detail = str(mode.value) if isinstance(mode, ir.Const) and known else UNKNOWN if mode is not None else ""
        name = "" if given is None else dotted_name(given)
        yield Practice("compiles", spot.site().location, name, detail), given, spot


_OF_COMPILE = frozenset({"mode", "fullgraph", "dynamic", "backend", "options"})


def _are_of_compile(call: ir.Call) -> bool:
    """Whether keywords say that `x.compile(...)` is torch's: regular expressions and others have the method too."""
    return not call.args and bool(call.keywords) and all(name in _OF_COMPILE for name, _ in call.keywords)


def order_of(call: ir.Call, spot: Spot, compiled: Sequence[Compiled]) -> Order:
    """The place of the compile call of the same object, in one scope; those in other scopes are not looked for."""
    given = argument(call, 0, "module", "model")
    for _, target, other in compiled:
        if given is not None and any(one is other.expr for one in expressions([given])):
            return "around"
        if target is not None and any(one is call for one in expressions([target])):
            return "inside"
        name = "" if given is None else dotted_name(given)
        held = {name, *bound_to(spot)} - {""}
        if target is not None and dotted_name(target) in held:
            return "inside" if call.pos < other.expr.pos else "around"
        if name and name in bound_to(other):
            return "around"
    return ""


@dataclass(frozen=True, slots=True)
class CalledCompiled:
    """The loops of a scope that call what is compiled, and what is called outside of them, compiled all the same."""

    loops: frozenset[int]
    once: tuple[Practice, ...]


def called_once(calls: Sequence[Spot], compiled: Sequence[Compiled]) -> CalledCompiled:
    """How the calls of a scope use what is compiled in it, or in another method of its class."""
    names = {name: one for one, _, spot in compiled for name in bound_to(spot)}
    used: dict[str, list[Spot]] = {}
    for call in calls:
        if (name := dotted_name(func_of(call))) in names:
            used.setdefault(name, []).append(call)
    loops = {id(loop) for found in used.values() for spot in found for loop in loops_of(spot)[-1:]}
    repeated = [name for name, found in used.items() if any(loops_of(spot) for spot in found)]
    single = [name for name, found in used.items() if not any(loops_of(spot) for spot in found)]
    once = [Practice("once", names[name].location, name, repeated[0]) for name in single if repeated]
    return CalledCompiled(frozenset(loops), tuple(once))


def beside(calls: Sequence[Spot], of_class: Sequence[Spot], compiled: Sequence[Compiled]) -> Iterator[Practice]:
    """What was compiled under another name and is called as it was; wrappers of which only methods are called.

    `of_class` are the calls in the other methods of the class, which see what is bound to `self`.
    """
    for one, target, spot in compiled:
        bound = bound_to(spot)
        name = "" if target is None else dotted_name(target)
        if not bound or not name:
            continue
        later = [call for call in calls if call.expr.pos > spot.expr.pos]
        if any(held.startswith("self.") for held in bound):
            later += of_class
        direct = next((call for call in later if dotted_name(func_of(call)) == name), None)
        if name not in bound and direct is not None:
            yield Practice("uncompiled", direct.site().location, name, min(bound))
        methods = sorted({last_name(func_of(call)) for call in later if receiver(call.expr) in bound} - _KEPT)
        if methods and not any(dotted_name(func_of(call)) in bound for call in later):
            handed = any(_is_given(call, bound) for call in later)
            yield Practice("handed" if handed else "methods", one.location, min(bound), ", ".join(methods))


def _is_given(call: Spot, bound: set[str]) -> bool:
    """Whether a call is given the wrapper."""
    given = () if not isinstance(call.expr, ir.Call) else (*call.expr.args, *(v for _, v in call.expr.keywords))
    return any(dotted_name(value) in bound for value in given)


# Methods of every module, which compute nothing.
_KEPT = frozenset(
    """
    apply buffers children compile cuda double eval float forward half load_state_dict modules named_buffers
    named_children named_modules named_parameters parameters register_buffer requires_grad_ state_dict to train type
    zero_grad
    """.split()
)
