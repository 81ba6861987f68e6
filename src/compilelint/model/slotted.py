"""Decorators for plain data, which cost a start little and a run nothing: `dataclass` and `slotted`.

`dataclasses.dataclass` compiles six functions for every class it makes; two hundred classes were half of the time that
a lint takes to begin. Here nothing is compiled before the first instance is made, and then only `__init__`; equality,
hash and repr go over the names of the fields. Fields, `replace`, `fields`, `asdict` and matching are those of the
standard library. Not supported, since nothing of ours has it: `InitVar`, `order`, `unsafe_hash`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass

    from typing_extensions import dataclass_transform

    @dataclass_transform(frozen_default=True, eq_default=False)
    def slotted(cls: type[Any]) -> type[Any]:
        """Decorator: a frozen, slotted class with an `__init__` from its fields."""
        ...
else:

    def dataclass(*, frozen=False, slots=False, eq=True):
        """Decorator: what `dataclasses.dataclass` makes of a class with `slots=True`."""
        assert slots, "a class with a dict is made by the standard library"
        return lambda cls: _made(cls, frozen=frozen, eq=eq)

    def slotted(cls):
        """Decorator of what is built by the ten thousand: nodes of the IR and abstract values.

        They are frozen for the type checker; at run time they are plain slotted objects, because a frozen one costs
        three times as much to build and a run builds tens of thousands a megabyte.
        """
        return _made(cls, frozen=False, eq=False)


def _made(cls: type[Any], frozen: bool, eq: bool) -> type[Any]:
    if cls.__doc__ is None:
        cls.__doc__ = cls.__name__  # else the standard library writes the signature, at some cost
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    own = vars(made)
    if "__init__" not in own:
        made.__init__ = _first_init(made)
    if "__repr__" not in own:
        made.__repr__ = recursive_repr()(_repr)
    if frozen:
        made.__setattr__, made.__delattr__ = _refuse, _refuse
        made.__getstate__, made.__setstate__ = _getstate, _setstate
    if eq:
        _give_equality(made, frozen, own_hash=own.get("__hash__") is not None)
    return made  # type: ignore[no-any-return]


def _first_init(cls: Any) -> Callable[..., None]:
    """An `__init__` that makes the right one when it is first called, and calls it."""

    def first(self: Any, *given: Any, **named: Any) -> None:
        cls.__init__ = made = _init_of(cls)
        made(self, *given, **named)

    return first


def _init_of(cls: Any) -> Any:
    known: dict[str, Any] = {"_MISSING": dataclasses.MISSING}
    parameters, body = ["self"], []
    keyword_only: list[str] = []
    for field in dataclasses.fields(cls):
        name = field.name
        known[f"_set_{name}"] = getattr(cls, name).__set__  # of the slot: also where instances are frozen
        taken, value = name, name
        if field.default_factory is not dataclasses.MISSING:
            known[f"_new_{name}"] = field.default_factory
            taken = f"{name}=_MISSING"
            value = f"_new_{name}() if {name} is _MISSING else {name}" if field.init else f"_new_{name}()"
        elif field.default is not dataclasses.MISSING:
            known[f"_default_{name}"] = field.default
            taken, value = f"{name}=_default_{name}", name if field.init else f"_default_{name}"
        elif not field.init:
            continue
        if field.init:
            (keyword_only if field.kw_only else parameters).append(taken)
        body.append(f" _set_{name}(self, {value})" if _frozen(cls) else f" self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    stars = ["*", *keyword_only] if keyword_only else []
    head = f"def __init__({', '.join([*parameters, *stars])}):\n"
    exec(head + "\n".join(body or [" pass"]), known)
    made = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _frozen(cls: Any) -> bool:
    return cls.__setattr__ is _refuse


def _refuse(self: Any, name: str, *value: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _getstate(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in dataclasses.fields(self)]


def _setstate(self: Any, state: list[Any]) -> None:
    for field, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)


def _repr(self: Any) -> str:
    shown = [f"{field.name}={getattr(self, field.name)!r}" for field in dataclasses.fields(self) if field.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _give_equality(cls: Any, frozen: bool, own_hash: bool) -> None:
    """Equality, and for frozen ones a hash, of the fields that count; a class may have its own of each."""
    compared = [field for field in dataclasses.fields(cls) if field.compare]
    hashed = [field for field in compared if field.hash is not False]
    own = vars(cls)
    if "__eq__" not in own:
        content = _content([field.name for field in compared])

        def equal(self: Any, other: object) -> Any:
            return content(self) == content(other) if other.__class__ is self.__class__ else NotImplemented

        cls.__eq__ = equal
    if not frozen and not own_hash:
        cls.__hash__ = None
    elif frozen and not own_hash:
        hashed_content = _content([field.name for field in hashed])
        cls.__hash__ = lambda self: hash(hashed_content(self))


def _content(names: list[str]) -> Callable[[Any], Any]:
    """The values of fields, as something that is equal and hashed as their tuple is."""
    return attrgetter(*names) if names else lambda one: ()
