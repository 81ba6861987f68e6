"""The rules: one family a file, one function a rule, found by listing this folder.

A check judges events by abstract values and facts; it never sees the interpreter or a syntax tree. What is about
syntax alone looks at trees, in the folder `trees`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterable, Sequence

from compilelint.lib.packs import packs
from compilelint.rulebook import Check, LibRule, Rulebook


def rulebook(named: Sequence[str] = (), tree: Iterable[str] = ()) -> Rulebook:
    """Every check that a module of this package defines, and the rules of packs: those installed, and the `named`.

    `tree` are the paths to be linted: no code of theirs is loaded unless it is named. Raises RulebookError where rules
    contradict each other, or a pack cannot be loaded.
    """
    found: dict[int, Check] = {}
    on_trees: list[LibRule] = []
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda one: one.name):
        members = vars(importlib.import_module(f"{__name__}.{module.name}"))
        found.update((id(value), value) for value in members.values() if isinstance(value, Check))
        on_trees += members.get("ON_TREES", ())
    others = packs(named, tree)
    return Rulebook(tuple(found.values()), (*on_trees, *others.rules), others.notes)
