"""The cache of imported modules: what was lowered once is not parsed again, in whatever project it is imported.

The IR of a file depends on its bytes and on compilelint alone, not on where it lies or what it is called, so an entry
is found by the hash of the bytes. Linted files have none: they are what changes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from compilelint.cache import Store
from compilelint.syntax import ir
from compilelint.syntax.packed import NotPackedError, packed, unpacked
from compilelint.syntax.source import Source


class IrCache:
    """Modules in `store`; satisfies `project.loader.Kept`. `own` is what compilelint itself is (`run_cache`)."""

    def __init__(self, store: Store, own: Sequence[object]) -> None:
        self.folder = str(store.folder)
        self.own = tuple(own)
        self._store = store
        self._own = json.dumps(["ir", *own])

    def module(self, source: Source, name: str, is_package: bool) -> ir.Module | None:
        """The IR of a text that some run has lowered before."""
        data = self._store.get(self._key(source)) if source.digest else None
        try:
            return None if data is None else unpacked(data, source.path, name, is_package)
        except NotPackedError:
            return None

    def numbers(self, source: Source, name: str, is_package: bool) -> None:
        """A run of the command line edits nothing."""

    def keep(self, source: Source, module: ir.Module) -> ir.Module:
        """Remember what a text was lowered to."""
        data = packed(module) if source.digest else None
        if data is not None:
            self._store.put(self._key(source), data)
        return module

    def _key(self, source: Source) -> str:
        return self._own + source.digest
