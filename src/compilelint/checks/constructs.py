"""CL6xx: constructs of Python and torch that Dynamo does not trace."""

from __future__ import annotations

from typing import Final

from compilelint.checks.breaks import Words, break_rule, form_of, on_break, spelled
from compilelint.checks.written import subject
from compilelint.events import Call, Enter, Event, Syntax
from compilelint.model import Safety
from compilelint.torchfacts import Reason, SyntaxForm

SKIPPED_CALLABLE = break_rule(
    "CL601",
    "skipped-callable",
    "the function is one that Dynamo does not trace",
    Reason.SKIPPED_CALLABLE,
    fix=Safety.UNSAFE,
)
CONTEXT_MANAGER = break_rule(
    "CL602", "context-manager", "the context manager is not traced", Reason.CONTEXT_MANAGER, fix=Safety.UNSAFE
)
RNN_LAYER = break_rule("CL603", "rnn-layer", "a recurrent layer of `torch.nn` is called", Reason.RNN)
SPARSE_TENSOR = break_rule("CL604", "sparse-tensor", "a sparse tensor is made or used", Reason.SPARSE)
PARAMETER_CONSTRUCTION = break_rule(
    "CL605",
    "parameter-construction",
    "a parameter or layer is built inside the region",
    Reason.PARAMETER_CONSTRUCTION,
    fix=Safety.UNSAFE,
)
UNTRACED_CALL = break_rule(
    "CL606",
    "untraced-call",
    "the call cannot be captured in a graph",
    Reason.UNSUPPORTED_CALL,
    Reason.UNSUPPORTED_METHOD,
    Reason.UNTRACEABLE_BUILTIN,
)
IMPORT_INSIDE = break_rule("CL607", "import-inside", "a module is imported inside the region", Reason.IMPORT)
OBJECT_COPY = break_rule(
    "CL608",
    "object-copy",
    "`copy` duplicates an object inside the region",
    Reason.OBJECT_COPY,
    Reason.TENSOR_COPY,
    fix=Safety.SAFE,
)
SCRIPTED_MODULE = break_rule("CL609", "scripted-module", "a TorchScript module is called", Reason.SCRIPTED_MODULE)
NESTED_TENSOR = break_rule("CL610", "nested-tensor", "a nested tensor is made or padded", Reason.NESTED_TENSOR)
QUANTIZED_TENSOR = break_rule("CL611", "quantized-tensor", "a quantized tensor or layer is used", Reason.QUANTIZED)
INTROSPECTION = break_rule(
    "CL612",
    "introspection",
    "the code inspects its own frames, names or objects",
    Reason.INTROSPECTION,
    Reason.TENSOR_IDENTITY,
)
UNTRACED_SYNTAX = break_rule(
    "CL613",
    "untraced-syntax",
    "the statement or iteration cannot be captured in a graph",
    Reason.UNSUPPORTED_SYNTAX,
    Reason.UNSUPPORTED_ITERATION,
    Reason.UNSUPPORTED_ATTRIBUTE,
)
TENSOR_CALLBACK = break_rule(
    "CL614", "tensor-callback", "a Python function runs for every element of a tensor", Reason.TENSOR_CALLBACK
)
TENSOR_SUBCLASS = break_rule(
    "CL615", "tensor-subclass", "a tensor is turned into another tensor class", Reason.TENSOR_SUBCLASS
)
MODULE_STATE = break_rule(
    "CL616",
    "module-state",
    "the state of a module is replaced, moved or hooked",
    Reason.MODULE_STATE,
    fix=Safety.UNSAFE,
)
NUMPY_CALL = break_rule("CL617", "numpy-call", "a NumPy function has no counterpart in torch", Reason.NUMPY)
EXPLICIT_BREAK = break_rule("CL618", "explicit-break", "the code asks for a graph break", Reason.EXPLICIT_BREAK)
UNTRACED_OPERATION = break_rule(
    "CL690",
    "untraced-operation",
    "the operation is one that Dynamo cannot capture",
    Reason.FAKE_TENSOR,
    Reason.NAMED_TENSOR,
    Reason.OPAQUE_ARGUMENT,
    Reason.HIGHER_ORDER_OP,
    Reason.DISTRIBUTED,
    Reason.OBSERVED_EXCEPTION,
    Reason.COMPILE_ERROR,
    Reason.OTHER,
    fix=Safety.SAFE,
)

_OUTSIDE = "do it before or after the compiled region and pass the result in"
_CUSTOM_OP = (
    "call it outside the compiled region, or wrap it as a custom operator: `torch.library.custom_op` with "
    "`register_fake`"
)


@on_break(SKIPPED_CALLABLE)
def skipped_callable(event: Event) -> Words:
    """Functions without Python source (C extensions) and those on Dynamo's skip list."""
    library = event.name.partition(".")[0] if isinstance(event, Call) else ""
    if library and library not in ("torch", "builtins"):
        why = f"`{library}` is compiled code or on Dynamo's list of modules to skip, so it runs between two graphs."
    else:
        why = "It is compiled code or on Dynamo's list of functions to skip, so it runs in Python between two graphs."
    help_ = _CUSTOM_OP
    if isinstance(event, Call) and "GradScaler" in event.name:
        help_ = "return the loss, and scale it where `backward` is called: outside the compiled region"
    if isinstance(event, Call) and event.name == "torch.autograd.Variable":
        help_ = "use `x.detach()`, which is what it returns since torch 0.4"
    return Words(f"{spelled(event)} is not traced", why, help_)


@on_break(CONTEXT_MANAGER)
def context_manager(event: Event) -> Words:
    """Context managers that Dynamo does not know, and objects made outside the region."""
    if isinstance(event, Enter) and not event.inside:
        why = "Dynamo traces a context manager only if compiled code creates it; this one comes from outside."
        return Words(
            f"{spelled(event)} enters an object created outside the compiled region",
            why,
            "build it in the `with` line itself",
        )
    help_ = "enter it around the compiled call; for a device, pass `device=` to the functions that make tensors"
    return Words(f"{spelled(event)} is not traced", "Dynamo has no support for this context manager.", help_)


@on_break(RNN_LAYER)
def rnn_layer(event: Event) -> Words:
    """`nn.RNN`, `nn.LSTM`, `nn.GRU` and packed sequences."""
    why = "Tracing would unroll the sequence, so Dynamo runs recurrent layers in eager mode unless `allow_rnn` is set."
    help_ = "set `torch._dynamo.config.allow_rnn = True` where the length is fixed, or compile the parts around it"
    return Words(f"{spelled(event)} runs a recurrent layer".replace(".forward()", ""), why, help_)


@on_break(SPARSE_TENSOR)
def sparse_tensor(event: Event) -> Words:
    """Sparse layouts."""
    why = "Dynamo cannot trace fake tensors of a sparse layout."
    help_ = "use dense tensors with `index_add_` or `scatter_add_`, or do the sparse step outside the compiled region"
    return Words(f"{spelled(event)} works on a sparse tensor", why, help_)


@on_break(PARAMETER_CONSTRUCTION)
def parameter_construction(event: Event) -> Words:
    """`nn.Parameter` and layers built in `forward`."""
    why = "Parameters must exist before tracing: each is an input of the graph and gets gradients."
    help_ = "build it in `__init__`; inside the region use plain tensors and `torch.nn.functional`"
    return Words(f"{spelled(event)} builds parameters inside the region", why, help_)


@on_break(UNTRACED_CALL)
def untraced_call(event: Event) -> Words:
    """Calls of classes, methods and builtins for which Dynamo has no model."""
    return Words(f"{spelled(event)} is not traced", "Dynamo cannot trace this call.", _OUTSIDE)


@on_break(IMPORT_INSIDE)
def import_inside(event: Event) -> Words:
    """`importlib.import_module` and imports that fail."""
    why = "Importing runs arbitrary code and files, so Dynamo leaves it to Python."
    return Words(f"{spelled(event)} imports a module while tracing", why, "import at the top of the file")


@on_break(OBJECT_COPY)
def object_copy(event: Event) -> Words:
    """`copy.copy` and `copy.deepcopy`."""
    help_ = "use `.clone()` for tensors, `dict(d)` and `list(l)` for containers; copy modules outside the region"
    return Words(f"{spelled(event)} copies an object", "Copying runs Python code that Dynamo skips.", help_)


@on_break(SCRIPTED_MODULE)
def scripted_module(event: Event) -> Words:
    """Modules out of `torch.jit.script` or `torch.jit.trace`."""
    why = "TorchScript code is compiled already and has no Python source to trace."
    return Words(
        f"{spelled(event)} runs TorchScript",
        why,
        "compile the plain module: drop `torch.jit.script` and `torch.jit.trace`",
    )


@on_break(NESTED_TENSOR)
def nested_tensor(event: Event) -> Words:
    """Nested tensors of the strided layout."""
    help_ = "use `layout=torch.jagged`, which is traced, or make it outside the compiled region"
    return Words(f"{spelled(event)} works on a nested tensor", "Only the jagged layout is traced.", help_)


@on_break(QUANTIZED_TENSOR)
def quantized_tensor(event: Event) -> Words:
    """Quantized tensors and the old eager-mode quantized layers."""
    help_ = "use `torchao`'s quantized modules, which trace, or quantize outside the compiled region"
    why = "Dynamo cannot trace fake tensors of this quantized kind."
    return Words(f"{spelled(event)} works on a quantized tensor", why, help_)


@on_break(INTROSPECTION)
def introspection(event: Event) -> Words:
    """`globals()`, `dir()`, frames, reference counts."""
    why = "While tracing, frames and objects belong to Dynamo, not to the program."
    return Words(f"{spelled(event)} inspects frames or live objects", why, _OUTSIDE)


_UNTRACED: Final = {
    SyntaxForm.LAZY_ARGUMENT.value: Words(
        "a generator is an argument of a call in which a graph ends",
        "After the break Dynamo must rebuild what the call was given, and it cannot rebuild this generator.",
        "pass a tuple of it (`tuple(...)`), or remove the break inside the call: either ends this",
    ),
    SyntaxForm.NEXT_OF_OUTSIDE.value: Words(
        "an iterator made outside the graph is advanced",
        "Dynamo traces iterators that the same graph makes; this one exists before it.",
        "pass a tuple or list in its place, and iterate over that",
    ),
}
_INSTEAD: Final = {
    SyntaxForm.CLASS_DEFINITION.value: "define the class at module level",
    SyntaxForm.CACHED_PROPERTY_FIRST.value: "compute it in `__init__`, or read it once before the compiled call",
    SyntaxForm.GENERATOR_COMPILED.value: "compile what each step calls, or return a list",
    SyntaxForm.GENERATOR_RETURNED.value: "return a list or tuple",
}


@on_break(UNTRACED_SYNTAX)
def untraced_syntax(event: Event) -> Words:
    """Class definitions in the region, iterators and attributes without a model."""
    form = form_of(event)
    if form in _UNTRACED:
        return _UNTRACED[form]
    help_ = _INSTEAD.get(form, _OUTSIDE)
    return Words(f"{spelled(event)} is not traced", "Dynamo does not support this construct.", help_)


@on_break(TENSOR_CALLBACK)
def tensor_callback(event: Event) -> Words:
    """`apply_`, `map_`, `map2_`."""
    why = "It calls Python for every element: no graph can hold that, and on a GPU it raises."
    return Words(
        f"{spelled(event)} calls a Python function per element",
        why,
        "write the function with operations on whole tensors",
    )


@on_break(TENSOR_SUBCLASS)
def tensor_subclass(event: Event) -> Words:
    """`as_subclass`."""
    help_ = "remove it, or change the class before the compiled region"
    return Words(
        f"{spelled(event)} changes the class of {subject(event)}",
        "Dynamo traces it to subclasses without their own dispatch only.",
        help_,
    )


@on_break(MODULE_STATE)
def module_state(event: Event) -> Words:
    """`load_state_dict`, `to`, hooks registered and buffers assigned while the region runs."""
    if form_of(event) == SyntaxForm.MODULE_SET_BUFFER.value:
        return Words(
            "an `nn.Buffer` is assigned to a module inside the region",
            "`nn.Module.__setattr__` inspects the signature of `register_buffer` for it, which Dynamo does not trace.",
            "`register_buffer(name, tensor)` stores the same and traces; or make the module outside the region",
        )
    why = "The compiled code is guarded on the module's parameters and hooks, which this replaces while it runs."
    return Words(f"{spelled(event)} changes the module that is being compiled", why, "do it once before compiling")


@on_break(NUMPY_CALL)
def numpy_call(event: Event) -> Words:
    """NumPy (and SciPy) functions that `torch._numpy` does not have."""
    why = "Dynamo traces NumPy by calling torch's version of each function; this one has none."
    return Words(f"{spelled(event)} is not traced", why, "write it with torch functions, or call it outside the region")


@on_break(EXPLICIT_BREAK)
def explicit_break(event: Event) -> Words:
    """`torch._dynamo.graph_break()`, functions under `torch.compiler.disable`."""
    if isinstance(event, Call) and event.name == "torch.compiler.disable":
        message = "the function called here is under `torch.compiler.disable`"
    else:
        message = f"{spelled(event)} breaks the graph on purpose"
    help_ = "make the function traceable and drop the decorator, or call it outside the compiled region"
    return Words(message, "The code asks Dynamo to leave this to Python.", help_)


_SUPER = "super() in an autograd function"


@on_break(UNTRACED_OPERATION)
def untraced_operation(event: Event) -> Words:
    """Operations without a fake version, and everything that has no rule of its own."""
    reason = None if event.outcome is None else event.outcome.reason
    foreign = isinstance(event, Call) and not event.name.startswith("torch.")
    if isinstance(event, Call) and event.name in ("torch.where", "torch.Tensor.where"):
        why = "Only eager torch takes `uint8` for bools, and no other integers; fake tensors take neither."
        return Words(f"{spelled(event)} chooses by a tensor of integers", why, "make it bools: `mask.bool()`")
    if isinstance(event, Syntax) and event.form == _SUPER:
        why = "Dynamo hands `super` an object of its own that stands for the class, and `super` refuses it."
        return Words("`super()` is called in an autograd function", why, "name the parent: `Parent.forward(ctx, x)`")
    if isinstance(event, Syntax) or (reason is Reason.OTHER and foreign):
        return Words(f"{spelled(event)} cannot be captured", "Dynamo has no way to trace or rebuild it.", _OUTSIDE)
    if reason is Reason.HIGHER_ORDER_OP:
        why = "The function takes and gives back only what a graph holds: tensors, numbers, containers of them."
        return Words(
            f"{spelled(event)} cannot be captured", why, "pass the tensors themselves, and put them together outside"
        )
    why = "Dynamo runs operations on fake tensors to learn shapes and dtypes, and this one does not run on them."
    return Words(f"{spelled(event)} cannot be captured", why, _CUSTOM_OP)
