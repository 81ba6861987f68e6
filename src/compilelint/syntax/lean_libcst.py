"""Load LibCST in half the time: its node classes compile their methods when a first node of the class is made.

LibCST has 180 node classes, and `dataclasses.dataclass` compiles five functions for each: half of the fifth of a second
that the import takes, for the ten or twenty kinds of node that a fix meets. While LibCST is imported here, `dataclass`
gives its nodes an `__init__` that makes the right one on its first call, and one refusal of changes for all of them;
what every other class gets is the standard library's. Where LibCST is loaded already, nothing is done. Does not belong
here: anything that asks LibCST to parse.
"""

from __future__ import annotations

import dataclasses
import sys
import threading
from collections.abc import Callable
from typing import Any

from compilelint.model.slotted import compiled_init

_NODES = "libcst._nodes."
_loading = threading.Lock()


def load_libcst() -> None:
    """Make `import libcst` cheap from here on, by doing it."""
    with _loading:
        if "libcst" in sys.modules:
            return
        standard = dataclasses.dataclass
        content = vars(dataclasses)
        made: list[Any] = []
        content["dataclass"] = _lean(standard, made)
        try:
            import libcst  # noqa: F401  # for those who import it next
        finally:
            content["dataclass"] = standard
        for one in made:  # not before: a class is refused whose bases are frozen when it is not
            parameters = one.__dataclass_params__
            parameters.init = parameters.repr = parameters.eq = parameters.frozen = True


def _lean(standard: Any, made: list[Any]) -> Any:
    """`dataclasses.dataclass`, but for the classes of LibCST's nodes; these are noted in `made`."""

    def dataclass(cls: Any = None, /, **options: Any) -> Any:
        if cls is None:
            return lambda one: dataclass(one, **options)
        if not cls.__module__.startswith(_NODES) or options != {"frozen": True} or not _gives_equality(cls):
            return standard(cls, **options)
        if cls.__doc__ is None:
            cls.__doc__ = cls.__name__  # else the signature is written, at some cost
        seen = standard(cls, init=False, repr=False, eq=False)
        if "__init__" not in vars(seen):
            seen.__init__ = _first_init()
        seen.__setattr__ = seen.__delattr__ = _refuse
        made.append(seen)
        return seen

    return dataclass


def _gives_equality(cls: Any) -> bool:
    """Whether a class has what `dataclass` would have compiled besides: all nodes do, by `CSTNode`."""
    return all(name in vars(cls) for name in ("__eq__", "__hash__", "__repr__"))


def _refuse(self: Any, name: str, *value: Any) -> None:
    """The `__setattr__` and `__delattr__` of a frozen class."""
    if name in self.__dataclass_fields__:
        raise dataclasses.FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")
    (object.__setattr__ if value else object.__delattr__)(self, name, *value)


def _first_init() -> Callable[..., None]:
    """An `__init__` that puts the right one into its class when it is first called, and calls it."""

    def first(self: Any, *given: Any, **named: Any) -> None:
        # The class is another one than was decorated: that LibCST's nodes have slots is added by copying them.
        owner: Any = next(one for one in type(self).__mro__ if vars(one).get("__init__") is first)
        fields = {field.name: field for field in dataclasses.fields(owner)}
        owner.__init__ = compiled_init(owner, fields, "_set(self, {0!r}, {1})", {"_set": object.__setattr__})
        owner.__init__(self, *given, **named)

    return first
