"""CL5xx: autograd inside the region. Gradients are made from the finished graph, not while it is traced."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from compilelint.checks.breaks import Words, break_rule, on_break, spelled
from compilelint.checks.idioms.constructs import QUERIES
from compilelint.checks.written import first_tensor, subject
from compilelint.events import HOOKED_LAYER, Call, Event, Syntax
from compilelint.model import Safety
from compilelint.torchfacts import Reason, SyntaxForm
from compilelint.values import ClassRef, Tensor

REQUIRES_GRAD_WRITE = break_rule(
    "CL501",
    "requires-grad-write",
    "`requires_grad` is changed inside the region",
    Reason.REQUIRES_GRAD_WRITE,
    fix=Safety.UNSAFE,
)
BACKWARD_CALL = break_rule("CL502", "backward-call", "`backward` is called inside the region", Reason.BACKWARD_CALL)
AUTOGRAD_GRAD = break_rule(
    "CL503", "autograd-grad", "`torch.autograd.grad` is called in the region", Reason.AUTOGRAD_GRAD
)
AUTOGRAD_FUNCTION = break_rule(
    "CL504", "autograd-function", "a custom `autograd.Function` does what Dynamo cannot trace", Reason.AUTOGRAD_FUNCTION
)
AUTOGRAD_STATE = break_rule(
    "CL505", "autograd-state", "the state of autograd itself is read or switched", Reason.AUTOGRAD_STATE
)
HOOK_USE = break_rule(
    "CL506", "hook-use", "a hook, its handle or a kept gradient is used inside the region", Reason.HOOK
)
OPTIMIZER_USE = break_rule("CL507", "optimizer-use", "the optimizer runs inside the region", Reason.OPTIMIZER)
TENSOR_ATTRIBUTE_WRITE = break_rule(
    "CL508", "tensor-attribute-write", "an attribute of a tensor is written", Reason.TENSOR_ATTRIBUTE_WRITE
)
OUTER_WRITE = break_rule(
    "CL509", "outer-write", "a checkpointed function changes what was made outside it", Reason.OUTER_WRITE
)


@on_break(REQUIRES_GRAD_WRITE)
def requires_grad_write(event: Event) -> Words:
    """`t.requires_grad = ...`, `requires_grad_()` on what leaves the region, factories with `requires_grad=`."""
    why = "Dynamo fixes which tensors need gradients before tracing; a graph cannot change it."
    help_ = "set it before the compiled region, or call `.detach()` to stop a gradient"
    if isinstance(event, Call) and event.receiver is None:
        help_ = "make it outside the compiled region and pass it in, or keep it as an `nn.Parameter` of the module"
        return Words(f"{spelled(event)} makes a tensor with `requires_grad=True`", why, help_)
    return Words(f"{spelled(event)} changes whether {first_tensor(event)} needs a gradient", why, help_)


@on_break(BACKWARD_CALL)
def backward_call(event: Event) -> Words:
    """`loss.backward()` and what reads gradients after it."""
    help_ = "compile the forward and the loss, and call `backward` on what they return; the backward is compiled too"
    return Words(
        f"{spelled(event)} runs the autograd engine", "The graph to differentiate is still being traced.", help_
    )


@on_break(AUTOGRAD_GRAD)
def autograd_grad(event: Event) -> Words:
    """`torch.autograd.grad`."""
    help_ = "use `torch.func.grad` or `torch.func.vjp`, which are traced, or call it on what the region returns"
    why = "It walks the autograd graph of tensors that exist in Python, and traced tensors have none."
    return Words(f"{spelled(event)} runs the autograd engine", why, help_)


@on_break(AUTOGRAD_FUNCTION)
def autograd_function(event: Event) -> Words:
    """`F.apply(...)` of a function, or with arguments, that Dynamo cannot make one operation of the graph."""
    why = "Dynamo traces `forward` and `backward` into the graph as one operation, and this has no counterpart there."
    message, help_ = _untraced_feature(event)
    return Words(message, why, help_)


@runtime_checkable
class _Class(Protocol):
    """A class of the analysed program, as far as this file asks it."""

    def method(self, name: str) -> _Method | None: ...


class _Method(Protocol):
    """A method of such a class."""

    def decorated(self, name: str) -> bool: ...


def _untraced_feature(event: Event) -> tuple[str, str]:
    """What is wrong with the function or its arguments, and what to do about it."""
    if isinstance(event, Call) and event.name.endswith(".mark_dirty"):
        return "`mark_dirty()` of a changed input is not traced", "change a copy of the input and return that"
    cls = event.receiver.cls if isinstance(event, Call) and isinstance(event.receiver, ClassRef) else None
    if isinstance(event, Call) and isinstance(cls, _Class):
        forward = cls.method("forward")
        if cls.method("jvp") is not None:
            help_ = "drop `jvp` where forward-mode derivatives are not needed"
            return "`apply()` of a function that defines `jvp`", help_
        if forward is not None and forward.decorated("classmethod"):
            return "`apply()` of a function whose `forward` is a classmethod", "make it a staticmethod"
        tensors = [value for value in event.args if isinstance(value, Tensor)]
        if len({id(value) for value in tensors}) < len(tensors):
            return "`apply()` gets the same tensor twice", "pass a view of it the second time: `x.view_as(x)`"
    help_ = "leave it out, or register the operation with `torch.library.custom_op` and `register_autograd`"
    return f"{spelled(event)} uses a feature of `autograd.Function` that is not traced", help_


@on_break(AUTOGRAD_STATE)
def autograd_state(event: Event) -> Words:
    """Anomaly detection, saved-tensor hooks, questions about inference mode."""
    why = "It reads or switches the engine in Python, between two graphs."
    does = "asks" if isinstance(event, Call) and event.name in QUERIES else "switches"
    return Words(f"{spelled(event)} {does} the autograd engine", why, "switch it around the compiled call")


@on_break(HOOK_USE)
def hook_use(event: Event) -> Words:
    """`retain_grad`, hooks that cannot be traced, and handles of hooks that were registered in the region."""
    if isinstance(event, Syntax) and event.form == HOOKED_LAYER:
        return Words(
            "this layer has a hook for its backward pass",
            "Without compiled autograd, Dynamo cannot trace a call of a layer with a backward hook.",
            "hook the output tensor where the result is used (`y.register_hook(f)`), or hook in eager runs only",
        )
    if isinstance(event, Syntax):
        return Words(
            f"{spelled(event)}: the handle of a hook is used in the region that registered it",
            "Registering a hook on a module breaks the graph, and Dynamo cannot track the handle that it returns.",
            "register hooks before the compiled call and remove them after it",
        )
    subject = first_tensor(event) if isinstance(event, Call) else "a tensor"
    help_ = "register it before the compiled region, or return the tensor and register on the result"
    return Words(
        f"{spelled(event)} registers a callback on {subject}",
        "Hooks need real tensors, and traced tensors are fake.",
        help_,
    )


@on_break(OPTIMIZER_USE)
def optimizer_use(event: Event) -> Words:
    """`optimizer.step()`, `zero_grad()`, building an optimizer."""
    why = "Optimizers keep per-parameter state in Python dicts and disable tracing of their methods."
    help_ = "compile the model and the loss and step outside; `torch.compile(optimizer.step)` compiles the step alone"
    return Words(f"{spelled(event)} belongs to the training loop", why, help_)


@on_break(TENSOR_ATTRIBUTE_WRITE)
def tensor_attribute_write(event: Event) -> Words:
    """`t.real = ...`, `t.imag = ...` and the like."""
    help_ = "make a new tensor: `torch.complex(real, imag)`, `torch.where`, `copy_`"
    return Words(
        f"{spelled(event)} writes into {subject(event)} through an attribute", "Dynamo has no operation for it.", help_
    )


@on_break(OUTER_WRITE)
def outer_write(event: Event) -> Words:
    """`self.aux_loss = ...`, `losses.append(...)` under `torch.utils.checkpoint.checkpoint`."""
    why = "A checkpointed function is a graph of its own, which runs again in the backward pass and holds only tensors."
    if isinstance(event, Syntax) and event.form == SyntaxForm.CHECKPOINT_KEPT.value:
        message = "the checkpointed function changes a number that was set outside it"
        return Words(message, why, "change the number before or after the checkpoint")
    help_ = "return the value from the checkpointed function, and store it where `checkpoint` is called"
    return Words("a checkpointed function changes what was made outside it", why, help_)
