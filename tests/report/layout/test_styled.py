"""Texts with styles: the characters of rich's, and rich only where someone sees more than characters."""

from __future__ import annotations

import pytest
from rich.cells import cell_len as of_rich
from rich.console import Console
from rich.text import Text as RichText

from compilelint.report.layout.page import Page
from compilelint.report.layout.styled import Text, cell_len


@pytest.mark.parametrize("text", ["", "plain", "größer", "漢字 wide", "e\u0301 two points", "a\tb", "bell\x07"])
def test_a_text_has_the_columns_that_rich_counts(text: str) -> None:
    assert cell_len(text) == of_rich(text)


@pytest.mark.parametrize(
    "text", ["", "plain", "漢字", "tab\tbehind", "two\nlines", "bell\x07", "end\n", "[bold]no markup"]
)
def test_a_page_without_colours_holds_what_rich_writes(text: str) -> None:
    page, beside = Page(False, None), Page(False, None)
    page.put(Text.assemble(Text(text, style="bold"), "!"))
    beside.console.print(RichText(f"{text}!"), soft_wrap=True)
    assert page.text() == beside.text()


def test_pieces_have_the_styles_and_addresses_they_were_given() -> None:
    made = Text.assemble("a", Text("b", style="bold").linked("https://x.invalid"), ("c", "red"))
    made.append("d", style="blue")
    console = Console()
    styles = [made.rich().get_style_at_offset(console, at) for at in range(4)]
    assert made.plain == "abcd"
    assert [(one.bold, one.link, one.color and one.color.name) for one in styles] == [
        (None, None, None),
        (True, "https://x.invalid", None),
        (None, None, "red"),
        (None, None, "blue"),
    ]


def test_what_is_assembled_of_a_text_does_not_grow_with_it() -> None:
    part = Text("a")
    made = Text.assemble(part)
    part.append("b")
    assert (made.plain, part.plain) == ("a", "ab")


@pytest.mark.parametrize(("width", "shown"), [(None, "x" * 99), (50, "x" * 49 + "…")])
def test_a_line_is_cut_where_there_is_a_width(width: int | None, shown: str) -> None:
    page = Page(False, width)
    page.put(Text("x" * 99), cut=True)
    page.put(Text("x" * 99))
    assert page.text() == f"{shown}\n{'x' * 99}\n"
