"""What decorators and `__init_subclass__` have made of a class."""

from __future__ import annotations

from dataclasses import field

from compilelint.model import Confidence
from compilelint.model.slotted import dataclass
from compilelint.project.classes import ClassInfo
from compilelint.values import Value


@dataclass(slots=True)
class Standing:
    """What was made of a class: the class that its name is bound to, and what was stored on it.

    `sure` is the most that may be claimed of methods of it that were not replaced.
    """

    cls: ClassInfo
    members: dict[str, Value] = field(default_factory=dict)
    sure: Confidence = Confidence.CERTAIN
