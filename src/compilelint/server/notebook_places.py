"""Cells of open notebooks: the analysis counts them from 1 among all cells, the client names each by a URI."""

from __future__ import annotations

from compilelint.server.buffers import Buffers, OpenNotebook


class NotebookPlaces:
    """Where cells of the open notebooks lie."""

    def __init__(self, buffers: Buffers) -> None:
        self._buffers = buffers

    def uri(self, path: str, cell: int) -> str:
        """The URI of a cell by its number; empty where the notebook is not open or has no such cell."""
        notebook = self._open(path)
        if notebook is None or not 0 < cell <= len(notebook.cells):
            return ""
        return notebook.cells[cell - 1].document

    def lines(self, path: str, cell: int) -> list[str]:
        """The lines of a cell by its number; none where it is not open."""
        buffer = self._buffers.get(self.uri(path, cell))
        return [] if buffer is None else buffer.lines

    def _open(self, path: str) -> OpenNotebook | None:
        return next((one for one in self._buffers.notebooks() if one.path == path), None)
