"""CL517, CL840 to CL844 and CL846: what a run of the program around compiled code meets besides recompilation."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import WrapperUse
from compilelint.model import Effect, Finding, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts

DOUBLE_BACKWARD = Rule(
    "CL517", "double-backward", "the result of a compiled call is differentiated twice", Effect.ERROR
)
WRAPPER_TRUTH = Rule("CL840", "wrapper-truth", "the truth value of a compiled module is asked", Effect.ERROR)
COMPILED_STEP_SCHEDULED = Rule(
    "CL841", "compiled-step-scheduled", "a schedule is made for an optimizer whose step is compiled", Effect.ERROR
)
MARK_MISPLACED = Rule("CL842", "mark-misplaced", "a dimension is marked dynamic where that cannot hold", Effect.ERROR)
WRAPPER_SPECIAL_METHOD = Rule(
    "CL846",
    "wrapper-special-method",
    "an operator of the model is applied to its wrapper",
    Effect.ERROR,
)
COMPILED_NOT_CALLED = Rule("CL843", "compiled-not-called", "nothing calls what is compiled", Effect.SLOW)
COMPILATION_TIMED = Rule("CL844", "compilation-timed", "the time of compiling is measured", Effect.SLOW)


@check(DOUBLE_BACKWARD, on=WrapperUse)
def double_backward(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.autograd.grad(compiled(x), x, create_graph=True)`, and a backward pass through the result."""
    if event.how == "double-backward":
        yield at(
            DOUBLE_BACKWARD,
            event,
            "a backward pass goes through this gradient of a compiled call",
            confidence=event.sure,
            because=[event.compiled_here],
            why="AOTAutograd compiles one backward pass and no second: the second `backward` raises RuntimeError.",
            help='call the plain model for this term, or compile with `backend="eager"`',
        )


@check(DOUBLE_BACKWARD, on=WrapperUse)
def freed_graph(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`a, b = compiled(x); a.backward(); b.backward()`."""
    if event.how == "freed":
        yield at(
            DOUBLE_BACKWARD,
            event,
            "this backward pass goes through a compiled call whose saved tensors an earlier one has freed",
            confidence=event.sure,
            because=[event.compiled_here],
            why="A compiled call is one node of autograd: one backward pass frees what all its results need, also of "
            "results that eager code computes apart. The second raises RuntimeError.",
            help="add the losses and differentiate once, or pass `retain_graph=True` to all but the last",
        )


@check(WRAPPER_TRUTH, on=WrapperUse)
def wrapper_truth(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`model or Net()`."""
    if event.how == "truth":
        yield at(
            WRAPPER_TRUTH,
            event,
            f"the truth value of the compiled `{event.name}` raises",
            confidence=event.sure,
            because=[event.compiled_here],
            why="The wrapper's class has a `__len__`, which raises TypeError where the model has none.",
            help="test `is None`",
        )


@check(COMPILED_STEP_SCHEDULED, on=WrapperUse)
def compiled_step_scheduled(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`optimizer.step = torch.compile(optimizer.step)`, then `StepLR(optimizer)`."""
    if event.how == "scheduler":
        yield at(
            COMPILED_STEP_SCHEDULED,
            event,
            f"`{event.detail}` is given an optimizer whose `step` is compiled",
            confidence=event.sure,
            because=[event.compiled_here],
            why="The schedule asks for `optimizer.step.__func__`, which a compiled function lacks: AttributeError.",
            help="make the schedule first, then compile `optimizer.step`, or compile a function that calls it",
        )


@check(MARK_MISPLACED, on=WrapperUse)
def mark_misplaced(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`mark_dynamic` in compiled code, or on a dimension that meets a constant size."""
    if event.how == "mark-inside":
        yield at(
            MARK_MISPLACED,
            event,
            "`mark_dynamic` is called in compiled code",
            confidence=event.sure,
            because=[event.compiled_here],
            why="Dynamo refuses to trace it and raises AssertionError.",
            help="mark the input before the compiled object is called",
        )
    elif event.how == "mark-constant":
        yield at(
            MARK_MISPLACED,
            event,
            f"this dimension is marked dynamic and meets the constant size {event.detail}",
            confidence=event.sure,
            because=[event.compiled_here],
            why="The compiled code makes the size a constant, so compiling raises ConstraintViolationError.",
            help="remove the mark, use `maybe_mark_dynamic`, or take the size from the input",
        )


@check(WRAPPER_SPECIAL_METHOD, on=WrapperUse)
def wrapper_special_method(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`model[0]`, `for layer in model`, `with model:`."""
    if event.how == "special":
        yield at(
            WRAPPER_SPECIAL_METHOD,
            event,
            f"the compiled wrapper has no `{event.detail}`",
            confidence=event.sure,
            because=[event.compiled_here],
            why="Python looks special methods up on the class, which is `OptimizedModule` here: it raises TypeError.",
            help="take it of `._orig_mod`, or compile in place with `.compile()`",
        )


@check(WRAPPER_SPECIAL_METHOD, on=WrapperUse)
def function_member(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`step = torch.compile(net.forward); step.parameters()`."""
    if event.how == "function-member":
        yield at(
            WRAPPER_SPECIAL_METHOD,
            event,
            f"what is compiled is a function, which has no `{event.detail}`",
            confidence=event.sure,
            because=[event.compiled_here],
            why="`torch.compile` gives a function for a function or a bound method: this raises AttributeError.",
            help="ask the module, or compile the module in place of its method",
        )


_IDLE = {
    "disabled": "`torch.compiler.disable` leaves the whole function to Python, and nothing in it is compiled.",
    "disabled-around": "All its calls are in a function under `torch.compiler.disable`, which holds for all below.",
    "stance": 'The stance `"force_eager"` holds at each of its calls.',
    "generator": "Dynamo leaves generator functions to Python.",
    "transform": "A transform of `torch.func` around the call runs it uncompiled: AOTAutograd has no rule for it.",
    "forward": "`.compile()` compiles what calling the module runs; `forward` called by its name is not that.",
    "overridden": "A subclass has a method of this name, and the objects that are used call that one.",
    "named": "`.compile` is named here and not called.",
}
_IDLE_HELP = {
    "disabled-around": "pass `recursive=False` to `disable`, or disable less",
    "disabled": "disable the part that cannot be compiled, not the function that is compiled",
    "generator": "compile what one step of the generator computes",
    "transform": "compile what the transform makes: `torch.compile(torch.func.vmap(f))`",
    "forward": "call the module, not its `forward`",
    "overridden": "compile the method of the subclass, or what calls both",
    "named": "call it: `.compile()`",
    "stance": "remove the stance, or set it for the calls that you debug: `with torch.compiler.set_stance(...)`",
}


@check(COMPILED_NOT_CALLED, on=WrapperUse)
def compiled_not_called(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """`world = torch.compile(world)`, of which only `world.encoder(...)` is called."""
    if event.how == "unused" and event.detail:
        yield at(
            COMPILED_NOT_CALLED,
            event,
            "what is compiled here always runs in Python: this compile has no effect",
            confidence=event.sure,
            why=_IDLE[event.detail],
            help=_IDLE_HELP[event.detail],
        )
    elif event.how == "unused":
        what = f"the compiled `{event.name}`" if event.name else "what is compiled here"
        yield at(
            COMPILED_NOT_CALLED,
            event,
            f"nothing calls {what}: this compile has no effect",
            confidence=event.sure,
            why="`torch.compile` returns a wrapper and compiles when that is called; the plain model or its parts are.",
            help="call the wrapper, compile the parts or methods that are called, or compile in place",
        )


@check(COMPILATION_TIMED, on=WrapperUse)
def compilation_timed(event: WrapperUse, facts: TorchFacts) -> Iterator[Finding]:
    """A clock around the first call."""
    if event.how == "timed":
        yield at(
            COMPILATION_TIMED,
            event,
            "the first call compiles, and its time is measured",
            confidence=event.sure,
            because=[event.compiled_here],
            why="Compiling takes seconds to minutes, once, so the measured time is not that of later calls.",
            help="call it a few times with the same shapes before the clock is read",
        )
