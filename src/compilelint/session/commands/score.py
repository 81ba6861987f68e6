"""Findings for `score`: one lint of all recorded files, or one for each top-level package of them, wherever that is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import as_completed
from dataclasses import replace
from typing import Any

from compilelint.config import Options
from compilelint.fleet.engine import Engine
from compilelint.fleet.task import Plain
from compilelint.model import Confidence
from compilelint.report.formats.json import findings_data
from compilelint.session.commands.lint import lint


def findings_of(options: Options, root: str, engine: Engine | None = None) -> list[Any]:
    """The findings of the options' paths as in the JSON report; by an engine, package for package below `root`."""
    if engine is None:
        return findings_data(lint(options))
    futures = [engine.submit(linted, _message(options, part)) for part in packages(options.paths, root)]
    return [finding for future in as_completed(futures) for finding in future.result()]


def packages(paths: Sequence[str], root: str) -> list[tuple[str, ...]]:
    """The paths by the first folder below the root that they lie in."""
    parts: dict[str, list[str]] = {}
    for path in paths:
        parts.setdefault(os.path.relpath(path, root).partition(os.sep)[0], []).append(path)
    return [tuple(part) for part in parts.values()]


def _message(options: Options, paths: Sequence[str]) -> Plain:
    return {
        "paths": list(map(os.path.abspath, paths)),
        "roots": list(options.roots),
        "torch_version": options.torch_version,
        "python": options.python,
        "min_confidence": options.min_confidence.name,
    }


def linted(message: Plain) -> list[Any]:
    """The findings of one part, on the cluster's side."""
    rest = replace(
        Options(paths=tuple(message["paths"]), roots=tuple(message["roots"])),
        torch_version=message["torch_version"],
        python=message["python"],
        min_confidence=Confidence[message["min_confidence"]],
    )
    return findings_data(lint(rest))
