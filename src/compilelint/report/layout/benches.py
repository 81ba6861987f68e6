"""Measurements as rows of text, the same in every format, and as Markdown. Imports nothing but the standard library."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.bench.advice import advise
from compilelint.bench.result import Bench, Measured
from compilelint.bench.statistics import quantile
from compilelint.bench.words import calls, factor, seconds
from compilelint.report.layout.text import escaped

HEADS = ("configuration", "median", "p95", "p99", "calls/s", "times eager (95 %)", "start cold / warm", "pays after")
MORE_HEADS = ("configuration", "graphs", "breaks", "recompiles", "off eager by", "memory peak", "kernels", "processors")
_LEAST_FOR_P99 = 100


def rows(bench: Bench) -> Iterator[tuple[str, ...]]:
    """A row of `HEADS` for each variant."""
    for one in bench.measured:
        if not one.ran:
            yield (one.name, "not run", *("",) * (len(HEADS) - 2))
            continue
        typical = bench.typical(one)
        yield (
            one.name,
            seconds(typical),
            _tail(bench, one, 0.95, 1),
            _tail(bench, one, 0.99, _LEAST_FOR_P99),
            f"{1 / typical:,.4g}",
            _ratio(bench, one),
            _starts(one),
            _pays(bench, one),
        )


def more_rows(bench: Bench) -> Iterator[tuple[str, ...]]:
    """A row of `MORE_HEADS` for each variant that ran."""
    for one in bench.measured:
        if one.ran:
            yield (one.name, *_dynamo(one), _agreement(one), _memory(one), _kernels(one), f"{one.busy:.2f}")


def set_rows(bench: Bench) -> Iterator[tuple[str, ...]]:
    """The median of each variant for each input set; nothing where there is one set."""
    if len(bench.sets) > 1:
        for one in bench.measured:
            if one.ran:
                medians = (seconds(quantile(one.times(number), 0.5)) for number in range(len(bench.sets)))
                yield (one.name, *medians)


def inputs_text(bench: Bench) -> str:
    """What it was called with, how often each, in words."""
    total = sum(bench.weights) or 1.0
    shares = [
        text + (f" ({weight / total:.0%} of the calls)" if len(bench.sets) > 1 else "")
        for text, weight in zip(bench.sets, bench.weights, strict=True)
    ]
    what = "trained with" if bench.mode == "train" else "called with"
    rounds, processes = bench.plan.rounds, len(bench.plan.processes)
    how = f"{rounds} rounds in {processes} processes on {bench.device}"
    return f"{what} {'; '.join(shares)} ({bench.inputs_from}), {how}"


def stack_text(bench: Bench) -> str:
    """The software and hardware on one line."""
    return ", ".join(f"{name} {text}" for name, text in bench.stack.items())


def _tail(bench: Bench, one: Measured, share: float, least: int) -> str:
    """A quantile of the weighted input sets; none where too few calls were timed to know it."""
    sets = [one.times(number) for number in range(len(bench.weights))]
    if min(map(len, sets)) < least:
        return "-"
    return seconds(weighted_quantile(sets, bench.weights, share))


def weighted_quantile(sets: Sequence[Sequence[float]], weights: Sequence[float], share: float) -> float:
    """The time below which `share` of the calls lie, where calls of each set are as frequent as its weight says."""
    if len(sets) == 1:
        return quantile(sets[0], share)
    parts = sorted((time, weight / len(times)) for times, weight in zip(sets, weights, strict=True) for time in times)
    wanted, passed = share * sum(weights), 0.0
    for time, part in parts:
        passed += part
        if passed >= wanted:
            return time
    return parts[-1][0]


def _ratio(bench: Bench, one: Measured) -> str:
    interval = bench.overall.get(one.name)
    if interval is None:
        return "1"
    text = f"{interval.estimate:.2f} ({factor(interval.low)} to {factor(interval.high)})"
    return f"{text}, in the noise" if interval.holds_one else text


def _starts(one: Measured) -> str:
    if one.cold is None or one.warm is None or one.variant.config.mode is None:
        return "-"
    return f"{seconds(one.cold.lost)} / {seconds(one.warm.lost)}"


def _pays(bench: Bench, one: Measured) -> str:
    number = bench.break_even(one)
    return "-" if number is None else calls(number)


def _dynamo(one: Measured) -> tuple[str, str, str]:
    run = one.run
    if run is None or one.variant.config.mode is None:
        return ("-",) * 3
    again = len(run.recompiles)
    late = f", {one.late} while timed" if one.late else ""
    return str(run.graphs), str(len(run.own_breaks)), f"{again}{late}{', then eager' if run.limits else ''}"


def _agreement(one: Measured) -> str:
    found = one.agreement
    if found is None:
        return "-"
    if found.unknown:
        return "unknown"
    return f"{found.error:.0e}" if found.holds else f"{found.error:.0e}, differs"


def _memory(one: Measured) -> str:
    if one.memory is None or not one.memory.peak:
        return "-"
    device = f", device {one.memory.device_peak / 2**20:,.0f} MB" if one.memory.device_peak else ""
    return f"{one.memory.peak / 2**20:,.0f} MB{device}"


def _kernels(one: Measured) -> str:
    if one.kernels is None:
        return "-"
    return f"{one.kernels.count} {one.kernels.of}, {seconds(one.kernels.seconds)}"


# -------------------------------------------------------------------- markdown


def bench_markdown(benches: Sequence[Bench]) -> str:
    """Every target under a heading of its own, then what it was measured on."""
    return "\n".join(line for bench in benches for line in _target(bench)) + "\n" + _stacks(benches)


def _target(bench: Bench) -> Iterator[str]:
    advice = advise(bench)
    yield f"### {_cell(bench.target)}\n"
    yield f"{_cell(_upper(advice.advice))}.\n"
    if not bench.measured[0].ran:
        return
    yield f"{_cell(_upper(inputs_text(bench)))}.\n"
    yield from _table(HEADS, rows(bench))
    yield from _table(MORE_HEADS, more_rows(bench))
    each = list(set_rows(bench))
    if each:
        yield from _table(("configuration", *(f"median of {one}" for one in bench.sets)), each)
    yield from (f"- {_cell(line)}" for line in (*advice.reasons, advice.roll_back) if line)
    yield ""


def _stacks(benches: Sequence[Bench]) -> str:
    seen = dict.fromkeys(stack_text(bench) for bench in benches if bench.stack)
    return "".join(f"\nMeasured on {_cell(text)}.\n" for text in seen)


def _table(heads: Sequence[str], found: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(map(_cell, heads))} |"
    yield f"|{'---|' * len(heads)}"
    yield from (f"| {' | '.join(map(_cell, row))} |" for row in found)
    yield ""


def _cell(text: str) -> str:
    return escaped(" ".join(text.split())).replace("|", "\\|").replace("<", "&lt;")


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
