"""A page for a terminal: rich writes it into memory, with colours, width and links as the terminal can have them.

Texts go through rich's `Text`, which reads no markup. Without a width nothing is wrapped or cut, so that files and
pipes get whole lines.
"""

from __future__ import annotations

import io
from pathlib import PurePath

from rich.console import Console
from rich.style import Style
from rich.text import Text

from compilelint.model import Location
from compilelint.report.layout.text import shown_place

_NARROWEST = 40


class Page:
    """Lines on their way to a terminal or a file."""

    def __init__(self, color: bool, width: int | None, links: bool = False) -> None:
        self.width = None if width is None else max(width, _NARROWEST)
        self._links = links
        self._out = io.StringIO()
        self.console = Console(
            file=self._out,
            force_terminal=color or links,
            no_color=not color,
            color_system="standard" if color else None,
            legacy_windows=False,
            markup=False,
            emoji=False,
            highlight=False,
            width=self.width or 80,
        )

    def put(self, text: Text) -> None:
        """One line, as long as it is."""
        self.console.print(text, soft_wrap=True)

    def paragraph(self, head: Text, body: str | Text, indent: int | None = None) -> None:
        """Words behind a head, wrapped under each other (or at `indent`) if there is a width."""
        words = body if isinstance(body, Text) else Text(body)
        if self.width is None:
            self.put(Text.assemble(head, words))
            return
        under = head.cell_len if indent is None else indent
        room = max(self.width - under, _NARROWEST // 2)
        # What stands on the first line beyond the indent is blank while words are wrapped, and printed afterwards.
        blank = Text(" " * 0 if head.cell_len <= under else "\u2007" * (head.cell_len - under))
        for number, row in enumerate(Text.assemble(blank, words).wrap(self.console, room)):
            row.rstrip()
            if number == 0:
                self.put(Text.assemble(head, row[blank.cell_len :]))
            else:
                self.put(Text.assemble(" " * under, row))

    def place(self, location: Location, column: bool = True) -> Text:
        """`model.py:3:8`, linked to the file where the terminal can."""
        where = shown_place(location)
        shown = Text(where if column else where.rpartition(":")[0])
        if self._links and shown.plain.isprintable():
            shown.stylize(Style(link=PurePath(location.path).as_uri()))
        return shown

    def link(self, shown: Text, address: str) -> Text:
        """The text, linked to a web page where the terminal can."""
        if self._links and address:
            shown.stylize(Style(link=address))
        return shown

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
