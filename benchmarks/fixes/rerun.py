"""Whether the cases of a factories file break where they were recorded to: a line for each case, then the sums.

    python -m benchmarks.fixes.rerun --factories FILE.py --truth TRUTH.jsonl.gz... [--cases CASE...]

Each case is compiled and called in a forked copy of this process. Within the files of its library the lines that break
are held against those of the recording; what breaks in other libraries is counted beside them, since the recorder gave
such breaks to the line of the library that called.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import torch

from benchmarks.fixes.cases import FACTORIES, below_site, recipes_of
from compilelint.dynamic.worker import recorder


def main() -> None:
    """Print which recorded lines break, which do not, and which others do."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--factories", type=Path, default=FACTORIES)
    asked.add_argument("--truth", nargs="+", required=True)
    asked.add_argument("--cases", nargs="*")
    given = asked.parse_args()
    torch.set_num_threads(1)
    known = recipes_of(given.factories)
    total: Counter[str] = Counter()
    for path in given.truth:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                if case["case"] in known and (not given.cases or case["case"] in given.cases):
                    total += _held_against(case, _in_a_copy(given.factories, known[case["case"]], case["library"]))
    print(", ".join(f"{count} {name}" for name, count in total.items()))


def _held_against(case: dict[str, Any], found: set[tuple[str, int]]) -> Counter[str]:
    home = f"{case['library']}/"
    recorded = {(one["file"], one["line"]) for one in case["breaks"] if not one.get("secondary")}
    wanted, own = ({one for one in places if one[0].startswith(home)} for places in (recorded, found))
    print(f"{case['case']}: {len(wanted & own)} of {len(wanted)}", end="")
    print(f", not {sorted(wanted - own)}" if wanted - own else "", end="")
    print(f", also {sorted(own - wanted)}" if own - wanted else "", flush=True)
    counts = {"recorded": len(wanted), "break again": len(wanted & own), "others": len(own - wanted)}
    return Counter({**counts, "in other libraries": len(found - own)})


def _in_a_copy(factories: Path, recipe: dict[str, Any], library: str) -> set[tuple[str, int]]:
    """The lines that break, from a forked copy; none where the case cannot be built."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        with os.fdopen(writing, "w") as out:
            try:
                json.dump(sorted(_breaks(factories, recipe, library)), out)
            except ImportError as error:
                print(f"{recipe['case']}: {error}", file=sys.stderr)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    os.waitpid(child, 0)
    return {(path, line) for path, line in json.loads(text or "[]")}


def _breaks(factories: Path, recipe: dict[str, Any], library: str) -> set[tuple[str, int]]:
    from compilelint.dynamic.worker.loading import find

    function, calls = find(f"{factories}:built")(recipe)
    train = recipe["mode"] == "train"
    if isinstance(function, torch.nn.Module):
        function.train(train)
    recording = recorder.Recorder()
    compiled = torch.compile(function, backend="eager")
    with recording.recording(), torch.set_grad_enabled(train):
        for args, named in calls:
            try:
                compiled(*args, **named)
            except Exception as error:  # noqa: BLE001 - some of the recorded cases fail to compile
                print(f"{recipe['case']}: {type(error).__name__}", file=sys.stderr)
    found = set()
    for one in recording.breaks:
        outside = [frame for frame in one["stack"] if recorder.is_watchable(frame[0])]
        if outside and not one["after"]:
            found.add((below_site(outside[-1][0], [f"{library}/"]), int(outside[-1][1])))
    return found


if __name__ == "__main__":
    main()
