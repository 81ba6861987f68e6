"""LibCST metadata: what the engine believes of each expression, and what names mean, for any rule or codemod.

In a lint the providers are given what the lint has found out. Elsewhere (Fixit, a codemod) `gen_cache` runs the engine
over the files named. For one text, `MetadataWrapper(module, cache={CompileState: state})` takes a
`lib.file_state.FileState`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import libcst as cst
from libcst.metadata import BatchableMetadataProvider

from compilelint.lib.file_state import FileState, Key
from compilelint.lib.node_state import UNREACHED, NodeState
from compilelint.lib.places import keys_of, places_of
from compilelint.syntax.stack import run_with_deep_stack

_UNREAD: object = object()  # what stands for a file that cannot be read: LibCST takes no None


def _generated(cls: object, /, root_path: Path, paths: list[str], **settings: Any) -> Mapping[str, object]:
    """The engine's knowledge of some files, by the path that was given; LibCST's `FullRepoManager` calls it."""
    from compilelint.lib.engine import files_known  # an engine of our own is for other tools

    return {**dict.fromkeys(paths, _UNREAD), **files_known(root_path, paths)}


class CompileState(BatchableMetadataProvider[NodeState]):
    """A `NodeState` for every expression of a module.

    Works on the tree that the file's text parses to, copied or not; nodes that a transformer has made have none. Ask
    with a default: `self.get_metadata(CompileState, node, UNREACHED)`.
    """

    gen_cache: Callable[..., Mapping[str, object]] | None = classmethod(_generated)  # type: ignore[assignment]

    def __init__(self, cache: object = None) -> None:
        super().__init__(cache)
        self._known = cache if isinstance(cache, FileState) else None

    def visit_Module(self, node: cst.Module) -> bool:
        """Set the metadata of all nodes at once: they are found by their places."""
        if self._known is not None:
            known = self._known
            for found, key in _keys(node, known).items():
                self.set_metadata(found, state_of(known, key))
        return False


class QualifiedNames(BatchableMetadataProvider[str]):
    """The dotted name that an expression stands for, from the index of the whole program; nothing for other nodes.

    Imports, re-exports and aliases are followed across files; one name, where LibCST's `QualifiedNameProvider` gives a
    set, and no scope analysis.
    """

    gen_cache: Callable[..., Mapping[str, object]] | None = classmethod(_generated)  # type: ignore[assignment]

    def __init__(self, cache: object = None) -> None:
        super().__init__(cache)
        self._known = cache if isinstance(cache, FileState) else None

    def visit_Module(self, node: cst.Module) -> bool:
        """Set the names of all nodes at once."""
        if self._known is not None:
            for found, key in _keys(node, self._known).items():
                name = self._known.name(key)
                if name:
                    self.set_metadata(found, name)
        return False


def _keys(module: cst.Module, known: FileState) -> dict[cst.CSTNode, Key]:
    return run_with_deep_stack(lambda: keys_of(places_of(module), module.code, known))


def state_of(known: FileState, key: Key | None) -> NodeState:
    """What is known of a node that the engine calls `key`."""
    return UNREACHED if key is None else known.state(key, known.function_at(key))
