"""Operators that Python code registers, and native code that it calls without registering any.

Registrations of one operator may lie in several files, so all files are read before anything is emitted. An operator is
known by its text (`"namespace::name"`), whatever the registering function is called here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field

from compilelint.events import Event, NativeCall, NativeHow, Operator, OperatorHow, OperatorUse
from compilelint.model import Doubt
from compilelint.model.slotted import dataclass
from compilelint.project.classes import FunctionInfo
from compilelint.survey.in_region import region
from compilelint.survey.scopes import Scope, Spot, argument, expressions, own_expressions, statements, text_of
from compilelint.syntax import ir
from compilelint.syntax.walk import dotted_name, last_name
from compilelint.values import FunctionRef

# Kernels under these keys are run on fake tensors as they are; the empty key means "all of them".
_TRACEABLE = frozenset(
    {"", "default", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional"}
)
_FAKES = ("register_fake", "impl_abstract", "register_meta")
_REGISTERING = frozenset({*_FAKES, "custom_op", "triton_op", "register_autograd"})
# What `torch.ops` has beside operators of the dispatcher.
_NO_NAMESPACES = frozenset({"higher_order", "import_module", "load_library", "loaded_libraries", "prim"})
_NO_WRITES = frozenset({"requires_grad_", "share_memory_", "rename_", "retain_grad_", "pin_memory_"})
_EXTENSIONS = frozenset({"torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline"})
_LIBRARIES = frozenset({"ctypes.CDLL", "ctypes.PyDLL", "ctypes.cdll.LoadLibrary", "ctypes.WinDLL"})


@dataclass(slots=True, eq=False)
class _Known:
    """All that the files say about operators, before it is judged."""

    declared: list[_Declared] = field(default_factory=list)
    fakes: set[str] = field(default_factory=set)
    autograd: set[str] = field(default_factory=set)
    keys: dict[str, set[str]] = field(default_factory=dict)
    kernels: dict[str, list[FunctionInfo]] = field(default_factory=dict)
    objects: dict[tuple[int, str], str] = field(default_factory=dict)  # (module, name) of what custom_op returned
    indirect: bool = False  # a registration whose operator is no literal


@dataclass(frozen=True, slots=True, eq=False)
class _Declared:
    name: str
    how: OperatorHow
    spot: Spot
    schema: str
    mutates: frozenset[str] | None  # None: the source does not show it
    function: FunctionInfo | None = None  # what it was declared with
    inplace: bool = False  # tagged so: it gives back what it writes, and torch makes the fake of that


def operators(files: list[list[Scope]], seen: dict[Scope, list[Spot]]) -> Iterator[Event]:
    """Operators with what they lack, uses of operators that are registered nowhere, and calls of native code.

    `seen` are the calls of all scopes.
    """
    known = _Known()
    everywhere = [spot for scopes in files for scope in scopes for spot in seen[scope]]
    # In `register_fake("a::b")(f)` the inner call says it all.
    calls = [s for s in everywhere if not isinstance(_call_of(s).func, ir.Call)]
    for spot in calls:
        _declaration(known, spot, _call_of(spot))
    for spot in calls:
        _registration(known, spot, _call_of(spot))
    operator_of = {id(function): name for name, found in known.kernels.items() for function in found}
    for scope in (scope for scopes in files for scope in scopes):
        known.fakes.update(_given_fakes(scope, operator_of))
    trained = {id(s.scope.module) for s in everywhere if _trains(s.expr)}
    gradients = _only_in_backward(known, calls, operator_of)
    for one in known.declared:
        yield _operator(known, one, id(one.spot.scope.module) in trained and one.name not in gradients)
    namespaces = {one.name.partition("::")[0] for one in known.declared}
    kernels = {id(f) for found in known.kernels.values() for f in found}
    for spot in calls:
        call = _call_of(spot)
        yield from _operator_use(spot, call, namespaces, known.fakes)
        yield from _native_call(spot, call, kernels)


def _call_of(spot: Spot) -> ir.Call:
    assert isinstance(spot.expr, ir.Call)
    return spot.expr


# ---------------------------------------------------------------- declarations


def _registers(spot: Spot, call: ir.Call) -> str:
    """The name of the function that registers; of a helper of the program's own, the name of the one that it calls.

    A helper that makes operators and their fakes has a name of its own: `triton_op` does that too.
    """
    last = last_name(call.func)
    meaning = spot.scope.meaning(call.func) if isinstance(call.func, ir.Name) else None
    if isinstance(meaning, FunctionRef) and isinstance(meaning.code, FunctionInfo):
        names = {name for one in _calls_in(meaning.code.node) if (name := last_name(one.func)) in _REGISTERING}
        if len(names) == 1:
            return names.pop()
        if names and not names.isdisjoint(_FAKES):
            return "triton_op"
    return last


def _calls_in(function: ir.Function) -> Iterator[ir.Call]:
    """The calls of a function and of the functions in it."""
    for s, _ in statements(function.body):
        if isinstance(s, ir.Function):
            yield from _calls_in(s)
        yield from (one for one in expressions(own_expressions(s)) if isinstance(one, ir.Call))


def _declaration(known: _Known, spot: Spot, call: ir.Call) -> None:
    last = _registers(spot, call)
    how: OperatorHow | None
    how = "custom_op" if last.endswith("custom_op") else "triton_op" if last.endswith("triton_op") else None
    if how:
        name = text_of(argument(call, 0, "name"))
        if name is None or "::" not in name:
            return
        function = _implementation(spot, call)
        mutated = _mutated(argument(call, -1, "mutates_args"))
        tags = argument(call, -1, "tags")
        inplace = tags is not None and any(last_name(one) == "inplace" for one in expressions([tags]))
        known.declared.append(_Declared(name, how, spot, "", mutated, function, inplace))
        if function is not None:
            known.kernels.setdefault(name, []).append(function)
            known.objects[id(spot.scope.module), function.node.name] = name
        if isinstance(spot.statement, ir.Assign) and isinstance(spot.statement.targets[0], ir.Name):
            known.objects[id(spot.scope.module), spot.statement.targets[0].id] = name
    elif last == "define":
        schema = text_of(argument(call, 0, "schema", "qualname")) or ""
        second = text_of(argument(call, 1, "schema"))
        if second is not None and "::" in schema:
            known.declared.append(_Declared(schema, "library", spot, second, None))
        else:
            namespace = _namespace(spot, call.func)
            if namespace and "(" in schema:
                known.declared.append(
                    _Declared(f"{namespace}::{schema.partition('(')[0].strip()}", "library", spot, schema, None)
                )


def _implementation(spot: Spot, call: ir.Call) -> FunctionInfo | None:
    """The function that is registered: the one decorated, or an argument."""
    if isinstance(spot.statement, ir.Function):
        return spot.scope.module.function(spot.statement, spot.scope.owner)
    for one in [*call.args[1:], *(e for n, e in call.keywords if n in ("fn", "func"))]:
        meaning = spot.scope.meaning(one)
        if isinstance(meaning, FunctionRef) and isinstance(meaning.code, FunctionInfo):
            return meaning.code
    return None


def _mutated(expr: ir.Expr | None) -> frozenset[str] | None:
    if isinstance(expr, ir.Display):
        names = [text_of(one) for one in expr.items]
        return frozenset(n for n in names if n is not None) if None not in names else None
    if isinstance(expr, ir.DictDisplay) and not expr.keys:
        return frozenset()
    return None


def _namespace(spot: Spot, func: ir.Expr) -> str:
    """The namespace of the `Library` object that a method is called on; empty where it is unknown."""
    if not isinstance(func, ir.Attr) or not isinstance(func.value, ir.Name):
        return ""
    for made in spot.scope.assigned(func.value.id):
        if isinstance(made, ir.Call) and last_name(made.func) == "Library":
            return text_of(argument(made, 0, "ns")) or ""
    return ""


# --------------------------------------------------------------- registrations


def _registration(known: _Known, spot: Spot, call: ir.Call) -> None:
    last = _registers(spot, call)
    fake = last.endswith(_FAKES)
    if not (fake or last.endswith("register_autograd") or last == "impl"):
        return
    name = _operator_named(known, spot, call)
    if name is None:
        known.indirect = True
    elif fake:
        known.fakes.add(name)
    elif last != "impl":
        known.autograd.add(name)
    else:
        _kernel(known, spot, call, name)


def _operator_named(known: _Known, spot: Spot, call: ir.Call) -> str | None:
    """The operator that a registration is for; None if it is no literal and no name known here."""
    if isinstance(call.func, ir.Attr):
        owner = known.objects.get((id(spot.scope.module), dotted_name(call.func.value)))
        if owner is not None:
            return owner
    first = argument(call, 0, "qualname", "op", "op_name", "lib")
    text = text_of(first)
    if text is not None and "::" in text:
        return text
    if text is not None:
        namespace = _namespace(spot, call.func)
        return f"{namespace}::{text}" if namespace else None
    if isinstance(first, ir.Name):
        owner = known.objects.get((id(spot.scope.module), first.id))
        if owner is not None:
            return owner
        second = text_of(argument(call, 1, "name"))
        namespace = _namespace(spot, ir.Attr(first.pos, first, "impl"))
        return f"{namespace}::{second}" if second and namespace else None
    return None


def _kernel(known: _Known, spot: Spot, call: ir.Call, name: str) -> None:
    """`lib.impl(name, fn, key)`, `impl("ns::name", key)` and `impl(lib, name, key)`."""
    texts = [text for one in call.args if (text := text_of(one)) is not None]
    keyword = text_of(argument(call, -1, "dispatch_key", "types"))
    known_name = {name, name.partition("::")[2]}
    keys = [text for text in texts if text not in known_name] + ([keyword] if keyword else [])
    found = known.keys.setdefault(name, set())
    found.update(keys or [""])
    if any(key == "Meta" for key in keys):
        known.fakes.add(name)
        return
    if any(key.startswith("Autograd") for key in keys):
        known.autograd.add(name)
        return
    function = _implementation(spot, call)
    if function is not None:
        known.kernels.setdefault(name, []).append(function)


# -------------------------------------------------------------------- judgement


def _operator(known: _Known, one: _Declared, trained: bool) -> Operator:
    keys = known.keys.get(one.name, set())
    traceable = bool(keys & _TRACEABLE)
    # One name may be given to several functions, in tests say: a declaration is about its own.
    kernels = known.kernels.get(one.name, []) if one.function is None else [one.function]
    sure = (Doubt.REGISTERED_BY_A_FUNCTION if known.indirect else Doubt.REGISTERED_ELSEWHERE).cap
    if one.how == "library" and not keys:
        sure = Doubt.REGISTERED_IN_NATIVE_CODE.lower(sure)
    decorated = {(id(one.spot.scope.module), f.node.name) for f in kernels}
    fake = one.name in known.fakes or _decorates(known, one, decorated, _FAKES) or _only_writes(one)
    autograd = one.name in known.autograd or _decorates(known, one, decorated, ("register_autograd",))
    undeclared = tuple(sorted({name for f in kernels for name in _undeclared(one, f)}))
    return Operator(one.spot.site(), None, one.name, one.how, fake, autograd, traceable, undeclared, trained, sure)


def _only_writes(one: _Declared) -> bool:
    """Whether it returns nothing, or what it writes: measured on 2.13 and 2.15, torch needs no fake for that.

    It must declare what it writes. One that writes nothing as well needs a fake.
    """
    if one.inplace and one.mutates:
        return True
    if one.schema:
        given, _, returned = one.schema.rpartition("->")
        return "!" in given and returned.strip() == "()"
    returns = None if one.function is None else one.function.node.returns
    return bool(one.mutates) and isinstance(returns, ir.Const) and returns.value is None


def _decorates(known: _Known, one: _Declared, objects: set[tuple[int, str]], methods: tuple[str, ...]) -> bool:
    """Whether `@op.register_fake` (no call) decorates a function of the same file."""
    names = {name for (_, name), op in known.objects.items() if op == one.name} | {name for _, name in objects}
    for s, _ in statements(one.spot.scope.body):
        if isinstance(s, ir.Function):
            for decorator in s.decorators:
                if (
                    isinstance(decorator, ir.Attr)
                    and decorator.name in methods
                    and dotted_name(decorator.value) in names
                ):
                    return True
    return False


def _given_fakes(scope: Scope, operator_of: dict[int, str]) -> Iterator[str]:
    """The operators whose fakes a scope defines under `@op.register_fake` (no call), whichever file `op` is from."""
    for s, _ in statements(scope.body):
        for decorator in s.decorators if isinstance(s, ir.Function) else ():
            if isinstance(decorator, ir.Attr) and decorator.name in _FAKES:
                op = scope.meaning(decorator.value)
                if isinstance(op, FunctionRef) and id(op.code) in operator_of:
                    yield operator_of[id(op.code)]


def _undeclared(one: _Declared, function: FunctionInfo) -> Iterator[str]:
    """Parameters that the body writes in place and the schema does not declare."""
    names = [p.name for p in function.node.params]
    if one.schema:
        inside = one.schema.partition("(")[2].rpartition("->")[0]
        declared = {n for n, text in zip(names, _arguments(inside), strict=False) if "!" in text}
    elif one.mutates is not None:
        declared = set(one.mutates)
    else:
        return
    yield from (name for name in _written_parameters(function.node) if name not in declared)


def _arguments(text: str) -> list[str]:
    """The arguments of a schema, split at commas outside brackets."""
    out, depth = [""], 0
    for letter in text:
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            out.append("")
        elif depth >= 0:
            out[-1] += letter
    return [one for one in out if one.strip() != "*"]


def _written_parameters(node: ir.Function) -> Iterator[str]:
    """The parameters whose tensors the body changes in place; those bound again in the body are passed over."""
    names = {p.name for p in node.params}
    body = [s for s, _ in statements(node.body)]
    for s in body:
        targets = s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.For) else ()
        names -= {one.id for one in targets if isinstance(one, ir.Name)}
    tensors = {p.name for p in node.params if p.annotation is None or "ensor" in _spelled(p.annotation)}
    for s in body:
        if isinstance(s, ir.Assign):
            yield from (name for t in s.targets if isinstance(t, ir.Index) and (name := _base(t.value)) in names)
        elif isinstance(s, ir.AugAssign):
            target = s.target.value if isinstance(s.target, ir.Index) else s.target
            if (name := _base(target)) in names & tensors:
                yield name
        for one in expressions(own_expressions(s)):
            if isinstance(one, ir.Call):
                yield from (name for name in _written_by(one) if name in names)


def _written_by(call: ir.Call) -> Iterator[str]:
    func = call.func
    if (
        isinstance(func, ir.Attr)
        and func.name.endswith("_")
        and not func.name.endswith("__")
        and func.name not in _NO_WRITES
    ):
        yield _base(func.value)
    out = argument(call, -1, "out")
    if out is not None:
        yield _base(out)


def _base(expr: ir.Expr) -> str:
    """The name whose storage an expression shares: `x`, `x.data`."""
    while isinstance(expr, ir.Attr) and expr.name == "data":
        expr = expr.value
    return expr.id if isinstance(expr, ir.Name) else ""


def _spelled(annotation: ir.Expr) -> str:
    return " ".join(last_name(one) for one in expressions([annotation]))


def _trains(expr: ir.Expr) -> bool:
    if not isinstance(expr, ir.Call):
        return False
    asked = argument(expr, -1, "requires_grad")
    return last_name(expr.func) in ("backward", "requires_grad_") or (
        isinstance(asked, ir.Const) and asked.value is True
    )


# -------------------------------------------------------------- uses and calls


def _only_in_backward(known: _Known, calls: list[Spot], operator_of: dict[int, str]) -> set[str]:
    """Operators that only backward formulas call: a gradient of theirs is asked for by second derivatives alone."""
    formulas: set[int] = set()
    for spot in calls:
        call = _call_of(spot)
        if last_name(call.func) == "register_autograd":
            for given in (*call.args, *(value for name, value in call.keywords if name == "backward")):
                meaning = spot.scope.meaning(given)
                if isinstance(meaning, FunctionRef) and isinstance(meaning.code, FunctionInfo):
                    formulas.add(id(meaning.code.node))
    inside: set[str] = set()
    outside: set[str] = set()
    for spot in calls:
        name = _operator_called(known, spot, _call_of(spot), operator_of)
        if name:
            function = spot.scope.function
            node = None if function is None else function.node
            formula = node is not None and (id(node) in formulas or node.name == "backward")
            (inside if formula else outside).add(name)
    return inside - outside


def _operator_called(known: _Known, spot: Spot, call: ir.Call, operator_of: dict[int, str]) -> str:
    """The operator that a call runs, by its function or under `torch.ops`; empty if it runs none of those known."""
    named = known.objects.get((id(spot.scope.module), dotted_name(call.func)))
    if named is not None:
        return named
    if isinstance(call.func, ir.Name):
        meaning = spot.scope.meaning(call.func)
        return operator_of.get(id(meaning.code), "") if isinstance(meaning, FunctionRef) else ""
    parts = spot.scope.name(call.func).split(".") if dotted_name(call.func).startswith("torch.ops.") else []
    return f"{parts[2]}::{parts[3]}" if len(parts) > 3 else ""


def _operator_use(spot: Spot, call: ir.Call, namespaces: set[str], fakes: set[str]) -> Iterator[Event]:
    if not dotted_name(call.func).count("."):
        return
    parts = spot.scope.name(call.func).split(".")
    if parts[:2] != ["torch", "ops"] or len(parts) < 4 or parts[2] in namespaces | _NO_NAMESPACES:
        return
    if f"{parts[2]}::{parts[3]}" in fakes:
        return  # written in C++, its fake here
    if isinstance(spot.statement, ir.ExprStmt) and spot.statement.value is call:
        return  # it returns nothing, so it writes, and torch makes the fake of that
    if region(spot.scope) is not None:
        yield OperatorUse(spot.site(), None, f"{parts[2]}::{parts[3]}", Doubt.REGISTERED_IN_NATIVE_CODE.cap)


def _native_call(spot: Spot, call: ir.Call, kernels: set[int]) -> Iterator[Event]:
    func = call.func
    if not isinstance(func, ir.Attr) or not isinstance(func.value, ir.Name) or spot.scope.function is None:
        return
    for made in spot.scope.assigned(func.value.id):
        name = spot.scope.name(made.func) if isinstance(made, ir.Call) else ""
        how: NativeHow | None = "extension" if name in _EXTENSIONS else "ctypes" if name in _LIBRARIES else None
        sure = region(spot.scope) if how else None
        if how is not None and sure is not None and id(spot.scope.function) not in kernels:
            location = spot.scope.module.ir.location(made.pos)
            yield NativeCall(spot.site(), None, how, dotted_name(func), location, sure)
