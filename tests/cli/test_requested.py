"""Nearest configuration: files of one invocation are linted by their own each, and come in one report."""

from __future__ import annotations

import io
import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from compilelint import checks
from compilelint.cli import run
from compilelint.lib.packs import Packs

MODEL = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        print(x)\n        return x\n"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository of three packages: `strict` and `lax` have their own configuration, `plain` has the one above."""
    configurations = {
        "strict": '[tool.compilelint]\nseverity = { CL201 = "error" }\n',
        "lax": '[tool.compilelint]\nignore = ["CL201"]\nfail-on = "error"\n',
        "plain": "[project]\nname = 'plain'\n",
    }
    for name, text in configurations.items():
        (tmp_path / name / "src").mkdir(parents=True)
        (tmp_path / name / "pyproject.toml").write_text(text, encoding="utf-8")
        (tmp_path / name / "src" / f"{name}_model.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "compilelint.toml").write_text('severity = { CL201 = "note" }\n', encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def linted(capsys: pytest.CaptureFixture[str], command: str) -> tuple[int, dict[str, Any]]:
    code = run([*shlex.split(command), "--output", "json", "--no-cache"])
    return code, json.loads(capsys.readouterr().out)


def severities(document: dict[str, Any]) -> dict[str, str]:
    return {Path(one["path"]).stem: one["severity"] for one in document["findings"]}


@pytest.mark.parametrize(
    "paths",
    [".", "strict lax plain", "plain/src/plain_model.py lax/src/lax_model.py strict/src/strict_model.py"],
    ids=["the folder above", "the packages", "the files, as a hook passes them"],
)
def test_each_file_is_judged_by_its_nearest_configuration(capsys: pytest.CaptureFixture[str], paths: str) -> None:
    code, document = linted(capsys, f"check {paths}")
    assert severities(document) == {"strict_model": "error", "plain_model": "note"}
    assert code == 1
    assert document["summary"]["files_checked"] == 3
    assert document["judged"]["module_forwards"] == 3


def test_what_one_file_says_of_the_exit_code_is_said_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    assert linted(capsys, "check lax plain")[0] == 0, "a note below `warning`, and nothing"
    assert linted(capsys, "check strict lax")[0] == 1


def test_the_command_line_holds_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    code, document = linted(capsys, "check . --select CL101")
    assert (code, document["findings"]) == (0, [])
    _, document = linted(capsys, "check . --config 'severity = { CL201 = \"warning\" }' --config 'ignore = []'")
    assert severities(document) == {"strict_model": "warning", "plain_model": "warning"}
    _, document = linted(capsys, "check . --isolated")
    assert severities(document) == dict.fromkeys(("strict_model", "lax_model", "plain_model"), "warning")


def test_a_file_that_is_named_holds_for_all(capsys: pytest.CaptureFixture[str]) -> None:
    _, document = linted(capsys, "check . --config compilelint.toml")
    assert severities(document) == dict.fromkeys(("strict_model", "lax_model", "plain_model"), "note")


def test_the_excludes_are_those_of_the_nearest_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    with Path("strict/pyproject.toml").open("a", encoding="utf-8") as opened:
        opened.write('exclude = ["src/"]\n')
    assert severities(linted(capsys, "check .")[1]) == {"plain_model": "note"}


def test_config_shows_what_holds_for_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["config", "lax/src/lax_model.py"]) == 0
    page = capsys.readouterr().out
    assert page.startswith("# lax/pyproject.toml\n")
    assert 'fail-on = "error"  # lax/pyproject.toml:3' in page
    assert run(["config", "lax", "plain", "--output", "json"]) == 0
    files = [Path(one["file"]).parent.name for one in json.loads(capsys.readouterr().out)]
    assert files == ["lax", Path.cwd().name]


def test_fixes_and_files_are_those_of_every_configuration(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", ".", "--show-files"]) == 0
    assert len(capsys.readouterr().out.split()) == 3
    assert run(["check", ".", "--diff", "--unsafe-fixes", "--no-cache"]) == 1
    changed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("+++")]
    assert sorted(line.rpartition("/")[2] for line in changed) == ["plain_model.py", "strict_model.py"]


@pytest.mark.parametrize(
    ("command", "trees"),
    [
        pytest.param("check plain", [("plain",)] * 2, id="for the configuration, and for the run"),
        pytest.param("check plain lax", [("plain", "lax")] * 3, id="two configurations are two runs"),
        pytest.param("check - --stdin-filename other/a.py", [("other/a.py",)] * 2, id="for the name of what is piped"),
    ],
)
def test_installed_packages_are_asked_for_rules_once_a_purpose(
    command: str, trees: list[tuple[str, ...]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, ...]] = []

    def counted(named: Sequence[str] = (), tree: Iterable[str] = ()) -> Packs:
        asked.append(tuple(tree))
        return Packs()

    monkeypatch.setattr(checks, "packs", counted)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"x = 1\n")))
    linted(capsys, command)
    assert asked == trees
