"""The table of `README.md`, from the recorded lines; `--update` writes it.

python -m benchmarks.advice [--update]
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
RECORDS = tuple(
    HERE / f"{name}.jsonl"
    for name in (
        "steps",
        "steps-h100",
        "stories",
        "stories-h100",
        "parallel-h100x2",
        "serving-steps-h100",
        "serving-stories-h100",
    )
)
_STUDENT = {1: 12.706, 2: 4.303, 3: 3.182}  # 97.5 % points by degrees of freedom


@dataclass(frozen=True)
class Row:
    """How many times as fast a model is after an advice, and by what it was measured."""

    pair: str
    model: str
    card: str  # `H100`, `H200`
    before: float  # seconds of a step or story, the median of processes
    after: float
    low: float  # the interval of the ratio, over processes; of rounds in turns where there is one process
    high: float
    processes: int
    rounds: int
    story: bool
    memory: float  # peak MiB after, less that before
    parity: float | None  # the largest relative difference of what the two sides gave; None where they gave nothing

    @property
    def ratio(self) -> float:
        """Before by after: above 1 where the advice pays."""
        return self.before / self.after

    @property
    def once(self) -> bool:
        """A single run of a story, which has no interval."""
        return self.story and self.processes == 1

    @property
    def verdict(self) -> str:
        """`pays` where 3 % lie below the whole interval, `costs` likewise, else `not shown`; of one story `one run`."""
        if self.once:
            return "one run"
        return "pays" if self.low > 1.03 else "costs" if self.high < 0.97 else "not shown"


def rows(paths: tuple[Path, ...] = RECORDS) -> list[Row]:
    """What was recorded, pair by pair and model by model. Sides that failed have no row."""
    found: dict[tuple[str, str, str], dict[int, dict[str, dict[str, object]]]] = {}
    for path in paths:
        for text in path.read_text().splitlines():
            line = json.loads(text)
            if not line["error"]:
                by_process = found.setdefault((line["pair"], line["model"], _card(line["device"])), {})
                by_process.setdefault(line["process"], {})[line["side"]] = line
    return [row for names, by in found.items() if (row := _row(*names, by)) is not None]


def _card(device: str) -> str:
    """`H100` of `NVIDIA H100 80GB HBM3`."""
    return device.removeprefix("NVIDIA ").partition(" ")[0]


def _row(pair: str, model: str, card: str, by_process: dict[int, dict[str, dict[str, object]]]) -> Row | None:
    both = [sides for sides in by_process.values() if len(sides) == 2]
    if not both:
        return None
    before, after = ([_seconds(sides[side]) for sides in both] for side in ("before", "after"))
    pairs = list(zip(before, after, strict=True))
    logs = [math.log(median(b) / median(a)) for b, a in pairs]
    rounds = [math.log(b / a) for one, two in pairs for b, a in zip(one, two, strict=True)]
    low, high = _interval(logs) if len(logs) > 1 else (min(rounds), max(rounds))
    memory = [_number(sides["after"], "peak_mb") - _number(sides["before"], "peak_mb") for sides in both]
    gave = [(_number(sides["before"], "result"), _number(sides["after"], "result")) for sides in both]
    return Row(
        pair,
        model,
        card,
        median(median(one) for one in before),
        median(median(one) for one in after),
        math.exp(low),
        math.exp(high),
        len(both),
        len(before[0]),
        bool(both[0]["before"]["story"]),
        median(memory),
        max(abs(one - two) / abs(one) for one, two in gave) if all(one for one, _ in gave) else None,
    )


def _interval(logs: list[float]) -> tuple[float, float]:
    """The 95 % interval of a mean of few values, by Student's t."""
    mean = sum(logs) / len(logs)
    spread = math.sqrt(sum((one - mean) ** 2 for one in logs) / (len(logs) - 1) / len(logs))
    reach = _STUDENT[min(len(logs) - 1, max(_STUDENT))] * spread
    return mean - reach, mean + reach


def _seconds(line: dict[str, object]) -> list[float]:
    seconds = line["seconds"]
    assert isinstance(seconds, list)
    return [float(one) for one in seconds]


def _number(line: dict[str, object], key: str) -> float:
    value = line[key]
    assert isinstance(value, (int, float))
    return float(value)


def table(found: list[Row]) -> Iterator[str]:
    """The lines of the table."""
    yield "| pair | model | card | before | after | times as fast (interval) | memory, MiB | largest difference | |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in found:
        times = " | ".join(_time(one, row.story) for one in (row.before, row.after))
        processes = f"{row.processes} process{'es' if row.processes > 1 else ''}"
        interval = "" if row.once else f"{row.low:.2f} to {row.high:.2f}, "
        ratio = f"{row.ratio:.2f} ({interval}{processes})"
        parity = "not compared" if row.parity is None else f"{row.parity:.0e}" if row.parity else "none"
        names = f"`{row.pair}` | {row.model} | {row.card}"
        yield f"| {names} | {times} | {ratio} | {row.memory:+.0f} | {parity} | {row.verdict} |"


def _time(seconds: float, story: bool) -> str:
    """Seconds of a story, milliseconds of a step, or of a story that is as short as one."""
    return f"{seconds:.2f} s" if story and seconds >= 0.1 else f"{seconds * 1e3:.2f} ms"


def main() -> None:
    """Print the table, or write it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true")
    lines = "\n".join(table(rows()))
    if not parser.parse_args().update:
        print(lines)
        return
    page = HERE / "README.md"
    text = page.read_text()
    page.write_text(re.sub(r"(?s)(<!-- table:begin -->\n).*(\n<!-- table:end -->)", rf"\g<1>{lines}\g<2>", text))


if __name__ == "__main__":
    main()
