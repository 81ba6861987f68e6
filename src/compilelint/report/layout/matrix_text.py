"""A matrix of targets and versions: a row a target, a column a cell, then each change in a line. Also as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from rich import box
from rich.table import Table
from rich.text import Text as RichText

from compilelint.report.layout.page import Page
from compilelint.report.layout.styled import Text
from compilelint.report.layout.text import escaped


def matrix_json(table: Mapping[str, Any]) -> str:
    """The plain rows."""
    return json.dumps(table, indent=1) + "\n"


def matrix_text(table: Mapping[str, Any], *, width: int | None, color: bool = False) -> str:
    """Graphs, breaks and how many of them were predicted, by target and cell; then what changes from the first."""
    page = Page(color, width)
    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    grid.add_column("target", overflow="fold")
    for column in table["columns"]:
        grid.add_column(RichText(column["name"]), overflow="fold")
    for row in table["rows"]:
        grid.add_row(RichText(escaped(row["target"])), *(RichText(_cell(one)) for one in row["cells"]))
    page.console.print(grid, soft_wrap=width is None)
    for kind, head in (("new", "new"), ("gone", "gone")):
        for one in table[kind]:
            foreseen = "predicted" if one["predicted"] else "not predicted"
            page.put(Text(escaped(f"{head} in {one['cell']}: {one['target']}, {_words(one)}; {foreseen}")))
    for one in table["stopped"]:
        first = str(one["detail"]).strip().partition("\n")[0]
        page.put(Text(escaped(f"no longer runs in {one['cell']}: {one['target']}: {first}")))
    for one in table["started"]:
        page.put(Text(escaped(f"runs in {one['cell']}: {one['target']}")))
    return page.text()


def _words(one: Mapping[str, Any]) -> str:
    return f"{one['place']} {one['break_id']} {one['words']}".replace("  ", " ")


def _cell(one: Mapping[str, Any]) -> str:
    if one["fate"] != "ran":
        return str(one["fate"])
    counts: Sequence[str] = (
        _counted(one["graphs"], "graph"),
        _counted(one["breaks"], "break"),
        *((f"{one['predicted']} predicted",) if one["breaks"] else ()),
        *((_counted(one["recompiles"], "recompile"),) if one["recompiles"] else ()),
        *(("results differ",) if one["agrees"] is False else ()),
        *(("results not compared",) if one["agrees"] is None else ()),
    )
    return ", ".join(counts)


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
