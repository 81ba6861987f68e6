"""CL833 to CL837: what a script does before the first compiled call, and pays for by starting cold or not compiling."""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import Compile, Setting
from compilelint.model import Doubt, Effect, Finding, Related, Rule
from compilelint.rulebook import at, check
from compilelint.torchfacts import TorchFacts
from compilelint.values import Const

LATE_VARIABLE = Rule("CL833", "late-variable", "an environment variable is set after torch has read it", Effect.SLOW)
CACHES_DISABLED = Rule("CL834", "caches-disabled", "the caches of compiled code are switched off", Effect.SLOW)
GENERATION_COMPILED = Rule(
    "CL835",
    "generation-compiled",
    "the loop that generates is compiled rather than its step",
    Effect.RECOMPILE,
    more_effects=(Effect.GRAPH_BREAK,),
)
COMPILED_TWICE = Rule("CL836", "compiled-twice", "what is compiled already is compiled once more", Effect.SLOW)
FIRST_REQUEST = Rule("CL837", "first-request", "the first request to a server waits for the compilation", Effect.SLOW)

# Older versions may read the variables of the caches later than `import torch`; this was not measured.
_MEASURED = (2, 13)
_CACHES_OFF = {
    "torch._inductor.config.force_disable_caches": True,
    "torch.compiler.config.force_disable_caches": True,
    "torch._inductor.config.fx_graph_cache": False,
    "os.environ.TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1",
    "os.environ.TORCH_COMPILE_FORCE_DISABLE_CACHES": "1",
    "os.environ.TORCHINDUCTOR_FX_GRAPH_CACHE": "0",
}


@check(LATE_VARIABLE, on=Setting)
def late_variable(event: Setting, facts: TorchFacts) -> Iterator[Finding]:
    """`import torch`, then `os.environ["TORCH_LOGS"] = "recompiles"`."""
    name = event.name.rpartition(".")[2]
    version = tuple(int(part) for part in facts.version.split(".")[:2])
    if event.read is not None and (version >= _MEASURED or "FORCE_DISABLE_CACHES" not in name):
        yield at(
            LATE_VARIABLE,
            event,
            f"torch has already read `{name}`, and setting it here changes nothing",
            because=[Related(event.read, "read here")],
            why="torch reads the variable once, while it is imported or when `torch._dynamo` is loaded.",
            help=f"set it above the first import of torch, in the shell, or call what it stands for: {_instead(name)}",
        )


def _instead(name: str) -> str:
    """What to write where the variable comes too late."""
    if name.startswith(("TORCH_LOGS", "TORCH_TRACE")):
        return "`torch._logging.set_logs(recompiles=True, graph_breaks=True)`"
    if name in ("TORCHINDUCTOR_FORCE_DISABLE_CACHES", "TORCH_COMPILE_FORCE_DISABLE_CACHES"):
        return "`torch.compiler.config.force_disable_caches = True`"
    if name == "TORCH_COMPILE_DISABLE":
        return '`torch.compiler.set_stance("force_eager")`'
    if name.startswith("TORCHDYNAMO_"):
        return f"`torch._dynamo.config.{name.removeprefix('TORCHDYNAMO_').lower()} = ...`"
    if name == "TORCHINDUCTOR_AUTOGRAD_CACHE":
        return "`torch._functorch.config.enable_autograd_cache = ...`"
    return f"`torch._inductor.config.{name.removeprefix('TORCHINDUCTOR_').lower()} = ...`"


@check(CACHES_DISABLED, on=Setting)
def caches_disabled(event: Setting, facts: TorchFacts) -> Iterator[Finding]:
    """`torch._inductor.config.force_disable_caches = True`."""
    off = _CACHES_OFF.get(event.name)
    value = event.value.value if isinstance(event.value, Const) else None
    if off is not None and type(value) is type(off) and value == off and event.read is None and not event.trial:
        yield at(
            CACHES_DISABLED,
            event,
            f"`{event.name.removeprefix('os.environ.')}` keeps compiled code from being reused by the next process",
            confidence=Doubt.SETTING_MAY_BE_MEANT.cap,
            why="Inductor keeps what it compiled on disk, and another start of the same program loads it from there. "
            "Without the caches every start, restart and worker compiles everything again.",
            help="remove it, and set `TORCHINDUCTOR_CACHE_DIR` to a folder that outlives the process; to carry the "
            "code to other machines: `torch.compiler.save_cache_artifacts()`, `load_cache_artifacts(data)`",
        )


@check(GENERATION_COMPILED, on=Compile)
def generation_compiled(event: Compile, facts: TorchFacts) -> Iterator[Finding]:
    """`model.generate = torch.compile(model.generate)`."""
    if event.use == "generation":
        owner = event.target.rpartition(".")[0]
        yield at(
            GENERATION_COMPILED,
            event,
            f"`{event.target}` is the loop around the model, and is compiled whole",
            confidence=Doubt.METHOD_BY_NAME.cap,
            why="Dynamo unrolls the loop, so each number of steps is another version, and tests of when to stop break "
            "the graph.",
            help=f"compile the step: `{owner}.forward = torch.compile({owner}.forward)`, and generate with a cache of "
            'a fixed size (`cache_implementation="static"`)',
        )


@check(COMPILED_TWICE, on=Compile)
def compiled_twice(event: Compile, facts: TorchFacts) -> Iterator[Finding]:
    """`torch.compile(torch.compile(model), mode="max-autotune")`; a compiled helper that a compiled model calls."""
    if event.use == "inside" and event.other is not None:
        yield at(
            COMPILED_TWICE,
            event,
            f"{event.what} is called in a compiled region, which drops its `{event.where}`",
            because=[Related(event.other, "asked for here")],
            why="Dynamo traces through the inner call, and all of the region is compiled as the outer call asks.",
            help=f"give the outer `torch.compile` the `{event.where}`, or keep this call out of the region",
        )
    if event.use not in ("again", "again-in-place") or event.other is None:
        return
    wrapped = event.use == "again"
    yield at(
        COMPILED_TWICE,
        event,
        f"{event.what} is compiled already",
        because=[Related(event.other, "compiled here")],
        why="The arguments of the first call are ignored, and of a module a plain function comes back, without "
        "`parameters`, `train` and `state_dict`."
        if wrapped
        else "The model was compiled in place before, so the backend and mode of this call are ignored.",
        help="keep one of the two calls, with the arguments that are meant",
    )


@check(FIRST_REQUEST, on=Compile)
def first_request(event: Compile, facts: TorchFacts) -> Iterator[Finding]:
    """`model = torch.compile(model)`, and nothing but `@app.post("/predict")` calls it."""
    if event.use == "served" and event.other is not None:
        yield at(
            FIRST_REQUEST,
            event,
            f"nothing calls `{event.target}` before the requests that `{event.where}` serves",
            confidence=Doubt.ADVICE.cap,
            because=[Related(event.other, "served here")],
            why="`torch.compile` compiles on the first call: the first request waits for it, and so does the first of "
            "each further size.",
            help="call it once with inputs of each size that is served before the server starts, and keep the compiled "
            "code: `TORCHINDUCTOR_CACHE_DIR`, `torch.compiler.load_cache_artifacts(data)`, or AOTInductor",
        )
