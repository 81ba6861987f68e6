"""What is known of a compile call: where it stands, what it compiles, or why that is not known; how it is asked."""

from __future__ import annotations

from compilelint.model import Location
from compilelint.model.slotted import dataclass
from compilelint.project.classes import Imported, ModuleInfo

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


def imports_torch(module: ModuleInfo) -> bool:
    """Whether a file imports torch, at its top level."""
    return any(
        isinstance(binding, Imported) and binding.module.partition(".")[0] == "torch"
        for found in module.bindings.values()
        for binding in found
    )
