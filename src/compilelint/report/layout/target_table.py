"""The readiness table: a row a target, what was predicted beside what a run of TorchDynamo saw."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Literal

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from compilelint.dynamic.merge import Side
from compilelint.dynamic.switches import Tries
from compilelint.model import CudaGraphs, Fate, ObservedBreak, Parity, TargetRun
from compilelint.report.layout.text import escaped, shown_path

_HEADS = ("target", "graphs", "breaks", "predicted", "refuted", "recompiles", "parity", "compile", "budget")
_WORDS = frozenset({"target", "parity", "budget"})
_SPARE = ("compile", "refuted", "graphs")  # left out in this order where a line has no room for all
_NARROWEST = 80
_NAME = 12  # characters that a target always keeps on a line; the rest of a longer name is folded below
_UNBOUNDED = 1000
_MOST_OF_AN_ERROR = 200


def readiness(sides: Sequence[Side], *, color: bool, width: int | None) -> str:
    """The table, and under it what a row has no room for."""
    heads, rows = _in_width([_cells(side) for side in sides], width or _UNBOUNDED)
    names = min(max((len(row[0]) for row in rows), default=0), _NAME)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for place, head in enumerate(heads):
        justify: Literal["left", "right"] = "left" if head in _WORDS else "right"
        least = max(names, len(head)) if place == 0 else None
        table.add_column(head, justify=justify, no_wrap=place != 0, overflow="fold", min_width=least)
    for side, cells in zip(sides, rows, strict=True):
        style = "" if side.run.within_budget else "bold red" if side.run.fate is not Fate.RAN else "yellow"
        table.add_row(*(Text(escaped(cell)) for cell in cells), style=style)
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
        width=max(width or _UNBOUNDED, _NARROWEST, _least_width(heads, rows, names)),
    )
    console.print(table)
    return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines() if line.strip() or not color)


def _in_width(rows: Sequence[tuple[str, ...]], width: int) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Heads and cells, without as many of the spare columns as a line of that width has no room for."""
    names = min(max((len(row[0]) for row in rows), default=0), _NAME)
    heads: tuple[str, ...] = _HEADS
    found = list(rows)
    for spare in _SPARE:
        if _least_width(heads, found, names) <= width:
            break
        place = heads.index(spare)
        heads = (*heads[:place], *heads[place + 1 :])
        found = [(*row[:place], *row[place + 1 :]) for row in found]
    return heads, found


def _least_width(heads: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> int:
    """The columns that a line needs: the names, folded, and every other cell whole, with what stands between them."""
    widest = [max(len(one) for one in column) for column in zip(heads, *rows, strict=True)]
    return max(names, len(heads[0])) + sum(widest[1:]) + 3 * (len(heads) - 1)


def _cells(side: Side) -> tuple[str, ...]:
    run = side.run
    if run.fate not in (Fate.RAN, Fate.COMPILE_ERROR):
        return (run.target, *("-",) * 6, "-", f"not run: {run.fate.value}")
    breaks = len(run.own_breaks)
    return (
        run.target,
        f"{run.graphs}",
        f"{breaks}",
        f"{side.predicted} of {breaks}" if breaks else "-",
        f"{side.refuted}" if side.refuted else "-",
        f"{len(run.recompiles)}" + ("!" if run.limits else ""),
        _parity(run.parity),
        f"{run.compile_seconds:.1f} s",
        _budget(run),
    )


def _parity(parity: Parity | None) -> str:
    if parity is None:
        return "not compared"
    if parity.divergences:
        return f"differs: {parity.divergences[0].name}"[:28]
    return "unknown" if parity.unknown else "equal"


def _budget(run: TargetRun) -> str:
    if run.fate is Fate.COMPILE_ERROR:
        return "fails to compile"
    return "kept" if run.within_budget else "missed"


def remarks(sides: Sequence[Side], *, verbose: bool) -> list[str]:
    """What explains the rows, a line each: where inputs came from; if `verbose`, the witnesses and what was printed."""
    lines = []
    for side in sides:
        run = side.run
        if run.inputs and (verbose or run.inputs_from != "as asked for"):
            shown = ", ".join(run.inputs[:6])
            lines.append(f"{run.target}: called with {shown} ({run.inputs_from})")
        if run.parity is not None and run.parity.unknown:
            lines.append(f"{run.target}: not compared: {run.parity.unknown}")
        if run.cuda_graphs is not None:
            lines += [f"{run.target}: {text}" for text in _recordings(run.cuda_graphs)]
        if verbose:
            lines += [f"{run.target}: {text}" for text in run.witnesses]
            for again in run.recompiles:
                guard = again.guards[0] if again.guards else "a guard failed"
                place = f"`{again.function}` ({shown_path(again.path)}:{again.line})"
                lines.append(f"{run.target}: {place} recompiled because of its {again.cause}: {guard}")
            for frame in run.skipped:
                place = f"`{frame.function}` ({shown_path(frame.path)}:{frame.line})"
                lines.append(f"{run.target}: {place} was skipped and runs uncompiled: {frame.reason}")
            lines += [f"{run.target}| {line}" for line in run.output.splitlines()]
    return lines


def _recordings(graphs: CudaGraphs) -> Iterator[str]:
    """How many CUDA graphs were recorded, then what was left out, a line each."""
    counted = f"{graphs.recorded} CUDA {'graph' if graphs.recorded == 1 else 'graphs'} recorded"
    yield f"{counted}, nothing left out" if graphs.whole else f"{counted}; {len(graphs.left_out) or 'none'} left out"
    for one in graphs.left_out:
        yield f"left out{f' at {shown_path(one.path)}:{one.line}' if one.path else ''}: {one.reason}"
    if graphs.error:
        yield f"under CUDA graphs it raises {' '.join(graphs.error.split())[:_MOST_OF_AN_ERROR]}"


def exports(runs: Sequence[TargetRun]) -> str:
    """What `torch.export` said of each target, in its own words, then what older ways left in the source, once."""
    lines = []
    for run in runs:
        if not run.exports:
            lines.append(f"{run.target}: not run: {run.fate.value}: {run.detail.partition(chr(10))[0]}")
            continue
        lines.append(f"{run.target}: called with {', '.join(run.inputs[:6])} ({run.inputs_from})")
        for one in run.exports:
            result = f"one graph of {one.nodes} nodes" if one.works else "fails"
            lines.append(f"  {one.way:<10} {result}")
            lines += [f"             {line}" for line in one.text.strip().splitlines()[:8] if line.strip()]
        works = {one.way: one.works for one in run.exports}
        if works.get("non-strict") and not works.get("strict"):
            lines.append("  so         only strict export fails: `torch.export.export(..., strict=False)` takes it")
        lines += [f"  remnant    {one.text}" for one in run.remnants if not one.path]
    written = dict.fromkeys(one for run in runs for one in run.remnants if one.path)
    if written:
        lines += ["", "left by TorchScript and the older ONNX exporter:"]
        lines += [f"  {shown_path(one.path)}:{one.line}: {one.text}" for one in written]
    return "".join(f"{escaped(line)}\n" for line in lines)


def what_if(tries: Sequence[Tries]) -> str:
    """Change by change what it removes, and the shortest way to one graph."""
    lines = []
    for one in tries:
        lines += ["", f"what if: {one.before.target} ({_counted(len(one.before.own_breaks))})"]
        for effect in one.effects:
            lines.append(f"  {effect.name}: {_effect(effect.removed, effect.added, effect.run)}")
        if one.way:
            left = "one graph" if not one.left else _counted(one.left)
            if one.together is not None and one.together.fate is not Fate.RAN:
                left = f"together they fail to run: {one.together.detail.partition(chr(10))[0][:200]}"
            lines.append("  shortest way:")
            lines += [f"    {number}. {effect.name}" for number, effect in enumerate(one.way, 1)]
            lines.append(f"    leaves {left}")
        else:
            lines.append("  no single change removes a break: the source must change")
    return "".join(f"{escaped(line)}\n" for line in lines)


def _effect(removed: Sequence[ObservedBreak], added: Sequence[ObservedBreak], run: TargetRun) -> str:
    if run.fate is not Fate.RAN:
        return f"does not run: {run.detail.partition(chr(10))[0][:200]}"
    effect = f"removes {', '.join(map(_path_and_line, removed))}" if removed else "removes nothing"
    if added:
        effect += f"; adds {', '.join(map(_path_and_line, added))}"
    if run.parity is not None and run.parity.divergences:
        effect += f"; but {run.parity.divergences[0].name} differs: {run.parity.divergences[0].text}"
    return effect


def _path_and_line(one: ObservedBreak) -> str:
    return f"{shown_path(one.path)}:{one.line}"


def _counted(number: int) -> str:
    return f"{number} break" + ("" if number == 1 else "s")
