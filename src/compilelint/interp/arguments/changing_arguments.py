"""What a loop around a call of a compiled object changes from call to call: numbers, texts, the length of a tensor.

Read off the source of the loop (its targets, `step += 1`, `x = torch.cat([x, y])`) for arguments of which the host
knows that they are numbers, texts or tensors. Does not belong here: what follows in the compiled code
(`varying_arguments`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilelint.events import GuardedInput
from compilelint.interp.core.compile_calls import Changing
from compilelint.interp.text.usage import names_bound
from compilelint.survey.loops import values_of
from compilelint.survey.scopes import calls_among, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.facts import fact, of_statements
from compilelint.syntax.walk import last_name, statements_of
from compilelint.values import Const, Scalar, Value, arms, tensor_arm

if TYPE_CHECKING:
    from compilelint.interp.core.args import Args
    from compilelint.interp.core.frame import Frame

_JOINING = frozenset({"cat", "concat", "concatenate", "vstack", "hstack"})


def changing(f: Frame, call: ir.Call, args: Args) -> dict[int | str, Changing]:
    """The arguments of a call, by position or keyword, that a loop around it changes; not those that are starred."""
    calls = fact(f.module.ir, _loops_around) if f.function is None else fact(f.function.node, _loops_around)
    found: dict[int | str, Changing] = {}
    for loop in calls.get(id(call), ()):
        counted, lengthened = set(_counted(loop)), set(_lengthened(loop))
        place = f.module.ir.location(loop.pos)
        for key, written in _arguments(call):
            value = args.get(key) if isinstance(key, int) else args.keywords.get(key)
            if value is not None and key not in found:
                how = _how(written, value, counted, lengthened)
                if how is not None:
                    found[key] = Changing(how, place, _count(loop, written))
    return found


def _count(loop: ir.For | ir.While, written: ir.Expr) -> int | None:
    """How many values a name has in a loop that binds nothing else and leaves it as it is; None if unknown."""
    if not (isinstance(loop, ir.For) and isinstance(loop.target, ir.Name) and isinstance(written, ir.Name)):
        return None
    name = loop.target.id
    added = any(
        isinstance(s, ir.AugAssign) and isinstance(s.target, ir.Name) and s.target.id == name
        for s in statements_of(loop.body)
    )
    return None if added or written.id != name else values_of(loop.iterable)


def _arguments(call: ir.Call) -> Iterator[tuple[int | str, ir.Expr]]:
    for i, one in enumerate(call.args):
        if isinstance(one, ir.Star):
            break
        yield i, one
    yield from ((name, one) for name, one in call.keywords if name)


def _how(written: ir.Expr, value: Value, counted: set[str], lengthened: set[str]) -> GuardedInput | None:
    names = {e.id for e in expressions([written]) if isinstance(e, ir.Name)}
    if isinstance(written, (ir.Name, ir.Binary)) and names & counted:
        kinds = {_kind(arm) for arm in arms(value)}
        if kinds == {"number"}:
            return "number"
        return "text" if kinds == {"text"} else None
    if isinstance(written, ir.Name) and names & lengthened and tensor_arm(value) is not None:
        return "longer"
    return None


def _kind(value: Value) -> str:
    if isinstance(value, Scalar):
        return "number" if value.kind in ("int", "float") else "text" if value.kind == "str" else ""
    if isinstance(value, Const):
        return "number" if type(value.value) in (int, float) else "text" if isinstance(value.value, str) else ""
    return ""


@of_statements
def _loops_around(node: ir.Module | ir.Function) -> dict[int, list[ir.For | ir.While]]:
    """The calls in loops of a body, by `id`, each with the loops that it stands in, the innermost first."""
    found: dict[int, list[ir.For | ir.While]] = {}
    for s, blocks in statements(node.body):
        loops = [one for one in reversed(blocks) if isinstance(one, (ir.For, ir.While))]
        if loops:
            found.update((id(call), loops) for call in calls_among(own_expressions(s)))
    return found


def _counted(loop: ir.For | ir.While) -> Iterator[str]:
    """The targets of a loop, and what its body adds to."""
    if isinstance(loop, ir.For):
        yield from names_bound(loop.target)
    for s in statements_of(loop.body):
        if isinstance(s, ir.AugAssign) and isinstance(s.target, ir.Name):
            yield s.target.id


def _lengthened(loop: ir.For | ir.While) -> Iterator[str]:
    """What the body concatenates to itself: `x = torch.cat([x, y])`, and not `torch.cat([x, y])[-n:]`."""
    for s in statements_of(loop.body):
        if not isinstance(s, ir.Assign) or not isinstance(s.value, ir.Call) or last_name(s.value.func) not in _JOINING:
            continue
        joined = s.value.args[0] if s.value.args else None
        for target in s.targets:
            if isinstance(target, ir.Name) and isinstance(joined, ir.Display) and _holds(joined, target.id):
                yield target.id


def _holds(display: ir.Display, name: str) -> bool:
    return any(isinstance(item, ir.Name) and item.id == name for item in display.items)
