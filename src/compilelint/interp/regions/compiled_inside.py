"""A compiled function that a compiled region calls: Dynamo traces through it, and what its own call asks for is lost.

Measured on torch 2.13: within a region that another call compiles, `mode`, `options`, `backend` and `dynamic` of a
function's own `torch.compile` change nothing, of a decorator as of a call; `fullgraph=True` still raises. Behind
`torch.compiler.disable` they count. What is compiled without arguments loses nothing, and says nothing here.
"""

from __future__ import annotations

from compilelint.events import Compile
from compilelint.interp.core.args import Args
from compilelint.interp.core.compile_calls import Target
from compilelint.interp.core.frame import Frame
from compilelint.project.classes import FunctionInfo
from compilelint.values import Const, External, FunctionRef, Mapping


def asked(args: Args) -> str:
    """What a call of `torch.compile` asks Inductor for, as text; empty where that is the default, or not known."""
    mode = args.keywords.get("mode")
    if isinstance(mode, Const) and isinstance(mode.value, str) and mode.value != "default":
        return f'mode="{mode.value}"'
    options = args.keywords.get("options")
    return "options" if isinstance(options, Mapping) and options.entries else ""


def called_inside(f: Frame, target: Target, pos: int) -> None:
    """A compiled object is called at a place."""
    if not _is_region(f) or target.place is None or not target.asked:
        return
    if target.asked != f'mode="{f.context.config.mode}"':
        f.emit(Compile(f.site(pos), None, "inside", _name(target), target.asked, target.place))


def by_decorator(f: Frame, code: FunctionInfo, pos: int) -> None:
    """A function of the program is called at a place: one of its decorators may have compiled it."""
    if not code.node.decorators or not _is_region(f):
        return
    for one in code.node.decorators:
        met = f.interp.hosts.met.get((id(code.module.ir), one.pos))
        for target in () if met is None else met.targets.values():
            called_inside(f, target, pos)
            return


def _is_region(f: Frame) -> bool:
    """Whether this is code that is known to be compiled, and is judged."""
    return not f.modes.silent and f.context.root_kind == "explicit"


def _name(target: Target) -> str:
    """What is compiled, as its code calls it."""
    value = target.value
    if isinstance(value, FunctionRef):
        return value.code.node.name if isinstance(value.code, FunctionInfo) else ""
    return value.name.rpartition(".")[2] if isinstance(value, External) else ""
