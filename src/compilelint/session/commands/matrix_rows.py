"""A matrix as plain rows, for reports: what each target does in each cell, and each change in words."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from compilelint.dynamic.merge import Side
from compilelint.fleet.matrix import Change
from compilelint.model import Fate
from compilelint.session.commands.matrix import Column, Upgrade


def rows_of(found: Upgrade, shown: Callable[[str], str]) -> dict[str, Any]:
    """Columns, rows and changes; `shown` makes paths as printed."""
    rows = [
        {"target": sides[0].run.target, "cells": [_cell(side) for side in sides]}
        for sides in zip(*(column.sides for column in found.columns), strict=True)
    ]
    return {
        "columns": [{"name": _named(one), "torch": _torch(one.sides)} for one in found.columns],
        "rows": rows,
        "new": [_change(one, shown) for one in found.new],
        "gone": [_change(one, shown) for one in found.gone],
        "stopped": [{"cell": cell, "target": run.target, "detail": run.detail} for cell, run in found.stopped],
        "started": [{"cell": cell, "target": run.target, "detail": ""} for cell, run in found.started],
    }


def _named(column: Column) -> str:
    """As the cell is called; an environment that was named by its path by the torch in it."""
    torch, found = column.cell.get("torch"), _torch(column.sides)
    known = torch is None or os.sep not in torch or not found
    return column.cell.name if known else column.cell.name.replace(str(torch), found)


def _torch(sides: tuple[Side, ...]) -> str:
    return next((one.run.torch for one in sides if one.run.torch), "")


def _cell(side: Side) -> dict[str, Any]:
    run = side.run
    if run.fate is not Fate.RAN:
        return {"fate": run.fate.value, "detail": run.detail}
    return {
        "fate": run.fate.value,
        "graphs": run.graphs,
        "breaks": len(run.own_breaks),
        "predicted": side.predicted,
        "recompiles": len(run.recompiles),
        "agrees": None if run.parity is None else not run.parity.divergences,
    }


def _change(one: Change, shown: Callable[[str], str]) -> dict[str, Any]:
    return {
        "cell": one.cell,
        "target": one.target,
        "place": f"{shown(one.path)}:{one.line}",
        "break_id": one.break_id,
        "words": one.words,
        "predicted": one.predicted,
    }
