"""What a custom operator does outside its results: its kernel reads the host, by syntax, and it writes arguments."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.model import Location
from compilelint.model.slotted import dataclass
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


@dataclass(frozen=True, slots=True)
class Operator:
    """What is known of an operator: the first read of its kernel, and the parameters that it writes, with places."""

    read: HostRead | None
    writes: tuple[tuple[int, str], ...]


class Kernels:
    """The custom operators that the loaded modules of a program register, each module read once."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._seen: set[int] = set()
        self._known: dict[str, Operator] = {}

    @property
    def known(self) -> bool:
        """Whether any operator is."""
        return bool(self._known)

    def operator(self, operator: str) -> Operator | None:
        """What is known of `namespace::name`; None where its registration is not seen."""
        if operator not in self._known:
            for module in list(self._program.modules()):
                if id(module) not in self._seen:
                    self._seen.add(id(module))
                    self._known.update(_registered(module))
        return self._known.get(operator)


def operator_of(module: ModuleInfo, function: ir.Function, call: ir.Call | None) -> Operator:
    """What the kernel does that `call` registers, and what `mutates_args` says that it writes."""
    return Operator(_host_read(module, function, call), tuple(_written(function, call)))


def _written(function: ir.Function, call: ir.Call | None) -> Iterator[tuple[int, str]]:
    """Place and name of each parameter that `mutates_args` names; of all tensors where it does not say which."""
    named = None if call is None else argument(call, -1, "mutates_args")
    items = named.items if isinstance(named, ir.Display) else (named,)
    texts = {text for one in items if (text := text_of(one)) is not None}
    for place, parameter in enumerate(function.params):
        tensor = parameter.annotation is not None and last_name(parameter.annotation) == "Tensor"
        unknown = "unknown" in texts and tensor
        if parameter.name in texts or unknown:
            yield place, parameter.name


def _host_read(module: ModuleInfo, function: ir.Function, call: ir.Call | None) -> HostRead | None:
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


def _registered(module: ModuleInfo) -> dict[str, Operator]:
    functions = {s.name: s for s, _ in statements(module.ir.body) if isinstance(s, ir.Function)}
    found: dict[str, Operator] = {}
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
                found[name] = operator_of(module, function, call)
    return found


def registration(function: FunctionInfo) -> ir.Call | None:
    """The `@custom_op(...)` over a function."""
    calls = (one for one in function.node.decorators if isinstance(one, ir.Call))
    return next((one for one in calls if last_name(one.func).endswith("custom_op")), None)
