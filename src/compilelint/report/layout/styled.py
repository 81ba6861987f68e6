"""A line with styles, in pieces: what a page is made of before it is known who reads it.

Where that is a terminal, rich makes of it what the terminal can show; a file or a pipe gets the characters alone, and
rich, which takes a tenth of a start, is not loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.text import Text as RichText


class _Piece(NamedTuple):
    text: str
    style: str
    link: str


class Text:
    """Text in pieces, each with a style and an address as rich has them; empty for none."""

    __slots__ = ("_pieces",)

    def __init__(self, text: str = "", style: str = "") -> None:
        self._pieces = [_Piece(text, style, "")]

    @classmethod
    def assemble(cls, *parts: str | Text | tuple[str, str]) -> Text:
        """Parts behind each other; a pair is a text and its style."""
        made = cls()
        made._pieces = []
        for part in parts:
            if isinstance(part, Text):
                made._pieces += part._pieces
            elif isinstance(part, str):
                made._pieces.append(_Piece(part, "", ""))
            else:
                made._pieces.append(_Piece(*part, ""))
        return made

    def append(self, text: str, style: str = "") -> None:
        """Add a piece at the end."""
        self._pieces.append(_Piece(text, style, ""))

    def linked(self, address: str) -> Text:
        """The same, linked to an address."""
        made = Text()
        made._pieces = [_Piece(piece.text, piece.style, address) for piece in self._pieces]
        return made

    @property
    def plain(self) -> str:
        """The characters alone."""
        return "".join([piece.text for piece in self._pieces])

    @property
    def cell_len(self) -> int:
        """The columns that it takes in a terminal."""
        return cell_len(self.plain)

    def rich(self) -> RichText:
        """The same as rich writes it."""
        from rich.style import Style
        from rich.text import Text as RichText

        made = RichText()
        for text, style, link in self._pieces:
            made.append(text, Style.parse(style) + Style(link=link) if link else style)
        return made


def cell_len(text: str) -> int:
    """The columns that a text takes in a terminal."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len as of_any

    return of_any(text)
