"""A job as the worker sees it."""

from __future__ import annotations

from dataclasses import dataclass

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target


@dataclass
class Asked:
    """A job as the worker sees it."""

    target: Target
    settings: Settings
    save_to: str = ""
    compare_with: str = ""
    exercise: str = ""
    watched: tuple[str, ...] = ()
    fewer_than: int | None = None

    @property
    def folders(self) -> tuple[str, ...]:
        """Where it is watched what runs."""
        return self.watched or (self.settings.cwd,)
