"""CL62x: operators and native code. What a graph can hold must say what it returns, writes and differentiates to."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.trees import on_trees
from compilelint.events import NativeCall, Operator, OperatorUse
from compilelint.lib.file_state import FileState
from compilelint.model import Doubt, Effect, Finding, Related, Rule
from compilelint.rulebook import at, check
from compilelint.syntax import ir
from compilelint.torchfacts import TorchFacts

CUSTOM_OP_WITHOUT_FAKE = Rule(
    "CL620", "custom-op-without-fake", "a custom operator has no fake implementation", Effect.ERROR
)
LIBRARY_OP_WITHOUT_FAKE = Rule(
    "CL621", "library-op-without-fake", "an operator has kernels for devices only", Effect.GRAPH_BREAK
)
UNDECLARED_MUTATION = Rule(
    "CL622", "undeclared-mutation", "an operator writes an argument that it does not declare", Effect.WRONG_RESULT
)
OPERATOR_WITHOUT_GRADIENT = Rule(
    "CL623",
    "operator-without-gradient",
    "an operator without a gradient formula is used in training",
    Effect.WRONG_RESULT,
    more_effects=(Effect.ERROR,),
)
UNKNOWN_NAMESPACE = Rule(
    "CL624",
    "unknown-namespace",
    "an operator is called that no linted file registers",
    Effect.GRAPH_BREAK,
    more_effects=(Effect.ERROR,),
)
EXTENSION_CALL = Rule("CL625", "extension-call", "a function of a C++ extension is called directly", Effect.GRAPH_BREAK)
CTYPES_CALL = Rule("CL626", "ctypes-call", "a function of a shared library is called", Effect.GRAPH_BREAK)
UNWRAPPED_KERNEL = Rule(
    "CL627", "unwrapped-kernel", "a Triton kernel is launched in a `triton_op` without `wrap_triton`", Effect.ERROR
)

_WRAP = "wrap it as an operator: `torch.library.custom_op` with `register_fake` (and `register_autograd` for training)"


@check(CUSTOM_OP_WITHOUT_FAKE, on=Operator)
def custom_op_without_fake(event: Operator, facts: TorchFacts) -> Iterator[Finding]:
    """`custom_op` and no `register_fake`."""
    if event.how == "custom_op" and not event.fake:
        yield at(
            CUSTOM_OP_WITHOUT_FAKE,
            event,
            f"`{event.name}` has no fake implementation",
            confidence=event.sure,
            why="Dynamo runs operators on tensors without data; compiling a function that calls this one raises.",
            help="add `@op.register_fake`: the same signature, returning `torch.empty_like(x)` or `x.new_empty(...)`",
        )


@check(LIBRARY_OP_WITHOUT_FAKE, on=Operator)
def library_op_without_fake(event: Operator, facts: TorchFacts) -> Iterator[Finding]:
    """`Library.impl` for CPU or CUDA, and nothing for fake tensors."""
    if event.how == "library" and not event.fake and not event.traceable:
        yield at(
            LIBRARY_OP_WITHOUT_FAKE,
            event,
            f"`{event.name}` has no kernel that runs on fake tensors",
            confidence=event.sure,
            why="Dynamo cannot infer its result, so every call breaks the graph and runs in eager mode.",
            help=f'add `@torch.library.register_fake("{event.name}")`, or register the kernel for all backends',
        )


@check(UNDECLARED_MUTATION, on=Operator)
def undeclared_mutation(event: Operator, facts: TorchFacts) -> Iterator[Finding]:
    """A body that writes in place, and `mutates_args=()`."""
    if not event.undeclared:
        return
    names = ", ".join(f"`{name}`" for name in event.undeclared)
    help_ = (
        "write `(a!)` into the schema: `Tensor(a!) x`"
        if event.how == "library"
        else f"declare it: `mutates_args=({', '.join(repr(name) for name in event.undeclared)},)`"
    )
    yield at(
        UNDECLARED_MUTATION,
        event,
        f"`{event.name}` mutates {names} but its schema does not declare it",
        why="The compiler may drop or reorder an operator that declares no mutation, so the write is lost.",
        help=help_,
    )


@check(OPERATOR_WITHOUT_GRADIENT, on=Operator)
def operator_without_gradient(event: Operator, facts: TorchFacts) -> Iterator[Finding]:
    """No `register_autograd` in a file that calls `backward`."""
    if not event.trained or event.autograd or event.how == "triton_op" or (event.traceable and not event.fake):
        return
    why = (
        "Backward through it raises, compiled and eager."
        if event.how == "custom_op"
        else "Eager differentiates what the kernel calls; the compiled graph sees one opaque operator without gradient."
    )
    yield at(
        OPERATOR_WITHOUT_GRADIENT,
        event,
        f"`{event.name}` has no gradient formula, and this file trains",
        confidence=Doubt.FILE_TRAINS.cap,
        why=why,
        help="add `torch.library.register_autograd` with `backward` and `setup_context`",
    )


@check(UNKNOWN_NAMESPACE, on=OperatorUse)
def unknown_namespace(event: OperatorUse, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.ops.mylib.op(x)`."""
    if facts.registers_operators(event.name.partition("::")[0]):
        return
    yield at(
        UNKNOWN_NAMESPACE,
        event,
        f"no linted file and no library of torch registers `{event.name}`",
        confidence=event.sure,
        why="An operator without a fake implementation breaks the graph, and one whose library is not loaded raises.",
        help=f'register a fake for it: `@torch.library.register_fake("{event.name}")`',
    )


@check(EXTENSION_CALL, on=NativeCall)
def extension_call(event: NativeCall, facts: TorchFacts) -> Iterator[Finding]:
    """Calls of what `cpp_extension.load` returned."""
    if event.how == "extension":
        yield _native(EXTENSION_CALL, event, "compiled by `torch.utils.cpp_extension`")


@check(CTYPES_CALL, on=NativeCall)
def ctypes_call(event: NativeCall, facts: TorchFacts) -> Iterator[Finding]:
    """Calls of what `ctypes.CDLL` returned."""
    if event.how == "ctypes":
        yield _native(CTYPES_CALL, event, "loaded by `ctypes`")


def _native(rule: Rule, event: NativeCall, how: str) -> Finding:
    return at(
        rule,
        event,
        f"`{event.name}()` is native code that no graph can hold",
        confidence=event.sure,
        because=[Related(event.made, how)],
        why="Dynamo cannot trace into it: the graph breaks and the call runs in Python.",
        help=_WRAP,
    )


def _launches(known: FileState) -> Iterator[int]:
    """Calls of what is indexed by a name: `kernel[grid](...)`."""
    return (call.pos for _, call in known.calls() if isinstance(call.func, ir.Index))


ON_TREES = on_trees("kernel_launches", UNWRAPPED_KERNEL, words=("triton_op",), scout=_launches)
