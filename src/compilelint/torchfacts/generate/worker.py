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

from compilelint.torchfacts.generate import operators, sweep, synthesis
from compilelint.torchfacts.generate.measure import measure, quieten
from compilelint.torchfacts.generate.probes import FILES, Module, Probe, snippet_probes
from compilelint.torchfacts.generate.traits import traits_of

SWEPT = "swept"
GROUPS = (*FILES, "operators-0", "operators-1", "operators-2", "modules", "synthesized", SWEPT)
_PARTS = 3


def _in_part(probes: Iterator[Probe], part: int) -> Iterator[Probe]:
    """The probes of one part; a key's probes stay together."""
    for number, (_, of_key) in enumerate(itertools.groupby(probes, key=lambda probe: probe.key)):
        if number % _PARTS == part:
            yield from of_key


def probes_of(group: str, module: Module) -> Iterator[Probe]:
    """The probes of a group, always in the same order; what a snippet answers is not asked again."""
    by_hand = {probe.key for probe in snippet_probes()}
    if group in FILES:
        yield from snippet_probes(group)
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
        yield from synthesis.synthesized_probes(module, covered)
    elif group == SWEPT:
        yield from sweep.swept_probes(module, by_hand)
    else:
        raise ValueError(f"unknown group {group!r}; there are {', '.join(GROUPS)}")


def measured_lines(path: Path) -> list[dict[str, Any]]:
    """The complete lines of a result file; a line that a crash cut off is dropped."""
    if not path.exists():
        return []
    lines = []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            continue
    return lines


def main(group: str, path: Path) -> None:
    """Measures what `path` does not hold yet."""
    quieten()
    module = Module()
    done = {line["id"] for line in measured_lines(path)}
    now = path.with_suffix(".now")
    with path.open("a", encoding="utf-8") as results:
        for number, probe in enumerate(probes_of(group, module)):
            identity = f"{number} {probe.key}"
            if identity in done:
                continue
            now.write_text(json.dumps({"id": identity, "key": probe.key}), encoding="utf-8")
            verdict = measure(module, probe)
            line: dict[str, Any] = {"id": identity, "key": probe.key, "verdict": str(verdict)}
            if isinstance(verdict, str):
                line = {"id": identity, "key": probe.key, "unmeasured": verdict}
            elif group == SWEPT and not sweep.is_kept(verdict):
                line = {"id": identity, "key": probe.key}  # measured, and not worth an entry
            else:
                line["traits"] = traits_of(module, probe)
            results.write(json.dumps(line) + "\n")
            results.flush()
    now.unlink(missing_ok=True)
    # Interpreter shutdown after a thousand compilations takes a second and can crash in native code.
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
