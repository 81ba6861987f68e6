"""The board: models in rows, sortable and searchable, on one page that fetches nothing, light and dark.

Its rows are data from runs (`verify --board`). As in the HTML report, the page is whole without its script, and every
text reaches it through Jinja2 (`layout.templating`).
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from compilelint import __version__
from compilelint.model.site import break_page, rule_page
from compilelint.report.layout.style import style
from compilelint.report.layout.templating import page, source

Row = Mapping[str, Any]

_PERCENT = 100


def board(runs: Sequence[Sequence[Row]]) -> str:
    """The whole page. Each run is a head and its rows, the latest last; models show the latest run that has them."""
    sheet, script = f"\n{style()}{source('board.css')}", f"\n{source('board.js')}"
    latest: dict[tuple[str, str], Row] = {}
    history: dict[tuple[str, str], list[str]] = {}
    for head, *rows in runs:
        for row in rows:
            key = (row["model"], row["mode"])
            latest[key] = row
            history.setdefault(key, []).append(f"{head['name']}: {_state(row)}")
    models = [_view(row, history[key] if len(runs) > 1 else []) for key, row in sorted(latest.items())]
    text = page(
        "board.html",
        policy=f"default-src 'none'; style-src '{_hash(sheet)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'",
        sheet=sheet,
        script=script,
        version=__version__,
        runs=[_head(head, rows) for head, *rows in runs],
        scores=[_score(library, one) for library, one in sorted(runs[-1][0]["scores"].items())],
        fates=sorted(Counter(row["fate"] for row in latest.values()).items(), key=lambda pair: -pair[1]),
        models=models,
        libraries=sorted({row["library"] for row in latest.values()}),
        timed=any("speed" in row for row in latest.values()),
        left=sum(head["known"] for head, *_ in runs[-1:]) - runs[-1][0]["asked"],
    )
    return text if text.endswith("\n") else f"{text}\n"


def _head(head: Row, rows: Sequence[Row]) -> dict[str, Any]:
    ran = [row for row in rows if row["fate"] == "ran"]
    whole = sum(not row["breaks"] for row in ran)
    return {**head, "ran": len(ran), "whole": whole, "breaking": len(ran) - whole}


def _score(library: str, one: Row) -> dict[str, Any]:
    """What cannot be computed, for want of breaks or findings, is a dash."""
    judged = one["true_positives"] + one["false_positives"]
    return {
        **one,
        "library": library,
        "precision": _share(one["precision"]) if judged else "-",
        "recall": _share(one["recall"]) if one["break_lines"] else "-",
    }


def _share(value: float) -> str:
    return f"{value * _PERCENT:.1f} %"


def _state(row: Row) -> str:
    if row["fate"] != "ran":
        return str(row["fate"])
    number = len(row["breaks"])
    return f"{number} {'break' if number == 1 else 'breaks'}"


def _view(row: Row, history: Sequence[str]) -> dict[str, Any]:
    ran = row["fate"] == "ran"
    breaks = [
        {
            **one,
            "links": [(code, rule_page(code)) for code in one["rules"]],
            "page": break_page(one["id"]) if one["id"] else "",
        }
        for one in (row["breaks"] if ran else ())
    ]
    missed = sum(not one["rules"] for one in breaks)
    return {**row, "ran": ran, "seen": breaks, "missed": missed, "history": history, "speed": row.get("speed")}


def _hash(text: str) -> str:
    """How a Content-Security-Policy names the content of an element."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode('utf-8')).digest()).decode('ascii')}"
