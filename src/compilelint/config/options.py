"""One run as it was asked for: options, checked and frozen, before anything is read.

`UsageError` is the one way in which a wrong request ends: exit code 2 and a line that says what, where, and what to do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from compilelint.events import DEFAULT, DynamoConfig
from compilelint.model import Confidence, Severity
from compilelint.model.slotted import dataclass


class UsageError(Exception):
    """A request that cannot be carried out: `what` is wrong, `where` it was said, and the `hint` says what to do."""

    def __init__(self, what: str, where: str, hint: str) -> None:
        super().__init__(f"{what} ({where}); {hint}")
        self.what = what
        self.where = where
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Selection:
    """Rules by code, family, name or effect: `select` starts over, then `extend` adds, then `ignore` takes away."""

    select: tuple[str, ...] = ()
    extend: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TargetTable:
    """One `[[tool.compilelint.targets]]`, as it stands in the file and unread: what its keys mean is verify's business.

    `file` is shown to the user; `lines` maps a path of keys below the table (`("inputs", 0)`) to its line, `()` to the
    line of the table itself.
    """

    values: Mapping[str, Any]
    file: str
    lines: Mapping[tuple[str | int, ...], int] = field(default_factory=dict)

    def where(self, *keys: str | int) -> str:
        """`pyproject.toml:12` for the line of a key, or of the nearest thing around it."""
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return f"{self.file}:{self.lines[keys]}" if keys in self.lines else self.file


PURPOSES = ("compile", "export", "export-strict", "aoti")
"""What the code is to be ready for."""


@dataclass(frozen=True, slots=True)
class Options:
    """One run. Words that name rules are codes, families, names or effects.

    `selections` come from configuration files, the furthest base first; `select`, `extend_select` and `ignore` are
    those of the command line, and have the last word. `exclude` counts from `exclude_base` (None: the current
    folder, or the folder of the paths if they lie outside it), `per_file_ignores` from `project`, the folder of the
    configuration file. `jobs` is the number of processes wanted. `stdin` is the text to lint instead of what the
    only path holds. `update_baseline` writes the findings to the baseline, `diff_base` is the revision since which
    lines count as changed. With `nearest_only`, of the files found those are linted to which `config_file` is the
    nearest. `timeout` is the CPU time in seconds that the roots of one file may take, 0 for any. `origins` says by
    key where a setting was said, `notes` what reading the configuration came upon; `packs` are the files and folders of
    rules that the command line names, `compilers` the functions by dotted name that compile, and how. `purpose` is one
    of `PURPOSES`.
    """

    paths: tuple[str, ...]
    roots: tuple[str, ...] = ("auto",)
    torch_version: str | None = None
    python: str | None = None
    follow_imports: str = "all"
    timeout: float = 20.0
    min_confidence: Confidence = Confidence.LIKELY
    fail_on: Severity = Severity.WARNING
    select: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    jobs: int = 1
    no_cache: bool = True
    cache_dir: str | None = None
    selections: tuple[Selection, ...] = ()
    severity: tuple[tuple[str, Severity], ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    dynamo: DynamoConfig = DEFAULT
    compilers: tuple[tuple[str, str], ...] = ()
    baseline: str | None = None
    targets: tuple[TargetTable, ...] = ()
    config_file: str | None = None
    project: str | None = None
    exclude_base: str | None = None
    stdin: bytes | None = None
    origins: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    update_baseline: bool = False
    diff_base: str | None = None
    nearest_only: bool = False
    packs: tuple[str, ...] = ()
    purpose: str = "compile"

    def where(self, key: str, value: str) -> str:
        """Where a setting was said: `pyproject.toml:12`, or `--key value` as a command line has it."""
        origin = dict(self.origins).get(key, f"--{key}")
        return f"{origin} {value}" if origin == f"--{key}" else origin
