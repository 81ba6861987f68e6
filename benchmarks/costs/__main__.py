"""The prices that ship with the package and their table, from the recorded rows.

python -m benchmarks.costs [--check]    writes `torchfacts/data/costs.json` and the table of `README.md`, or compares
"""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SHIPPED = HERE.parents[1] / "src" / "compilelint" / "torchfacts" / "data" / "costs.json"
PAGE = HERE / "README.md"
ORDER = (
    *("break", "branch", "read", "copy", "scalar", "split", "clone", "graphs", "pending", "compile", "float32"),
    *("cold", "by-block", "recompile", "recompile-infer", "record"),
)


def recorded() -> list[dict[str, Any]]:
    """All rows of all devices, in the order of the files."""
    return [json.loads(line) for path in sorted(HERE.glob("*.jsonl")) for line in path.read_text().splitlines()]


def prices(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """A price a cost, setting, mode and device.

    Milliseconds a step for each occurrence: `low` and `high` are the least and the largest of the models' medians over
    processes, `median` is that of all processes.
    """
    groups: dict[tuple[str, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["job"] == "step":
            groups[row["cost"], row["setting"], row["mode"], row["device"], row["torch"]][row["model"]].append(
                row["each_ms"]
            )
    found = []
    for (cost, setting, mode, device, torch), models in groups.items():
        medians = {model: round(statistics.median(values), 3) for model, values in sorted(models.items())}
        found.append(
            {
                "cost": cost,
                "setting": setting,
                "mode": mode,
                "device": device,
                "torch": torch,
                "low": min(medians.values()),
                "median": round(statistics.median([v for values in models.values() for v in values]), 3),
                "high": max(medians.values()),
                "models": medians,
                "processes": sum(map(len, models.values())),
            }
        )
    return sorted(found, key=lambda price: (ORDER.index(price["cost"]), price["setting"], price["mode"]))


def compilations(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Seconds of a compilation as a line in the number of operations, by kind of compilation and device.

    `base` and `each` are of the least squares over all processes; `spread` is the largest ratio of a measured time to
    that of the line.
    """
    groups: dict[tuple[str, ...], list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if row["job"] == "cold":
            groups[row["cost"], row["device"], row["torch"]].append((row["operations"], row["s"]))
    found = []
    for (cost, device, torch), points in groups.items():
        each, base = statistics.linear_regression([x for x, _ in points], [y for _, y in points])
        spread = max(max(y / (base + each * x), (base + each * x) / y) for x, y in points)
        found.append(
            {
                "cost": cost,
                "device": device,
                "torch": torch,
                "base": round(base, 3),
                "each": round(each, 5),
                "spread": round(spread, 2),
                "processes": len(points),
            }
        )
    return sorted(found, key=lambda price: ORDER.index(price["cost"]))


def paces(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Milliseconds of a step of each model without any planted cause: eager, compiled, and with CUDA graphs."""
    groups: dict[tuple[str, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["job"] == "step" and row["cost"] in _PACES:
            found = groups[row["model"], row["setting"], row["device"], row["torch"]]
            for name, key in _PACES[row["cost"]].items():
                found[name].append(row[key])
    return [
        {
            **dict(zip(("model", "setting", "device", "torch"), group, strict=True)),
            **{name: round(statistics.median(times[name]), 3) for name in ("eager", "default", "reduce-overhead")},
            "processes": min(map(len, times.values())),
        }
        for group, times in sorted(groups.items())
    ]


# What the two sides of a comparison ran as.
_PACES = {"compile": {"eager": "ms", "default": "clean_ms"}, "graphs": {"reduce-overhead": "clean_ms"}}


QUOTED = (
    ("CL820", "graphs", "train"),
    ("CL820", "graphs", "infer"),
    ("CL823", "scalar", "infer"),
    ("CL823", "split", "train"),
    ("CL823", "split", "infer"),
    ("CL824", "graphs", "train"),
    ("CL824", "graphs", "infer"),
    ("CL826", "pending", "infer"),
    ("CL838", "float32", "train"),
)
"""Rules whose pages quote a price, with the cost and the setting."""
_NAMES = {"gpt_small": "a GPT", "vit": "a ViT", "unet": "a UNet", "gpt_wide": "a GPT of width 1024"}
_ENOUGH = 5  # processes of one model


def quotes(rows: Iterable[dict[str, Any]], cost: str, setting: str) -> Iterator[str]:
    """What a page says of a price, for each model that enough processes measured."""
    ratios: dict[str, list[float]] = defaultdict(list)
    for row in rows:
        if row["job"] == "step" and (row["cost"], row["setting"]) == (cost, setting):
            ratios[row["model"]].append(row["ratio"])
    for model, values in sorted(ratios.items()):
        if len(values) >= _ENOUGH:
            low, high = min(values), max(values)
            yield f"{statistics.median(values):.2f} times as long on {_NAMES[model]} ({low:.2f} to {high:.2f})"


def shipped(rows: list[dict[str, Any]]) -> str:
    """The text of `costs.json`, a price a line; `on` is the number of the device and torch that it was measured on."""
    machines: list[tuple[str, str]] = []

    def lines(found: Iterable[dict[str, Any]]) -> str:
        made = []
        for row in found:
            machine = row.pop("device"), row.pop("torch")
            if machine not in machines:
                machines.append(machine)
            made.append("    " + json.dumps({**row, "on": machines.index(machine)}))
        return ",\n".join(made)

    step, once, whole = lines(prices(rows)), lines(compilations(rows)), lines(paces(rows))
    lists = f'  "steps": [\n{step}\n  ],\n  "compilations": [\n{once}\n  ],\n  "paces": [\n{whole}\n  ]\n'
    return f'{{\n  "schema": 1,\n  "machines": {json.dumps(machines)},\n{lists}}}\n'


def table(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the lines of the page's two tables."""
    models = ("policy", "gpt_small", "vit", "unet", "gpt_large", "gpt_wide")
    yield "| cost | setting | mode | " + " | ".join(f"`{model}`" for model in models) + " | processes |"
    yield "|---|---|---|" + "---|" * (len(models) + 1)
    for price in prices(rows):
        cells = " | ".join(f"{price['models'][model]:.2f}" if model in price["models"] else "" for model in models)
        yield f"| `{price['cost']}` | {price['setting']} | {price['mode']} | {cells} | {price['processes']} |"
    yield ""
    yield "| step of | setting | eager | default | `reduce-overhead` | processes |"
    yield "|---|---|---|---|---|---|"
    for pace in paces(rows):
        times = " | ".join(f"{pace[name]:.2f}" for name in ("eager", "default", "reduce-overhead"))
        yield f"| `{pace['model']}` | {pace['setting']} | {times} | {pace['processes']} |"
    yield ""
    yield "| compilation | seconds | measured times differ from the line by at most | processes |"
    yield "|---|---|---|---|"
    for price in compilations(rows):
        digits = 1 if price["base"] >= 0.1 else 3
        line = f"{price['base']:.{digits}f} + {price['each']:.{digits + 2}f} for each operation"
        yield f"| `{price['cost']}` | {line} | {price['spread']:.1f} times | {price['processes']} |"


def main() -> int:
    """Write the data and the page, or, with `--check`, say which of them would change; the exit code."""
    rows = recorded()
    page = PAGE.read_text(encoding="utf-8")
    between = "<!-- table:begin -->\n" + "\n".join(table(rows)) + "\n<!-- table:end -->"
    texts = {
        SHIPPED: shipped(rows),
        PAGE: re.sub(r"<!-- table:begin -->.*<!-- table:end -->", lambda _: between, page, flags=re.DOTALL),
    }
    old = [path for path, text in texts.items() if not path.exists() or path.read_text(encoding="utf-8") != text]
    if "--check" in sys.argv:
        for path in old:
            print(f"{path.name} differs from the recorded rows: python -m benchmarks.costs")
        return 1 if old else 0
    for path in old:
        path.write_text(texts[path], encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
