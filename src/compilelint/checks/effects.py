"""CL2xx: side effects, which a graph cannot hold: output, clocks, random numbers, files, the operating system.

All of them break for the same cause, so they differ in their words only.
"""

from __future__ import annotations

from compilelint.checks.breaks import Words, break_rule, on_break, spelled
from compilelint.events import Event
from compilelint.model import Safety
from compilelint.torchfacts import Reason

PRINT_CALL = break_rule("CL201", "print-call", "`print` runs in Python", Reason.PRINT, fix=Safety.SAFE)
LOGGER_CALL = break_rule("CL202", "logger-call", "logging runs in Python", Reason.LOGGER, fix=Safety.SAFE)
WARNING_CALL = break_rule(
    "CL203", "warning-call", "a warning is issued or filtered in Python", Reason.WARNING, fix=Safety.UNSAFE
)
CLOCK_READ = break_rule("CL204", "clock-read", "the clock is read", Reason.CLOCK, fix=Safety.UNSAFE)
INPUT_OUTPUT = break_rule(
    "CL205", "input-output", "files, streams or the network are used", Reason.INPUT_OUTPUT, fix=Safety.UNSAFE
)
PYTHON_RANDOM = break_rule(
    "CL206",
    "python-random",
    "random numbers come from Python or NumPy, not from torch",
    Reason.PYTHON_RANDOM,
    fix=Safety.UNSAFE,
)
OPERATING_SYSTEM = break_rule(
    "CL207",
    "operating-system",
    "the operating system or the interpreter is queried",
    Reason.OPERATING_SYSTEM,
    fix=Safety.UNSAFE,
)
THREAD_USE = break_rule("CL208", "thread-use", "threads, locks or queues are used", Reason.THREAD)
SERIALIZATION = break_rule("CL209", "serialization", "data is encoded, decoded or hashed", Reason.SERIALIZATION)
TORCH_RANDOM_STATE = break_rule(
    "CL210",
    "torch-random-state",
    "the state of torch's random generator is read, set or passed",
    Reason.TORCH_RANDOM_STATE,
    Reason.GENERATOR_OBJECT,
)

_NOT_TRACED = "It is a Python side effect, which no graph can hold, so Dynamo runs it between two graphs."


@on_break(PRINT_CALL)
def print_call(event: Event) -> Words:
    """`print` and its like."""
    help_ = (
        "remove it, guard it with `if not torch.compiler.is_compiling():`, add `print` to "
        "`torch._dynamo.config.reorderable_logging_functions`, or print from the graph, which waits for the value: "
        '`torch._higher_order_ops.print("{v}", v=x)`'
    )
    return Words(f"{spelled(event)} writes to the terminal", _NOT_TRACED, help_)


@on_break(LOGGER_CALL)
def logger_call(event: Event) -> Words:
    """Any method of a logger."""
    help_ = (
        "guard it with `if not torch.compiler.is_compiling():`, or let Dynamo drop it: add the logger's method to "
        "`torch._dynamo.config.ignore_logging_functions`"
    )
    return Words(f"{spelled(event)} writes to the log", _NOT_TRACED, help_)


@on_break(WARNING_CALL)
def warning_call(event: Event) -> Words:
    """`warnings.warn` and the filters."""
    help_ = "warn in `__init__` or before the compiled region, or guard it with `if not torch.compiler.is_compiling():`"
    return Words(f"{spelled(event)} goes through Python's warning filters", _NOT_TRACED, help_)


@on_break(CLOCK_READ)
def clock_read(event: Event) -> Words:
    """`time`, `datetime` and sleeping."""
    help_ = "time the call of the compiled function from outside (with `torch.cuda.synchronize()` or CUDA events)"
    return Words(f"{spelled(event)} reads the clock", _NOT_TRACED, help_)


@on_break(INPUT_OUTPUT)
def input_output(event: Event) -> Words:
    """Files, standard streams, progress bars, images, the network."""
    help_ = "do it before or after the compiled region and pass tensors in or out"
    return Words(f"{spelled(event)} does I/O", _NOT_TRACED, help_)


@on_break(PYTHON_RANDOM)
def python_random(event: Event) -> Words:
    """`random`, `numpy.random`, `uuid`, `secrets`."""
    why = "Its generator is Python state outside the graph; as a constant, every call would draw the same number."
    help_ = "draw with torch (`torch.rand`, `torch.randint`, `torch.randperm`), or draw outside and pass the number in"
    return Words(f"{spelled(event)} draws from a generator that is not torch's", why, help_)


@on_break(OPERATING_SYSTEM)
def operating_system(event: Event) -> Words:
    """`os`, `gc`, `signal`, `platform`."""
    help_ = "do it once outside the compiled region (in `__init__`, say) and keep the result"
    return Words(f"{spelled(event)} queries the operating system or the interpreter", _NOT_TRACED, help_)


@on_break(THREAD_USE)
def thread_use(event: Event) -> Words:
    """`threading`, `queue`, `concurrent.futures`, and entering a lock."""
    help_ = "take locks and hand work to threads around the compiled call, not inside it"
    return Words(f"{spelled(event)} uses threads or locks", _NOT_TRACED, help_)


@on_break(SERIALIZATION)
def serialization(event: Event) -> Words:
    """`pickle`, `json`, `hashlib`, `torch.save`."""
    help_ = "do it before or after the compiled region"
    return Words(f"{spelled(event)} encodes or decodes data in Python", _NOT_TRACED, help_)


@on_break(TORCH_RANDOM_STATE)
def torch_random_state(event: Event) -> Words:
    """Seeding, saving and restoring the generator, and `torch.Generator` objects."""
    why = (
        "A graph draws from the default generator as it finds it; it cannot hold the generator's state or another one."
    )
    help_ = "seed and fork outside the compiled region, and draw there what needs a generator of its own"
    return Words(f"{spelled(event)} reads or sets random generator state", why, help_)
