"""`--what-if`: run the breaking targets again with one change at a time, switches first, then proposed fixes.

Switches run in one worker, fixes each on a temporary copy of the target's package, held against the original's eager
results. Where the shortest way takes several changes, it is run with all of them. Nothing in the project is written.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from compilelint.dynamic.no_worker import scratch_folder
from compilelint.dynamic.observations import Overlay, top_folder
from compilelint.dynamic.proof import Originals
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.switches import Change, Effect, Tries, changes_for, effect_of, shortest, together
from compilelint.dynamic.targets import Target
from compilelint.dynamic.worker_process import Work
from compilelint.fixes.engine.edits import Placed, rewritten_files
from compilelint.model import Fate, Finding, Fix, Outcome, TargetRun
from compilelint.session.commands.verify import Verification
from compilelint.session.fixing.propose import with_fixes
from compilelint.syntax.source import Source, read_source

_MOST_FIXES = 8
_LEFT_OUT = shutil.ignore_patterns(".git", "__pycache__", ".venv", "node_modules", "*.pt", "*.bin", "*.safetensors")


@dataclass(frozen=True, slots=True)
class Repair:
    """A proposed fix of a finding at a line, and its name in the report."""

    name: str
    path: str
    line: int
    fix: Fix


def what_if(targets: Sequence[Target], settings: Settings, verification: Verification) -> tuple[Tries, ...]:
    """Try every change on every target that ran and broke. Raises NoWorkerError."""
    broken = [
        (target, side.run)
        for target, side in zip(targets, verification.sides, strict=True)
        if side.run.fate is Fate.RAN and side.run.own_breaks
    ]
    switches = [changes_for(run) for _, run in broken]
    work = [
        Work(target, changes=change.changes)
        for (target, _), some in zip(broken, switches, strict=True)
        for change in some
    ]
    runs = iter(observe(work, settings))
    return tuple(
        _tries(target, before, {one: effect_of(one.name, before, next(runs)) for one in some}, settings, repairs)
        for (target, before), some in zip(broken, switches, strict=True)
        for repairs in [repairs_of(verification.report.findings, before)]
    )


def repairs_of(findings: Sequence[Finding], run: TargetRun) -> list[Repair]:
    """The fix that changes least of each finding that this target's run confirmed, in its own package."""
    return repairs_in_package([one for one in findings if _is_confirmed(one, run)], run)


def _is_confirmed(finding: Finding, run: TargetRun) -> bool:
    verdict = finding.verdict
    return verdict is not None and verdict.outcome is Outcome.CONFIRMED and run.target in verdict.targets


def repairs_in_package(findings: Iterable[Finding], run: TargetRun) -> list[Repair]:
    """The fixes of these findings, as far as they lie in the target's own package."""
    found: list[Repair] = []
    home = _home(run)
    own = [one for one in findings if home and one.location.path.startswith(f"{home}/")]
    for one in with_fixes(own):
        if one.fix is not None:
            path, line = one.location.path, one.location.span.line
            name = f"{one.rule.code} at {os.path.basename(path)}:{line}, {one.fix.title}"
            found.append(Repair(name, path, line, one.fix))
    return found[:_MOST_FIXES]


def _tries(
    target: Target, before: TargetRun, switches: Mapping[Change, Effect], settings: Settings, repairs: Sequence[Repair]
) -> Tries:
    """The effects of switches and fixes, and the shortest way, proven by a run where it takes several of them."""
    effects = [*switches.values()]
    with contextlib.ExitStack() as stack:
        originals = stack.enter_context(Originals([target], settings)) if repairs else None
        for repair in repairs if originals is not None else ():
            with copy_with(before, [repair]) as overlay:
                (proof,) = originals.proofs(overlay) if originals is not None else ()
            effects.append(effect_of(repair.name, before, proof.after, moved=True))
        way = shortest(before, effects)
        if len(way) < 2:
            left = len(way[0].run.own_breaks if way else before.own_breaks)
            return Tries(before, tuple(effects), way, left)
        names = {one.name for one in way}
        changes = together([change for change in switches if change.name in names])
        chosen = [one for one in repairs if one.name in names]
        if originals is None or not chosen:
            (run,) = observe([Work(target, changes=changes)], settings)
        else:
            with copy_with(before, chosen) as overlay:
                (proof,) = originals.proofs(overlay, changes)
            run = proof.after
        return Tries(before, tuple(effects), way, len(run.own_breaks), run)


def _home(run: TargetRun) -> str:
    """The folder of the target's outermost package."""
    return "" if run.place is None else top_folder(run.place.path).rstrip("/")


@contextlib.contextmanager
def copy_with(run: TargetRun, repairs: Sequence[Repair]) -> Iterator[Overlay]:
    """A copy of the target's package with fixes in it, gone afterwards."""
    home = _home(run)
    project = os.path.dirname(home) if os.path.exists(f"{home}/__init__.py") else home
    with scratch_folder() as folder:
        overlay = Overlay(project, os.path.join(folder, "project"))
        shutil.copytree(home, overlay.inside_copy(home), ignore=_LEFT_OUT, symlinks=True)
        placed = [Placed(one.path, one.fix) for one in repairs]
        paths = sorted({path for one in placed for path in one.files()})
        sources = {path: source for path in paths if isinstance(source := read_source(path), Source)}
        for path, text in rewritten_files(placed, sources).texts.items():
            Path(overlay.inside_copy(path)).write_bytes(sources[path].encode(text))
        yield overlay
