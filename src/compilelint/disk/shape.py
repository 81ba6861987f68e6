"""Whether data that was read back has the form that it was written in: one check for files that someone else may have
changed, so that what follows may index it.

A form is written as the data would be: `str`, `int`, `float` (whole numbers too), `bool`, `None`; a dict of the fields
that have to be there, `Maybe` around one that need not; `[form]` for a list, `Each(form)` for a table of any keys, a
tuple for one of several. Fields that no form names are let through: a later version may write more.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple, TypeAlias

Form: TypeAlias = Any

_WORDS = {str: "a string", int: "a whole number", float: "a number", bool: "true or false", None: "null"}


class Maybe(NamedTuple):
    """A field that may be left out."""

    form: Form


class Each(NamedTuple):
    """A table whose values all have one form."""

    form: Form


def misfit(data: Any, form: Form, name: str = "it") -> str:
    """What does not fit, as in `breaks[2].place is not a string`; empty where all does. Values are not quoted."""
    if isinstance(form, Maybe):
        return misfit(data, form.form, name)
    if isinstance(form, tuple) and not isinstance(form, Each):
        found = [misfit(data, one, name) for one in form]
        return "" if "" in found else found[0]
    if isinstance(form, dict):
        return _fields(data, form, name)
    if isinstance(form, Each):
        if not isinstance(data, dict):
            return f"{name} is not a table"
        return _first((value, form.form, f"{name}[{key!r:.80}]") for key, value in data.items())
    if isinstance(form, list):
        if not isinstance(data, list):
            return f"{name} is not a list"
        return _first((one, form[0], f"{name}[{at}]") for at, one in enumerate(data))
    return "" if _is(data, form) else f"{name} is not {_WORDS[form]}"


def _fields(data: Any, form: dict[str, Form], name: str) -> str:
    if not isinstance(data, dict):
        return f"{name} is not a table"
    for key, inner in form.items():
        if key not in data:
            if not isinstance(inner, Maybe):
                return f"{name} has no {key!r}"
        elif wrong := misfit(data[key], inner, key if name == "it" else f"{name}.{key}"):
            return wrong
    return ""


def _first(parts: Iterable[tuple[Any, Form, str]]) -> str:
    return next(filter(None, (misfit(*part) for part in parts)), "")


def _is(data: Any, form: Form) -> bool:
    if form is None:
        return data is None
    if form is float:
        return type(data) is int or (type(data) is float and math.isfinite(data))
    return type(data) is form
