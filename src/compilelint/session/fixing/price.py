"""What to measure of a target beside its configurations: changes that fix what its findings cost.

Breaks are fixed by what `whatif` proves to remove them, recompiles by Dynamo's switches, copies between devices by the
fixes of the static findings on lines that the run went through. What no known change fixes is kept, with the reason.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from compilelint.bench.plan import Config, Variant
from compilelint.bench.result import Cause
from compilelint.dynamic.merge import Side, meets, was_traced
from compilelint.dynamic.proof import Originals
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.switches import AGAINST_RECOMPILES, changes_for
from compilelint.dynamic.switches import Effect as Tried
from compilelint.dynamic.targets import Target
from compilelint.model import Effect, Fate, Finding, Outcome, TargetRun
from compilelint.session.commands.verify import Verification
from compilelint.session.fixing.what_if import Repair, copy_with, repairs_in_package, repairs_of, what_if

_MOST_CHANGES = 4
_DEFAULT = Config("default")
_NO_REWRITE = "no rewrite is known"
_NO_COPY = "on a CPU nothing is copied; a run with --device cuda prices it"


@dataclass(frozen=True, slots=True)
class Pricing:
    """The changes to measure, and the findings whose cost the target bears."""

    variants: tuple[Variant, ...] = ()
    causes: tuple[Cause, ...] = ()


def pricing(
    target: Target,
    side: Side,
    settings: Settings,
    verification: Verification,
    copies: contextlib.ExitStack,
    progress: Callable[[str], None],
) -> Pricing:
    """What the findings of one target cost can be learnt from. Raises NoWorkerError."""
    run = side.run
    if run.fate is not Fate.RAN:
        return Pricing()
    findings = verification.report.findings
    counting, breaking, copying = (
        [one for one in findings if _is_borne(one, run, effect)]
        for effect in (Effect.RECOMPILE, Effect.GRAPH_BREAK, Effect.SYNC)
    )
    parts = [_against_recompiles(run, counting)]
    if run.own_breaks:
        progress(f"{target.label}: which changes remove its breaks?")
        parts.append(_against_breaks(target, side, settings, verification, copies, breaking))
    if copying and settings.device != "cpu":
        progress(f"{target.label}: which changes spare its copies?")
    parts.append(_against_copies(target, run, settings, copies, copying))
    causes = {(one.code, one.path, one.first_line): one for part in parts for one in part.causes}
    return Pricing(tuple(one for part in parts for one in part.variants), tuple(causes.values()))


def _is_borne(finding: Finding, run: TargetRun, effect: Effect) -> bool:
    """Whether the run shows that a finding costs it something: seen there, or, of a copy, gone through."""
    if effect is Effect.SYNC:
        return finding.effect is effect and was_traced(finding, run)
    verdict = finding.verdict
    if effect not in finding.effects or verdict is None or run.target not in verdict.targets:
        return False
    return verdict.outcome in (Outcome.CONFIRMED, Outcome.RUN_ONLY)


def _cause(finding: Finding, unpriced: str = "") -> Cause:
    span = finding.location.span
    return Cause(finding.rule.code, finding.location.path, span.line, span.end_line, unpriced)


# ------------------------------------------------------------------- recompiles


def _against_recompiles(run: TargetRun, findings: Sequence[Finding]) -> Pricing:
    if not any(one.cause == "state" for one in run.recompiles):
        return Pricing(causes=tuple(_cause(one, _NO_REWRITE) for one in findings))
    variants = [Variant(_DEFAULT, one.name, settings=one.changes["config"]) for one in AGAINST_RECOMPILES]
    return Pricing(tuple(variants), tuple(map(_cause, findings)))


# ----------------------------------------------------------------------- breaks


def _against_breaks(
    target: Target,
    side: Side,
    settings: Settings,
    verification: Verification,
    copies: contextlib.ExitStack,
    findings: Sequence[Finding],
) -> Pricing:
    """Changes that were seen to remove breaks, those that remove most first, and all of them together."""
    run = side.run
    (tries,) = what_if([target], settings, replace(verification, sides=(side,)))
    switches = {one.name: one for one in changes_for(run)}
    repairs = {one.name: one for one in repairs_of(verification.report.findings, run)}
    helping = sorted((one for one in tries.effects if one.helps), key=lambda one: -len(one.removed))
    variants: list[Variant] = []
    measured: list[Tried] = []
    for effect in helping[:_MOST_CHANGES]:
        if effect.name in repairs:
            overlay = copies.enter_context(copy_with(run, [repairs[effect.name]]))
            variants.append(Variant(_DEFAULT, effect.name, overlay=overlay))
        elif "config" in switches[effect.name].changes:  # others are configurations by themselves
            variants.append(Variant(_DEFAULT, effect.name, settings=switches[effect.name].changes["config"]))
        measured.append(effect)
    chosen = [repairs[one.name] for one in tries.way if one.name in repairs]
    if len(chosen) > 1 and len(chosen) == len(tries.way):
        overlay = copies.enter_context(copy_with(run, chosen))
        variants.append(Variant(_DEFAULT, f"all {len(chosen)} fixes together", overlay=overlay))
        measured += tries.way
    causes = [_cause(one, _why_not(one, measured, tries.effects, repairs)) for one in findings]
    return Pricing(tuple(variants), tuple(causes))


def _why_not(finding: Finding, measured: Sequence[Tried], tried: Sequence[Tried], repairs: dict[str, Repair]) -> str:
    """Why nothing that fixes a break was measured; empty where something was."""
    if any(meets(finding, seen) for one in measured for seen in one.removed):
        return ""
    if any(one.helps and meets(finding, seen) for one in tried for seen in one.removed):
        return f"{_MOST_CHANGES} changes that remove more are measured before it"
    own = [one for one in tried if one.name in repairs and _is_of(repairs[one.name], finding)]
    if not own:
        return _NO_REWRITE
    return f"with its rewrite, {_ended(own[0].run)}"


def _is_of(repair: Repair, finding: Finding) -> bool:
    place = finding.location
    return repair.path == place.path and repair.line == place.span.line


def _ended(run: TargetRun) -> str:
    """What became of a changed program."""
    if run.fate is not Fate.RAN:
        return f"it does not run ({run.detail.partition(chr(10))[0] or run.fate.value})"
    if run.parity is not None and run.parity.divergences:
        return f"{run.parity.divergences[0].name} differs"
    return "the graph still ends there or elsewhere"


# ----------------------------------------------------------------------- copies


def _against_copies(
    target: Target, run: TargetRun, settings: Settings, copies: contextlib.ExitStack, findings: Sequence[Finding]
) -> Pricing:
    """The fixes that leave copies out and give what the original gives; on a CPU there is nothing to leave out."""
    if not findings:
        return Pricing()
    if settings.device == "cpu":
        return Pricing(causes=tuple(_cause(one, _NO_COPY) for one in findings))
    repairs = repairs_in_package(findings, run)
    variants: list[Variant] = []
    ended: dict[str, str] = {}
    # An operation that moves from one device to another is rounded otherwise.
    with Originals([target], replace(settings, reordered=True)) as originals:
        for repair in repairs[:_MOST_CHANGES]:
            overlay = copies.enter_context(copy_with(run, [repair]))
            (proof,) = originals.proofs(overlay)
            if proof.same and len(proof.after.own_breaks) <= len(run.own_breaks):
                variants.append(Variant(_DEFAULT, repair.name, overlay=overlay))
                ended[repair.name] = ""
            else:
                ended[repair.name] = f"with its rewrite, {_ended(proof.after)}"
    causes = []
    for one in findings:
        reasons = [ended.get(repair.name, "others are measured first") for repair in _touching(one, repairs)]
        causes.append(_cause(one, _NO_REWRITE if not reasons else "" if "" in reasons else reasons[0]))
    return Pricing(tuple(variants), tuple(causes))


def _touching(finding: Finding, repairs: Sequence[Repair]) -> Iterator[Repair]:
    """The repairs that change a finding's lines: a way back and the way there are fixed together."""
    span = finding.location.span
    for repair in repairs:
        own = repair.fix.by_file(repair.path).get(repair.path, ())
        lines = [(edit.span.line, edit.span.end_line) for edit in own]
        touches = any(first <= span.end_line and last >= span.line for first, last in lines)
        if repair.path == finding.location.path and (touches or _is_of(repair, finding)):
            yield repair
