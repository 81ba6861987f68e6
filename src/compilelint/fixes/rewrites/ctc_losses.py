"""A CTC loss becomes, while compiling, an operator: the graph does not end at it. Only with proof.

The kernel below `F.ctc_loss` gives a second result whose shape is data, and the switch of cuDNN that many put around
the call is no part of a graph. An operator that calls the loss as it stands hides both; its gradient is a second
operator. Eager code does what it did.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, names_in
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.plain import lines_of
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.ctc_targets import LOSSES, is_a_layer
from compilelint.fixes.rewrites.custom_operators import namespace
from compilelint.model import Edit, Finding, Fix, Safety, Span

_COMPILING = "torch.compiler.is_compiling"
_FLAGS = "torch.backends.cudnn.flags"
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)
_SETTINGS = ("blank", "reduction", "zero_infinity")


@rewrite("ctc-loss", rank=1, proven=True, rules=("CL120",))
@rewrite("cudnn-flags", rank=1, proven=True, rules=("CL108",))
def loss_as_operator(finding: Finding, code: Code) -> Iterator[Offer]:
    """`loss = F.ctc_loss(...)` calls an operator while compiling, under `cudnn.flags(enabled=False)` one without cuDNN.

    Legal where the call is `F.ctc_loss`, or a layer that its class makes once as `nn.CTCLoss`, and the only one of a
    plain assignment or `return`, which is all that stands under the switch. Changes: nothing in eager code; compiled,
    the loss is computed once more for its gradient, has no second derivative, and hooks of the layer are not called.
    """
    span = finding.location.span
    statement = next((one for one in reversed(code.path(span)) if isinstance(one, ast.stmt)), None)
    torch, compiling = spell(code, "torch", span), spell(code, _COMPILING, span)
    if statement is None or torch is None or compiling is None or torch.edits or compiling.edits:
        return
    above = next((one for one in reversed(code.around(statement)) if isinstance(one, ast.stmt)), None)
    if not isinstance(statement, ast.With) and above is not None and _is_switched_off(above, code):
        statement = above
    switched = _is_switched_off(statement, code)
    inner = statement.body[0] if switched and isinstance(statement, ast.With) else statement
    outermost = code.path(span)[1]
    if torch.text != "torch" or not isinstance(inner, _SIMPLE) or not isinstance(outermost, ast.stmt):
        return
    if any(one is not statement and _is_a_switch(one, code) for one in code.around(inner)):
        return  # the gradient would be computed outside of it
    name = "_native_ctc_loss" if switched else "_ctc_loss"
    if any(one.id == name for one in names_in(code.tree, lambda _: True)) and not _is_there(name, code):
        return
    edit = _two_ways(statement, inner, name, compiling.text, code)
    if edit is None:
        return
    edits = [edit]
    if not _is_there(name, code):
        end = (outermost.end_lineno or outermost.lineno) + 1
        edits.append(Edit(Span(end, 1, end, 1), _operators(name, switched, code)))
    yield Offer(
        Fix(Safety.UNSAFE, "make the loss an operator while compiling", tuple(edits)),
        (OnlyRuns("the loss may be differentiated twice"),),
    )


# ---------------------------------------------------------------------- parts


def _two_ways(statement: ast.stmt, inner: ast.stmt, name: str, compiling: str, code: Code) -> Edit | None:
    """A statement that calls the operator while compiling, and does what it did otherwise."""
    call = _only_call(inner, code)
    own, lines = lines_of(statement, code), lines_of(inner, code)
    if call is None or own is None or lines is None or lines.first + len(lines.lines) != own.first + len(own.lines):
        return None
    below = [line[len(lines.indent) :] for line in _with_other_call(inner, call, name, code)]
    step, indent = code.indent, own.indent
    compiled = [f"{indent}if {compiling}():", *(f"{indent}{step}{line}" if line else "" for line in below)]
    if isinstance(inner, ast.Return):
        written = [*compiled, *own.lines]
    else:
        written = [*compiled, f"{indent}else:", *(f"{step}{line}" if line else "" for line in own.lines)]
    last = own.first + len(own.lines)
    return Edit(Span(own.first, 1, last, 1), "\n".join(written) + "\n")


def _is_a_switch(statement: ast.AST, code: Code) -> bool:
    """`with torch.backends.cudnn.flags(...):`, alone or with others."""
    entered = [one.context_expr for one in statement.items] if isinstance(statement, ast.With) else []
    return any(isinstance(one, ast.Call) and spelled_target(one.func, code) == _FLAGS for one in entered)


def _is_switched_off(statement: ast.stmt, code: Code) -> bool:
    """`with torch.backends.cudnn.flags(enabled=False):` around one statement."""
    if not isinstance(statement, ast.With) or len(statement.items) != 1 or len(statement.body) != 1:
        return False
    call = statement.items[0].context_expr
    if statement.items[0].optional_vars is not None or not isinstance(call, ast.Call):
        return False
    given = [*call.args, *(one.value for one in call.keywords if one.arg == "enabled")]
    off = len(given) == 1 == len(call.args) + len(call.keywords) and ast.unparse(given[0]) == "False"
    return off and _is_a_switch(statement, code)


def _only_call(statement: ast.stmt, code: Code) -> ast.Call | None:
    """The CTC loss of a statement, if it is its only one and is given its arguments one by one."""
    calls = [one for one in ast.walk(statement) if isinstance(one, ast.Call) and _is_loss(one, code)]
    if len(calls) != 1 or any(isinstance(one, ast.Starred) for one in calls[0].args):
        return None
    return None if any(one.arg is None for one in calls[0].keywords) else calls[0]


def _is_loss(call: ast.Call, code: Code) -> bool:
    return spelled_target(call.func, code) in LOSSES or is_a_layer(call.func, code)


def _with_other_call(statement: ast.stmt, call: ast.Call, name: str, code: Code) -> list[str]:
    """The lines of a statement with another function called, which gets the settings of a layer too."""
    first = statement.lineno
    lines = list(code.source.lines[first - 1 : statement.end_lineno or first])
    func = code.span(call.func)
    if spelled_target(call.func, code) not in LOSSES:
        last = code.span([*call.args, *(one.value for one in call.keywords)][-1])
        layer = ast.unparse(call.func)
        settings = "".join(f", {one}={layer}.{one}" for one in _SETTINGS)
        row = lines[last.end_line - first]
        lines[last.end_line - first] = row[: last.end_column - 1] + settings + row[last.end_column - 1 :]
    row = lines[func.line - first]
    lines[func.line - first] = row[: func.column - 1] + name + row[func.end_column - 1 :]
    return lines


def _is_there(name: str, code: Code) -> bool:
    """Whether an earlier fix wrote the operators already."""
    return any(isinstance(one, FunctionNode) and one.name == name for one in code.tree.body)


_OPERATORS = '''

def {name}(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """`ctc_loss` as a custom operator, which `torch.compile` keeps in the graph."""
    lengths = torch.as_tensor(input_lengths), torch.as_tensor(target_lengths)
    return {name}_op(log_probs, targets, *lengths, blank, reduction, zero_infinity)


@torch.library.custom_op(
    "{space}::{short}",
    mutates_args=(),
    schema="({kinds}, "
    "int blank, str reduction, bool zero_infinity) -> Tensor",
)
def {name}_op({tensors}, {settings}):
    {call}


@{name}_op.register_fake
def _({tensors}, {settings}):
    batch = log_probs.shape[1:2] if log_probs.dim() == 3 else ()
    return log_probs.new_empty(batch if reduction == "none" else ())


@torch.library.custom_op(
    "{space}::{short}_gradient",
    mutates_args=(),
    schema="(Tensor gradient, {kinds}, "
    "int blank, str reduction, bool zero_infinity) -> Tensor",
)
def {name}_gradient(gradient, {tensors}, *settings):
    def loss(log_probs):
        return {loss}(log_probs, targets, input_lengths, target_lengths, *settings)

    {gradient}


@{name}_gradient.register_fake
def _(gradient, {tensors}, *settings):
    return torch.empty_like(log_probs, memory_format=torch.contiguous_format)


def {name}_setup(ctx, inputs, output):
    ctx.save_for_backward(*inputs[:4])
    ctx.settings = inputs[4:]


def {name}_backward(ctx, gradient):
    return {name}_gradient(gradient, *ctx.saved_tensors, *ctx.settings), *[None] * 6


{name}_op.register_autograd({name}_backward, setup_context={name}_setup)
'''


def _operators(name: str, switched: bool, code: Code) -> str:
    """The operator of the loss, that of its gradient, and a function with the loss's own parameters."""
    spelled = spell(code, "torch.nn.functional.ctc_loss", Span(1, 1, 1, 1))
    loss = spelled.text if spelled is not None and not spelled.edits else "torch.nn.functional.ctc_loss"
    short, space = name.strip("_"), namespace(code)
    tensors = "log_probs, targets, input_lengths, target_lengths"
    settings = "blank, reduction, zero_infinity"
    kinds = ", ".join(f"Tensor {one}" for one in tensors.split(", "))
    call = _under(switched, f"return {loss}({tensors}, {settings})")
    gradient = _under(switched, "return torch.func.vjp(loss, log_probs)[1](gradient)[0].contiguous()")
    text = _OPERATORS.format(
        name=name,
        short=short,
        space=space,
        kinds=kinds,
        tensors=tensors,
        settings=settings,
        call=call,
        gradient=gradient,
        loss=loss,
    )
    return text.replace("    ", code.indent)


def _under(switched: bool, statement: str) -> str:
    """A statement of a function, in the block without cuDNN where it is `switched` off."""
    return f"with {_FLAGS}(enabled=False):\n        {statement}" if switched else statement
