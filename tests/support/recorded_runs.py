"""Whole runs of the command line over one small project, as text: what was typed, what came out, the exit code.

The project is `tests/data/project`: a model with its helper, a package outside, what cannot be read, pragmas, a
notebook, nested settings, a past under git. A room names the command lines that show what it decides; its golden file
`golden/runs.txt` is read as a terminal session is. `python -m tests.support.recorded_runs` writes them again; the
difference is what a change does for who types these, to be read line by line.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from compilelint import __version__
from compilelint.cli import run

ROOT = Path(__file__).parents[2]
REWRITE_THEM = "if the new lines are right: python -m tests.support.recorded_runs"
ROOMS = ("cli", "config", "session")
_WRITING = ("--fix", "--add-ignore", "--update-baseline", "--cache-dir", "init")
BEFORE = "        if x.sum() > self.threshold:\n            x = x * 2\n"
"""What the model's second commit adds."""


class Run(NamedTuple):
    """A command line, with what is done to the tree before: files written, by name; "" takes one away."""

    line: str
    files: tuple[tuple[str, str], ...] = ()
    given: str = ""
    variables: tuple[tuple[str, str], ...] = ()


def recorded(runs: Iterable[Run]) -> str:
    """A terminal session: each run in the project as it is, with `&&` before it in the one that the last run left."""
    with tempfile.TemporaryDirectory(prefix="recorded-") as folder:
        made = _tree(Path(folder, "first"))
        parts: list[str] = []
        tree = made
        for number, one in enumerate(runs):
            if not one.line.startswith("&& "):
                tree = made
                if one.files or any(word in one.line for word in _WRITING):
                    tree = Path(folder, str(number), "project")
                    shutil.copytree(made, tree, symlinks=True)
            for name, text in one.files:
                path = tree / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8") if text else path.unlink()
            parts += _said(one, tree)
    return "\n".join(parts) + "\n"


def _tree(folder: Path) -> Path:
    """The project after two commits."""
    tree = folder / "project"
    shutil.copytree(ROOT / "tests" / "data" / "project", tree)
    (tree / "pkg" / "latin.py").write_bytes(b"# coding: utf-8\n# \xe9\n")  # no tool of ours may have to read it here
    model = tree / "pkg" / "model.py"
    text = model.read_text(encoding="utf-8")
    assert BEFORE in text
    model.write_text(text.replace(BEFORE, ""), encoding="utf-8")
    for words in (("init", "-q", "-b", "main", "--template="), ("add", "."), ("commit", "-qm", "one"), ("tag", "one")):
        _git(tree, *words)
    model.write_text(text, encoding="utf-8")
    _git(tree, "commit", "-qam", "two")
    return tree


def _git(folder: Path, *words: str) -> None:
    own = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    own |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *who, *words], cwd=folder, env=own, check=True, capture_output=True)


def _said(one: Run, tree: Path) -> Iterator[str]:
    words = shlex.split(one.line.removeprefix("&& "))
    code, out, err = _run(tree, words, one)
    variables = "".join(f"{name}={value} " for name, value in one.variables)
    for name, text in one.files:
        yield f"# {name}: {text.rstrip()!r}" if text else f"# without {name}"
    yield f"{'&& ' if one.line.startswith('&& ') else ''}$ {variables}compilelint {shlex.join(words)}"
    yield from _lines(out, tree)
    yield from (f"! {line}" for line in _lines(err, tree))
    yield f"= {code}"
    yield ""


def _run(tree: Path, words: list[str], one: Run) -> tuple[int, str, str]:
    given, out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(3))
    given.write(one.given)
    given.seek(0)
    before = os.getcwd()
    own = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG")}
    own |= {"XDG_CACHE_HOME": str(tree.parent / "cache"), "XDG_CONFIG_HOME": str(tree.parent), "COLUMNS": "100"}
    own["VIRTUAL_ENV"] = str(tree / "env")  # never that of the tests
    os.chdir(tree)
    try:
        with (
            mock.patch.dict(os.environ, own | dict(one.variables), clear=True),
            mock.patch.object(sys, "stdin", given),
            contextlib.redirect_stdout(out),
            contextlib.redirect_stderr(err),
        ):
            code = run(words)
    finally:
        os.chdir(before)
    texts = []
    for stream in (out, err):
        stream.flush()
        stream.seek(0)
        texts.append(stream.read())
    return code, texts[0], texts[1]


def _lines(text: str, tree: Path) -> Iterator[str]:
    """The lines, with names for what another machine or version would call otherwise; JSON a line an entry."""
    for name in {str(tree), os.path.realpath(tree)}:
        text = text.replace(name, "TREE")
    text = text.replace(str(tree.parent), "ABOVE").replace(__version__, "VERSION").replace(str(ROOT), "ROOT")
    with contextlib.suppress(ValueError):
        if text.startswith("{"):
            text = "\n".join(_json(json.loads(text)))
    text = re.sub(r"\(grammar of Python [\d.]+\)", "(grammar of Python)", re.sub(r"\b[0-9a-f]{40}\b", "HASH", text))
    yield from (line.rstrip() for line in text.splitlines())


def _json(document: dict[str, object]) -> Iterator[str]:
    for key, value in document.items():
        if isinstance(value, list) and value:
            yield f"{key}:"
            yield from (f"  - {json.dumps(one, ensure_ascii=False)}" for one in value)
        else:
            yield f"{key}: {json.dumps(value, ensure_ascii=False)}"


def path_of(room: str) -> Path:
    """Where a room keeps its runs."""
    return ROOT / "tests" / room / "golden" / "runs.txt"


if __name__ == "__main__":
    for room in ROOMS:
        path_of(room).parent.mkdir(exist_ok=True)
        path_of(room).write_text(recorded(importlib.import_module(f"tests.{room}.test_runs").RUNS), encoding="utf-8")
