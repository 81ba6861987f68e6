"""Jupyter notebooks as modules: the code cells of one notebook, in order, are one text.

What IPython adds to the language is taken out without moving anything else: `%time x = f()` keeps the statement where
it stood, other magics, `!commands` and `help?` become statements that do nothing, a cell under `%%bash` becomes blank.
A cell that is no Python even then is reported and left blank, so that the others are linted. `Notebook.place` leads
from a line of the text back to cell and line.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from compilelint.disk.data import NotParsedError, json_of
from compilelint.model import Location
from compilelint.model.patterns import late_pattern
from compilelint.model.slotted import dataclass
from compilelint.syntax.parse import parse
from compilelint.syntax.source import Source, read_bytes, source_from_bytes, stands_in
from compilelint.syntax.unreadable import Unreadable

ENDING = ".ipynb"

# Cell magics whose cell is Python that runs here; all others hand the cell to another program.
_PYTHON_CELLS = frozenset({"capture", "prun", "py", "python", "python3", "pypy", "time", "timeit"})
# Lines come from the tree: no two neighbours below match the same text, or a long line would be tried in all ways.
_TIMED = late_pattern(r"^(\s*)(%(?:time|timeit|prun)(?:\s+-\w+(?:\s+\d+)?)*\s+)(?=\S)")
_MAGIC = late_pattern(r"^(\s*)(?:%{1,2}[A-Za-z_]|!)")
_ASSIGNED = late_pattern(r"^([\w.,\s\[\]'\"()]+=\s*)(?:%[A-Za-z_]|!)")
_HELP = late_pattern(r"^(\s*)(?:\?{1,2}\s*%{0,2}[\w.*]+|%{0,2}[A-Za-z_][\w.*]*\?{1,2})\s*$")
_STRING_OR_COMMENT = late_pattern(
    r"'(?:[^'\\]|\\.?)*(?:(?P<closed>')|$)|\"(?:[^\"\\]|\\.?)*(?:(?P<shut>\")|$)|(?P<said>#).*"
)


@dataclass(frozen=True, slots=True)
class Notebook:
    """A readable notebook: its code as one `source`, the cells that are no Python, and where each cell begins.

    `cells` holds the positions of the code cells among all cells, from 1; `starts` the line at which each begins;
    `written` the lines as they stand in the notebook, magics included.
    """

    source: Source
    cells: tuple[int, ...]
    starts: tuple[int, ...]
    refused: tuple[Unreadable, ...]
    written: tuple[str, ...]

    def place(self, line: int) -> tuple[int, int]:
        """The cell and the line in it of a 1-based line of the text."""
        index = max(bisect_right(self.starts, line) - 1, 0)
        return (self.cells[index], line - self.starts[index] + 1) if self.cells else (1, line)

    def line(self, cell: int, number: int) -> str:
        """The 1-based line `number` of a cell as it is written; empty if there is no such line."""
        at = self.starts[self.cells.index(cell)] + number - 2 if cell in self.cells else -1
        return self.written[at] if 0 <= at < len(self.written) else ""

    def located(self, location: Location) -> Location:
        """The same place, given by cell."""
        span = location.span
        cell, line = self.place(span.line)
        last = self.place(span.end_line)
        end_line = last[1] if last[0] == cell else line
        return replace(location, span=span._replace(line=line, end_line=end_line), cell=cell)


def is_notebook(path: str) -> bool:
    """By its name: what ends in `.ipynb`."""
    return path.endswith(ENDING)


def read_notebook(path: str) -> Notebook | Unreadable:
    """A notebook from disk, or what stands in for it; else why it cannot be had. Never raises."""
    text = stands_in(path)
    if text is not None:
        return _notebook_of(text)
    data = read_bytes(path)
    return data if isinstance(data, Unreadable) else notebook_from_bytes(path, data)


def notebook_from_bytes(path: str, data: bytes) -> Notebook | Unreadable:
    """A notebook of format 4 (or 3, whose cells lie in worksheets); one in another language has no cells to lint."""
    text = source_from_bytes(path, data)
    return text if isinstance(text, Unreadable) else _notebook_of(text)


def _notebook_of(text: Source) -> Notebook | Unreadable:
    """The notebook that a text in JSON holds."""
    path = text.path
    try:
        document = json_of(text.text)
    except NotParsedError as error:
        return Unreadable("notebook", path, error.message.removeprefix("not valid JSON: "), error.line or 1)
    listed = _listed(document)
    if listed is None:
        return Unreadable("notebook", path, "it has no list of cells")
    codes = [(number, code) for number, cell in enumerate(listed, 1) if (code := _code(cell)) is not None]
    return _joined(path, codes if _is_python(document) else [])


def _listed(document: Any) -> list[Any] | None:
    if not isinstance(document, dict):
        return None
    if "worksheets" in document and isinstance(document["worksheets"], list):
        sheets = [sheet.get("cells") for sheet in document["worksheets"] if isinstance(sheet, dict)]
        return [cell for cells in sheets if isinstance(cells, list) for cell in cells]
    cells = document.get("cells")
    return cells if isinstance(cells, list) else None


def _is_python(document: dict[str, Any]) -> bool:
    """Whether the kernel's language is Python; a notebook that does not say is one."""
    metadata = document.get("metadata")
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        part = metadata.get(name) if isinstance(metadata, dict) else None
        language = part.get(key) if isinstance(part, dict) else None
        if isinstance(language, str):
            return language.lower() in ("python", "ipython")
    return True


def _code(cell: Any) -> str | None:
    """The text of a code cell, None for any other."""
    if not isinstance(cell, dict) or cell.get("cell_type") != "code":
        return None
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list):
        source = "".join(part for part in source if isinstance(part, str))
    return source.replace("\r\n", "\n").replace("\r", "\n") if isinstance(source, str) else None


def _joined(path: str, codes: list[tuple[int, str]]) -> Notebook:
    lines: list[str] = []
    written: list[str] = []
    starts: list[int] = []
    refused: list[Unreadable] = []
    for _, code in codes:
        start = len(lines) + 1
        starts.append(start)
        shown = _as_python(code)
        tree = parse(shown, path)
        if isinstance(tree, Unreadable):
            refused.append(replace(tree, line=start + tree.line - 1))
            shown = "\n" * code.count("\n")
        lines += shown.split("\n")
        written += code.split("\n")
    text = "\n".join(lines) + "\n"
    source = Source(path, text, has_form_feeds="\f" in text, ascii=text.isascii())
    return Notebook(source, tuple(number for number, _ in codes), tuple(starts), tuple(refused), tuple(written))


# --------------------------------------------------------------------- magics


def _as_python(code: str) -> str:
    """The cell with the same lines, and with nothing in it that only IPython understands."""
    if not any(mark in code for mark in "%!?"):
        return code
    first = next((line for line in code.split("\n") if line.strip()), "")
    if first.lstrip().startswith("%%"):
        name = re.match(r"\s*%%(\w+)", first)
        if name is None or name.group(1) not in _PYTHON_CELLS:
            return "\n" * code.count("\n")
        code = code.replace(first, "", 1)
    if not isinstance(parse(code), Unreadable):
        return code  # a `%` or `!` of Python's own
    return "\n".join(_without_magics(code.split("\n")))


def _without_magics(lines: list[str]) -> Iterator[str]:
    depth = 0
    going_on = False  # a magic ends its line with a backslash
    for line in lines:
        if going_on:
            shown = ""
        elif depth > 0:
            shown = line
        else:
            shown = _without_magic(line)
        going_on = (going_on or shown != line) and line.endswith("\\")
        depth += _opened(shown)
        yield shown


def _without_magic(line: str) -> str:
    """One line without its magic; what stays stays in its columns."""
    timed = _TIMED.match(line)
    if timed is not None:
        return timed.group(1) + "if 1:".ljust(len(timed.group(2))) + line[timed.end() :]
    magic = _HELP.match(line) or _MAGIC.match(line)
    if magic is not None:
        return f"{magic.group(1)}pass"
    assigned = _ASSIGNED.match(line)
    return f"{assigned.group(1)}None" if assigned is not None else line


def _opened(line: str) -> int:
    """How many brackets a line leaves open; strings and comments do not count."""
    bare = _STRING_OR_COMMENT.sub(_if_open, line)
    return sum(bare.count(mark) for mark in "([{") - sum(bare.count(mark) for mark in ")]}")


def _if_open(found: re.Match[str]) -> str:
    """Nothing of a string or comment; all of a string that the line does not end."""
    return "" if found.lastgroup else found.group()
