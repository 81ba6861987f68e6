"""compilelint as another process: a linted tree that names its modules as ours or Python's does not run in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compilelint import __version__
from compilelint.session.own_process import command_of


@pytest.mark.parametrize("shadow", ["compilelint/__init__.py", "compilelint.py", "json.py", "click.py", "torch.py"])
def test_a_module_of_the_folder_is_not_imported(tmp_path: Path, shadow: str) -> None:
    (tmp_path / shadow).parent.mkdir(exist_ok=True)
    (tmp_path / shadow).write_text("raise SystemExit('the linted tree was run')\n")
    done = subprocess.run(command_of(["--version"]), cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, __version__ in done.stdout) == (0, True), done.stderr


def test_a_relative_entry_of_the_path_counts_from_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("beside")
    monkeypatch.syspath_prepend("")
    assert str(tmp_path / "beside") in command_of([])
    assert "" not in command_of([])
