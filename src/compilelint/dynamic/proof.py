"""Whether a changed copy of a project still does what the original does: the proof behind `fix --verify`.

The original runs once, eager and compiled; its eager results, gradients, state and first weights are kept. A copy runs
from the same weights on the same inputs, and its compiled results are held against the original's eager ones.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from compilelint.dynamic.observations import Overlay
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import Work, observe
from compilelint.dynamic.targets import Target
from compilelint.model import Divergence, Fate, TargetRun


@dataclass(frozen=True, slots=True)
class Proof:
    """One target before and after a change. `after.parity` compares the copy with the original's eager run."""

    before: TargetRun
    after: TargetRun

    @property
    def same(self) -> bool:
        """The copy ran and gave what the original gives without compiling."""
        return self.after.fate is Fate.RAN and self.after.parity is not None and self.after.parity.holds

    @property
    def compared(self) -> bool:
        """Both ran and could be compared at all; where not, nothing is proven either way."""
        ran = self.before.fate is Fate.RAN and self.after.fate is Fate.RAN
        return ran and self.after.parity is not None and not self.after.parity.unknown

    @property
    def removed(self) -> int:
        """How many breaks fewer; negative where the change brings some."""
        return len(self.before.own_breaks) - len(self.after.own_breaks)

    @property
    def differences(self) -> tuple[Divergence, ...]:
        """What the copy does otherwise."""
        return () if self.after.parity is None else self.after.parity.divergences


class Originals:
    """The original runs of some targets, to hold changed copies against. Use with `with`: it keeps a folder of results.

    `settings.paths` must name the source folders of the project (those that belong on `sys.path`), so that a copy can
    take their place. Raises NoTorchError.
    """

    def __init__(self, targets: Sequence[Target], settings: Settings) -> None:
        self._targets = tuple(targets)
        self._settings = settings
        self._folder = tempfile.TemporaryDirectory(prefix="compilelint-")
        self.runs: tuple[TargetRun, ...] = ()

    def __enter__(self) -> Originals:
        try:
            work = [Work(target, save_to=self._file(number)) for number, target in enumerate(self._targets)]
            self.runs = tuple(observe(work, self._settings))
        except BaseException:  # `__exit__` is not called for what `__enter__` raises, Ctrl-C too
            self._folder.cleanup()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._folder.cleanup()

    def proofs(self, overlay: Overlay, changes: Mapping[str, Any] | None = None) -> tuple[Proof, ...]:
        """Run the targets from a changed copy; a proof for each, in their order. `changes` are a job's."""
        work = [
            Work(
                target,
                overlay,
                compare_with=self._file(number) if os.path.exists(self._file(number)) else "",
                changes=changes or {},
            )
            for number, target in enumerate(self._targets)
        ]
        after = observe(work, self._settings)
        return tuple(Proof(before, changed) for before, changed in zip(self.runs, after, strict=True))

    def _file(self, number: int) -> str:
        return os.path.join(self._folder.name, f"{number}.pt")
