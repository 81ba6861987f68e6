"""Two runs of the same bench side by side: do the intervals of the second hold what the first said?

    python benchmarks/bench/twice.py FIRST.json SECOND.json > benchmarks/bench.md

The runs are what `compilelint bench --output json:FILE` wrote; the page names the commands.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

COMMAND = (
    "compilelint bench --config benchmarks/bench/targets.toml --path benchmarks/bench "
    "--config default,regional --threads 1 --seconds 0.3 --no-prices --output json:first.json"
)


def main() -> None:
    """Print the page."""
    first, second = (json.loads(Path(name).read_text(encoding="utf-8"))["benches"] for name in sys.argv[1:3])
    print("".join(f"{line}\n" for line in _page(first, second)), end="")


def _page(first: list[dict[str, Any]], second: list[dict[str, Any]]) -> Iterator[str]:
    pairs = [pair for one, two in zip(first, second, strict=True) for pair in _pairs(one, two)]
    agree = sum(_overlap(one, two) for _, one, two in pairs)
    yield "# Eager against compiled, twice\n"
    yield "Five architectures, small, on a CPU; each configuration timed in turns with the others, in two processes:\n"
    yield f"```bash\n{COMMAND}\n```\n"
    yield "The same command ran twice, one run after the other; this page is made by"
    yield "`python benchmarks/bench/twice.py first.json second.json`. Ratios say how many times as fast as eager, with"
    yield "95 % intervals; one that holds 1 shows nothing."
    yield f"The intervals of {agree} of {len(pairs)} ratios overlap.\n"
    yield "| model | configuration | eager, ms (1st, 2nd) | first run | second run | overlap |"
    yield f"|{'---|' * 6}"
    for (model, name, medians), one, two in pairs:
        overlap = "yes" if _overlap(one, two) else "**no**"
        yield f"| {model} | `{name}` | {medians} | {_told(one)} | {_told(two)} | {overlap} |"
    yield "\n## What each run advised\n\n| model | first run | second run |\n|---|---|---|"
    for one, two in zip(first, second, strict=True):
        yield f"| {one['target']} | {_advice(one)} | {_advice(two)} |"
    yield "\n## Starting, memory, results\n"
    yield "Of the first run: seconds lost before times are steady (empty caches, filled caches), most memory in MB, and"
    yield "the largest error of a compiled result, as a share of the eager one, over three seeds.\n"
    yield "| model | configuration | start, s | memory, MB | error | graphs | breaks |\n|---|---|---|---|---|---|---|"
    for bench in first:
        for found in bench["configurations"]:
            if found["times"]:
                yield _more(bench["target"], found)
    stack = ", ".join(f"{name} {text}" for name, text in first[0]["stack"].items())
    yield f"\nMeasured on {stack}."
    yield "Other programs shared the machine's processors meanwhile, which is why the intervals are wide."


def _pairs(one: dict[str, Any], two: dict[str, Any]) -> Iterator[tuple[tuple[str, str, str], Any, Any]]:
    medians = f"{one['configurations'][0]['median'] * 1e3:.1f}, {two['configurations'][0]['median'] * 1e3:.1f}"
    for first, second in zip(one["configurations"], two["configurations"], strict=True):
        if first["faster_than_eager"] and second["faster_than_eager"]:
            yield (one["target"], first["name"], medians), first["faster_than_eager"], second["faster_than_eager"]


def _overlap(one: dict[str, float], two: dict[str, float]) -> bool:
    return one["low"] <= two["high"] and two["low"] <= one["high"]


def _told(one: dict[str, float]) -> str:
    text = f"{one['estimate']:.2f} ({one['low']:.2f} to {one['high']:.2f})"
    return f"{text}, noise" if one["low"] <= 1.0 <= one["high"] else text


def _advice(bench: dict[str, Any]) -> str:
    kinds = {"whole": "compile the whole", "block": "compile the block", "eager": "leave it eager", "fix": "fix first"}
    kind = bench["verdict"]["kind"]
    return str(kinds.get(kind, kind))


def _more(model: str, found: dict[str, Any]) -> str:
    start = "-"
    if found["agreement"]:
        start = f"{found['cold']['lost']:.1f}, {found['warm']['lost']:.1f}"
    memory = found["memory"]["peak"] / 2**20
    error = f"{found['agreement']['error']:.0e}" if found["agreement"] else "-"
    graphs = found["graphs"] if found["agreement"] else "-"
    breaks = len(found["breaks"]) if found["agreement"] else "-"
    return f"| {model} | `{found['name']}` | {start} | {memory:.0f} | {error} | {graphs} | {breaks} |"


if __name__ == "__main__":
    main()
