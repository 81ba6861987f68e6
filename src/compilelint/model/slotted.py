"""Decorators for plain data, which cost a start little and a run nothing: `dataclass` and `slotted`.

`dataclasses.dataclass` compiles six functions for every class it makes; two hundred classes were half of the time that
a lint takes to begin. Here nothing is compiled before the first instance is made, and then only `__init__`; equality,
hash and repr go over the names of the fields. `replace`, `fields`, `asdict` and matching are those of the standard
library, which looks at a class when it is first asked about it. Not supported, since nothing of ours has it: `InitVar`,
`order`, `unsafe_hash`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
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
    made: Any = _with_slots(cls)
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


def _with_slots(cls: type[Any]) -> type[Any]:
    """The class again, with a slot for each field; the standard library looks at it when it is asked about it."""
    content = dict(vars(cls))
    declared = [name for name, kind in cls.__annotations__.items() if "ClassVar" not in str(kind)]
    written = {name: content.pop(name, dataclasses.MISSING) for name in declared}
    fields = {name: one if isinstance(one, dataclasses.Field) else _Field(default=one) for name, one in written.items()}
    taken = {slot for base in cls.__mro__[1:] for slot in vars(base).get("__slots__", ())}
    content["__slots__"] = tuple([name for name in declared if name not in taken])
    content["_declared"] = every = {
        name: one for base in reversed(cls.__mro__[1:]) for name, one in vars(base).get("_declared", {}).items()
    } | fields
    content["__match_args__"] = tuple([name for name, one in every.items() if one.init and one.kw_only is not True])
    content["__dataclass_fields__"] = _LateFields(cls)
    for name in ("__dict__", "__weakref__"):
        content.pop(name, None)
    kind: Any = type(cls)
    made: type[Any] = kind(cls.__name__, cls.__bases__, content)
    made.__qualname__ = cls.__qualname__
    return made


_Field: Any = dataclasses.field


class _LateFields:
    """What `dataclasses` knows of a class, found out when it is first asked for: by `replace`, `fields`, `asdict`."""

    def __init__(self, written: type[Any]) -> None:
        self._written = written

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self._made = owner

    def __get__(self, one: object, owner: type[Any]) -> Any:
        if self._written.__doc__ is None:
            self._written.__doc__ = self._written.__name__  # else the signature is written, at some cost
        seen: Any = dataclasses.dataclass(init=False, repr=False, eq=False)(self._written)
        made: Any = self._made
        made.__dataclass_params__ = seen.__dataclass_params__
        made.__dataclass_fields__ = found = seen.__dataclass_fields__
        return found


def _first_init(cls: Any) -> Callable[..., None]:
    """An `__init__` that makes the right one when it is first called, and calls it."""

    def first(self: Any, *given: Any, **named: Any) -> None:
        cls.__init__ = made = _init_of(cls)
        made(self, *given, **named)

    return first


def _init_of(cls: Any) -> Any:
    # Of the slot: also where instances are frozen.
    known = {f"_set_{name}": getattr(cls, name).__set__ for name in cls._declared}
    store = "_set_{0}(self, {1})" if _frozen(cls) else "self.{0} = {1}"
    return compiled_init(cls, cls._declared, store, known)


def compiled_init(cls: Any, fields: Mapping[str, Any], store: str, known: dict[str, Any]) -> Any:
    """The `__init__` of a class with these dataclass fields, by name.

    `store` is the statement that stores one, with `{0}` for its name and `{1}` for the value; `known` are the names
    that it uses.
    """
    known["_MISSING"] = dataclasses.MISSING
    parameters, body = ["self"], []
    keyword_only: list[str] = []
    for name, field in fields.items():
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
            (keyword_only if field.kw_only is True else parameters).append(taken)
        body.append(" " + store.format(name, value))
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
    return [getattr(self, name) for name in self._declared]


def _setstate(self: Any, state: list[Any]) -> None:
    for name, value in zip(self._declared, state, strict=True):
        object.__setattr__(self, name, value)


def _repr(self: Any) -> str:
    shown = [f"{name}={getattr(self, name)!r}" for name, field in self._declared.items() if field.repr]
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _give_equality(cls: Any, frozen: bool, own_hash: bool) -> None:
    """Equality, and for frozen ones a hash, of the fields that count; a class may have its own of each."""
    compared = [name for name, field in cls._declared.items() if field.compare]
    hashed = [name for name in compared if cls._declared[name].hash is not False]
    own = vars(cls)
    if "__eq__" not in own:
        content = _content(compared)

        def equal(self: Any, other: object) -> Any:
            return content(self) == content(other) if other.__class__ is self.__class__ else NotImplemented

        cls.__eq__ = equal
    if not frozen and not own_hash:
        cls.__hash__ = None
    elif frozen and not own_hash:
        hashed_content = _content(hashed)
        cls.__hash__ = lambda self: hash(hashed_content(self))


def _content(names: list[str]) -> Callable[[Any], Any]:
    """The values of fields, as something that is equal and hashed as their tuple is."""
    return attrgetter(*names) if names else lambda one: ()
