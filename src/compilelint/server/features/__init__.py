"""What a client can ask for, a file each; every file has a `register`."""

from __future__ import annotations

from compilelint.server.app import CompilelintServer
from compilelint.server.features import (
    actions,
    code_lens,
    commands,
    documents,
    hover,
    inlay_hints,
    lifecycle,
    publishing,
)


def register_all(server: CompilelintServer) -> None:
    """Put all features in."""
    for one in (lifecycle, documents, publishing, actions, commands, hover, inlay_hints, code_lens):
        one.register(server)
