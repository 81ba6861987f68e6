"""The style of a project: what fixes make of a formatted file is formatted too, by the project's own formatter.

Where the nearest configuration above a file is one of ruff or black, and the file was sorted and formatted as it says,
`ruff`, if it is on the PATH, sorts the imports and formats the file again after its fixes. So nothing changes but what
the fixes touched. A file that was not formatted, or that the configuration leaves out, keeps the text of the fixes.
Ruff runs no code of a project, writes nothing here, and has a few seconds; where it fails, the text stays as it is.
"""

from __future__ import annotations

import os
import subprocess
from typing import Any

from compilelint.disk.data import NotParsedError, toml_of
from compilelint.disk.programs import program_on_path
from compilelint.disk.read import NotReadError, read_bytes
from compilelint.disk.tree import leads_out
from compilelint.syntax.source import Source

_SECONDS = 10.0
_OF_RUFF = ("ruff.toml", ".ruff.toml")
_SORT = ("check", "--select", "I001", "--fix", "--exit-zero")
_FORMAT = ("format",)


class Style:
    """How the files of a run are formatted; each folder's configuration is looked for once."""

    def __init__(self, program: str | None = None) -> None:
        self._program = program if program is not None else program_on_path("ruff")
        self._options: dict[str, tuple[str, ...] | None] = {}
        self._formatted: dict[tuple[str, str, tuple[str, ...]], bool] = {}

    def of(self, source: Source, text: str) -> str:
        """The new text of a file as its project would write it; `source` is the file before."""
        options = self._options_for(os.path.dirname(os.path.abspath(source.path)))
        if self._program is None or options is None or not source.path.endswith((".py", ".pyi")):
            return text
        for words in (_SORT, _FORMAT):
            if self._leaves_alone(source, words, options):
                text = self._run(source.path, text, words, options) or text
        return text

    def _leaves_alone(self, source: Source, words: tuple[str, ...], options: tuple[str, ...]) -> bool:
        """Whether the file as it was is what ruff makes of it."""
        key = source.path, source.text, words
        if key not in self._formatted:
            self._formatted[key] = self._run(source.path, source.text, words, options) == source.text
        return self._formatted[key]

    def _run(self, path: str, text: str, words: tuple[str, ...], options: tuple[str, ...]) -> str | None:
        """What ruff makes of a text; None where it makes nothing."""
        name = ("--force-exclude", "--stdin-filename", os.path.abspath(path), "-")
        try:
            done = subprocess.run(
                [str(self._program), *words, "--no-cache", "--quiet", *options, *name],
                input=text.encode("utf-8"),
                capture_output=True,
                cwd=os.path.dirname(os.path.abspath(path)),
                timeout=_SECONDS,
                check=True,
            )
            return done.stdout.decode("utf-8")
        except (OSError, subprocess.SubprocessError, UnicodeError):
            return None

    def _options_for(self, folder: str) -> tuple[str, ...] | None:
        """The options of ruff beside what it reads itself; None where no formatter is configured."""
        if folder not in self._options:
            found = _configured(folder)
            above = os.path.dirname(folder)
            if found is None and above != folder and not os.path.exists(os.path.join(folder, ".git")):
                found = self._options_for(above)
            self._options[folder] = found
        return self._options[folder]


def _configured(folder: str) -> tuple[str, ...] | None:
    """The same of one folder."""
    if any(os.path.isfile(os.path.join(folder, name)) for name in _OF_RUFF):
        return ()
    tools = _tools(os.path.join(folder, "pyproject.toml"))
    if "ruff" in tools:
        return ()
    black = tools.get("black")
    if not isinstance(black, dict):
        return None
    length, kept = black.get("line-length", 88), black.get("skip-string-normalization") is True
    quotes = ("--config", 'format.quote-style = "preserve"') if kept else ()
    return ("--config", f"line-length = {length if isinstance(length, int) else 88}", *quotes)


def _tools(path: str) -> dict[str, Any]:
    """The table `tool` of a project file; empty where there is none that can be read."""
    try:
        tools = {} if leads_out(path) else toml_of(read_bytes(path)).get("tool", {})
    except (NotReadError, NotParsedError):
        return {}
    return tools if isinstance(tools, dict) else {}
