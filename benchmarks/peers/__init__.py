"""Other linters that look at PyTorch code or could: what they cost on the same files in the same run.

None of them analyses what happens while compiling; they are here because they are what people run today. The two that
check types read what is imported, as compilelint does (`follows`); the others do not. Each is pinned, in an environment
of its own (TorchFix is a plugin of flake8, too, where both are), runs in one process where it has the choice, with
every rule it has, and first has to find something in a text that is wrong for it: one that merely exits is not fast. A
peer that is not there or does not pass is reported in its own line, never left out in silence.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

RULES = Path(__file__).with_name("pytorch.yml")

_PROBE = """\
import os
import torch


def run(x: torch.Tensor) -> float:
    count: int = "text"
    if x == None:
        torch.solve(x, x)
    return x.sum().item()
"""


@dataclass(frozen=True)
class Peer:
    """A pinned linter: its package and program, what stands between the program and the files, and a word it must say.

    `says` stands in what it says of a text with an unused import, a text where a number is promised, a comparison with
    None, a removed function and an `.item()`.
    """

    name: str
    version: str
    arguments: tuple[str, ...]
    says: str
    codes: tuple[int, ...] = (0,)  # what it exits with after a lint
    follows: bool = False  # reads what the files import, too
    extra: str = ""  # of its package, without which it fetches what it needs when it is first run

    @property
    def title(self) -> str:
        """As the tables call it."""
        return f"{self.name} {self.version}"

    @property
    def pin(self) -> str:
        """As pip wants it."""
        return f"{self.name}{self.extra and f'[{self.extra}]'}=={self.version}"

    def python(self, environments: Path) -> Path:
        """The interpreter of its environment."""
        return environments / self.name / "bin" / "python"

    def command(self, environments: Path, files: Sequence[Path]) -> list[str]:
        """The command line that lints the files."""
        return [str(environments / self.name / "bin" / self.name), *self.arguments, *map(str, files)]


_SEMGREP = (
    "scan",
    "--config",
    str(RULES),
    "--metrics",
    "off",
    "--disable-version-check",
    "--no-git-ignore",
    "--jobs",
    "1",
)
_MYPY = ("--config-file", "", "--no-incremental", "--cache-dir", os.devnull, "--ignore-missing-imports")
PEERS = (
    Peer(
        "ruff", "0.14.6", ("check", "--isolated", "--no-cache", "--select", "ALL", "--preview", "--exit-zero"), "F401"
    ),
    Peer("flake8", "7.3.0", ("--isolated", "--jobs", "1", "--exit-zero"), "F401"),
    Peer("semgrep", "1.170.1", _SEMGREP, "host-read"),
    Peer("torchfix", "0.7.0", ("--select", "ALL"), "TOR0", (0, 1)),
    Peer("fixit", "2.2.1", ("lint",), "CompareSingletonPrimitivesByIs", (0, 1)),
    Peer("pyright", "1.1.414", ("--pythonversion", "3.12"), "reportAssignmentType", (0, 1), True, "nodejs"),
    Peer("mypy", "1.19.0", _MYPY, "[assignment]", (0, 1), follows=True),
)
"""The cheapest first."""


def make(environments: Path, peers: Sequence[Peer]) -> None:
    """Install the pinned peers, each into an environment of its own in a folder. Raises CalledProcessError."""
    for peer in peers:
        python = peer.python(environments)
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
        if fault(environments, peer):
            subprocess.run([str(python), "-m", "pip", "install", "--quiet", peer.pin], check=True)


def fault(environments: Path, peer: Peer) -> str:
    """Why a peer cannot be measured, in words; empty where it can: it is there, of its version, and finds something."""
    asked = f"import importlib.metadata as m; print(m.version({peer.name!r}))"
    python = [str(peer.python(environments)), "-I", "-c", asked]
    try:
        said = subprocess.run(python, capture_output=True, text=True, check=False)
        if said.stdout.strip() != peer.version:
            return f"not installed in {environments}"
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "probe.py"
            file.write_text(_PROBE, encoding="utf-8")
            probe = peer.command(environments, [file])
            done = subprocess.run(probe, capture_output=True, text=True, check=False, cwd=folder)
    except OSError as error:
        return f"not installed in {environments} ({error.strerror})"
    return "" if peer.says in done.stdout + done.stderr else f"does not find what it must: exit code {done.returncode}"
