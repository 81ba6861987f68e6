"""LibCST for rewrites, imported when the first of them changes something.

Importing it takes a tenth of a second, half as much as all else of a small run, and most findings turn out to have no
fix before a tree of LibCST is needed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from compilelint.syntax.lean_libcst import load_libcst

if TYPE_CHECKING:
    import libcst as cst
else:

    class _Lazy:
        """Stands for the module `libcst`; what was asked for once is an attribute."""

        def __getattr__(self, name):
            load_libcst()
            import libcst

            found = getattr(libcst, name)
            setattr(self, name, found)
            return found

    cst = _Lazy()


def transformer(
    change: Callable[[cst.CSTNode, cst.CSTNode], Any], enters: Callable[[cst.CSTNode], bool] = lambda node: True
) -> cst.CSTTransformer:
    """A transformer that puts `change(original, updated)` in the place of every node, below which `enters` lets it."""

    class Transformer(cst.CSTTransformer):
        def on_visit(self, node: cst.CSTNode) -> bool:
            return enters(node)

        def on_leave(self, original_node: Any, updated_node: Any) -> Any:
            return change(original_node, updated_node)

    return Transformer()


__all__ = ["cst", "transformer"]
