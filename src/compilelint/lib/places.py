"""Which LibCST node stands where the engine knows an expression.

Both count lines and columns, but a tuple's or generator's parentheses belong to the node for `ast` and not for LibCST,
columns of `ast` are bytes, and one place may hold a name and the f-string around it: the kind of node decides.
"""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from compilelint.lib.file_state import FileState, Key
from compilelint.syntax import ir
from compilelint.syntax.positions import Place, positions, spellings
from compilelint.syntax.source import Source

_TEXTS: tuple[type[cst.CSTNode], ...] = (cst.SimpleString, cst.ConcatenatedString)
_NODES: dict[type, tuple[type[cst.CSTNode], ...]] = {
    ir.Name: (cst.Name,),
    ir.Const: (*_TEXTS, cst.Integer, cst.Float, cst.Imaginary, cst.Name, cst.Ellipsis, cst.UnaryOperation),
    ir.Attr: (cst.Attribute,),
    ir.Call: (cst.Call,),
    ir.Binary: (cst.BinaryOperation,),
    ir.Unary: (cst.UnaryOperation,),
    ir.BoolOp: (cst.BooleanOperation,),
    ir.Compare: (cst.Comparison,),
    ir.Index: (cst.Subscript,),
    ir.Display: (cst.Tuple, cst.List, cst.Set),
    ir.DictDisplay: (cst.Dict,),
    ir.IfExp: (cst.IfExp,),
    ir.Lambda: (cst.Lambda,),
    ir.Comp: (cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp),
    ir.Star: (cst.StarredElement,),
    ir.FString: (cst.FormattedString, cst.ConcatenatedString),
    ir.Walrus: (cst.NamedExpr,),
    ir.Yield: (cst.Yield, cst.Await),
    ir.Opaque: (cst.BaseExpression,),
}
_INNER = (ir.Name, ir.Const)
"""What an f-string may seem to hold at its own place, before Python 3.12: the string itself comes first."""


def places_of(module: cst.Module) -> dict[cst.CSTNode, Place]:
    """The place of every node of a tree."""
    return positions(module)


class Keys:
    """What the engine calls the expressions of a file; `text` is its code, the one that the engine read."""

    def __init__(self, text: str, state: FileState) -> None:
        lines = text.replace("\r\n", "\n").replace("\r", "\n")
        source = Source(state.path, lines, ascii=lines.isascii())
        self._by_place: dict[Place, list[Key]] = {}
        for key in _in_order(state.keys(), state.believed()):
            for place in spellings(source, state.span(key)):
                self._by_place.setdefault(place, []).append(key)

    def of(self, node: cst.CSTNode, place: Place) -> Key | None:
        """The expression that a node at a place is; None for what is none."""
        found = None
        for key in self._by_place.get(place, ()):
            if isinstance(node, _NODES.get(key[1], ())):
                found = key
        return found


def keys_of(places: dict[cst.CSTNode, Place], text: str, state: FileState) -> dict[cst.CSTNode, Key]:
    """What the engine calls each expression of a tree."""
    keys = Keys(text, state)
    return {node: key for node, place in places.items() if (key := keys.of(node, place)) is not None}


def _in_order(*some: Iterable[Key]) -> list[Key]:
    """Every key once; the last that fits a node holds."""
    every = dict.fromkeys(key for one in some for key in one)
    return sorted(every, key=lambda key: key[1] not in _INNER)
