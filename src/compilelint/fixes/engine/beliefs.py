"""What the interpreter believes of the names of a function where a finding lies, as laws may use it.

The interpreter follows values through calls, layers, attributes and containers, which the text of one file does not
show. Only what it is certain of counts here: a belief by a name or a guess carries its doubt, and is refused. Does not
belong here: what must hold (`laws`).
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.model import Belief, Confidence, Finding


class Beliefs:
    """The beliefs of one finding. They hold where its test is asked, and in an arm up to where a name is set again."""

    def __init__(self, finding: Finding | None = None, code: Code | None = None) -> None:
        held = finding.rewrite.held if finding is not None and finding.rewrite is not None else ()
        self._held = {one.name: one for one in held if one.sure is Confidence.CERTAIN}
        self._code = code
        self._line = 0 if finding is None else finding.location.span.line

    def is_tensor(self, node: ast.expr) -> bool:
        """Whether a name holds a tensor for certain."""
        return self._of(node) is not None

    def dtype(self, node: ast.expr) -> str:
        """The dtype of the tensor that a name holds; empty where it is not known."""
        belief = self._of(node)
        return "" if belief is None else belief.dtype

    def _of(self, node: ast.expr) -> Belief | None:
        if not isinstance(node, ast.Name) or node.id not in self._held or self._is_stored_before(node):
            return None
        return self._held[node.id]

    def _is_stored_before(self, node: ast.Name) -> bool:
        """Whether a statement between the test and a name gives the name another value."""
        assert self._code is not None, "a belief comes with the code of its finding"
        if node.lineno < self._line:
            return True  # what it held before the test is not known
        return any(
            one.lineno >= self._line
            for statement in _before(node, self._code)
            for one in names_in(statement, lambda name: name.id == node.id and is_store(name))
        )


def _before(node: ast.expr, code: Code) -> Iterator[ast.stmt]:
    """The statements that stand before one in its block, and in the blocks around it."""
    path = code.around(node)
    for outer, inner in itertools.pairwise(path):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(outer, name, None)
            if isinstance(block, list) and inner in block:
                yield from block[: block.index(inner)]
