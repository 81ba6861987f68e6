"""Text from linted files, made fit to be shown: nothing in it may move the cursor, hide or reorder what is printed."""

from __future__ import annotations

import os
import unicodedata

TAB = 4
_JOINERS = "\u200c\u200d"  # parts of emoji and of several scripts; they hide nothing by themselves
_HIDING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def visible(character: str) -> str:
    """The character, or its escape (`\\x1b`, `\\u202e`) if it is a control, format or bidirectional one."""
    if character.isprintable() or character in _JOINERS or unicodedata.category(character) not in _HIDING:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escaped(text: str) -> str:
    """`text` with every character made visible; line breaks are escaped too."""
    return text if text.isascii() and text.isprintable() else "".join(map(visible, text))


def display(line: str) -> list[str]:
    """What to show for each character of a source line: tabs as blanks, the rest as `visible` says."""
    return [" " * TAB if character == "\t" else visible(character) for character in line]


def shown_path(path: str) -> str:
    """A path as the user would write it: relative if it lies below the current folder."""
    here = os.getcwd().replace(os.sep, "/").rstrip("/") + "/"
    return escaped(path[len(here) :] if path.startswith(here) else path)
