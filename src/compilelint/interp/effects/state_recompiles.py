"""Which changed state makes Dynamo compile again: what a root leaves behind against what it found.

Each kind was measured on Dynamo by calling a small program ten times (`benchmarks/recompiles`).
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Literal

from compilelint.events import Dropped, StateChange, StateHow
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.slots import Change, Use
from compilelint.interp.effects.optimizer_state import LOST, OF_OPTIMIZER
from compilelint.interp.effects.replaced_state import replaced
from compilelint.model import Confidence, Doubt, weakest
from compilelint.values import (
    Const,
    External,
    Instance,
    Mapping,
    Scalar,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    arms,
    is_none,
    tensor_arm,
    type_name,
)

_SETTLING = frozenset({"min", "max", "%", "[]", "&", "not", ""})
_ONCE = frozenset(
    {
        "appears",
        "flips",
        "retypes",
        "reshapes",
        "disappears",
        "aliases",
        "gains-gradient",
        "settles",
        "gains-key",
        "fills",
    }
)
# State that changes behind more calls than this mostly belongs to what callers make for each run (a key-value cache
# handed down), or is set up once by a library: what the root's own calls keep lies nearer.
_DEEPEST = 4


def emit(f: Frame, use: Use | None) -> None:
    """Emit the slots that the root reads first and leaves changed, once a function and kind."""
    if use is None or not use.changes:
        return
    surest: dict[Hashable, tuple[Change, StateHow, Confidence]] = {}
    for slot, found in use.changes.items():
        if slot not in use.reads or (slot[0] == OF_OPTIMIZER and f.effects.left_to_python):
            continue
        for change, how in _judged(list(found.values()), use):
            if not change.site.context.linted:
                continue
            sure = _sure(f, change, how, use.calls_to(change))
            key = (id(change.site.context.where), change.site.context.function, how in _ONCE, how == "counts")
            other = surest.get(key)
            if other is None or (sure, -change.site.pos) > (other[2], -other[0].site.pos):
                surest[key] = change, how, sure
    for change, how, sure in surest.values():
        if change.slot[0] == OF_OPTIMIZER and LOST in change.slot:
            f.interp.emit(Dropped(change.site, None, "optimizer-attribute", change.name, "", sure))
            continue
        f.interp.emit(
            StateChange(
                change.site,
                None,
                how,
                change.where,
                change.name,
                _guard(change, how),
                sure,
                change.alone,
                change.training,
                f.owner is not None and change.slot[0] == id(f.owner) and not f.owner.is_module,
            )
        )


def _judged(found: list[Change], use: Use) -> list[tuple[Change, StateHow]]:
    """The changes of one slot that matter, and how."""
    contents = [one for one in found if one.how in ("grow", "shrink", "key")]
    if contents:
        return _container(contents)
    if _taken_back(found):
        return []
    judged = [(one, "advances" if one.how == "next" else _scalar(one, use)) for one in found]
    return [(one, how) for one, how in judged if how]


def _taken_back(found: list[Change]) -> bool:
    """`self.depth += 1`, then `self.depth -= 1`: the call leaves the number as it was."""
    steps = all(one.amount and not one.conditional for one in found)
    return steps and sum(one.amount for one in found) == 0


# ------------------------------------------------------------------- one value


def _scalar(change: Change, use: Use) -> StateHow | Literal[""]:
    """How one attribute or variable changes; empty where the next call finds what its guard expects."""
    initial, value = change.initial, change.value
    if change.how == "delete":
        return "" if initial is None else "disappears"
    if change.fails:
        return change.fails
    if initial is None:
        return _from_nothing(change, use)
    if change.where == "process":
        return _of_process(change, initial)
    if is_none(initial):
        if is_none(value) or (change.how == "step" and any(is_none(a) for a in arms(value))):
            return ""
        return "counts" if _steps_by_literal(change) else "appears"
    if change.how == "step":
        return "" if isinstance(value, Const) and value.key == initial.key else _step(change, initial)
    return _from_constant(initial, value) if isinstance(initial, Const) else _from_value(initial, value)


def _steps_by_literal(change: Change) -> bool:
    """Whether the new value is the old one and a number as written."""
    return change.how == "step" and change.literal and tensor_arm(change.value) is None


def _from_nothing(change: Change, use: Use) -> StateHow | Literal[""]:
    """What does not exist before the first call."""
    if change.where in ("self", "class", "argument") and (*change.slot, "asked") in use.reads:
        return "counts" if change.how == "step" and change.op not in _SETTLING else "appears"
    return "counts" if _steps_by_literal(change) else ""


def _of_process(change: Change, initial: Value) -> StateHow | Literal[""]:
    """A switch of the process, another value of which fails a guard."""
    value = change.value
    known = isinstance(value, (Const, External)) or (change.name == "default_device" and isinstance(value, Instance))
    return "flips" if known and value.key != initial.key else ""


def _from_constant(initial: Const, value: Value) -> StateHow | Literal[""]:
    """Another value in the place of a constant."""
    if isinstance(value, Const):
        same = type(value.value) is type(initial.value) and value.value == initial.value
        return "" if same else "flips"
    if tensor_arm(value) is not None:
        return "retypes"
    return "settles" if isinstance(value, Scalar) else replaced(initial, value)


def _from_value(initial: Value, value: Value) -> StateHow | Literal[""]:
    """Another value in the place of one of which the kind is known."""
    if tensor_arm(initial) is not None and isinstance(value, Const):
        return "retypes"
    if isinstance(initial, Sequence) and initial.items == () and isinstance(value, Sequence):
        return "" if value.items == () else "appears"
    if isinstance(initial, Scalar) and isinstance(value, Const) and initial.kind == "bool":
        return "flips"
    return "" if isinstance(initial, Scalar) else replaced(initial, value)


def _step(change: Change, initial: Value) -> StateHow | Literal[""]:
    """The new value follows from the old one."""
    value = change.value
    tensor = tensor_arm(value)
    if any(isinstance(a, Tensor) for a in arms(initial)):
        return "lengthens" if change.joined and tensor is not None else replaced(initial, value)
    if isinstance(initial, Sequence) and change.op in ("+", "[]"):
        return "grows"
    if not isinstance(initial, (Const, Scalar, Unknown, Union)):
        return replaced(initial, value, follows=True)
    if tensor is not None:
        return "retypes" if isinstance(initial, (Const, Scalar)) else ""
    kind = type_name(initial)
    if kind == "bool":
        return "flips"
    if kind == "float" or (kind == "int" and (type_name(value) == "float" or change.op == "/")):
        return "varies"
    if kind in ("int", "str"):
        if change.op in _SETTLING:
            return "settles"
        return "varies" if change.where == "closure" and kind == "int" else "counts"
    # A number from the configuration: only a literal step shows that it is one.
    return "counts" if change.op in ("+", "-") and type_name(value) == "int" else ""


# ----------------------------------------------------------------- a container


def _container(found: list[Change]) -> list[tuple[Change, StateHow]]:
    """A container that has another length after the call; taking out what was put in leaves it as it was."""
    grown = [c for c in found if c.how == "grow"]
    shrunk = [c for c in found if c.how == "shrink"]
    keyed = [c for c in found if c.how == "key"]
    if not grown and not keyed:
        return [(c, "shrinks") for c in shrunk if not _starts_empty(c.initial)]
    taken = [c for c in shrunk if c.op != "clear"]
    if taken and len(taken) >= len(grown) + len(keyed) and not any(c.conditional for c in taken):
        return []
    cleared = any(c.op == "clear" and not c.conditional for c in shrunk)
    filled: list[tuple[Change, StateHow]] = [(c, "fills" if cleared else "grows") for c in grown]
    return filled + [(c, "fills" if c.literal else "gains-key") for c in keyed]


# --------------------------------------------------------------------- emitting


def _sure(f: Frame, change: Change, how: StateHow, calls: int) -> Confidence:
    """Certain on a straight way, likely behind a test, possible where the test fails unless it is asked for.

    What happens once is likely behind a test only if the test asks about this very state, as the first call finds it.
    """
    context = f.context
    host = f.owner is not None and not f.owner.is_module
    steps = change.slot[0] == OF_OPTIMIZER
    once = how in _ONCE and change.how != "key" and not change.tested
    doubts = (
        (change.doubted, Doubt.DEFAULTS_SAY_OTHERWISE),
        (context.root_kind == "unreached", Doubt.COMPILED_BY_GUESS if steps else Doubt.NOT_KNOWN_TO_BE_COMPILED),
        (change.where == "argument", Doubt.STATE_OF_AN_ARGUMENT),
        (calls > _DEEPEST, Doubt.BEHIND_MANY_CALLS),
        (host and context.root_kind == "glob", Doubt.NAMED_BY_PATTERN),
        (how == "flips" and isinstance(change.initial, Scalar), Doubt.CALLER_DECIDES_THE_VALUE),
        (change.conditional, Doubt.ONCE_BEHIND_A_TEST if once else Doubt.BEHIND_A_TEST),
    )
    caps = [doubt.cap for applies, doubt in doubts if applies]
    return weakest(Confidence.CERTAIN, *caps, *([] if change.doubt is None else [change.doubt.cap]))


def _guard(change: Change, how: StateHow) -> str:
    """The guard of the first version, as `TORCH_LOGS=recompiles` prints it."""
    name, initial = change.name, change.initial
    if change.where == "process":
        return "___check_torch_function_mode_stack()" if name == "default_device" else f"GLOBAL_STATE: {name}"
    if change.how in ("grow", "shrink", "key"):
        return f"not {name}" if _starts_empty(initial) else f"len({name}) == ..."
    if how == "advances":
        return f"the position of {name}"
    if how == "lengthens":
        return f"tensor '{name}' size mismatch"
    if initial is None:
        owner, _, attribute = name.rpartition(".")
        return f"not hasattr({owner}, '{attribute}')" if owner else f"{name} == ..."
    if is_none(initial):
        return f"{name} is None"
    if isinstance(initial, Sequence):
        return f"not {name}" if _starts_empty(initial) else f"len({name}) == ..."
    if how == "gains-gradient":
        return f"tensor '{name}' requires_grad mismatch"
    if how == "reshapes":
        return f"tensor '{name}' dtype, size or stride mismatch"
    if how == "aliases":
        return f"duplicate tensors: {name}"
    if isinstance(initial, Const):
        return f"{name} == {initial.value!r}"
    return f"{name} == ..."


def _starts_empty(initial: Value | None) -> bool:
    if isinstance(initial, Sequence):
        return initial.items == ()
    return isinstance(initial, Mapping) and not initial.entries
