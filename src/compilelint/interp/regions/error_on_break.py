"""`torch._dynamo.error_on_graph_break(True)`: where it holds, a graph that ends is an error.

As run on torch 2.13: it holds in a `with` block of compiled code and in a function that it decorates, with all that is
called there, and around the first call of compiled code by a host (what was compiled before stays as it is);
`error_on_graph_break(False)` takes it back, but not `fullgraph=True`.
"""

from __future__ import annotations

from dataclasses import replace

from compilelint.events import DynamoConfig
from compilelint.interp.core.frame import Frame
from compilelint.project.classes import FunctionInfo
from compilelint.project.index import Program
from compilelint.syntax import ir
from compilelint.values import External

_NAMES = frozenset({"torch._dynamo.error_on_graph_break", "torch._dynamo.decorators.error_on_graph_break"})


def under_decorators(program: Program, code: FunctionInfo, config: DynamoConfig) -> DynamoConfig:
    """The configuration under which a function runs that is called under another one."""
    for decorator in reversed(code.node.decorators):
        on = _asked(decorator)
        if on is not None and isinstance(decorator, ir.Call):
            meaning = program.resolve(code.module, decorator.func)
            if isinstance(meaning, External) and meaning.name in _NAMES:
                config = config.raising(on)
    return config


def entered(f: Frame, expr: ir.Expr) -> None:
    """`with error_on_graph_break(True)`: holds until the block restores the frame's context."""
    on = _asked(expr)
    if on is not None and isinstance(expr, ir.Call):
        function = f.eval(expr.func)
        if isinstance(function, External) and function.name in _NAMES:
            f.context = replace(f.context, config=f.context.config.raising(on))


def _asked(expr: ir.Expr) -> bool | None:
    """The flag that a call is given alone; None for any other expression. What is called is asked of its value."""
    if not isinstance(expr, ir.Call) or len(expr.args) != 1 or expr.keywords:
        return None
    given = expr.args[0]
    return given.value if isinstance(given, ir.Const) and isinstance(given.value, bool) else None
