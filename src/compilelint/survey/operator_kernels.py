"""What the Python kernel of a custom operator reads back to the host, by the syntax of its body."""

from __future__ import annotations

from dataclasses import dataclass

from compilelint.model import Location
from compilelint.project.classes import FunctionInfo, ModuleInfo
from compilelint.project.index import Program
from compilelint.survey.scopes import argument, expressions, own_expressions, statements, text_of
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name

_READS = frozenset({"item", "tolist", "cpu", "numpy", "nonzero", "synchronize"})
_REDUCED = frozenset({"any", "all", "sum", "max", "min", "mean", "equal", "allclose", "isnan"})
_UNSAFE = "cudagraph_unsafe"


@dataclass(frozen=True, slots=True)
class HostRead:
    """`what` the kernel calls, where, and whether the operator is tagged `cudagraph_unsafe`."""

    what: str
    location: Location
    tagged: bool


class Kernels:
    """The custom operators that the loaded modules of a program register, each module read once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._seen: set[int] = set()
        self._known: dict[str, HostRead | None] = {}

    def read_of(self, operator: str) -> HostRead | None:
        """The first read of the kernel of `namespace::name`; None where there is none, or no kernel is seen."""
        if operator not in self._known:
            for module in list(self._program.modules()):
                if id(module) not in self._seen:
                    self._seen.add(id(module))
                    self._known.update(_registered(module))
        return self._known.get(operator)


def host_read(module: ModuleInfo, function: ir.Function, call: ir.Call | None) -> HostRead | None:
    """The first read in the body of a kernel that `call` registers."""
    tags = None if call is None else argument(call, -1, "tags")
    tagged = tags is not None and any(last_name(one) == _UNSAFE for one in expressions([tags]))
    for s, _ in statements(function.body):
        decides = isinstance(s, (ir.If, ir.While))
        for one in expressions(own_expressions(s)):
            name = last_name(one.func) if isinstance(one, ir.Call) else ""
            if name in _READS or (decides and name in _REDUCED):
                return HostRead(f".{name}()", module.ir.location(one.pos), tagged)
    return HostRead("", module.ir.location(function.pos), tagged) if tagged else None


def _registered(module: ModuleInfo) -> dict[str, HostRead | None]:
    functions = {s.name: s for s, _ in statements(module.ir.body) if isinstance(s, ir.Function)}
    found: dict[str, HostRead | None] = {}
    for s, _ in statements(module.ir.body):
        decorators = s.decorators if isinstance(s, ir.Function) else ()
        for call in (*decorators, *own_expressions(s)):
            if not isinstance(call, ir.Call) or not last_name(call.func).endswith("custom_op"):
                continue
            name = text_of(argument(call, 0, "name"))
            given = argument(call, 1, "fn")
            function = s if isinstance(s, ir.Function) else None
            if function is None and isinstance(given, ir.Name):
                function = functions.get(given.id)
            if name is not None and function is not None:
                found[name] = host_read(module, function, call)
    return found


def registration(function: FunctionInfo) -> ir.Call | None:
    """The `@custom_op(...)` over a function."""
    calls = (one for one in function.node.decorators if isinstance(one, ir.Call))
    return next((one for one in calls if last_name(one.func).endswith("custom_op")), None)
