"""Python's builtins: conversions, questions about objects, attribute access by name, environment."""

from __future__ import annotations

import re

from compilelint import events
from compilelint.interp.core.args import Args
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.outcomes import after_break, between_graphs
from compilelint.interp.core.registry import model
from compilelint.interp.effects import attribute_writes
from compilelint.interp.effects import state_slots as guards
from compilelint.interp.eval.unrolled import MOST_UNROLLED
from compilelint.interp.kinds import class_decorators, drawn_numbers, recurrent_layers, special_methods, tensors
from compilelint.interp.kinds.builtins_on_tensors import builtin_on_tensor, emit_call
from compilelint.interp.kinds.class_names import class_of
from compilelint.interp.kinds.items import exact_items
from compilelint.interp.kinds.types import is_instance, types_of
from compilelint.interp.regions import checkpoint_bodies
from compilelint.model.patterns import late_pattern
from compilelint.project.classes import ClassInfo
from compilelint.torchfacts import SyntaxForm
from compilelint.values import (
    BOTTOM,
    FALSE,
    INT,
    NONE,
    TRUE,
    UNKNOWN,
    ClassRef,
    Const,
    Dependence,
    External,
    Instance,
    Object,
    Scalar,
    Sequence,
    Value,
    is_drawn,
    join_all,
    tensor_arm,
)

# Models that emit events themselves, under the syntax form that decides.
OWN_EVENTS = frozenset(
    f"builtins.{n}"
    for n in """
    int float bool complex len range str repr isinstance issubclass getattr setattr hasattr callable list tuple set dict
    zip enumerate reversed sorted map filter sum max min any all abs round iter next type divmod
    """.split()
)


def _number(kind: str, form: SyntaxForm, name: str) -> None:
    @model(name)
    def convert(f: Frame, args: Args, pos: int) -> Value:
        """`int(x)` and the like read a tensor's data; on everything else they are silent."""
        value = args.get(0)
        if value is None:
            return Scalar(kind)
        tensor = tensor_arm(value)
        if tensor is not None:
            outcome = f.interp.facts.syntax(form)
            captured = outcome is not None and not f.context.config.breaks(outcome)
            result = Scalar(kind, Dependence.DATA if captured else Dependence.STATIC)
            emit_call(f, outcome, name, tensor, args, pos, result)
            return result if captured else after_break(f, name, result, pos, tensor)
        if isinstance(value, Const) and type(value.value) in (int, float, bool) and kind != "complex":
            return (
                Const({"int": int, "float": float, "bool": bool}[kind](value.value))
                if _finite(value.value)
                else Scalar(kind)
            )
        dependence = value.dependence if isinstance(value, Scalar) else Dependence.STATIC
        if dependence is Dependence.DRAWN:
            return drawn_numbers.converted(f, kind, args, Scalar(kind, dependence), pos)
        number = value.number if isinstance(value, Scalar) and kind == value.kind == "int" else None
        return between_graphs(Scalar(kind, dependence, number=number), value)


def _finite(number: float) -> bool:
    return number == number and abs(number) != float("inf")


for _kind, _which, _name in (
    ("int", SyntaxForm.INT, "builtins.int"),
    ("int", SyntaxForm.INT, "operator.index"),
    ("float", SyntaxForm.FLOAT, "builtins.float"),
    ("bool", SyntaxForm.BOOL, "builtins.bool"),
    ("complex", SyntaxForm.COMPLEX, "builtins.complex"),
):
    _number(_kind, _which, _name)


@model("builtins.len")
def len_(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0)
    if value is None:
        return INT
    exact = exact_items(f, value)
    if exact is not None:
        return Const(len(exact))
    written = special_methods.length(f, value, pos)
    if written is not None:
        return written
    if isinstance(value, Const) and isinstance(value.value, str):
        return Const(len(value.value))
    if isinstance(value, Scalar) and value.kind == "str" and value.dependence is Dependence.DATA:
        outcome = f.interp.facts.syntax(SyntaxForm.FSTRING_USED)
        f.emit(events.Syntax(f.site(pos), outcome, SyntaxForm.FSTRING_USED.value, (value,)))
        f.broken_by(outcome)
    return tensors.SHAPE_INT if tensor_arm(value) is not None else INT


@model("builtins.str", "builtins.repr", "builtins.ascii")
def str_(f: Frame, args: Args, pos: int) -> Value:
    tensor = tensor_arm(args.get(0) or UNKNOWN)
    if tensor is not None:
        return builtin_on_tensor(f, SyntaxForm.STR, "builtins.str", tensor, args, pos, Scalar("str"))
    if is_drawn(args.get(0)):
        return drawn_numbers.converted(f, "str", args, Scalar("str"), pos)
    return Scalar("str")


@model("builtins.range")
def range_(f: Frame, args: Args, pos: int) -> Value:
    for value in args.positional:
        tensor = tensor_arm(value)
        if tensor is not None:
            builtin_on_tensor(f, SyntaxForm.RANGE, "builtins.range", tensor, args, pos, UNKNOWN)
        elif is_drawn(value):
            drawn_numbers.looped(f, value, pos)
    return _counted(f, args) or Sequence("range", None, Scalar("int"))


def _counted(f: Frame, args: Args) -> Sequence | None:
    """The numbers themselves, where a host counts a few."""
    bounds = [value.value for value in args.positional if isinstance(value, Const) and type(value.value) is int]
    if not f.modes.host or not bounds or len(bounds) != len(args.all()) or len(bounds) > 3 or 0 in bounds[2:]:
        return None
    numbers = range(*bounds)
    return Sequence("range", tuple([Const(n) for n in numbers]), BOTTOM) if len(numbers) <= MOST_UNROLLED else None


@model("builtins.issubclass")
def issubclass_(f: Frame, args: Args, pos: int) -> Value:
    """Known where the class is one of the program and stands below one that is asked for."""
    if len(args.positional) != 2:
        return Scalar("bool")
    cls, wanted = args.positional[0], types_of(args.positional[1]) or ()
    if isinstance(cls, ClassRef) and isinstance(cls.cls, ClassInfo) and any(one in cls.cls.mro for one in wanted):
        return TRUE
    return Scalar("bool")


@model("builtins.isinstance")
def isinstance_(f: Frame, args: Args, pos: int) -> Value:
    if len(args.positional) != 2:
        return Scalar("bool")
    recurrent_layers.looked_at(f, args.positional[0], "__class__", pos)
    wanted = types_of(args.positional[1])
    if wanted is None:
        return Scalar("bool")
    known = is_instance(args.positional[0], wanted)
    return Scalar("bool") if known is None else (TRUE if known else FALSE)


@model("torch.is_tensor")
def is_tensor(f: Frame, args: Args, pos: int) -> Value:
    known = is_instance(args.get(0) or UNKNOWN, ("torch.Tensor",))
    return Scalar("bool") if known is None else (TRUE if known else FALSE)


@model("builtins.getattr")
def getattr_(f: Frame, args: Args, pos: int) -> Value:
    obj, name = args.get(0), args.get(1)
    default = args.get(2)
    if obj is None or not isinstance(name, Const) or not isinstance(name.value, str):
        return UNKNOWN
    guards.asked_for(f, obj, name)
    value = f.interp.attribute(f, obj, name.value, pos)
    if default is None:
        return value
    if isinstance(obj, Object) and _is_there(f, obj, name.value):
        return value  # it is there from the start
    if value is UNKNOWN and isinstance(default, Const) and isinstance(default.value, (bool, str)):
        default = Scalar(type(default.value).__name__, usual=default)
    return join_all([value, default])


def _is_there(f: Frame, obj: Object, name: str) -> bool:
    """Whether an object has the attribute from the start, so that no default takes its place."""
    return isinstance(obj.cls, ClassInfo) and f.interp.initially(f, obj.cls, name) is not None


@model("os.getenv", "os.environ.get")
def getenv(f: Frame, args: Args, pos: int) -> Value:
    """A variable of the environment: text, and usually what is asked for where it is not set."""
    default = args.get(1, "default")
    if isinstance(default, Const) and isinstance(default.value, str):
        return Scalar("str", usual=default)
    return join_all([Scalar("str"), NONE if default is None else default])


@model("builtins.setattr", "builtins.object.__setattr__")
def setattr_(f: Frame, args: Args, pos: int) -> Value:
    obj, name, value = args.get(0), args.get(1), args.get(2)
    if (
        obj is not None
        and isinstance(name, Const)
        and isinstance(name.value, str)
        and value is not None
        and f.state is not None
    ):
        f.emit(events.Mutation(f.site(pos), None, "self", name.value, "assign", value, obj))
        class_decorators.stored(f, obj, name.value, value)
        attribute_writes.stored(f, obj, name.value, value, pos)
        checkpoint_bodies.attribute_set(f, obj, name.value, value, pos)
        mine = f.state.names.get(f.self_name) if f.self_name else None
        if isinstance(obj, Object) and mine is obj:
            f.effects.writes[name.value] = value
            f.state.paths[f"{f.self_name}.{name.value}"] = value
    return NONE


@model("builtins.hasattr")
def hasattr_(f: Frame, args: Args, pos: int) -> Value:
    """Of an object of the program it is known what it has at first; others may be given more."""
    obj, name = args.get(0), args.get(1)
    guards.asked_for(f, obj, name)
    known = class_decorators.has(f.interp, obj, name)
    if known is not None:
        return TRUE if known else FALSE
    if not isinstance(obj, Object) or not isinstance(obj.cls, ClassInfo) or not isinstance(name, Const):
        return Scalar("bool")
    if obj.cls.external_bases and not obj.cls.is_module:
        return Scalar("bool")
    has = obj.cls.find(str(name.value)) is not None or _is_there(f, obj, str(name.value))
    return Scalar("bool", usual=TRUE if has else FALSE)


@model("builtins.callable")
def callable_(f: Frame, args: Args, pos: int) -> Value:
    guards.asked_for(f, args.get(0), args.get(1))
    return Scalar("bool")


@model("builtins.type")
def type_(f: Frame, args: Args, pos: int) -> Value:
    value = args.get(0)
    if isinstance(value, Object) and len(args.positional) == 1:
        return class_of(value)
    if isinstance(value, Instance) and len(args.positional) == 1:
        return External(value.name)
    if len(args.positional) == 3:
        return Instance("builtins.type", inside=f.modes.inside)  # a class that is made here: calling it is refused
    return UNKNOWN


_WORDS = late_pattern(r"\(?[\w|]*\)?")


@model("re.compile")
def compiled_pattern(f: Frame, args: Args, pos: int) -> Value:
    return Instance("re.Pattern", inside=f.modes.inside)


@model("re.findall")
def findall(f: Frame, args: Args, pos: int) -> Value:
    """Every match of `(First|Second)` in a text, as libraries choose by a name; only plain words are searched for.

    The pattern comes from the program that is read: nothing that repeats is run, since it could cost any time.
    """
    pattern, text = args.get(0, "pattern"), args.get(1, "string")
    if isinstance(pattern, Const) and isinstance(text, Const) and args.get(2, "flags") is None:
        words, searched = pattern.value, text.value
        plain = isinstance(words, str) and isinstance(searched, str) and _WORDS.fullmatch(words) is not None
        if plain and (words[:1] == "(") is (words[-1:] == ")"):
            return Sequence("list", tuple([Const(found) for found in re.findall(words, searched)]), BOTTOM)
    return Sequence("list", None, UNKNOWN)
