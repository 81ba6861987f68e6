"""How many graphs a function is expected to come to, in words: a number where it is known, else from where to where.

Which arm of an `if` a call takes decides, as do the modules for which a method is compiled again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from compilelint.report.layout.text import counted
from compilelint.report.report import CompileRoot


class GraphCount(NamedTuple):
    """The fewest and the most graphs; `again` says that there may be more of them."""

    fewest: int
    most: int
    again: bool = False

    @property
    def words(self) -> str:
        """`3 graphs`, `2 to 4 graphs`, `up to 4 graphs`, `6 graphs or more`."""
        if self.again:
            return f"{counted(max(self.fewest, 1), 'graph')} or more"
        if self.fewest == self.most:
            return counted(self.most, "graph") if self.most else "no graph"
        return (
            f"{self.fewest} to {counted(self.most, 'graph')}" if self.fewest else f"up to {counted(self.most, 'graph')}"
        )

    @property
    def is_exact(self) -> bool:
        """Whether one number is expected."""
        return self.fewest == self.most and not self.again


def graph_count(roots: Sequence[CompileRoot]) -> GraphCount:
    """What the roots of one function come to, the one that comes to most of them counting."""
    root = max(roots, key=lambda one: one.graphs)
    return GraphCount(root.graphs if root.fewest is None else root.fewest, root.graphs, root.again)
