"""Text to `ast`, without ever taking the process down.

Guarantee: `parse` returns a tree or an `Unreadable`; a tree it returns is at most `MAX_DEPTH` nodes deep, so that a
recursive walk of up to eight frames a node stays within the deep stack (see `stack`).
"""

from __future__ import annotations

import ast
import platform
import sys
import warnings
from collections.abc import Iterator

from compilelint.model.patterns import late_pattern
from compilelint.syntax.newer_syntax import NEEDS, python_needed
from compilelint.syntax.stack import in_deep_stack, run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable

MAX_DEPTH = 25_000

MAX_WORDS = 330_000
"""Words and symbols that a text may have, where the end of a line and a semicolon count twice: a statement has nodes of
its own. A tree takes up to 700 bytes for each; the largest file of torch 2.13, of 1.4 MB, has 320,000."""

_WORD = late_pattern(r"\w+|[^\w\s]")
_SLICE = 1 << 16

# An expression gains one level at the cost of two characters (`+1`, `.b`, `()`), a block or `elif` costs more;
# the forms that cost less (brackets, unary operators) are held below 6,000 levels by CPython's own parser.
_FEWEST_CHARACTERS_TOO_DEEP = 2 * MAX_DEPTH

# CPython 3.10 builds the tree without counting its recursion: long sources go to the deep stack at once.
_COUNTS_RECURSION = sys.version_info >= (3, 11)
_SHORT = 8_000


def parse(text: str, path: str = "") -> ast.Module | Unreadable:
    """The tree of `text` (newlines normalised, no BOM), or why there is none; `path` only names the file.

    CPython itself sets the ceiling for what is accepted: 1,500 nested nodes or more on 3.12, 6,000 or more on 3.13,
    `MAX_DEPTH` on 3.10 and 3.11; brackets nest 200 and blocks 100 deep everywhere.
    """
    refused = too_many_words(text, path)
    if refused is not None:
        return refused
    if "\0" in text:
        return _at_offset(text, text.index("\0"), path, "source holds a null byte")
    if not _COUNTS_RECURSION and len(text) > _SHORT and not in_deep_stack():
        return run_with_deep_stack(lambda: _parse_here(text, path))
    tree = _parse_here(text, path)
    if isinstance(tree, Unreadable) and tree.kind == "too-deep" and not in_deep_stack():
        return run_with_deep_stack(lambda: _parse_here(text, path))
    return tree


def too_many_words(text: str, path: str = "") -> Unreadable | None:
    """The refusal of a text that has more than `MAX_WORDS`; it is read no further than that."""
    count = at = 0
    if 2 * len(text) <= MAX_WORDS:
        return None
    while at < len(text) and count <= MAX_WORDS:
        end = at + _SLICE
        count += len(_WORD.findall(text, at, end)) + 2 * text.count("\n", at, end) + text.count(";", at, end)
        at = end
    if count <= MAX_WORDS:
        return None
    return Unreadable("too-large", path, f"more than {MAX_WORDS:,} words and symbols")


def _parse_here(text: str, path: str) -> ast.Module | Unreadable:
    """`parse` on the stack of the caller."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in linted code are not ours to print
            tree = ast.parse(text)
    except SyntaxError as error:
        return _from_syntax_error(error, text, path)
    except (RecursionError, MemoryError):
        return Unreadable("too-deep", path, "nested too deeply for Python's own parser")
    except ValueError as error:  # lone surrogates, which some codecs decode to
        if isinstance(error, UnicodeEncodeError):
            return _at_offset(text, error.start, path, "holds a code point that is not a character (a lone surrogate)")
        return Unreadable("syntax", path, str(error))
    if len(text) >= _FEWEST_CHARACTERS_TOO_DEEP:
        line = _first_too_deep(tree, text)
        if line:
            return Unreadable("too-deep", path, f"nested more than {MAX_DEPTH:,} levels deep", line)
    return tree


def tree_depth(tree: ast.AST) -> int:
    """How many nodes lie on the longest way down from `tree`, itself included; iterative, so any tree will do."""
    deepest = 0
    pending = [(tree, 1)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        pending.extend((child, depth + 1) for child in ast.iter_child_nodes(node))
    return deepest


def statements(tree: ast.Module | ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[ast.AST, int]]:
    """Every statement, `except` arm and `case` arm in `tree` with the number of blocks around it; iterative."""
    pending: list[tuple[ast.AST, int]] = [(statement, 0) for statement in reversed(tree.body)]
    while pending:
        node, depth = pending.pop()
        yield node, depth
        for block in blocks(node):
            pending.extend((child, depth + 1) for child in reversed(block))


def blocks(node: ast.AST) -> Iterator[list[ast.AST]]:
    """The lists of statements (or arms) that hang directly below a statement or an arm."""
    for name in ("body", "handlers", "cases", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            yield block


def own_expressions(node: ast.AST) -> Iterator[ast.AST]:
    """The direct children of a statement that are no statements and no arms: what stands in its header."""
    inner = {id(child) for block in blocks(node) for child in block}
    for child in ast.iter_child_nodes(node):
        if id(child) not in inner:
            yield child


def _first_too_deep(tree: ast.Module, text: str) -> int:
    """The line of the first statement nested more than `MAX_DEPTH` levels deep, or 0.

    Cheap, because only statements long enough to hide such an expression or such blocks are looked into.
    """
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    pending: list[tuple[ast.AST, int]] = [(statement, 0) for statement in reversed(tree.body)]
    while pending:
        node, depth = pending.pop()
        if depth >= MAX_DEPTH:
            return getattr(node, "lineno", 1)
        first, last = getattr(node, "lineno", 0), getattr(node, "end_lineno", 0)
        if first and starts[min(last, len(starts) - 1)] - starts[first - 1] < _FEWEST_CHARACTERS_TOO_DEEP:
            continue
        for expression in own_expressions(node) if first else ():
            if depth + tree_depth(expression) >= MAX_DEPTH:
                return first
        for block in blocks(node):
            pending.extend((child, depth + 1) for child in reversed(block))
    return 0


def _from_syntax_error(error: SyntaxError, text: str, path: str) -> Unreadable:
    """CPython's words and place; too many brackets or blocks are depth, not wrong syntax."""
    message = error.msg or "invalid syntax"
    lines = text.split("\n")
    line = min(max(error.lineno or 1, 1), len(lines))
    column = max(error.offset or 1, 1)
    if message in _DEPTH_MESSAGES:
        return Unreadable("too-deep", path, message, line, column)
    needed = python_needed(text, line)
    if needed:
        words = f"{NEEDS} {needed}, and compilelint runs under {_GRAMMAR}"
        return Unreadable("newer", path, words, line, column)
    return Unreadable("syntax", path, f"{message} (grammar of Python {_GRAMMAR})", line, column)


def _at_offset(text: str, offset: int, path: str, message: str) -> Unreadable:
    """A syntax refusal at a code point offset of `text`."""
    line_start = text.rfind("\n", 0, offset) + 1
    return Unreadable("syntax", path, message, text.count("\n", 0, offset) + 1, offset - line_start + 1)


_DEPTH_MESSAGES = ("too many nested parentheses", "too many levels of indentation")
_GRAMMAR = ".".join(platform.python_version_tuple()[:2])
