"""What is known of a compile call: where it stands, what it compiles, or why that is not known; how it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

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
        ("comfy_api", "set_torch_compile_wrapper"): "wraps parts",
        ("torchrl", "compile_with_warmup"): "wraps",
        ("torchtune", "compile_loss"): "wraps",
        ("vllm", "support_torch_compile"): "wraps class",
    }
)
"""What frameworks offer that compiles, by package and last name, since they export it under several: how it is asked.

`wraps class`: a decorator of a class, which compiles its `forward` whole with the dimensions that it names as symbols;
`wraps blocks`: the modules of its list of blocks one by one, or the module itself where it has none; `wraps parts`:
parts of what it is given that it names in texts, later: which, nothing here says.
"""


class Keeper(NamedTuple):
    """A class of a framework that keeps what it was asked for, until it or another is handed a model.

    `name` is the last word of what it goes by, after `*` the end of it; `called` is what reports call it. `how` says
    what it does: `keeps` (arguments with switches), `trains` (its constructor is given a model and such arguments),
    `prepares` (its methods compile what they are given), `fits` (its methods compile the steps of a module that is
    compiled) or `sets up` (its methods give back what they are given).
    """

    package: str
    name: str
    how: str
    called: str
    methods: tuple[str, ...] = ()


_LIGHTNING = ("lightning", "pytorch_lightning", "lightning_fabric")
KEEPERS = (
    *(Keeper(one, "*TrainingArguments", "keeps", "transformers.TrainingArguments") for one in ("transformers", "trl")),
    Keeper("trl", "*Config", "keeps", "transformers.TrainingArguments"),
    *(Keeper(one, "*Trainer", "trains", "transformers.Trainer") for one in ("transformers", "trl")),
    Keeper("accelerate", "Accelerator", "prepares", "accelerate.Accelerator", ("prepare", "prepare_model")),
    *(Keeper(p, "Trainer", "fits", "lightning.Trainer", ("fit", "validate", "test", "predict")) for p in _LIGHTNING),
    *(Keeper(one, "Fabric", "sets up", "lightning.Fabric", ("setup", "setup_module")) for one in _LIGHTNING),
)
"""The classes of Transformers' trainers, Accelerate and Lightning by which a model is compiled."""

SWITCHES = ("torch_compile", "torch_compile_backend", "torch_compile_mode", "dynamo_backend", "dynamo_plugin")
"""Keywords by which they are asked to compile."""

STEPS = ("training_step", "validation_step", "test_step", "predict_step")
"""What Lightning compiles of a module that it is handed compiled (`lightning.pytorch.utilities.compile`)."""


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


NO_OWN: Mapping[str, str] = MappingProxyType({})


def how_of(name: str, own: Mapping[str, str] = NO_OWN) -> str:
    """How a callable compiles what it is given, by its dotted name, of `own` ones too; empty for any other."""
    found = own.get(name) or COMPILERS.get(name)
    return FRAMEWORKS.get((name.partition(".")[0], name.rpartition(".")[2]), "") if found is None else found


def keeper_of(name: str) -> Keeper | None:
    """The row of a framework's class, by its dotted name."""
    package, last = name.partition(".")[0], name.rpartition(".")[2]
    for one in KEEPERS:
        ends = one.name.startswith("*") and last.endswith(one.name[1:])
        if one.package == package and (ends or one.name == last):
            return one
    return None


def imports_torch(module: ModuleInfo) -> bool:
    """Whether a file imports torch, at its top level."""
    return any(
        isinstance(binding, Imported) and binding.module.partition(".")[0] == "torch"
        for found in module.bindings.values()
        for binding in found
    )
