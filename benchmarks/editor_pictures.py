"""Pictures of the language server in an editor: Neovim in a terminal, as SVG, light and dark.

    python -m benchmarks.editor_pictures FOLDER

For each of diagnostics, hover and code actions Neovim (`apt-get install neovim tmux`) opens a small file in a terminal
of its own, with the configuration of editors/neovim, and what the terminal shows is drawn as `neovim-NAME-light.svg`
and `-dark.svg`.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.screenshots import THEMES, picture

ROOT = Path(__file__).parent.parent
WIDTH, HEIGHT = 112, 26
SECONDS = 90
SOURCE = """\
import torch
from torch import nn


class Gate(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.project = nn.Linear(width, width)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scores = self.project(x)
        noise = torch.randn(scores.shape).to(scores.device)
        if scores.max() > 0:
            scores = scores / scores.max()
        print("gated", scores.mean())
        return scores + noise
"""
SETUP = """\
vim.opt.background = "@THEME@"
vim.opt.swapfile = false
vim.opt.ruler = false
package.path = "@FOLDER@/?.lua;" .. package.path
require("compilelint").setup()
vim.diagnostic.config({
  severity_sort = true,
  virtual_text = { format = function(one) return one.message:match("^[^\\n]*") end },
})
"""
# What is typed, and the words that are waited for.
PICTURES = {
    "diagnostics": ("", "depends on the data"),
    "hover": (":call cursor(13, 25) | lua vim.lsp.buf.hover()", "tensor bool 0-d"),
    "actions": (":call cursor(12, 20) | lua vim.lsp.buf.code_action()", "Explain"),
}


class Terminal:
    """A terminal of tmux, of our own server."""

    def __init__(self, name: str, command: list[str], environment: dict[str, str]) -> None:
        self._tmux = ["tmux", "-L", f"compilelint-{os.getpid()}-{name}", "-f", os.devnull]
        size = ["-x", str(WIDTH), "-y", str(HEIGHT)]
        made = [*self._tmux, "new-session", "-d", *size, *command]
        subprocess.run(made, check=True, env={**environment, "TERM": "xterm-256color"})

    def types(self, keys: str) -> None:
        """Type a line, and the key that ends it."""
        subprocess.run([*self._tmux, "send-keys", "-l", keys], check=True)
        subprocess.run([*self._tmux, "send-keys", "Enter"], check=True)

    def shows(self, words: str) -> str:
        """What it shows once some words are there, with its colours. Exits where they never come."""
        deadline = time.monotonic() + SECONDS
        while True:
            captured = subprocess.run(
                [*self._tmux, "capture-pane", "-e", "-p"], check=True, capture_output=True, text=True
            ).stdout
            plain = subprocess.run([*self._tmux, "capture-pane", "-p"], check=True, capture_output=True, text=True)
            if words in plain.stdout:
                return captured
            if time.monotonic() > deadline:
                raise SystemExit(f"{words!r} never came:\n{plain.stdout}")
            time.sleep(0.2)

    def close(self) -> None:
        """End it with all that runs in it."""
        subprocess.run([*self._tmux, "kill-server"], check=False, capture_output=True)


@contextlib.contextmanager
def project() -> Iterator[tuple[Path, dict[str, str]]]:
    """The file in a project of its own, and an environment in which `compilelint` is a program."""
    with tempfile.TemporaryDirectory() as room:
        top = Path(room)
        (top / "gate").mkdir()
        (top / "gate" / "compilelint.toml").write_text('torch-version = "2.13"\n', encoding="utf-8")
        (top / "gate" / "gate.py").write_text(SOURCE, encoding="utf-8")
        (top / "bin").mkdir()
        program = top / "bin" / "compilelint"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m compilelint "$@"\n', encoding="utf-8")
        program.chmod(0o755)
        path = os.pathsep.join([str(top / "bin"), os.environ["PATH"]])
        yield top, {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src"), "HOME": room}


def main(folder: Path) -> int:
    """Write the pictures; 0 if all is well."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme, colours in THEMES.items():
        with project() as (top, environment):
            setup = top / "init.lua"
            setup.write_text(
                SETUP.replace("@FOLDER@", str(ROOT / "editors" / "neovim")).replace("@THEME@", theme), encoding="utf-8"
            )
            file = top / "gate" / "gate.py"
            for name, (typed, words) in PICTURES.items():
                terminal = Terminal(f"{theme}-{name}", ["nvim", "--clean", "-u", str(setup), str(file)], environment)
                try:
                    shown = terminal.shows(PICTURES["diagnostics"][1])
                    if typed:
                        terminal.types(typed)
                        shown = terminal.shows(words)
                finally:
                    terminal.close()
                svg = picture(shown, WIDTH, colours, f"nvim gate.py: {name}")
                (folder / f"neovim-{name}-{theme}.svg").write_text(svg, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1])))
