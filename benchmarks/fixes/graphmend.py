"""What `compilelint fix` does to the models of GraphMend's published table, beside what it publishes.

    python -m benchmarks.fixes.graphmend --site SITE-PACKAGES --record FILE.jsonl [--models NAME...]
    python -m benchmarks.fixes.graphmend --record FILE.jsonl            # prints the table

`SITE-PACKAGES` holds transformers 4.52.4, and the interpreter that runs this can import what that needs. Breaks are
counted as GraphMend's artifact counts them: graphs that a counting backend is given in one call of the model in eval
mode with `dynamic=False`, less one. Each fix is kept only where `fix` proves it. Its 21 rows are 12 models: a row that
shares its code counts once more.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.fixes.cases import recipes_of, repository, with_own_file
from benchmarks.fixes.cure import entry_of
from compilelint.config import Options
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.targets import Target
from compilelint.session.fixing.prove import prove

_MODELS = Path(__file__).with_name("graphmend_models.py")
_TARGET = """import json
from pathlib import Path

from case_factories import built

RECIPE = json.loads(Path(__file__).with_name("recipe.json").read_text())


def target():
    return built(RECIPE)
"""
_COUNT = """import torch
from case_target import target

model, calls = target()
graphs = []


def backend(graph, inputs):
    graphs.append(graph)
    return graph.forward


with torch.no_grad():
    for args, named in calls:
        torch.compile(model, backend=backend, dynamic=False)(*args, **named)
print(max(0, len(graphs) - 1))
"""


def main() -> None:
    """Run the models that the record does not hold, and print the table of all that it holds."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--site", type=Path)
    asked.add_argument("--record", type=Path, required=True)
    asked.add_argument("--models", nargs="*")
    asked.add_argument("--timeout", type=float, default=600.0, help="seconds of one run of a target")
    given = asked.parse_args()
    recipes = recipes_of(_MODELS)
    if given.site is not None:
        done = {one["case"] for one in _rows(given.record)}
        with repository(given.site.resolve() / "transformers") as site:
            for name in given.models or recipes:
                if name not in done:
                    entry = measured(recipes[name], site, given.timeout)
                    with given.record.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(entry) + "\n")
    for line in table(_rows(given.record), recipes):
        print(line)


def _rows(record: Path) -> list[dict[str, Any]]:
    text = record.read_text(encoding="utf-8") if record.exists() else ""
    return [json.loads(line) for line in text.splitlines()]


def measured(recipe: dict[str, Any], site: Path, timeout: float) -> dict[str, Any]:
    """One model: the breaks before and after as GraphMend counts them, the statements, and what became of each fix."""
    files = [f"transformers/{one}" for one in recipe["files"]]
    with tempfile.TemporaryDirectory(prefix="case-", dir=site.parent) as folder:
        root = Path(folder)
        for file in files:
            with_own_file(root, site, Path(file))
        (root / "case_factories.py").write_text(_MODELS.read_text(encoding="utf-8"), encoding="utf-8")
        (root / "recipe.json").write_text(json.dumps(recipe), encoding="utf-8")
        (root / "case_target.py").write_text(_TARGET, encoding="utf-8")
        before = _counted(root)
        started, here = time.monotonic(), Path.cwd()
        os.chdir(folder)
        try:
            proven = prove(
                Options(paths=tuple(str(root / one) for one in files), roots=("auto",)),
                [Target("case_target:target", mode=recipe["mode"], timeout=timeout)],
                Settings(python=sys.executable, paths=(folder,), cwd=folder),
                lambda entry: print(f"  {entry.kept}: {entry.fix.title}: {entry.reason[:150]}", file=sys.stderr),
            )
        finally:
            os.chdir(here)
        entry = entry_of(recipe["case"], proven, round(time.monotonic() - started, 1), files)
        for path, (_, text) in proven.fixed.texts.items():
            Path(path).write_text(text, encoding="utf-8")
        return {**entry, "graphs_before": before, "graphs_after": _counted(root)}


def _counted(root: Path) -> int | str:
    """The breaks of one call, or the last line of what went wrong."""
    given = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])}
    words = [sys.executable, "-W", "ignore", "-c", _COUNT]
    done = subprocess.run(words, cwd=root, env=given, capture_output=True, text=True, check=False)
    return int(done.stdout.split()[-1]) if done.returncode == 0 else done.stderr.strip().rpartition("\n")[2]


def table(rows: list[dict[str, Any]], recipes: dict[str, dict[str, Any]]) -> list[str]:
    """A row a model, and the sums over the published rows."""
    lines = [
        "| model | rows | breaks | left | gone | published breaks | left | gone |",
        "|---|---|---|---|---|---|---|---|",
    ]
    sums = [0, 0, 0, 0, 0]
    for row in sorted(rows, key=lambda one: list(recipes).index(one["case"])):
        recipe = recipes[row["case"]]
        counts = (row["graphs_before"], row["graphs_after"], *recipe["published"])
        if not all(isinstance(one, int) for one in counts):
            lines.append(f"| {row['case']} | {recipe['rows']} | {counts[0]} | {counts[1]} | | | | |")
            continue
        cells = [*counts[:2], _share(*counts[:2]), *counts[2:], _share(*counts[2:])]
        lines.append(f"| {row['case']} | {recipe['rows']} | {' | '.join(map(str, cells))} |")
        sums = [total + recipe["rows"] * one for total, one in zip(sums, (1, *counts), strict=True)]
    cells = [*sums[1:3], _share(*sums[1:3]), *sums[3:], _share(*sums[3:])]
    return [*lines, f"| **rows** | {sums[0]} | {' | '.join(map(str, cells))} |"]


def _share(before: int, after: int) -> str:
    return f"{100 * (before - after) / before:.0f} %" if before else "-"


if __name__ == "__main__":
    main()
