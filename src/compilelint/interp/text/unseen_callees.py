"""Which package a callee of unknown value comes from: what a constructor stores, and classes inherit, of libraries.

`self.backbone = timm.create_model(...)` leaves nothing to follow where timm is not there: that a root calls it is
worth saying. Does not belong here: calls whose callee has a library's name (`Trace.leaves` notes them by it).
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.interp.core.frame import Frame
from compilelint.project.classes import ClassInfo
from compilelint.project.index import Program
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, statements_of
from compilelint.values import External


def note_unknown(f: Frame, node: ir.Call | None, pos: int) -> None:
    """Note the library that an unknown callee of a judged frame comes from, as far as its class says it."""
    owner = None if f.function is None else f.function.owner
    if node is None or owner is None or f.function is None or f.modes.silent or not f.function.node.params:
        return
    receiver, _, path = dotted_name(node.func).partition(".")
    if path and receiver == f.function.node.params[0].name:
        library = f.interp.answer(library_of, owner, path.partition(".")[0], f.interp.program)
        if library:
            f.trace.leaves(library, pos)


def library_of(cls: ClassInfo, attribute: str, program: Program) -> str:
    """A library's name by which an attribute is made, or whose class has it; empty where the program itself does."""
    classes = [one for one in cls.mro if isinstance(one, ClassInfo)]
    for one in classes:
        for method in one.stored_in.get(attribute, ()):
            for value in _stored(method.node, attribute):
                meaning = program.resolve(method.module, value.func) if isinstance(value, ir.Call) else None
                if isinstance(meaning, External):
                    return meaning.name
    if any(attribute in one.stored_in or attribute in one.members for one in classes):
        return ""
    return next((base for base in cls.external_bases if not base.startswith(("torch.", "builtins."))), "")


def _stored(function: ir.Function, attribute: str) -> Iterator[ir.Expr]:
    """What a method assigns to an attribute of its receiver."""
    for s in statements_of(function.body):
        targets = s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.AnnAssign) else ()
        if isinstance(s, (ir.Assign, ir.AnnAssign)) and s.value is not None:
            for target in targets:
                if isinstance(target, ir.Attr) and target.name == attribute and isinstance(target.value, ir.Name):
                    yield s.value
