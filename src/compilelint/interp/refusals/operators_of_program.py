"""Operators that the program registers by `torch.library` and that Dynamo cannot run on fake tensors.

`torch.library.define` or `Library(...).define` with kernels for devices alone leaves an operator without a kernel for
fake tensors: its call ends the graph (torch 2.13 and 2.15). A kernel under a key of all devices is one, `register_fake`
makes one. Known by the file that calls it, so that it is said however much else is linted;
another file may hold the missing kernel, and a registration that names no operator leaves everything open.
Does not belong here: what an operator lacks where it is registered (`survey.custom_operators`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from compilelint.interp.core.frame import Frame
from compilelint.interp.core.refusals import refusal
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import dotted_name, last_name, statements_of
from compilelint.torchfacts import Fact

_NO_FAKE: Final = "GB0090"  # "Operator does not support running with fake tensors"
_DEVICES: Final = frozenset({"cpu", "cuda", "mps", "xpu", "Autograd", "AutogradCPU", "AutogradCUDA"})
_FAKES: Final = frozenset({"register_fake", "impl_abstract", "register_meta", "_register_fake"})
_REGISTERING: Final = _FAKES | {"define", "impl", "register_kernel", "custom_op", "triton_op"}
_ANY: Final = "*"


def called(f: Frame, name: str) -> Fact | None:
    """The fact on a call of `torch.ops.NAMESPACE.NAME`."""
    parts = name.split(".")
    if f.modes.silent or len(parts) < 4 or parts[:2] != ["torch", "ops"]:
        return None
    wanted = f"{parts[2]}::{parts[3]}"
    found = {how for operator, how in fact(f.module.ir, _registered) if operator in (wanted, _ANY)}
    return refusal(f, _NO_FAKE) if found == {"define", "kernel"} else None


def _registered(module: ir.Module) -> tuple[tuple[str, str], ...]:
    """What a file registers: operator, and `define`, `kernel` or `fake`; `*` for what names none."""
    return tuple(_registrations(module))


def _registrations(module: ir.Module) -> Iterator[tuple[str, str]]:
    spaces: dict[str, str] = {}
    for s in statements_of(module.body):
        if isinstance(s, ir.Assign) and isinstance(s.value, ir.Call) and last_name(s.value.func) == "Library":
            space = _text(s.value, 0)
            for target in s.targets:
                if isinstance(target, ir.Name) and space:
                    spaces[target.id] = space
        calls = [s.value] if isinstance(s, ir.ExprStmt) else list(s.decorators) if isinstance(s, ir.Function) else []
        for call in calls:
            inner = call.func if isinstance(call, ir.Call) and isinstance(call.func, ir.Call) else call
            if isinstance(inner, ir.Call) and last_name(inner.func) in _REGISTERING:
                yield from _registration(inner, spaces)


def _registration(call: ir.Call, spaces: dict[str, str]) -> Iterator[tuple[str, str]]:
    last, holder = last_name(call.func), dotted_name(call.func).rpartition(".")[0]
    text = _text(call, 0).partition("(")[0].strip()
    space = spaces.get(holder, "")
    operator = text if "::" in text else f"{space}::{text}" if space and text else ""
    if not operator:
        yield _ANY, "fake"
        return
    operator = operator.partition(".")[0]
    if last == "impl":
        yield operator, "kernel" if _is_of_devices(_argument(call, 2 if space else 1)) else "fake"
    elif last in _FAKES or last in ("custom_op", "triton_op"):
        yield operator, "fake"
    else:
        yield operator, "define" if last == "define" else "kernel"


def _is_of_devices(key: ir.Expr | None) -> bool:
    """Whether a kernel is registered for devices, and none of the keys of all of them."""
    if isinstance(key, ir.Display):
        return bool(key.items) and all(_is_of_devices(one) for one in key.items)
    text = key.value if isinstance(key, ir.Const) else None
    return isinstance(text, str) and (text in _DEVICES or text.lower() in _DEVICES)


def _argument(call: ir.Call, index: int) -> ir.Expr | None:
    if index < len(call.args):
        return call.args[index]
    given = dict(call.keywords)
    return given.get("types") or given.get("dispatch_key")


def _text(call: ir.Call, index: int) -> str:
    value = call.args[index] if index < len(call.args) else None
    return value.value if isinstance(value, ir.Const) and isinstance(value.value, str) else ""
