"""Programs of several modules, in memory, for tests of `project`."""

from __future__ import annotations

import textwrap

from compilelint.project.classes import ClassInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.values import ClassRef
from compilelint.values.words import describe
from tests.support.reveal import Memory, lowered


def program(**files: str) -> Program:
    """Modules by dotted name with `_` for `.`; a name that ends in `_` is a package."""
    texts = {}
    for name, text in files.items():
        path = name.rstrip("_").replace("_", "/") + ("/__init__.py" if name.endswith("_") else ".py")
        texts[path] = textwrap.dedent(text)
    return Program(Memory(texts), lambda path: True)


def module(source: str, name: str = "app") -> ModuleInfo:
    """One module alone."""
    return ModuleInfo(lowered(textwrap.dedent(source), name=name), linted=True)


def meaning(found: Program, dotted: str, name: str) -> str:
    """What a global name of a module holds, in words."""
    where = found.module(dotted)
    assert where is not None, dotted
    value = found.global_value(where, name)
    return "unbound" if value is None else describe(value)


def cls(found: Program, dotted: str, name: str) -> ClassInfo:
    where = found.module(dotted)
    assert where is not None
    value = found.global_value(where, name)
    assert isinstance(value, ClassRef)
    assert isinstance(value.cls, ClassInfo)
    return value.cls


def order(info: ClassInfo) -> str:
    """The MRO in words."""
    return " ".join(c if isinstance(c, str) else c.node.name for c in info.mro)
