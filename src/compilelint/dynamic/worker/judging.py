"""Whether a compiled run gave what the eager run gave: what was compared, and what differs for no other reason.

Pure data of two runs comes in, and the eager run once more where a difference may be chance.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.worker.calling import Forked, Outcome
from compilelint.dynamic.worker.exercising import OF_DYNAMO, left_alone
from compilelint.dynamic.worker.snapshot import by_chance, first_differences


def judge(
    observed: dict[str, Any],
    reference: dict[str, Any] | None,
    own: dict[str, Any] | None,
    outcome: Outcome,
    spare: Forked | None,
    settings: Settings,
) -> None:
    """Add to `observed` what was compared and what differs.

    `own` is this program's eager run, which `reference` may not be; a second one separates chance from difference.
    """
    parity = observed.setdefault("parity", {"calls": 0, "compared": 0, "divergences": [], "unknown": ""})
    if reference is None:
        parity["unknown"] = "the model cannot be copied for an eager run"
        if spare is not None:
            spare.drop()
        return
    reordered = settings.reordered or settings.backend not in ("eager", "aot_eager")
    differences = list(differences_of(reference, outcome.plain(), reordered))
    if (
        differences
        and "compiled" in reference
        and not any(differences_of(reference["compiled"], outcome.plain(), False))
    ):
        differences = []  # the original, compiled, already gives just this: the change is not to blame
    parity["calls"] += min(len(outcome.calls), len(reference["calls"]))
    parity["compared"] += sum(map(len, outcome.calls)) + len(outcome.state)
    if differences and own is not None and spare is not None and spare.run().fate == "ran":
        chance = {(one["name"], one["call"]) for one in differences_of(own, spare.read(), reordered)}
        sure = [one for one in differences if (one["name"], one["call"]) not in chance]
        if not sure:
            parity["unknown"] = by_chance(differences[0]["name"])
        differences = sure
    elif spare is not None:
        spare.drop()
    if settings.cuda_graphs and reference["drew"]:
        kept = [one for one in differences if one["kind"] == "exception"]
        if len(kept) < len(differences):
            parity["unknown"] = f"{differences[0]['name']} is of random numbers, which Inductor draws otherwise"
        differences = kept
    parity["divergences"] += differences


def differences_of(reference: dict[str, Any], outcome: dict[str, Any], reordered: bool) -> Iterator[dict[str, Any]]:
    """The first things in which two runs differ, call by call, then in the state they left."""
    for number, (eager, compiled) in enumerate(zip(reference["calls"], outcome["calls"], strict=False)):
        found = list(first_differences(eager, compiled, reordered))
        if found:
            yield from ({"kind": _kind(name), "name": name, "call": number, "text": text} for name, text in found)
            break
    if outcome["error"].partition("\n")[0] != reference["error"].partition("\n")[0]:
        call = max(outcome["failed"], reference["failed"])
        eager = reference["error"].partition("\n")[0] or "nothing"
        compiled = outcome["error"].partition("\n")[0] or "nothing"
        kinds = eager.partition(":")[0], compiled.partition(":")[0]
        # Dynamo wraps what fails while it traces, with other sizes in its words: both raise, and for one cause
        alike = kinds[0] == kinds[1] or (reference["error"] and kinds[1] in OF_DYNAMO)
        if not (alike and reference["failed"] == outcome["failed"]):
            yield {
                "kind": "exception",
                "name": "what is raised",
                "call": call,
                "text": f"eager raises {eager[:300]}, compiled {compiled[:300]}",
            }
        return
    settled = left_alone(reference, outcome)
    left, now = (
        {name: one for name, one in run["state"].items() if name not in settled} for run in (reference, outcome)
    )
    for name, text in first_differences(left, now, reordered):
        yield {"kind": "state", "name": name, "call": len(outcome["calls"]) - 1, "text": text}


def _kind(name: str) -> str:
    if name.startswith("gradient of "):
        return "gradient"
    return "input" if "input" in name.partition("[")[0] else "output"
