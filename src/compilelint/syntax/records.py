"""Records that a call makes: `State = namedtuple("State", "y, t0")`, read as the class that it is.

Only where the names of the fields stand in the text; a call that computes them stays a call. What the call is named is
all that is asked: that it is `collections.namedtuple` is decided where names are resolved.
"""

from __future__ import annotations

import ast
from typing import TypeAlias

Field: TypeAlias = tuple[str, ast.expr, "ast.expr | None"]
"""A name, where it stands, and its default."""


def fields_of(call: ast.expr) -> list[Field] | None:
    """The fields of the record that a call makes; None for other calls."""
    if not isinstance(call, ast.Call) or len(call.args) < 2 or any(isinstance(a, ast.Starred) for a in call.args[:2]):
        return None
    func = call.func
    called = func.attr if isinstance(func, ast.Attribute) else func.id if isinstance(func, ast.Name) else ""
    names = _names(call.args[1]) if called == "namedtuple" else None
    if not names:
        return None
    given = next((k.value for k in call.keywords if k.arg == "defaults"), None)
    defaults = given.elts if isinstance(given, (ast.Tuple, ast.List)) else []
    missing = len(names) - len(defaults)
    return [(n, call.args[1], None if i < missing else defaults[i - missing]) for i, n in enumerate(names)]


def _names(listed: ast.expr) -> list[str] | None:
    if isinstance(listed, ast.Constant) and isinstance(listed.value, str):
        names = listed.value.replace(",", " ").split()
    elif isinstance(listed, (ast.List, ast.Tuple)):
        names = [e.value for e in listed.elts if isinstance(e, ast.Constant) and isinstance(e.value, str)]
        if len(names) != len(listed.elts):
            return None
    else:
        return None
    return names if all(n.isidentifier() for n in names) else None
