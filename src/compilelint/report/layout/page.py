"""A page for a terminal: rich writes it into memory, with colours, width and links as the terminal can have them.

Texts are no markup. Without a width nothing is wrapped or cut, so that files and pipes get whole lines; what has no
style for anyone to see is written without rich.
"""

from __future__ import annotations

import io
from functools import cached_property
from pathlib import PurePath
from typing import TYPE_CHECKING

from compilelint.model import Location
from compilelint.report.layout.styled import Text
from compilelint.report.layout.text import shown_place

if TYPE_CHECKING:
    from rich.console import Console

_NARROWEST = 40


class Page:
    """Lines on their way to a terminal or a file."""

    def __init__(self, color: bool, width: int | None, links: bool = False) -> None:
        self.width = None if width is None else max(width, _NARROWEST)
        self._color = color
        self._links = links
        self._out = io.StringIO()

    @cached_property
    def console(self) -> Console:
        """What writes all that is more than characters."""
        from rich.console import Console

        return Console(
            file=self._out,
            force_terminal=self._color or self._links,
            no_color=not self._color,
            color_system="standard" if self._color else None,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
            width=self.width or 80,
        )

    def put(self, text: Text, cut: bool = False) -> None:
        """One line, as long as it is, or `cut` to the width."""
        plain = text.plain
        if not self._color and not self._links and plain.isprintable() and (self.width is None or not cut):
            self._out.write(f"{plain}\n")
            return
        line = text.rich()
        if cut and self.width is not None:
            line.truncate(self.width, overflow="ellipsis")
        self.console.print(line, soft_wrap=True)

    def paragraph(self, head: Text, body: str | Text, indent: int | None = None) -> None:
        """Words behind a head, wrapped under each other (or at `indent`) if there is a width."""
        words = body if isinstance(body, Text) else Text(body)
        if self.width is None:
            self.put(Text.assemble(head, words))
            return
        from rich.text import Text as RichText

        under = head.cell_len if indent is None else indent
        room = max(self.width - under, _NARROWEST // 2)
        # What stands on the first line beyond the indent is blank while words are wrapped, and printed afterwards.
        blank = "\u2007" * max(head.cell_len - under, 0)
        for number, row in enumerate(Text.assemble(blank, words).rich().wrap(self.console, room)):
            row.rstrip()
            first = number == 0
            line = RichText.assemble(head.rich(), row[len(blank) :]) if first else RichText.assemble(" " * under, row)
            self.console.print(line, soft_wrap=True)

    def place(self, location: Location, column: bool = True) -> Text:
        """`model.py:3:8`, linked to the file where the terminal can."""
        where = shown_place(location)
        shown = Text(where if column else where.rpartition(":")[0])
        if self._links and shown.plain.isprintable():
            return shown.linked(PurePath(location.path).as_uri())
        return shown

    def link(self, shown: Text, address: str) -> Text:
        """The text, linked to a web page where the terminal can."""
        return shown.linked(address) if self._links and address else shown

    def add(self, other: Page) -> None:
        """What was put on another page, behind what is on this one."""
        self._out.write(other.text())

    def text(self) -> str:
        """All that was put."""
        return self._out.getvalue()


def markdown_page(text: str, width: int) -> str:
    """A rule's page for a terminal that has colours."""
    from rich.markdown import Markdown  # 40 ms, for rule pages only

    page = Page(True, width)
    page.console.print(Markdown(text))
    return page.text()
