"""What is known of a compile call: where it stands, what it compiles, or why that is not known."""

from __future__ import annotations

from compilelint.model import Location
from compilelint.model.slotted import dataclass


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
