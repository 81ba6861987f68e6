"""One line on a project, for the title of a pull request or a message; with what has changed, where that was asked."""

from __future__ import annotations

from compilelint.report.layout.text import counted, shown_path
from compilelint.report.overview.document import summary
from compilelint.report.overview.overview import Overview
from compilelint.report.overview.work import GUESSED


def render(overview: Overview) -> str:
    """The line: the comparison, or what is compiled; and how much there is to do."""
    first = next(iter(summary(overview, shown_path)))
    due = sum(1 + len(one.others) for one in overview.tasks if one.tier < GUESSED)
    return f"{first} {counted(due, 'finding')} to work on.\n"
