"""A switch that holds for a linted file though the file that sets it is not linted, as a hook is given some files."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.lint import lint

SWITCH = "import torch\ntorch._dynamo.config.capture_scalar_outputs = True\n"
READ = "import torch\n{}\n@torch.compile\ndef f(x: torch.Tensor):\n    return x.sum().item()\n"


@pytest.mark.parametrize(
    ("importing", "files", "codes"),
    [
        pytest.param("import setup_torch", {}, set(), id="imported"),
        pytest.param("import inner", {"inner.py": "import setup_torch"}, set(), id="imported by what is imported"),
        pytest.param("from pkg import net", {"pkg/__init__.py": SWITCH, "pkg/net.py": ""}, set(), id="by its package"),
        pytest.param("import other", {"other.py": "x = 1"}, {"CL102"}, id="not imported"),
        pytest.param(
            "import later",
            {"later.py": f"import torch\ndef on():\n    {SWITCH.splitlines()[1]}"},
            {"CL102"},
            id="set in a function of the other file",
        ),
    ],
)
def test_what_an_imported_file_switches_holds(
    importing: str, files: dict[str, str], codes: set[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"pyproject.toml": "", "setup_torch.py": SWITCH, **files}.items():
        Path(name).parent.mkdir(exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
    Path("use.py").write_text(READ.format(importing), encoding="utf-8")
    report = lint(Options(paths=("use.py",), cache_dir=str(tmp_path / "cache")))
    assert {one.rule.code for one in report.findings} == codes


def test_a_switch_that_is_taken_out_of_the_other_file_holds_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").touch()
    Path("use.py").write_text(READ.format("import setup_torch"), encoding="utf-8")
    found = []
    for text in (SWITCH, "import torch\n", SWITCH):
        Path("setup_torch.py").write_text(text, encoding="utf-8")
        report = lint(Options(paths=("use.py",), cache_dir=str(tmp_path / "cache")))
        found.append({one.rule.code for one in report.findings})
    assert found == [set(), {"CL102"}, set()]
