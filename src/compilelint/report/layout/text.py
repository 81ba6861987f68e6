"""Text from linted files, made fit to be shown: nothing in it may move the cursor, hide or reorder what is printed, or
give orders to the program that reads the log.
"""

from __future__ import annotations

import json
import os
import re
import unicodedata

from compilelint.model import Finding, Location
from compilelint.model.patterns import late_pattern

TAB = 4
_JOINERS = "\u200c\u200d"  # parts of emoji and of several scripts; they hide nothing by themselves
_HIDING = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# GitHub's runner obeys `##[command]` wherever it stands in a line of the log, and `::command` at its start; that of
# Azure `##vso[command]`, and TeamCity `##teamcity[command]`.
_ORDER = late_pattern(r"(##\w{0,20})\[", re.ASCII)
_BRACKET_SHOWN = "\\x5b"
_LEADING_ORDER = late_pattern(r"(\s*):(?=:)")


def visible(character: str) -> str:
    """The character, or its escape (`\\x1b`, `\\u202e`) if it is a control, format or bidirectional one."""
    if character.isprintable() or character in _JOINERS or unicodedata.category(character) not in _HIDING:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def escaped(text: str) -> str:
    """`text` with every character made visible; line breaks are escaped too."""
    shown = text if text.isascii() and text.isprintable() else "".join(map(visible, text))
    if "##" in shown:
        shown = _ORDER.sub(lambda found: found[1] + _BRACKET_SHOWN, shown)
    order = _LEADING_ORDER.match(shown)
    return f"{order[1]}\\x3a{shown[order.end() :]}" if order else shown


def shown_line(line: str) -> str:
    """A line of a diff: as it is, tabs and its own end included, but for what gives orders to terminals and logs."""
    bare = line.rstrip("\r\n")
    end = line[len(bare) :]
    return "\t".join([escaped(part) for part in bare.split("\t")]) + end


def json_text(text: str) -> str:
    """A document in JSON, spelled so that a runner that shows it finds no order in it; it means the same."""
    return _ORDER.sub(r"\1\\u005b", text)


def quoted(text: str) -> str:
    """A text as JSON and TOML both write it, all that is not fit to be shown as its escape."""
    return json_text("".join(map(_quoted_character, json.dumps(text, ensure_ascii=False))))


def _quoted_character(character: str) -> str:
    code = ord(character)
    plain = character.isprintable() or unicodedata.category(character) not in _HIDING
    return character if plain else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def display(line: str) -> list[str]:
    """What to show for each character of a source line: tabs as blanks, the rest as `visible` says."""
    shown = [" " * TAB if character == "\t" else visible(character) for character in line]
    for order in _ORDER.finditer(line) if "##" in line else ():
        shown[order.end() - 1] = _BRACKET_SHOWN
    return shown


def shown_place(location: Location) -> str:
    """`model.py:3:8`, in a notebook `study.ipynb:cell 2:3:8`."""
    return shown_path(location.path) + spoken(location)


def spoken(location: Location) -> str:
    """What stands behind a path: `:3:8`, in a notebook `:cell 2:3:8`."""
    cell = "" if location.cell is None else f":cell {location.cell}"
    return f"{cell}:{location.span.line}:{location.span.column}"


def witnessed(finding: Finding) -> str:
    """What a run said of a finding, in words; empty without one."""
    return "" if finding.verdict is None else f"{finding.verdict.outcome.value}: {escaped(finding.verdict.detail)}"


def counted(number: int, noun: str) -> str:
    """`1 finding`, `1,200 findings`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def pasted(*words: str) -> str:
    """Words of a command to paste, as a shell takes them: names of files and functions are a stranger's."""
    import shlex  # here, for few reports name a command

    return escaped(shlex.join(words))


def pasted_path(path: str) -> str:
    """A path in a command to paste, never taken for an option."""
    shown = shown_path(path)
    return pasted(f"./{shown}" if shown.startswith("-") else shown)


def shown_path(path: str) -> str:
    """A path as the user would write it: relative if it lies below the current folder."""
    here = os.getcwd().replace(os.sep, "/").rstrip("/") + "/"
    return escaped(path[len(here) :] if path.startswith(here) else path)
