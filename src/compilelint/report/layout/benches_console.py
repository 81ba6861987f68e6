"""Measurements for a terminal: the advice first, then the numbers it rests on."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from compilelint.bench.advice import advise
from compilelint.bench.result import Bench
from compilelint.report.layout.benches import HEADS, MORE_HEADS, inputs_text, more_rows, rows, set_rows, stack_text
from compilelint.report.layout.text import escaped

_UNBOUNDED = 1000
_NARROWEST = 100


def bench_full(benches: Sequence[Bench], *, color: bool, width: int | None) -> str:
    """Every target, and in the end what they were measured on; lines are not wrapped where `width` is None."""
    out = io.StringIO()
    console = Console(
        file=out,
        force_terminal=color,
        no_color=not color,
        color_system="standard" if color else None,
        legacy_windows=False,
        markup=False,
        emoji=False,
        highlight=False,
        width=max(width or _UNBOUNDED, _NARROWEST),
    )
    for bench in benches:
        for part in _parts(bench):
            console.print(part)
    for text in dict.fromkeys(stack_text(bench) for bench in benches if bench.stack):
        console.print(Text(escaped(f"measured on {text}"), style="dim"))
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines())


def _parts(bench: Bench) -> Iterator[Text | Table]:
    advice = advise(bench)
    yield Text(escaped(bench.target), style="bold")
    yield Text(escaped(advice.advice))
    if not bench.measured[0].ran:
        yield Text("")
        return
    yield Text(escaped(inputs_text(bench)), style="dim")
    yield Text("")
    each = list(set_rows(bench))
    yield from (_table(HEADS, rows(bench)), Text(""))
    if each:
        yield from (_table(("median of", *bench.sets), each), Text(""))
    yield from (_table(MORE_HEADS, more_rows(bench)), Text(""))
    for line in (*advice.reasons, advice.roll_back):
        if line:
            yield Text(escaped(f"note: {line}"))
    yield Text("")


def _table(heads: Sequence[str], found: Iterable[Sequence[str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, head in enumerate(heads):
        table.add_column(Text(escaped(head)), justify="left" if place == 0 else "right", overflow="fold")
    for row in found:
        table.add_row(*(Text(escaped(cell)) for cell in row))
    return table
