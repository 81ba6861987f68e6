"""Which attributes a function asks of its parameters, by the text, and which of the classes it can name have them all.

`def advance(beam): return beam.scores[beam.alive]` says no class, and of those that its file defines or imports one
has both attributes. Does not belong here: what an attribute holds (`class_attributes`), and parameters that are used
like tensors (`usage`).
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.interp.text.usage import TENSOR_ONLY, expressions_of, names_bound
from compilelint.project.classes import ClassInfo, FunctionInfo, Imported, ModuleInfo
from compilelint.project.index import Program
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import statements_of
from compilelint.values import ClassRef

_FEWEST = 2  # attributes that say which class is meant; one alone many classes have
_COMMON = frozenset(
    """
    forward training train eval parameters named_parameters modules named_modules children state_dict load_state_dict
    zero_grad step reset update close copy name keys values items get append extend pop add index count
    """.split()
)


def class_meant(code: FunctionInfo, parameter: str, program: Program) -> ClassInfo | None:
    """The only class of those which a file defines or imports that has all attributes asked of a parameter."""
    asked = fact(code.node, _asked).get(parameter, frozenset())
    if len(asked) < _FEWEST:
        return None
    found = [cls for cls in _classes(program, code.module) if all(_has(cls, name) for name in asked)]
    found = [cls for cls in found if not any(cls is not other and other in cls.mro for other in found)]
    stored = len(found) == 1 and any(name in c.stored_in for name in asked for c in _of_program(found[0]))
    return found[0] if stored else None


def _asked(node: ir.Function) -> dict[str, frozenset[str]]:
    """By parameter that is not bound again, the attributes that set a class apart from others."""
    asked: dict[str, set[str]] = {p.name: set() for p in node.params if p.annotation is None}
    for s in statements_of(node.body):
        targets = s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.For) else ()
        for name in (name for target in targets for name in names_bound(target)):
            asked.pop(name, None)
    for e in expressions_of(node.body) if asked else ():
        if isinstance(e, ir.Attr) and isinstance(e.value, ir.Name) and e.value.id in asked:
            asked[e.value.id].add(e.name)
    return {name: frozenset(used - _COMMON) for name, used in asked.items() if not used <= TENSOR_ONLY}


def _classes(program: Program, module: ModuleInfo) -> Iterator[ClassInfo]:
    """The classes of the program that a file defines or imports by name."""
    for name, bindings in list(module.bindings.items()):
        named_like_a_class = name.lstrip("_")[:1].isupper()
        if named_like_a_class and isinstance(bindings[-1], (ir.Class, Imported)):
            value = program.global_value(module, name)
            if isinstance(value, ClassRef) and isinstance(value.cls, ClassInfo):
                yield value.cls


def _of_program(cls: ClassInfo) -> Iterator[ClassInfo]:
    return (c for c in cls.mro if isinstance(c, ClassInfo))


def _has(cls: ClassInfo, name: str) -> bool:
    return any(name in c.stored_in or name in c.members or name in c.annotations for c in _of_program(cls))
