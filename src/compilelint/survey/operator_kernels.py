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

_READS = frozenset(
    """
    item tolist cpu numpy nonzero argwhere unique unique_consecutive masked_select synchronize new_tensor eigh eigvalsh
    eig svd lu pinv matrix_rank matrix_exp
    """.split()
)
_NUMBERS = frozenset({"int", "float", "bool"})
_MAKES = frozenset({"tensor", "as_tensor"})  # with `device=`: a copy out of memory that is not pinned
_REGISTERS = frozenset({"impl", "register_kernel"})
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
    tensors = {p.name for p in function.params if p.annotation is None or last_name(p.annotation) == "Tensor"}
    for s, _ in statements(function.body):
        decides = isinstance(s, (ir.If, ir.While, ir.Assert))
        for one in expressions(own_expressions(s)):
            name = last_name(one.func) if isinstance(one, ir.Call) else ""
            if name in _READS or (decides and name in _REDUCED):
                return HostRead(f".{name}()", module.ir.location(one.pos), tagged)
            what = _reads(one, tensors)
            if what:
                return HostRead(what, module.ir.location(one.pos), tagged)
    return HostRead("", module.ir.location(function.pos), tagged) if tagged else None


def _reads(one: ir.Expr, tensors: set[str]) -> str:
    """What an expression of a kernel reads on the host: `int(x[0])`, `x[x > 0]`, a list copied to the device."""
    if isinstance(one, ir.Index):
        masked = isinstance(one.index, ir.Compare) or (isinstance(one.index, ir.Unary) and one.index.op == "~")
        return "a boolean index" if masked else ""
    if not isinstance(one, ir.Call):
        return ""
    name, given = last_name(one.func), one.args[0] if one.args else None
    if name in _NUMBERS and isinstance(one.func, ir.Name) and given is not None:
        held = given.value if isinstance(given, ir.Index) else given
        return f"{name}()" if isinstance(held, ir.Name) and held.id in tensors else ""
    if name == "to" and (text_of(given) == "cpu" or text_of(argument(one, -1, "device")) == "cpu"):
        return '.to("cpu")'
    return f".{name}()" if name in _MAKES and argument(one, -1, "device") is not None else ""


def _registered(module: ModuleInfo) -> dict[str, Operator]:
    functions = {s.name: s for s, _ in statements(module.ir.body) if isinstance(s, ir.Function)}
    namespaces = list(_namespaces(module))
    found: dict[str, Operator] = {}
    for s, _ in statements(module.ir.body):
        decorators = s.decorators if isinstance(s, ir.Function) else ()
        for call in (*decorators, *own_expressions(s)):
            if not isinstance(call, ir.Call):
                continue
            if last_name(call.func) in _REGISTERS:
                operator, kernel = _kernel(call, s, functions, namespaces)
                if operator and kernel is not None and operator not in found:
                    found[operator] = operator_of(module, kernel, None)
                continue
            if not last_name(call.func).endswith("custom_op"):
                continue
            name = text_of(argument(call, 0, "name"))
            given = argument(call, 1, "fn")
            function = s if isinstance(s, ir.Function) else None
            if function is None and isinstance(given, ir.Name):
                function = functions.get(given.id)
            if name is not None and function is not None:
                found[name] = operator_of(module, function, call)
    return found


def _namespaces(module: ModuleInfo) -> Iterator[str]:
    """What `torch.library.Library("mine", "DEF")` names."""
    for s, _ in statements(module.ir.body):
        for one in expressions(own_expressions(s)):
            if isinstance(one, ir.Call) and last_name(one.func) == "Library":
                text = text_of(argument(one, 0, "ns"))
                if text is not None:
                    yield text


def _kernel(
    call: ir.Call, s: ir.Stmt, functions: dict[str, ir.Function], namespaces: list[str]
) -> tuple[str, ir.Function | None]:
    """Operator and kernel of `@torch.library.impl("mine::op", "cuda")` or `library.impl("op", kernel, "CUDA")`."""
    text = next((t for one in call.args if (t := text_of(one)) is not None), "")
    if "::" not in text and len(set(namespaces)) == 1:
        text = f"{namespaces[0]}::{text}"
    if isinstance(s, ir.Function):
        return text, s
    named = (functions.get(one.id) for one in call.args if isinstance(one, ir.Name))
    return text, next((one for one in named if one is not None), None)


def registration(function: FunctionInfo) -> ir.Call | None:
    """The `@custom_op(...)` over a function."""
    calls = (one for one in function.node.decorators if isinstance(one, ir.Call))
    return next((one for one in calls if last_name(one.func).endswith("custom_op")), None)
