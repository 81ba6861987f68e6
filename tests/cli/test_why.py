"""`compilelint why`: the place on the command line, the page, JSON, the bundle, and the page of the site."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compilelint.cli import run
from tests.support.why_asked import HEAD, module

ROOT = Path(__file__).parents[2]
READ = HEAD + module("return x.sum().item()")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "app.py").write_text(READ, encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["why", *words, "--isolated", "--torch-version", "2.13.0"]) == 0
    return capsys.readouterr().out


def test_a_line_is_explained_as_its_file_alone_is_linted(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "app.py:11")
    assert shown.startswith("app.py:11  return x.sum().item()\n  in `Net.forward`, as `compilelint app.py` checks it")
    assert "\nReported: error[CL102] host-read: " in shown
    assert "\n1. from Net.forward: the `forward` of a module\n" in shown
    assert "     call torch.Tensor.item: ends the graph (GB0124, host-read); measured, torch 2.13.0\n" in shown


def test_the_paths_behind_it_are_linted_together(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "lib.py").write_text("def read(x):\n    return x.item()\n", encoding="utf-8")
    (tmp_path / "app.py").write_text(
        READ.replace("x.sum().item()", "read(x)").replace("import torch\n", "import torch\nfrom lib import read\n"),
        encoding="utf-8",
    )
    assert "Reported" not in said(capsys, "lib.py:2")
    assert "called at app.py:12 in `Net.forward`" in said(capsys, "lib.py:2", ".")


def test_a_column_behind_the_line_is_passed_over(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "app.py:11:16") == said(capsys, "app.py:11")


@pytest.mark.parametrize("place", ["app.py", "app.py:", "app.py:x", ":3", "app.py:0", "gone.py:1", "app.py:9999999999"])
def test_what_names_no_line_is_refused(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", place, "--isolated"]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_a_notebook_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.ipynb").write_text("{}", encoding="utf-8")
    assert run(["why", "a.ipynb:1", "--isolated"]) == 2
    assert "copy the cells into a .py file" in capsys.readouterr().err


def test_programs_get_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    found = json.loads(said(capsys, "app.py:11", "--output", "json"))
    assert (found["path"], found["line"], found["silence"]) == ((tmp_path / "app.py").as_posix(), 11, [])
    (finding,) = found["findings"]
    assert (finding["rule"], finding["fate"], finding["doubts"]) == ("CL102", "reported", [])
    (way,) = found["ways"]
    assert way["happened"][-1]["said"] == ["CL102 host-read: certain"]
    assert {one["text"] for one in way["values"]} == {"x.sum().item()", "x.sum()", "x"}


def test_the_bundle_holds_versions_explanation_and_source(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    shown = said(capsys, "app.py:11", "--bundle", "report.md")
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert shown in text
    assert re.search(r"^- compilelint: \d", text, re.MULTILINE)
    assert "   11          return x.sum().item()\n" in text
    assert "    1  import torch" not in text, "the function alone"


def test_a_bundle_that_cannot_be_written_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["why", "app.py:11", "--isolated", "--bundle", "gone/report.md"]) == 2
    assert "--bundle gone/report.md" in capsys.readouterr().err


def test_nothing_in_a_linted_file_moves_the_cursor(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(READ.replace("item()", "item()  # \x1b[2J"), encoding="utf-8")
    assert "\x1b" not in said(capsys, "app.py:11")


def _examples() -> list[tuple[str, list[str]]]:
    text = (ROOT / "docs" / "why.md").read_text(encoding="utf-8")
    blocks = [block.splitlines() for block in re.findall(r"```text\n(.*?)```", text, re.DOTALL)]
    return [(lines[0].removeprefix("$ compilelint "), lines[1:]) for lines in blocks if lines[0].startswith("$ ")]


@pytest.mark.parametrize(("command", "lines"), [pytest.param(*one, id=one[0].split()[1]) for one in _examples()])
def test_the_site_shows_what_the_command_prints(
    command: str, lines: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert run(command.split()) == 0
    shown = capsys.readouterr().out.splitlines()
    written = lines[: lines.index("...")] if "..." in lines else lines
    assert shown[: len(written)] == written
