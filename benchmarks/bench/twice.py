"""Two runs of the same bench side by side: does the interval of each hold what the other estimated?

    python benchmarks/bench/twice.py FIRST.json SECOND.json [--shared] > benchmarks/bench.md

The runs are what `compilelint bench --output json:FILE` wrote; the page names the commands. `--shared` adds that other
programs ran meanwhile.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

COMMAND = (
    "compilelint bench --config benchmarks/bench/targets.toml --path benchmarks/bench "
    "--config default,regional --threads 1 --seconds 0.3 --no-prices --output json:first.json"
)


def main() -> None:
    """Print the page."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("runs", nargs=2, type=Path, metavar="RUN.json")
    asked.add_argument("--shared", action="store_true", help="other programs shared the processors meanwhile")
    given = asked.parse_args()
    first, second = (json.loads(one.read_text(encoding="utf-8"))["benches"] for one in given.runs)
    print("".join(f"{line}\n" for line in _page(first, second, given.shared)), end="")


def _page(first: list[dict[str, Any]], second: list[dict[str, Any]], shared: bool) -> Iterator[str]:
    pairs = [pair for one, two in zip(first, second, strict=True) for pair in _pairs(one, two)]
    yield "# Eager against compiled, twice\n"
    yield "Five architectures, small, on a CPU; configurations are timed in turns, all again in five processes each:\n"
    yield f"```bash\n{COMMAND}\n```\n"
    yield "The same command ran twice, one run after the other; this page is made by"
    option = " --shared" if shared else ""
    yield f"`python benchmarks/bench/twice.py first.json second.json{option}`. Ratios say how many times as fast as"
    yield "eager, with 95 % intervals; one that holds 1 shows nothing."
    yield from _agreement([(one, two) for _, one, two in pairs])
    yield "| model | configuration | eager, ms (1st, 2nd) | first run | second run | 1st in 2nd, 2nd in 1st | apart |"
    yield f"|{'---|' * 7}"
    for (model, name, medians), one, two in pairs:
        held = f"{_yes(_holds(two, one))}, {_yes(_holds(one, two))}"
        apart = f"{_apart(one, two):.1%}"
        yield f"| {model} | `{name}` | {medians} | {_with_interval(one)} | {_with_interval(two)} | {held} | {apart} |"
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
    if shared:
        yield "Other programs shared the machine's processors meanwhile."


def _agreement(pairs: list[tuple[Any, Any]]) -> Iterator[str]:
    """How often the runs bear each other out, weakly and strongly, and how far apart they are."""
    total = len(pairs)
    overlap = sum(one["low"] <= two["high"] and two["low"] <= one["high"] for one, two in pairs)
    first, second = (sum(_holds(b, a) for a, b in pairs), sum(_holds(a, b) for a, b in pairs))
    both = sum(_holds(one, two) and _holds(two, one) for one, two in pairs)
    apart = [_apart(one, two) for one, two in pairs]
    yield f"Of {total} ratios, the first run's estimate lies within the second's interval in {first}, the second's"
    yield f"within the first's in {second}, both in {both}; the intervals overlap in {overlap}. The two estimates are"
    yield f"{median(apart):.1%} apart in the median, {max(apart):.1%} at most (of the first).\n"


def _pairs(one: dict[str, Any], two: dict[str, Any]) -> Iterator[tuple[tuple[str, str, str], Any, Any]]:
    medians = f"{one['configurations'][0]['median'] * 1e3:.1f}, {two['configurations'][0]['median'] * 1e3:.1f}"
    for first, second in zip(one["configurations"], two["configurations"], strict=True):
        if first["faster_than_eager"] and second["faster_than_eager"]:
            yield (one["target"], first["name"], medians), first["faster_than_eager"], second["faster_than_eager"]


def _holds(interval: dict[str, float], other: dict[str, float]) -> bool:
    """Whether an interval holds the other run's estimate."""
    return interval["low"] <= other["estimate"] <= interval["high"]


def _apart(one: dict[str, float], two: dict[str, float]) -> float:
    return abs(two["estimate"] - one["estimate"]) / one["estimate"]


def _yes(held: bool) -> str:
    return "yes" if held else "**no**"


def _with_interval(one: dict[str, float]) -> str:
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
