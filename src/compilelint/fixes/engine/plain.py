"""Statements whose text can be changed without LibCST, which takes a tenth of a second to load.

A `print` on a line of its own, an `if` with assignments below it: where no comment, continuation, blank line or second
statement stands in between, cutting and joining text gives the very edit that LibCST's tree would. Whatever is not
plain gives None here and goes by `Code.piece`. Does not belong here: what any rewrite does.
"""

from __future__ import annotations

import ast

from compilelint.fixes.engine.code import Code, difference
from compilelint.model import Edit
from compilelint.model.slotted import dataclass

_UNPLAIN = ("#", "\\", '"""', "'''", ";")
_MOST_LINES = 40


@dataclass(frozen=True, slots=True)
class Lines:
    """The whole lines of a statement that shares them with no other, and its indentation."""

    first: int
    lines: tuple[str, ...]
    indent: str

    @property
    def plain(self) -> bool:
        """Whether the lines hold nothing but the tokens of the statement, one line break between two lines."""
        return all(
            line.strip() and line == line.rstrip() and line.startswith(self.indent) and not _holds_unplain(line)
            for line in self.lines
        )

    def edits(self, *lines: str) -> tuple[Edit, ...]:
        """What puts other lines, each with its indentation, in the place of these."""
        edit = difference("\n".join(self.lines), "\n".join(lines), self.first)
        return () if edit is None else (edit,)

    def text(self, node: ast.expr) -> str | None:
        """An expression of the statement as it is written, parentheses around it left out; None if it spans lines."""
        if node.lineno != node.end_lineno:
            return None
        return self.lines[node.lineno - self.first][node.col_offset : node.end_col_offset]

    def below(self, step: str) -> tuple[str, ...]:
        """The lines one step of indentation deeper."""
        return tuple([self.indent + step + line[len(self.indent) :] for line in self.lines])


def _holds_unplain(line: str) -> bool:
    return any(one in line for one in _UNPLAIN)


def lines_of(statement: ast.stmt, code: Code) -> Lines | None:
    """The lines of a statement without decorators; None where they are shared, many, or not plain ASCII."""
    last = statement.end_lineno or statement.lineno
    lines = tuple(code.source.lines[statement.lineno - 1 : last])
    if not lines or len(lines) > _MOST_LINES or not all(line.isascii() and line.isprintable() for line in lines):
        return None
    indent = lines[0][: statement.col_offset]
    rest = lines[-1][statement.end_col_offset :].strip()
    if indent.strip(" ") or lines[0].startswith("elif", len(indent)) or (rest and rest[0] != "#"):
        return None
    return Lines(statement.lineno, lines, indent)


def test_of(statement: ast.If, found: Lines) -> tuple[str, str] | None:
    """The test of an `if` that is written as `if TEST:` without parentheses around it, and what is behind the colon."""
    text = found.text(statement.test)
    head = f"{found.indent}if {text}:"
    return (text, found.lines[0][len(head) :]) if text is not None and found.lines[0].startswith(head) else None


def value_of(statement: ast.stmt, found: Lines) -> tuple[str, str, str] | None:
    """Name, head and value of `NAME = VALUE`, alone on one of the lines; parentheses stay with the value."""
    if not isinstance(statement, ast.Assign) or statement.lineno != statement.end_lineno:
        return None
    target = statement.targets[0]
    line = found.lines[statement.lineno - found.first]
    if not isinstance(target, ast.Name) or line[: statement.col_offset].strip():
        return None
    head = f"{target.id} = "
    written = line[statement.col_offset :]
    return (target.id, head, written[len(head) :]) if written.startswith(head) else None
