"""Switches of torch that the compiled code leaves in another position.

Every graph guards them (`GLOBAL_STATE`), whether the code looks at them or not, so
the first version fails in the second call. Measured on 2.13 and 2.15 (`benchmarks/recompiles/guards`): a switch that is
put back, or set to what torch begins with, costs nothing, and neither do those of cuDNN and of autocast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from compilelint.interp.core.slots import Change, Slot
from compilelint.interp.effects.state_slots import doubted, in_training, use_of
from compilelint.model import Doubt
from compilelint.syntax import ir
from compilelint.values import FALSE, NONE, TRUE, Const, External, Value

if TYPE_CHECKING:
    from compilelint.interp.core.args import Args
    from compilelint.interp.core.frame import Frame


class Switch(NamedTuple):
    """One switch: its name among Dynamo's guards, and its position when Python starts.

    Of the number of threads that position is the machine's own: a number as written is nearly always another.
    """

    name: str
    usual: Value


_GRAD_MODE = Switch("grad_mode", TRUE)
_SWITCHES = {
    "torch.set_grad_enabled": _GRAD_MODE,
    "torch._C._set_grad_enabled": _GRAD_MODE,
    "torch.autograd.set_grad_enabled": _GRAD_MODE,
    "torch.autograd.grad_mode.set_grad_enabled": _GRAD_MODE,
    "torch.set_default_dtype": Switch("default_dtype", External("torch.float32")),
    "torch.use_deterministic_algorithms": Switch("deterministic_algorithms", FALSE),
    "torch.set_float32_matmul_precision": Switch("allow_tf32", Const("highest")),
    "torch.set_num_threads": Switch("num_threads", Const("as many as the machine has cores")),
    "torch.set_default_device": Switch("default_device", NONE),
}
_FLAGS = {"torch.backends.cuda.matmul.allow_tf32": Switch("allow_tf32", FALSE)}
_SAME = {"torch.float": "torch.float32"}


def called(f: Frame, name: str, args: Args, node: ir.Call | None, pos: int) -> None:
    """A function that sets a switch is called, and no `with` takes it back."""
    switch = _SWITCHES.get(name)
    if switch is None or f.modes.silent or node is None or node is f.around.with_item:
        return
    to = args.get(0, "mode")
    if to is not None:
        _put(f, switch, to, pos, negated=bool(node.args) and _negates(node.args[0]))


def written(f: Frame, name: str, value: Value, pos: int) -> None:
    """A flag of a backend is assigned."""
    switch = _FLAGS.get(name)
    if switch is not None and not f.modes.silent:
        _put(f, switch, value, pos, negated=isinstance(f.around.rhs, ir.Unary) and _negates(f.around.rhs))


def _negates(node: ir.Expr) -> bool:
    """`not torch.is_grad_enabled()`: whatever the position was, it is another one."""
    return isinstance(node, ir.Unary) and node.op == "not"


def _put(f: Frame, switch: Switch, value: Value, pos: int, *, negated: bool) -> None:
    slot: Slot = ("switch", switch.name)
    use = use_of(f)
    use.reads.add(slot)
    conditional = f.around.conditional > 0
    if not conditional:
        use.changes.pop(slot, None)
    if negated:
        to: Value = Const(("not", switch.name))
    elif isinstance(value, External):
        to = External(_SAME.get(value.name, value.name))
    else:
        to = value
    use.add(
        Change(
            slot,
            switch.name,
            "process",
            "write",
            f.site(pos),
            to,
            switch.usual,
            conditional=conditional,
            doubted=doubted(f),
            training=in_training(f),
            doubt=Doubt.MACHINE_DECIDES if switch.name == "num_threads" else None,
        )
    )
