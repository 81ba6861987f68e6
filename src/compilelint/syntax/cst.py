"""The LibCST nodes that findings and fixes stand on, behind a guard.

LibCST is ten times dearer than `ast`, so it is imported and run only for files that are rewritten, or whose findings
are to be proven to stand on nodes; finding needs none of it, as a span is that of an `ast` node. LibCST 1.9 is
quadratic in the depth of an expression (800 chained calls: 0.7 s, 3,000: 10 s), exponential in nested mapping patterns
(16 levels: 22 s), and crashes on a small stack. Each file's price is therefore estimated from its `ast` first, a dear
one is refused, and everything runs on the deep stack.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import field
from typing import TYPE_CHECKING

from compilelint.model import Span
from compilelint.model.slotted import dataclass
from compilelint.syntax.lean_libcst import load_libcst
from compilelint.syntax.parse import own_expressions, statements, tree_depth
from compilelint.syntax.source import Source
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable

if TYPE_CHECKING:
    import libcst

MAX_SECONDS = 4.0
MAX_CHARACTERS = 3_000_000
MAX_BLOCKS = 5_000

# Measured: 3,000 nested unary operators 1.8 s, 3,000 terms 1.2 s, 800 chained calls 0.7 s (1,600 levels of `ast`).
_SECONDS_PER_SQUARE = 3e-7
_CHEAP_DEPTH = 60
_PATTERN_SECONDS = 0.36  # a mapping pattern of depth 12; each further level costs 2.83 times as much
_PATTERN_DEPTH = 12
_PATTERN_GROWTH = 2.83


@dataclass(frozen=True, slots=True)
class Located:
    """A file's LibCST tree, and the nodes found at the wanted spans.

    `exact` holds the outermost expression with exactly that span (the outermost statement where it is no expression);
    `around` the innermost node around a span that no node fills, such as the `1, 2` of `x[1, 2]`.
    """

    module: libcst.Module
    exact: dict[Span, libcst.CSTNode] = field(default_factory=dict)
    around: dict[Span, libcst.CSTNode] = field(default_factory=dict)

    def node(self, span: Span) -> libcst.CSTNode | None:
        """The exact node, else the one around; None for a span outside the code."""
        return self.exact.get(span) or self.around.get(span)


def locate(source: Source, spans: Collection[Span]) -> Located | Unreadable:
    """Parse the file with LibCST and find the nodes at the spans (those of `ast` nodes, in the model's count).

    The tree is that of `source.text`: newlines are normalised and there is no byte order mark; `source.encode` puts
    both back.
    """
    return run_with_deep_stack(lambda: _locate(source, spans))


def estimated_seconds(tree: ast.Module) -> float:
    """What LibCST needs for the deep parts of a file beyond its second per megabyte; infinite for a tower of blocks."""
    seconds = 0.0
    for node, blocks in statements(tree):
        if blocks > MAX_BLOCKS:
            return float("inf")
        for expression in own_expressions(node):
            depth = tree_depth(expression)
            if depth > _CHEAP_DEPTH:
                seconds += _SECONDS_PER_SQUARE * depth * depth
            if isinstance(expression, ast.pattern):
                seconds += _pattern_seconds(expression)
    return seconds


def _pattern_seconds(pattern: ast.pattern) -> float:
    """Each mapping pattern by the depth of what it holds; inner ones count again, which errs on the safe side."""
    depths = [tree_depth(node) for node in ast.walk(pattern) if isinstance(node, ast.MatchMapping)]
    return sum(_PATTERN_SECONDS * _PATTERN_GROWTH ** (min(depth, 100) - _PATTERN_DEPTH) for depth in depths)


def _locate(source: Source, spans: Collection[Span]) -> Located | Unreadable:
    """`locate` on the stack of the caller."""
    module = parsed(source)
    if isinstance(module, Unreadable):
        return module
    # LibCST takes 0.1 s to import, which files without findings should not cost.
    from compilelint.syntax.positions import choose, positions

    try:
        places = positions(module)
    except RecursionError:  # CPython 3.12 allows 1,500 C calls on any stack, and LibCST makes one a node
        return Unreadable("too-deep", source.path, "nested too deeply for LibCST")
    exact, around = choose(source, places, spans)
    return Located(module, exact, around)


def parsed(source: Source) -> libcst.Module | Unreadable:
    """The file's LibCST tree, unless it would cost too much; on the stack of the caller."""
    if len(source.text) > MAX_CHARACTERS:
        return Unreadable("too-large", source.path, f"longer than {MAX_CHARACTERS:,} characters, too long for LibCST")
    tree = source.tree()
    if isinstance(tree, Unreadable):
        return tree
    if estimated_seconds(tree) > MAX_SECONDS:
        return Unreadable("too-deep", source.path, "nested too deeply for LibCST")
    del tree
    return _parsed(source)


def _parsed(source: Source) -> libcst.Module | Unreadable:
    """LibCST's tree, or its refusal: its grammar may lag behind CPython's, and its Rust part can panic."""
    load_libcst()
    import libcst

    try:
        return libcst.parse_module(source.text)
    except libcst.ParserSyntaxError as error:
        return Unreadable("syntax", source.path, f"LibCST: {error.message}", error.raw_line, error.raw_column + 1)
    except RecursionError:
        return Unreadable("too-deep", source.path, "nested too deeply for LibCST")
    except BaseException as error:  # a panic is no Exception, and its class cannot be imported
        if type(error).__name__ != "PanicException":
            raise
        return Unreadable("syntax", source.path, f"LibCST gave up: {error}")
