"""Files that a program writes and reads again: what `torch.save` puts into one, `torch.load` gives back as a copy."""

from __future__ import annotations

from compilelint.host.builtin_calls import copied
from compilelint.host.protocol import Machine
from compilelint.host.values import UNKNOWN, Lib, Value


class Files:
    """The contents of files, by path or by the object that stands for an open one."""

    def __init__(self) -> None:
        self._contents: dict[str | int, Value] = {}
        self._kept: list[Value] = []  # so that identities stay their own

    def save(self, m: Machine, file: Value, value: Value) -> None:
        """`torch.save(value, file)`; after one that may not run, the contents are not known."""
        key = self._key(file)
        if key is not None:
            self._contents[key] = UNKNOWN if m.uncertain else copied(value, True, {})

    def load(self, file: Value) -> Value:
        """`torch.load(file)`."""
        key = self._key(file)
        return UNKNOWN if key is None else copied(self._contents.get(key, UNKNOWN), True, {})

    def _key(self, file: Value) -> str | int | None:
        if isinstance(file, str):
            return str(file)
        if isinstance(file, Lib):
            self._kept.append(file)
            return id(file)
        return None
