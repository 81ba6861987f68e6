"""The rules: one family a file, one function a rule, found by listing this folder.

A check judges events by abstract values and facts; it never sees the interpreter or a syntax tree.
"""

from __future__ import annotations

import importlib
import pkgutil

from compilelint.rulebook import Check, Rulebook


def rulebook() -> Rulebook:
    """Every check that a module of this package defines. Raises RulebookError where rules contradict each other."""
    found: dict[int, Check] = {}
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda one: one.name):
        members = vars(importlib.import_module(f"{__name__}.{module.name}"))
        found.update((id(value), value) for value in members.values() if isinstance(value, Check))
    return Rulebook(tuple(found.values()))
