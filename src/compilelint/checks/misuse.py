"""CL8xx: uses of `torch.compile` that hide its failures or keep it from compiling anything."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.checks.trees import on_compile_calls
from compilelint.events import Compile, Setting, WrapperUse
from compilelint.model import Confidence, Doubt, Effect, Finding, Rewrite, Rule, Safety
from compilelint.rulebook import at, check
from compilelint.torchfacts import Quirk, TorchFacts
from compilelint.values import Const

ERRORS_SUPPRESSED = Rule("CL801", "errors-suppressed", "compiler errors are suppressed", Effect.SLOW)
COMPILING_DISABLED = Rule("CL802", "compiling-disabled", "compilation is switched off in the source", Effect.SLOW)
LIMIT_RAISED = Rule(
    "CL803", "limit-raised", "the limit on recompilations is raised", Effect.RECOMPILE, more_effects=(Effect.SLOW,)
)
RESULT_DISCARDED = Rule("CL804", "result-discarded", "the result of `torch.compile` is discarded", Effect.SLOW)
COMPILE_REPEATED = Rule(
    "CL805",
    "compile-repeated",
    "`torch.compile` is called repeatedly for the same thing",
    Effect.SLOW,
    more_effects=(Effect.RECOMPILE,),
)
LIBRARY_IN_PLACE = Rule(
    "CL806", "library-in-place", "`compile()` of a bare library layer compiles nothing of it", Effect.SLOW
)
WRAPPER_TYPE_TEST = Rule(
    "CL807", "wrapper-type-test", "the compiled wrapper is tested for the model's class", Effect.WRONG_RESULT
)
WRAPPER_STATE = Rule(
    "CL808",
    "wrapper-state",
    "the state of the compiled wrapper carries `_orig_mod.` keys",
    Effect.ERROR,
    fix=Safety.UNSAFE,
)
WRAPPER_SAVED = Rule("CL809", "wrapper-saved", "a compiled object is pickled", Effect.ERROR)
WRAPPER_METHOD = Rule("CL810", "wrapper-method", "a method of the wrapper runs the model uncompiled", Effect.SLOW)
JIT_AND_COMPILE = Rule(
    "CL811",
    "jit-and-compile",
    "the same model goes through `torch.jit` and `torch.compile`",
    Effect.ERROR,
    more_effects=(Effect.SLOW,),
)

_LIMITS = {
    "recompile_limit": 8,
    "cache_size_limit": 8,
    "accumulated_recompile_limit": 256,
    "accumulated_cache_size_limit": 256,
}
_DISABLING = {
    "torch._dynamo.config.disable",
    "torch.compiler.config.disable",
    "os.environ.TORCHDYNAMO_DISABLE",
    "os.environ.TORCH_COMPILE_DISABLE",
}
_SUPPRESSING = {"torch._dynamo.config.suppress_errors", "os.environ.TORCHDYNAMO_SUPPRESS_ERRORS"}


def _on(event: Setting) -> bool:
    """Whether a switch is set to what torch takes for true: environment variables are text."""
    value = event.value
    if not isinstance(value, Const):
        return False
    return value.value == "1" if isinstance(value.value, str) else value.value is True


@check(ERRORS_SUPPRESSED, on=Setting)
def errors_suppressed(event: Setting, facts: TorchFacts) -> Iterator[Finding]:
    """`suppress_errors = True`, in any spelling."""
    if event.name in _SUPPRESSING and _on(event) and event.read is None:
        yield at(
            ERRORS_SUPPRESSED,
            event,
            "whatever fails to compile runs uncompiled, with a warning at most",
            why="If the backend crashes on a frame, that frame silently runs in eager mode.",
            help="remove it and fix or disable what fails: `torch.compiler.disable` on the one function",
        )


def _lasts(event: Setting) -> bool:
    """Whether a switch holds for what comes after, in a program that is meant to be fast."""
    return event.read is None and not event.trial and not event.passing


@check(COMPILING_DISABLED, on=Setting)
def compiling_disabled(event: Setting, facts: TorchFacts) -> Iterator[Finding]:
    """`config.disable`, `TORCHDYNAMO_DISABLE=1`, `set_stance("force_eager")`."""
    eager = event.name.endswith("set_stance") and isinstance(event.value, Const) and event.value.value == "force_eager"
    if (eager or (event.name in _DISABLING and _on(event))) and _lasts(event):
        yield at(
            COMPILING_DISABLED,
            event,
            "from here on `torch.compile` does nothing in this process",
            confidence=Doubt.SETTING_MAY_BE_MEANT.cap,
            why="Compiled functions check this switch when they are called, so it acts far beyond this file.",
            help="set it in the shell for one run, or put `torch.compiler.disable` on what must stay eager",
        )


@check(LIMIT_RAISED, on=Setting)
def limit_raised(event: Setting, facts: TorchFacts) -> Iterator[Finding]:
    """A recompile limit above torch's default."""
    default = _LIMITS.get(event.name.rpartition(".")[2]) if event.name.startswith("torch._dynamo.") else None
    value = event.value.value if isinstance(event.value, Const) else None
    if default is None or not isinstance(value, int) or isinstance(value, bool) or value <= default:
        return
    if event.trial or event.each_size:
        return
    yield at(
        LIMIT_RAISED,
        event,
        f"up to {value} compilations of one function are allowed (default {default})",
        confidence=Doubt.ADVICE.cap,
        why="Each call with a new guard value compiles the function once more, and every call then tests more guards.",
        help="find what changes with `TORCH_LOGS=recompiles` and make it a tensor or a dynamic dimension",
    )


@check(LIBRARY_IN_PLACE, on=Compile)
def library_in_place(event: Compile, facts: TorchFacts) -> Iterator[Finding]:
    """`nn.Sequential(...).compile()`."""
    if event.use == "library-in-place" and facts.has(Quirk.LIBRARY_IN_PLACE):
        yield at(
            LIBRARY_IN_PLACE,
            event,
            f"`compile()` of a bare `{event.target}` compiles nothing of that layer",
            why="Dynamo does not start in frames of `torch.nn`; your own layers in it are compiled one by one.",
            help="use `model = torch.compile(model)`, or put the layer into a module class of your own",
        )


@check(JIT_AND_COMPILE, on=(Compile, WrapperUse))
def jit_and_compile(event: Compile | WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.compile(torch.jit.script(m))`, `torch.jit.trace(torch.compile(m))`."""
    if isinstance(event, WrapperUse):
        if event.how != "jit":
            return
        message = f"`{event.detail}` is given the compiled `{event.name}`"
        why = "TorchScript can read neither the wrapper's code nor what Dynamo made of it, and raises."
        sure = event.sure
    elif event.use == "scripted":
        message, why = (
            f"{event.what} is scripted before it is compiled",
            "`torch.compile` raises on it.",
        )
        sure = Confidence.CERTAIN
    elif event.use == "traced":
        message = f"{event.what} is traced by `torch.jit` before it is compiled"
        why, sure = (
            "A traced module has no Python frame left, so nothing is compiled, silently.",
            Doubt.TRACED_ON_PURPOSE.cap,
        )
    else:
        return
    yield at(JIT_AND_COMPILE, event, message, confidence=sure, why=why, help="compile the plain Python module alone")


# --------------------------------------------------------------------- wrapper


@check(WRAPPER_TYPE_TEST, on=WrapperUse)
def wrapper_type_test(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`isinstance(compiled, Model)`."""
    if event.how == "isinstance":
        yield at(
            WRAPPER_TYPE_TEST,
            event,
            f"`{event.name}` is an `OptimizedModule` and never a `{event.detail}`",
            confidence=event.sure,
            because=[event.compiled_here],
            why="The test is false after compiling and true before, so the program takes another path.",
            help=f"test before compiling, test `{event.name}._orig_mod`, or compile in place with `.compile()`",
        )


@check(WRAPPER_TYPE_TEST, on=WrapperUse)
def wrapper_identity(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`if model is self.net`, of a compiled model and the model inside."""
    if event.how == "identity":
        yield at(
            WRAPPER_TYPE_TEST,
            event,
            f"the compiled wrapper is compared with the `{event.detail}` inside it",
            confidence=event.sure,
            because=[event.compiled_here],
            why="The wrapper is another object: the test is false after compiling and true before.",
            help="compare with `._orig_mod`, or compile in place with `.compile()`",
        )


@check(WRAPPER_TYPE_TEST, on=WrapperUse)
def wrapper_signature(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`inspect.signature(type(compiled).forward)`."""
    if event.how == "signature":
        yield at(
            WRAPPER_TYPE_TEST,
            event,
            f"`{event.detail}` of the compiled wrapper's class is read, not the model's",
            confidence=event.sure,
            because=[event.compiled_here],
            why="The class is `OptimizedModule`, whose `forward` takes `*args, **kwargs`: the names are gone.",
            help="read the signature before compiling, or of `type(model._orig_mod).forward`",
        )


@check(WRAPPER_TYPE_TEST, on=WrapperUse)
def wrapper_children(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`list(compiled.children())[:-1]`."""
    if event.how == "children":
        yield at(
            WRAPPER_TYPE_TEST,
            event,
            f"the wrapper has one child, the model inside, and not its {event.detail} parts",
            confidence=event.sure,
            because=[event.compiled_here],
            why="`children()` of a compiled module gives the model inside: an index or slice takes other parts.",
            help="take the children of `._orig_mod`, or before compiling",
        )


@check(WRAPPER_STATE, on=WrapperUse)
def wrapper_keys(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`ema[name]` for the names of a compiled model."""
    if event.how == "keys":
        yield at(
            WRAPPER_STATE,
            event,
            "this name starts with `_orig_mod.`, since the model is compiled",
            confidence=event.sure,
            because=[event.compiled_here],
            why=f"It is compared with names of the plain model, such as `{event.detail}`, and never found there.",
            help="take the names of the model as it was before compiling, or compile in place with `.compile()`",
        )


@check(WRAPPER_STATE, on=WrapperUse)
def wrapper_state(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`compiled.state_dict()` and `compiled.load_state_dict(...)`."""
    if event.how in ("state-dict", "load-state-dict"):
        yield at(
            WRAPPER_STATE,
            event,
            f"the keys of `{event.name}.{event.detail}()` start with `_orig_mod.`",
            confidence=event.sure,
            because=[event.compiled_here],
            why="`load_state_dict` between the wrapper and a plain model raises, because every key is missing.",
            help=f"save and load `{event.name}._orig_mod`, or compile in place with `.compile()`",
            rewrite=Rewrite("wrapper-state"),
        )


@check(WRAPPER_SAVED, on=WrapperUse)
def wrapper_saved(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.save(compiled)`, `pickle.dumps(compiled_function)`."""
    if event.how not in ("saved", "pickled-function"):
        return
    why = (
        "Pickle looks a function up by name and finds the one that is not compiled: it raises PicklingError."
        if event.how == "pickled-function"
        else "The file holds torch's private wrapper class: `torch.load` refuses it by default, and no code is kept."
    )
    yield at(
        WRAPPER_SAVED,
        event,
        f"`{event.detail}` is given the compiled `{event.name}`",
        confidence=event.sure,
        because=[event.compiled_here],
        why=why,
        help="save the `state_dict()` of the model as it was before compiling, and compile again after loading",
    )


@check(WRAPPER_METHOD, on=WrapperUse)
def wrapper_method(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`compiled.generate(...)`."""
    if event.how == "method":
        yield at(
            WRAPPER_METHOD,
            event,
            f"`{event.name}.{event.detail}()` runs the model that was not compiled",
            confidence=event.sure,
            because=[event.compiled_here],
            why="The wrapper hands the method to the model inside it, whose `self(...)` does not know the wrapper.",
            help="compile what the method calls: `model.forward = torch.compile(model.forward)`; `model.compile()` "
            "serves where the method calls `self(...)`, not where it calls `self.forward(...)`",
        )


ON_TREES = on_compile_calls(RESULT_DISCARDED, COMPILE_REPEATED)
