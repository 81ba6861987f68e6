"""What compile calls may compile whose model no caller shows: classes of the project that have the attributes used.

`for block in model.layers.values(): block.compile()` in a helper whose `model` comes from a registry: the modules of
the project that store all the attributes which the helper asks of `model` are the candidates, and the helper is run
with each. Does not belong here: compile calls whose values are known (`hosting`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TYPE_CHECKING

from compilelint.events import Context
from compilelint.interp.core.compile_calls import Met
from compilelint.interp.core.frame import Frame
from compilelint.interp.core.modes import HOST
from compilelint.interp.core.state import State
from compilelint.interp.core.summaries import key_of, summarize
from compilelint.project.classes import ClassInfo, FunctionInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.project.roots import classes_of, functions_of
from compilelint.survey.scopes import expressions, own_expressions
from compilelint.syntax import ir
from compilelint.syntax.walk import statements_of
from compilelint.values import Object

if TYPE_CHECKING:
    from compilelint.interp.driver.interpreter import Interpreter

_MOST = 4  # classes that have the attributes: with more, none is meant more than the others
_OF_EVERY_MODULE = frozenset(
    """
    train eval parameters named_parameters modules named_modules children named_children buffers named_buffers
    state_dict load_state_dict to cuda cpu half float double bfloat16 compile requires_grad_ zero_grad apply type
    register_buffer register_parameter register_forward_hook register_forward_pre_hook add_module register_module
    register_full_backward_hook get_submodule set_submodule get_parameter get_buffer share_memory forward training
    """.split()
)


def try_candidates(interp: Interpreter, modules: Iterable[ModuleInfo]) -> dict[int, frozenset[Hashable]]:
    """Run what holds a compile call of something unknown with each candidate; by call, the targets that came of it."""
    open_calls = [met for met in interp.hosts.met.values() if met.module.linted and not _known(met)]
    guessed: dict[int, frozenset[Hashable]] = {}
    classes: list[ClassInfo] = []
    if open_calls:
        every = (cls for module in modules for cls in classes_of(interp.program, module))
        classes += (cls for cls in every if cls.is_module)
    around: dict[int, dict[int, FunctionInfo]] = {}  # by module, read once for all of its calls
    for met in open_calls:
        if id(met.module) not in around:
            around[id(met.module)] = _functions_by_call(interp.program, met.module)
        code = around[id(met.module)].get(met.pos)
        if code is None:
            continue
        before = set(met.targets)
        for name, used in _attributes_used(code.node).items():
            found = [cls for cls in classes if all(_has(cls, one) for one in used)]
            for cls in found if len(found) <= _MOST else ():
                _run_with(interp, code, name, cls)
        new = frozenset(key for key in set(met.targets) - before if isinstance(met.targets[key].value, Object))
        if new:
            guessed[id(met)] = new
    return guessed


def _known(met: Met) -> bool:
    return not met.unknown and bool(met.targets)


def _functions_by_call(program: Program, module: ModuleInfo) -> dict[int, FunctionInfo]:
    """The function or method in which each call of a file stands, by the place of the call."""
    found: dict[int, FunctionInfo] = {}
    for code in functions_of(program, module):
        for s in statements_of(code.node.body):
            for one in expressions(own_expressions(s)):
                if isinstance(one, ir.Call):
                    found.setdefault(one.pos, code)
    return found


def _attributes_used(node: ir.Function) -> dict[str, frozenset[str]]:
    """By parameter, the attributes that a function asks of it and that not every module has."""
    used: dict[str, set[str]] = {p.name: set() for p in node.params if p.default is None}
    for s in statements_of(node.body):
        for e in expressions(own_expressions(s)):
            if isinstance(e, ir.Attr) and isinstance(e.value, ir.Name) and e.value.id in used:
                used[e.value.id].add(e.name)
    return {name: frozenset(names - _OF_EVERY_MODULE) for name, names in used.items() if names - _OF_EVERY_MODULE}


def _has(cls: ClassInfo, name: str) -> bool:
    return any(isinstance(c, ClassInfo) and (name in c.stored_in or name in c.members) for c in cls.mro)


def _run_with(interp: Interpreter, code: FunctionInfo, name: str, cls: ClassInfo) -> None:
    """Run a function as a host whose parameter is a module of a class."""
    interp.start_host()
    qualname = code.node.qualname
    context = Context(code.module.ir, qualname, code.module.linted, qualname, "host", config=interp.config)
    frame = Frame(interp, code.module, context, State({}), code, None, code.owner, modes=HOST)
    receiver = None if code.owner is None or code.decorated("staticmethod") else Object(code.owner)
    names = {**interp.parameters(frame, code, receiver), name: Object(cls)}
    summarize(frame, code, names, key_of(frame, code, names))
