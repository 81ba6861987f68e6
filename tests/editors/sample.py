"""A file with one finding, and the server as a program of the name that configurations start."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from textwrap import dedent

import compilelint

ROOT = Path(__file__).resolve().parents[2]
EDITORS = ROOT / "editors"

NET = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x: torch.Tensor):
            if x.sum() > 0:
                return x + 1
            return x
"""


def project(folder: Path) -> Path:
    """The file, in a folder of its own that an editor takes for a project."""
    top = folder / "project"
    top.mkdir()
    (top / "compilelint.toml").write_text("", encoding="utf-8")
    file = top / "net.py"
    file.write_text(dedent(NET).lstrip("\n"), encoding="utf-8")
    return file


def environment(folder: Path) -> dict[str, str]:
    """Variables under which `compilelint` is a program on PATH, and no configuration of the user is read."""
    programs = folder / "bin"
    programs.mkdir()
    program = programs / "compilelint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m compilelint "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    home = folder / "home"
    home.mkdir()
    return {
        **os.environ,
        "HOME": str(home),
        "PATH": os.pathsep.join([str(programs), os.environ["PATH"]]),
        "PYTHONPATH": str(Path(compilelint.__file__).parents[1]),
    }
