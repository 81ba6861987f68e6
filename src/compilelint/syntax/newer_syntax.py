"""Which later Python a text is written for that this one cannot parse, as far as LibCST can: it knows newer grammars.

Python's own parser is what files are read by, and it knows the grammar of its own version alone. Only what is surely of
a later one counts; text that is no Python at all is none of it. LibCST is given a few lines around the error and never
the file, which may be nested as deeply as anyone likes.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING

from compilelint.syntax.lean_libcst import load_libcst
from compilelint.syntax.stack import in_deep_stack, run_with_deep_stack

if TYPE_CHECKING:
    import libcst

NEEDS = "needs the syntax of Python"
"""How the words about such a file begin."""

_Version = tuple[int, int]
_MOST_LINES = 8
_MOST_CHARACTERS = 600  # nested one deep a character, still no more than a deep stack holds


def python_needed(text: str, line: int) -> str:
    """`3.12` where the syntax error at a line is syntax of that version, later than ours; else empty."""
    found = _needed(text, line) if in_deep_stack() else run_with_deep_stack(lambda: _needed(text, line))
    return ".".join(map(str, found)) if found is not None and found > sys.version_info[:2] else ""


def _needed(text: str, line: int) -> _Version | None:
    load_libcst()
    import libcst

    for piece in _pieces(text.split("\n"), line - 1):
        try:
            tree = libcst.parse_module(piece)
        except libcst.ParserSyntaxError:
            continue
        versions = [version for node in _nodes(tree) if (version := _since(node, tree)) is not None]
        if versions:
            return max(versions)
    return None


def _pieces(lines: list[str], at: int) -> Iterator[str]:
    """The lines that may be the statement around the error, the shortest first; the body of a block is `pass`."""
    for start in range(at, max(-1, at - _MOST_LINES), -1):
        for end in range(at + 1, min(len(lines), at + _MOST_LINES) + 1):
            piece = textwrap.dedent("\n".join(lines[start:end])).strip()
            if piece and len(piece) <= _MOST_CHARACTERS:
                yield f"{piece} pass" if piece.endswith(":") else piece


def _nodes(tree: libcst.Module) -> Iterator[libcst.CSTNode]:
    waiting: list[libcst.CSTNode] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


def _since(node: libcst.CSTNode, tree: libcst.Module) -> _Version | None:
    """The version of Python that a piece of syntax came with, of those that a supported Python may lack."""
    import libcst

    if isinstance(node, libcst.TypeParam):
        return (3, 13) if node.default is not None else (3, 12)
    if isinstance(node, libcst.TypeAlias):
        return 3, 12
    if isinstance(node, libcst.FormattedString):
        inside = [tree.code_for_node(part) for part in node.parts if isinstance(part, libcst.FormattedStringExpression)]
        return (3, 12) if any(_is_new(code, node.quote) for code in inside) else None
    return (3, 14) if type(node).__name__ == "TemplatedString" else None


def _is_new(code: str, quote: str) -> bool:
    """Whether the braces of an f-string hold what only a tokenizer that knows f-strings can read."""
    return quote in code or "\\" in code or "#" in code or ("\n" in code and len(quote) == 1)
