"""The formats of a report: a file each, found by listing this folder, imported when it is asked for.

A format is a module with `render(report) -> str`; those for people also take the keywords of `render` below.
A new file here is a new `--output` format: option, help and checks follow from the list.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from compilelint.report.report import Report

FOR_PEOPLE = ("grouped", "full", "concise")
"""The formats that depend on what the terminal can do; the first is what a terminal gets unasked."""

FORMATS = (*FOR_PEOPLE, *sorted({module.name for module in pkgutil.iter_modules(__path__)} - {*FOR_PEOPLE}))


def render(
    report: Report,
    name: str,
    *,
    color: bool = False,
    width: int | None = None,
    summary: bool = True,
    links: bool = False,
) -> str:
    """The report in a format of `FORMATS`, ending in a newline unless empty.

    `color`, `width` (columns to wrap at, None for no wrapping), `summary` and `links` (OSC 8) matter to the formats
    for people only. Raises KeyError for a format that is not there.
    """
    if name not in FORMATS:
        raise KeyError(name)

    def made() -> str:
        make = importlib.import_module(f"{__name__}.{name}").render
        if name not in FOR_PEOPLE:
            return str(make(report))
        return str(make(report, color=color, width=width, summary=summary, links=links))

    if report.pages is None or name not in FOR_PEOPLE:
        return made()
    return report.pages.page(report, (name, color, width, summary, links), made)
