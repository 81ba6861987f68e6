"""Names that the interpreter gives to what Python has no name for, in the state of instances and for their classes."""

from __future__ import annotations

from typing import Final

NAMESPACE: Final = ".__dict__"  # how a module's names end that are looked up in it: `models.__dict__["resnet18"]`
HELD: Final = "<items>"  # where the state of a container of modules keeps what it holds
WRAPPED: Final = "<wrapped>"  # where an object whose class is not followed keeps what it was made of
DISABLED: Final = "torch.compiler.disabled"  # what `torch.compiler.disable(f)` returns
ALIAS: Final = "types.GenericAlias"  # what `list[int]` is
