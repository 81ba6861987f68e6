"""The life of a server process: its log, its transport, its end."""

from __future__ import annotations

import gc
import logging
import sys
from collections.abc import Sequence

from compilelint.config import UsageError
from compilelint.server.app import CompilelintServer
from compilelint.server.features import register_all


def server_of(packs: Sequence[str] = ()) -> CompilelintServer:
    """A server with all features."""
    server = CompilelintServer(packs)
    register_all(server)
    return server


def serve(address: tuple[str, int] | None, packs: Sequence[str], log_file: str | None, log_level: str) -> None:
    """Serve one client until it ends. Raises UsageError where the log or the port cannot be had."""
    _log_to(log_file, log_level)
    gc.enable()  # the command line turns it off; this process stays
    server = server_of(packs)
    if address is None:
        server.start_io()
        return
    try:
        server.start_tcp(*address)
    except OSError as error:
        host, port = address
        raise UsageError(f"cannot listen: {error.strerror}", f"--tcp {host}:{port}", "name another port") from error


def _log_to(file: str | None, level: str) -> None:
    try:
        handler = logging.StreamHandler(sys.stderr) if file is None else logging.FileHandler(file, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"cannot write the log: {error.strerror}", f"--log-file {file}", "name another file"
        ) from error
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[handler])
