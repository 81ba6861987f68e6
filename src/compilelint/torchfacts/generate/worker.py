"""Measures one group of probes in a process of its own and writes a JSON line a probe; a crash costs one probe.

Usage: python -m compilelint.torchfacts.generate.worker GROUP FILE
Lines that are in FILE already are not measured again. Before each probe the file `FILE.now` names it, so that the
parent knows which one took the process down.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compilelint.torchfacts.generate import operators, quirks, sweep, synthesis
from compilelint.torchfacts.generate.groups import (
    CUDA,
    CUDA_SWEPT,
    FILES,
    GROUPS,
    ON_DEVICE,
    PARTS,
    QUIRKS,
    SWEPT,
    measured_lines,
)
from compilelint.torchfacts.generate.measure import Begins, measure, quieten
from compilelint.torchfacts.generate.probes import Module, Probe, snippet_probes
from compilelint.torchfacts.generate.traits import traits_of


def _in_part(probes: Iterator[Probe], part: int) -> Iterator[Probe]:
    """The probes of one part; a key's probes stay together."""
    for number, (_, of_key) in enumerate(itertools.groupby(probes, key=lambda probe: probe.key)):
        if number % PARTS == part:
            yield from of_key


def probes_of(group: str, module: Module, begins: Begins) -> Iterator[Probe]:
    """The probes of a group, always in the same order; what a snippet answers is not asked again."""
    by_hand = {probe.key for probe in snippet_probes()}
    if group in FILES:
        yield from snippet_probes(group)
    elif group == CUDA:
        yield from snippet_probes(CUDA)
    elif group == CUDA_SWEPT:
        yield from sweep.swept_probes(module, by_hand, begins, sweep.OF_CUDA)
    elif group.startswith("operators-"):
        probes = (probe for probe in operators.operator_probes() if probe.key not in by_hand)
        yield from _in_part(probes, int(group.removeprefix("operators-")))
    elif group == "modules":
        yield from (probe for probe in operators.layer_probes() if probe.key not in by_hand)
    elif group == "synthesized":
        covered = (
            by_hand
            | {probe.key for probe in operators.operator_probes()}
            | {probe.key for probe in operators.layer_probes()}
        )
        yield from synthesis.synthesized_probes(module, covered, begins)
    elif group == SWEPT:
        yield from sweep.swept_probes(module, by_hand, begins)
    else:
        raise ValueError(f"unknown group {group!r}; there are {', '.join((*GROUPS, *ON_DEVICE))}")


def main(group: str, path: Path) -> None:
    """Measures what `path` does not hold yet."""
    quieten()
    module = Module()
    lines = measured_lines(path)
    done = {line["id"] for line in lines}
    # What crashes with one argument list mostly does with the next, and each crash costs a new process.
    crashed = {line["key"] for line in lines if line.get("unmeasured") == "crash"}
    now = path.with_suffix(".now")

    def begins(identity: str, key: str) -> bool:
        if identity in done or key in crashed:
            return False
        now.write_text(json.dumps({"id": identity, "key": key}), encoding="utf-8")
        return True

    with path.open("a", encoding="utf-8") as results:
        for line in _measured(group, module, begins):
            results.write(json.dumps(line) + "\n")
            results.flush()
            now.unlink()  # what crashes between two probes is not this one's fault
    now.unlink(missing_ok=True)
    # Interpreter shutdown after a thousand compilations takes a second and can crash in native code.
    os._exit(0)


def _measured(group: str, module: Module, begins: Begins) -> Iterator[dict[str, Any]]:
    """A result line for each probe of the group that begins."""
    if group == QUIRKS:
        if begins(QUIRKS, QUIRKS):
            yield {"id": QUIRKS, "key": QUIRKS, QUIRKS: sorted(quirks.quirks())}
        return
    for number, probe in enumerate(probes_of(group, module, begins)):
        line: dict[str, Any] = {"id": f"{number} {probe.key}", "key": probe.key}
        if not begins(line["id"], probe.key):
            continue
        verdict = measure(module, probe)
        if isinstance(verdict, str):
            line["unmeasured"] = verdict
        elif group not in (SWEPT, CUDA_SWEPT):
            line |= {"verdict": str(verdict), "traits": traits_of(module, probe)}
        elif sweep.is_kept(verdict):
            line["verdict"] = str(verdict)
        yield line  # of a swept name that traces: measured, and not worth an entry


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
