"""Whether fixed files do in eager Python what they did before: recorded models of both libraries, compared.

    python -m benchmarks.fixes.eager --site SITE-PACKAGES --truth TRUTH.jsonl.gz... [--budget SECONDS] [--record FILE]
        [--fixed FOLDER]

The files that hold recorded breaks are linted together and fixed as `check --fix --unsafe-fixes` fixes them, in a
folder of links to the rest of their libraries. Then every model of `recipes.jsonl.gz` whose recording traced
a changed file is built and run from both, without compiling: eight seeds, in training and evaluation, and with inputs
varied, emptied and cut short as `fix --verify` does. Values, dtypes, NaN, gradients, the class of what is raised, the
random numbers used up and the state in the end must agree. What has a method of its own (a step of a scheduler) is made
again for each run. Models run in the order of the hashes of their names, for `--budget` seconds, each for a few seconds
of the processor. `--fixed` keeps the fixed files, and takes them from there if it holds any.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.fixes.cure import with_own_file
from benchmarks.fixes.halves import rank
from benchmarks.verify.rebuild import recipes
from compilelint.config import Options
from compilelint.model import Confidence
from compilelint.session.commands.fix import fix

LATE = "did not end in time"
REBUILD = Path(__file__).resolve().parents[1] / "verify" / "rebuild.py"
_SECONDS_OF_A_CASE = 6  # of the processor, after which no further run of a case begins
_MOST_SECONDS = 120  # of the processor, for all of a case


def main() -> None:
    """Fix, run and compare; print a row for each case that differs, then the sums."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--site")
    asked.add_argument("--truth", nargs="+")
    asked.add_argument("--budget", type=float, default=float("inf"))
    asked.add_argument("--record", type=Path, help="a file to write a JSON line a case to")
    asked.add_argument("--fixed", type=Path, help="a folder for the fixed files, under their names below SITE")
    asked.add_argument("--child", nargs=2, metavar=("LIBRARY", "OUT"), help=argparse.SUPPRESS)
    given = asked.parse_args()
    if given.child:
        _serve(*given.child)
        return
    site = Path(given.site).resolve()
    traced, broken = _recorded(given.truth)
    files = [file for file in sorted(broken) if (site / file).is_file()]
    changed = _changed(files, site, given.fixed)
    known = recipes()
    cases = sorted((case for case in known if traced.get(case, frozenset()) & changed.keys()), key=rank)
    print(f"{len(changed)} of {len(files)} files changed", flush=True)
    with tempfile.TemporaryDirectory(prefix="eager-") as folder:
        library = Path(folder) / "fixed"
        library.mkdir()
        for file, text in changed.items():
            with_own_file(library, site, Path(file))
            (library / file).write_text(text, encoding="utf-8")
        rows = _compared(cases, {"old": str(site), "new": str(library)}, str(site), folder, given.budget)
    _report(rows, len(cases))
    if given.record:
        given.record.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")


def _changed(files: list[str], site: Path, kept: Path | None) -> dict[str, str]:
    """The fixed texts by the names of their files."""
    there = [] if kept is None else [file for file in files if (kept / file).is_file()]
    if kept is not None and there:
        return {file: (kept / file).read_text(encoding="utf-8") for file in there}
    paths = tuple(str(site / file) for file in files)
    fixed = fix(Options(paths, torch_version="2.13", min_confidence=Confidence.POSSIBLE, no_cache=True), unsafe=True)
    counts = ", ".join(f"{count} {code}" for code, count in sorted(fixed.applied.items()))
    print(f"{fixed.applied.total()} fixes: {counts}")
    changed = {os.path.relpath(path, site): text for path, (_, text) in fixed.texts.items()}
    for file, text in changed.items() if kept is not None else ():
        assert kept is not None, "it was asked"
        (kept / file).parent.mkdir(parents=True, exist_ok=True)
        (kept / file).write_text(text, encoding="utf-8")
    return changed


def _recorded(truth: list[str]) -> tuple[dict[str, set[str]], set[str]]:
    """By case the files that its recording traced, and all files that hold a recorded break."""
    traced: dict[str, set[str]] = {}
    broken: set[str] = set()
    for path in truth:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                traced[case["case"]] = set(case["traced_lines"])
                broken |= {one["file"] for one in case["breaks"] if not one.get("secondary")}
    return traced, broken


def _report(rows: list[dict[str, Any]], count: int) -> None:
    ran = [one for one in rows if not one["not_run"]]
    runs, raising = sum(one["runs"] for one in ran), sum(one["raising"] for one in ran)
    differing = [one for one in ran if one["differences"]]
    print(f"{len(ran)} of {count} models ran: {runs} pairs of runs, in {raising} of them the original raises;")
    print(f"{len(differing)} models differ in {sum(len(one['differences']) for one in differing)} runs")
    for one in differing:
        first = one["differences"][0]
        print(f"- {one['case']}: {first['kind']} {first['name']} in {first['label']}: {first['text']}")
    for why, number in Counter(one["not_run"] for one in rows if one["not_run"]).items():
        print(f"- not run, {number}: {why}")


# ------------------------------------------------------------- in the children


def _compared(
    cases: list[str], libraries: dict[str, str], site: str, folder: str, budget: float
) -> list[dict[str, Any]]:
    """A row for each case that was reached, each run by both libraries in turn."""
    import torch

    from compilelint.dynamic.worker.exercising import differing

    until = time.monotonic() + budget
    children = {name: _child(library, site, os.path.join(folder, name)) for name, library in libraries.items()}
    rows: list[dict[str, Any]] = []
    for case in cases:
        if time.monotonic() > until:
            break
        found: dict[str, Any] = {}
        count = 0
        for name, child in children.items():
            assert child.stdin is not None, "a pipe"
            assert child.stdout is not None, "a pipe"
            child.stdin.write(json.dumps({"case": case, "count": count}) + "\n")
            child.stdin.flush()
            answer = child.stdout.readline().strip()
            path = os.path.join(folder, f"{name}.pt")
            found[name] = answer if answer != "ok" else torch.load(path, weights_only=True)
            count = len(found[name]) if isinstance(found[name], list) else 0
        old, new = found["old"], found["new"]
        row: dict[str, Any] = {"case": case, "not_run": "", "runs": 0, "raising": 0, "differences": []}
        if isinstance(old, str):
            row["not_run"] = old
        elif new == LATE:
            row["not_run"] = new
        elif isinstance(new, str):
            row["differences"] = [{"kind": "run", "name": "all", "text": new, "label": "the fixed library"}]
        else:
            row |= {"runs": len(old), "raising": sum(bool(one["error"]) for one in old)}
            row["differences"] = differing(old, new, frozenset(), compiled=False, reordered=False)
        rows.append(row)
        print(f"{case}: {row['not_run'] or row['runs']}, {len(row['differences'])} differ", file=sys.stderr, flush=True)
    for child in children.values():
        child.communicate()
    return rows


def _child(library: str, site: str, out: str) -> subprocess.Popen[str]:
    own = [library, site, *(one for one in sys.path if one)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(own)), "HF_HUB_OFFLINE": "1"}
    command = [sys.executable, "-W", "ignore", "-m", "benchmarks.fixes.eager", "--child", library, out]
    return subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=REBUILD.parents[2],
    )


def _serve(library: str, out: str) -> None:
    """Run the cases that come in, each in a forked copy of a process that has the libraries."""
    import diffusers
    import torch
    import transformers

    torch.set_num_threads(1)
    assert transformers.__file__.startswith(library) or diffusers.__file__.startswith(library), "the copy is run"
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # models print
    for line in sys.stdin:
        asked = json.loads(line)
        child = os.fork()
        if not child:
            code = 70
            try:
                resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + _MOST_SECONDS,) * 2)
                torch.save(_runs(asked["case"], asked["count"]), f"{out}.pt")
                code = 0
            except Exception as error:  # noqa: BLE001 - whatever a model raises when it is built
                Path(f"{out}.txt").write_text(f"{type(error).__name__}: {error}".partition("\n")[0][:150])
                code = 1
            finally:
                os._exit(code)
        _, status = os.waitpid(child, 0)
        words = Path(f"{out}.txt").read_text() if status and os.path.exists(f"{out}.txt") else LATE
        answer.write("ok\n" if not status else f"{words}\n")
        answer.flush()


def _runs(case: str, count: int) -> list[dict[str, Any]]:
    """What each exercise of a case gives; `count` of them, or as many as there is time for."""
    from compilelint.dynamic.targets import Target
    from compilelint.dynamic.worker.exercises import exercises_for
    from compilelint.dynamic.worker.exercising import exercised
    from compilelint.dynamic.worker.loading import build, find

    recipe = recipes()[case]
    target = Target(f"{REBUILD}:model", name=case, arguments={"case": case}, mode=recipe["mode"])
    loaded = build(find(target.model), target.arguments)
    asked = exercises_for(target, loaded, "cpu")
    started = time.process_time()
    runs: list[dict[str, Any]] = []
    for one in asked[: count or None]:
        made = build(find(target.model), target.arguments).function if "method" in recipe else loaded.function
        runs += exercised(made, made, [one])
        if not count and time.process_time() - started > _SECONDS_OF_A_CASE:
            break
    return runs


if __name__ == "__main__":
    main()
