"""Functions that look like entry points and that nothing reached: what `--roots` could name and a run did not judge.

An entry is the forward of a module, or takes tensors, by annotation or by what its body does with its parameters, and
no other such function calls one of its name. Constructors, private functions and what only eager code needs are none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from compilelint.interp.driver.unreached import entry_like
from compilelint.interp.text import usage
from compilelint.interp.text.usage import takes_tensors
from compilelint.project.classes import FunctionInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.project.roots import functions_of, opaque


def entries_left(
    program: Program, modules: Iterable[ModuleInfo], reached: Callable[[FunctionInfo], bool]
) -> Iterator[FunctionInfo]:
    """The entries among the functions and methods of the modules that are not `reached`, in their order."""
    like_entry = entry_like(program)
    found = [
        function
        for module in modules
        for function in functions_of(program, module)
        if not function.node.name.startswith("_") or function.node.name == "__call__"
        if not reached(function) and not opaque(function)
        if _is_forward(function) or (takes_tensors(function) and like_entry(function))
    ]
    callers: dict[str, set[int]] = {}
    for function in found:
        for name in usage.names_called(function):
            callers.setdefault(name, set()).add(id(function))
    for function in found:
        if _is_forward(function) or not callers.get(function.node.name, set()) - {id(function)}:
            yield function


def _is_forward(function: FunctionInfo) -> bool:
    """Whether it is what calling a module runs: then a call of `super().forward(x)` elsewhere says nothing of it."""
    return function.node.name == "forward" and function.owner is not None and function.owner.is_module
