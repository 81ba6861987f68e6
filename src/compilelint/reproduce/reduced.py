"""Delta reduction of a script: parts are taken out or made simpler as long as a trial still shows the same.

Level by level, large parts first, as hierarchical delta debugging has it; first what makes it shorter, then what makes
its lines simpler. A candidate is a text; the oracle runs it, unless it reads an unbound name.
Deterministic: the same script and oracle give the same result.
"""

from __future__ import annotations

import ast
import time
from collections.abc import Callable

from compilelint.reproduce import candidates
from compilelint.reproduce.candidates import Place

Oracle = Callable[[str], bool]
_Numbered = Callable[[ast.Module, int], "ast.Module | None"]

_DEEPEST = 14


class Reduction:
    """Reduces a module within a number of trials and seconds; `trials` and `accepted` count them."""

    def __init__(self, oracle: Oracle, trials: int, seconds: float) -> None:
        self._oracle, self._most, self._ends = oracle, trials, time.monotonic() + seconds
        self._tried: dict[str, bool] = {}
        self._free: frozenset[str] = frozenset()
        self.trials = self.accepted = 0

    def reduce(self, text: str) -> str:
        """The smallest text that was found; the given one where nothing could go."""
        whole = ast.parse(text)
        self._free = candidates.unbound(whole)
        tree = candidates.plain(whole)
        if not self._shows(tree):
            tree = whole
        before = ""
        while before != ast.unparse(tree) and not self._spent():
            before = ast.unparse(tree)
            tree = self._shorter(tree)
            tree = self._each(tree, candidates.simpler)
        return _text(candidates.with_one_import_each(tree))

    def _shorter(self, tree: ast.Module) -> ast.Module:
        """Take out lines until none can go."""
        before = ""
        while before != ast.unparse(tree) and not self._spent():
            before = ast.unparse(tree)
            tree = self._each(tree, candidates.inlined)
            tree = self._unused(tree)
            tree = self._each(tree, candidates.bypassed)
            tree = self._unused(self._statements(tree))
            tree = self._each(tree, candidates.unwrapped)
        return tree

    # ------------------------------------------------------------------- trials

    def _spent(self) -> bool:
        return self.trials >= self._most or time.monotonic() > self._ends

    def _shows(self, tree: ast.Module) -> bool:
        text = _text(tree)
        if text not in self._tried:
            if candidates.unbound(tree) - self._free:
                return False
            if self._spent():
                return False
            self.trials += 1
            self._tried[text] = self._oracle(text)
            self.accepted += self._tried[text]
        return self._tried[text]

    # -------------------------------------------------------------------- steps

    def _statements(self, tree: ast.Module) -> ast.Module:
        """Take out statements, level by level, in halves and then one by one."""
        for level in (*range(1, _DEEPEST), 0):  # a slice holds nothing at its top that is not needed further in
            places = candidates.removable(tree, level)
            size = len(places)
            while places and size >= 1 and not self._spent():
                tree, places = self._chunks(tree, places, size, level)
                size //= 2
            if places:
                tree = self._unused(tree)
        return tree

    def _chunks(self, tree: ast.Module, places: list[Place], size: int, level: int) -> tuple[ast.Module, list[Place]]:
        at = 0
        while at < len(places) and not self._spent():
            candidate = candidates.without(tree, places[at : at + size])
            if self._shows(candidate):
                tree = candidate
                places = candidates.removable(tree, level)
            else:
                at += size
        return tree, places

    def _unused(self, tree: ast.Module) -> ast.Module:
        """Take out definitions and imports that nothing uses any more, all at once."""
        slim = candidates.without_unused(tree)
        return slim if self._shows(slim) else tree

    def _each(self, tree: ast.Module, change: _Numbered) -> ast.Module:
        """Make one change after the other, and keep those that still show it."""
        at = 0
        while not self._spent():
            candidate = change(tree, at)
            if candidate is None:
                return tree
            if _text(candidate) not in self._tried and self._shows(candidate):  # else it was tried, or goes in a circle
                tree = candidate
            else:
                at += 1
        return tree


def _text(tree: ast.Module) -> str:
    return ast.unparse(ast.fix_missing_locations(tree))
