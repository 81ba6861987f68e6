"""What is known of a compile call: where it stands, what it compiles, or why that is not known; how it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from compilelint.model import Location
from compilelint.model.slotted import dataclass
from compilelint.project.classes import Imported, ModuleInfo

COMPILERS: Mapping[str, str] = MappingProxyType(
    {
        "torch.compile": "wraps",
        "torch.compiler.compile": "wraps",
        "torch._dynamo.optimize": "optimizes",
        "torch._dynamo.optimize_assert": "optimizes",
        "torch._dynamo.eval_frame.optimize": "optimizes",
        "torch._dynamo.eval_frame.optimize_assert": "optimizes",
        "torch.export.export": "exports",
        "torch.export.export_for_training": "exports",
        "torch.onnx.export": "exports onnx",
        "torch._dynamo.export": "traces later",
        "torch._dynamo.explain": "traces later",
        "torch._dynamo.testing.standard_test": "tests",
    }
)
"""The library callables that compile what they are given, by their canonical names, and how they are asked.

`wraps`: the model first, or a decorator without it; `optimizes`: a decorator; the rest make something else of it.
"""

FRAMEWORKS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("accelerate", "compile_regions"): "wraps blocks",
        ("torchrl", "compile_with_warmup"): "wraps",
        ("torchtune", "compile_loss"): "wraps",
        ("vllm", "support_torch_compile"): "wraps class",
    }
)
"""What frameworks offer that compiles, by package and last name, since they export it under several: how it is asked.

`wraps class`: a decorator of a class, which compiles its `forward` whole with the dimensions that it names as symbols;
`wraps blocks`: the modules of its list of blocks one by one, or the module itself where it has none.
"""

REPEATED_BLOCKS = "compile_repeated_blocks"
"""The method of diffusers' models that compiles each module of the classes that `_repeated_blocks` names."""

KEYWORDS = ("fullgraph", "dynamic", "backend", "mode", "options", "disable")


@dataclass(frozen=True, slots=True)
class CompileCall:
    """A call (or decorator) that hands something to TorchDynamo.

    `how` is the canonical name of what is called (`torch.compile`, `torch.export.export`, `torch.nn.Module.compile`);
    `roots` are the names of the compiled functions, as findings call them (`Net.forward`); `reason` says in words why
    what is compiled is not known, empty where it is. A call may be resolved and have no root: a layer of torch itself.
    """

    location: Location
    how: str
    roots: tuple[str, ...] = ()
    reason: str = ""

    @property
    def resolved(self) -> bool:
        """Whether all that it compiles is known."""
        return not self.reason


def how_of(name: str) -> str:
    """How a library callable compiles what it is given, by its dotted name; empty for any other."""
    found = COMPILERS.get(name)
    return FRAMEWORKS.get((name.partition(".")[0], name.rpartition(".")[2]), "") if found is None else found


def imports_torch(module: ModuleInfo) -> bool:
    """Whether a file imports torch, at its top level."""
    return any(
        isinstance(binding, Imported) and binding.module.partition(".")[0] == "torch"
        for found in module.bindings.values()
        for binding in found
    )
