"""What fixes make of a formatted file is formatted as its project formats it, and nothing else changes."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.fix import fix
from compilelint.session.fixing.style import Style
from compilelint.syntax.source import Source

RUFF = shutil.which("ruff") or shutil.which("ruff", path=str(Path(sys.executable).parent))
BEFORE = "import os\n\nimport torch\n\n\ndef f(value):\n    return os.fspath(value)\n"
LONG = BEFORE.replace("os.fspath(value)", "torch.where(value > 100000000, value * 100000000, value + 200000000)")
LENGTH = "line-length = 60\n"


@pytest.fixture
def style() -> Style:
    assert RUFF is not None, "needs ruff: pip install ruff"
    return Style(RUFF)


def source(folder: Path, text: str = BEFORE, name: str = "model.py") -> Source:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return Source(str(path), text)


@pytest.mark.parametrize(
    ("file", "text"),
    [
        pytest.param("pyproject.toml", f"[tool.ruff]\n{LENGTH}", id="a table of pyproject.toml"),
        pytest.param("ruff.toml", LENGTH, id="a file of its own"),
        pytest.param(".ruff.toml", LENGTH, id="a hidden file of its own"),
        pytest.param("pyproject.toml", f"[tool.black]\n{LENGTH}", id="black, whose lines ruff breaks alike"),
    ],
)
def test_a_long_line_is_broken_as_the_project_says(file: str, text: str, style: Style, tmp_path: Path) -> None:
    (tmp_path / file).write_text(text, encoding="utf-8")
    inner = tmp_path / "package"
    inner.mkdir()
    made = style.of(source(inner), LONG)
    assert max(map(len, made.splitlines())) <= 60
    assert made.startswith(BEFORE.partition("    return")[0])


@pytest.mark.parametrize(
    ("text", "name", "rules"),
    [
        pytest.param(BEFORE, "model.py", "", id="no formatter is configured"),
        pytest.param(BEFORE, "model.py", "[tool.other]\n", id="another tool is configured"),
        pytest.param(BEFORE, "model.py", "[tool.ruff\n", id="the configuration is broken"),
        pytest.param(BEFORE, "model.py", "[tool.ruff]\nline-length = 'x'\n", id="ruff refuses the configuration"),
        pytest.param(BEFORE, "model.py", f"[tool.ruff]\n{LENGTH}exclude = ['*.py']\n", id="the file is left out"),
        pytest.param("x  = 1\n" + BEFORE, "model.py", f"[tool.ruff]\n{LENGTH}", id="the file was not formatted"),
    ],
)
def test_other_files_keep_what_the_fixes_made(text: str, name: str, rules: str, style: Style, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text(rules, encoding="utf-8")
    made = text.replace(BEFORE, LONG)
    assert style.of(source(tmp_path, text, name), made) == made


def test_an_import_that_a_fix_adds_is_sorted_where_all_were(style: Style, tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text(LENGTH, encoding="utf-8")
    before = BEFORE.replace("import torch", "import numpy\nimport torch")
    added = before.replace("import torch\n", "import torch\nimport math\n")
    assert style.of(source(tmp_path, before), added) == before.replace("import os\n", "import math\nimport os\n")


def test_imports_that_were_not_sorted_stay_as_they_are(style: Style, tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text(LENGTH, encoding="utf-8")
    before = BEFORE.replace("import os\n\nimport torch\n", "import torch\nimport os\n")
    added = before.replace("import os\n", "import os\nimport math\n")
    assert style.of(source(tmp_path, before), added) == added


def test_a_program_that_fails_or_is_missing_leaves_the_text(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text(LENGTH, encoding="utf-8")
    for program in (str(tmp_path / "none"), str(tmp_path), shutil.which("false") or "false"):
        assert Style(program).of(source(tmp_path), LONG) == LONG


def test_a_configuration_above_the_repository_is_a_strangers(style: Style, tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text(LENGTH, encoding="utf-8")
    inner = tmp_path / "repository"
    (inner / ".git").mkdir(parents=True)
    assert style.of(source(inner), LONG) == LONG


def test_fixed_files_are_formatted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `print` goes under a guard that is sorted in and broken as the rest of the file is."""
    assert RUFF is not None, "needs ruff: pip install ruff"
    monkeypatch.setenv("PATH", str(Path(RUFF).parent))
    (tmp_path / "ruff.toml").write_text("line-length = 40\nindent-width = 4\n", encoding="utf-8")
    text = (
        "import torch\n\n\ndef f(x: torch.Tensor):\n    for _ in range(3):\n"
        '        print("a value", x.shape[0])\n    return x\n'
    )
    file = tmp_path / "m.py"
    file.write_text(text, encoding="utf-8")
    (made,) = (
        new for _, new in fix(Options((str(file),), roots=("all",), torch_version="2.13"), unsafe=False).texts.values()
    )
    assert "if not torch.compiler.is_compiling():" in " ".join(made.split())
    assert made == Style(RUFF).of(Source(str(file), text), made)
    assert max(map(len, made.splitlines())) <= 60
