"""From a linted file to the place in a report: the characters there are the finding's, whatever the file is made of,
wherever it lies, and wherever the run was started.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint
from tests.report.layout.test_linehash import rolling
from tests.report.test_hostile import command_of

PLAIN = "import torch\n\n\ndef f(x: torch.Tensor):\n    y = x.item()\n    return y\n"


def _plain(text: str) -> bytes:
    return text.encode()


# What a file can be made of: how the plain text is changed, and how it becomes bytes.
MADE_OF: dict[str, tuple[Callable[[str], str], Callable[[str], bytes]]] = {
    "nothing special": (str, _plain),
    "emoji and accents before it": (lambda text: text.replace("y = x", 's = "é😀"; y = x'), _plain),
    "identifiers beyond ASCII": (lambda text: text.replace("y", "größe"), _plain),
    "Windows line ends": (lambda text: text.replace("\n", "\r\n"), _plain),
    "old Mac line ends": (lambda text: text.replace("\n", "\r"), _plain),
    "mixed line ends": (lambda text: text.replace("\n\n", "\r\n\n", 1), _plain),
    "tabs": (lambda text: text.replace("    ", "\t").replace("y = x", "y =\tx"), _plain),
    "a byte order mark": (
        lambda text: text.replace("import torch\n", "x = 1; import torch\n"),
        lambda t: b"\xef\xbb\xbf" + t.encode(),
    ),
    "Latin-1": (
        lambda text: "# coding: latin-1\n" + text.replace("y = x", 's = "é"; y = x'),
        lambda t: t.encode("latin-1"),
    ),
    "a form feed": (lambda text: text.replace("def", "\f\ndef"), _plain),
    "no last line end": (lambda text: text.removesuffix("\n"), _plain),
    "equal lines": (lambda text: text + text.replace("def f", "def g"), _plain),
}


def sarif_of(path: Path) -> list[dict[str, Any]]:
    (run,) = json.loads(render(lint(Options((str(path),), select=("CL102",))), "sarif"))["runs"]
    found: list[dict[str, Any]] = run["results"]
    return found


def repository(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def text_at(data: bytes, region: dict[str, int], encoding: str = "utf-8") -> str:
    """The characters of a region, as an editor shows the file: CR, LF and CRLF end lines, the mark is no character."""
    text = data.decode(encoding).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    assert region["startLine"] == region["endLine"]
    return text.split("\n")[region["startLine"] - 1][region["startColumn"] - 1 : region["endColumn"] - 1]


@pytest.mark.parametrize("kind", MADE_OF)
def test_the_region_and_the_hash_are_right_whatever_the_file_is_made_of(kind: str, tmp_path: Path) -> None:
    change, encode = MADE_OF[kind]
    data = encode(change(PLAIN))
    file = repository(tmp_path) / "net.py"
    file.write_bytes(data)
    results = sarif_of(file)
    assert len(results) == (2 if kind == "equal lines" else 1)
    hashes = rolling(data.decode("utf-8", "replace"))
    for result in results:
        region = result["locations"][0]["physicalLocation"]["region"]
        assert text_at(data, region, "latin-1" if kind == "Latin-1" else "utf-8") == "x.item()"
        assert result["partialFingerprints"]["primaryLocationLineHash"] == hashes[region["startLine"]]
    command = render(lint(Options((str(file),), select=("CL102",))), "github").splitlines()[0]
    _, fields, _ = command_of(command)
    assert int(fields["line"]) == results[0]["locations"][0]["physicalLocation"]["region"]["startLine"]
    assert int(fields["endColumn"]) - int(fields["col"]) == len("x.item()")


def test_equal_lines_have_marks_of_their_own(tmp_path: Path) -> None:
    file = repository(tmp_path) / "net.py"
    body = "    y = x.item()\n" * 12
    file.write_text(f"import torch\n\n\ndef f(x: torch.Tensor):\n{body}", encoding="utf-8")
    marks = [one["partialFingerprints"] for one in sarif_of(file)]
    assert len(marks) == 12
    assert len({mark["primaryLocationLineHash"] for mark in marks}) == 12
    assert len({mark["compilelint/v1"] for mark in marks}) == 12


@pytest.mark.parametrize(
    ("argument", "start"),
    [
        pytest.param("src/my models/net.py", ".", id="from the root"),
        pytest.param(".", "src", id="from a subfolder"),
        pytest.param("net.py", "src/my models", id="from the file's folder"),
        pytest.param("../src", "docs", id="from a sister"),
        pytest.param("link/net.py", ".", id="through a linked folder"),
        pytest.param("net link.py", ".", id="through a linked file"),
        pytest.param("../outer link/src", ".", id="through a link to the repository"),
    ],
)
def test_the_path_is_that_of_the_repository(
    argument: str, start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = repository(tmp_path / "the repo")
    (root / "src" / "my models").mkdir(parents=True)
    (root / "docs").mkdir()
    (root / "src" / "my models" / "net.py").write_text(PLAIN, encoding="utf-8")
    (root / "link").symlink_to("src/my models")
    (root / "net link.py").symlink_to("src/my models/net.py")
    (tmp_path / "outer link").symlink_to(root)
    monkeypatch.chdir(root / start)
    (result,) = sarif_of(Path(argument))
    place = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert place == {"uri": "src/my%20models/net.py", "uriBaseId": "%SRCROOT%"}
    assert unquote(place["uri"]) == "src/my models/net.py"
    report = lint(Options((argument,), select=("CL102",)))
    _, fields, _ = command_of(render(report, "github").splitlines()[0])
    assert fields["file"] == "src/my models/net.py"
    assert json.loads(render(report, "gitlab"))[0]["location"]["path"] == "src/my models/net.py"


def test_marks_do_not_depend_on_where_the_run_was_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = repository(tmp_path / "repo")
    (root / "src").mkdir()
    (root / "src" / "net.py").write_text(PLAIN, encoding="utf-8")
    monkeypatch.chdir(root)
    first = render(lint(Options(("src/net.py",))), "sarif")
    monkeypatch.chdir(root / "src")
    assert (
        json.loads(render(lint(Options(("net.py",))), "sarif"))["runs"][0]["results"]
        == (json.loads(first)["runs"][0]["results"])
    )


def test_without_a_repository_paths_count_from_the_project_or_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "net.py").write_text(PLAIN, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "pkg")

    def uri() -> str:
        (result,) = sarif_of(Path("net.py"))
        return str(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])

    assert uri() == "net.py"
    (tmp_path / "pyproject.toml").touch()
    assert uri() == "pkg/net.py"


# -------------------------------------------------------- what is not a plain file


def test_standard_input_has_the_name_and_the_marks_of_the_file_it_stands_for(tmp_path: Path) -> None:
    file = repository(tmp_path) / "net.py"
    unsaved = PLAIN.replace("y = x", 's = "é😀"; y = x').encode()
    file.write_text("x = 1\n", encoding="utf-8")
    report = lint(Options((str(file),), select=("CL102",), stdin=unsaved))
    (result,) = json.loads(render(report, "sarif"))["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "net.py"
    assert text_at(unsaved, place["region"]) == "x.item()"
    assert result["partialFingerprints"]["primaryLocationLineHash"] == rolling(unsaved.decode())[5]
    file.write_bytes(unsaved)
    assert sarif_of(file)[0]["partialFingerprints"] == result["partialFingerprints"]


def test_a_notebook_is_shown_at_the_line_of_its_json(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": ["text"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ["%matplotlib inline\n", "import torch"]},
        {"cell_type": "code", "metadata": {}, "outputs": [], "source": ['s = "é😀"\n', *PLAIN.splitlines(True)[3:]]},
    ]
    file = repository(tmp_path) / "my study.ipynb"
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    file.write_text(json.dumps(notebook, indent=1, ensure_ascii=False), encoding="utf-8")
    (result,) = sarif_of(file)
    location = result["locations"][0]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == "my%20study.ipynb"
    assert text_at(file.read_bytes(), location["physicalLocation"]["region"]) == "x.item()"
    assert {"name": "cell 3", "kind": "module"} in location["logicalLocations"]
    assert "In cell 3, line 3." in result["message"]["text"]
    line = location["physicalLocation"]["region"]["startLine"]
    assert result["partialFingerprints"]["primaryLocationLineHash"] == rolling(file.read_text(encoding="utf-8"))[line]
    report = lint(Options((str(file),), select=("CL102",)))
    assert "my study.ipynb:cell 3:3:9" in render(report, "junit")
    assert f"line={line},endLine={line}" in render(report, "github")


def test_a_file_that_cannot_be_decoded_is_reported_with_its_mark(tmp_path: Path) -> None:
    file = repository(tmp_path) / "net.py"
    data = b"x = 1\ny = '\xff'\n"
    file.write_bytes(data)
    (run,) = json.loads(render(lint(Options((str(file),))), "sarif"))["runs"]
    (result,) = run["results"]
    assert result["ruleId"] == "CL901"
    line = result["locations"][0]["physicalLocation"]["region"]["startLine"]
    hashes = rolling(data.decode("utf-8", "replace"))
    assert result["partialFingerprints"]["primaryLocationLineHash"] == hashes[line]
    levels = [one["level"] for one in run["invocations"][0]["toolExecutionNotifications"]]
    assert "warning" in levels
    assert run["invocations"][0]["executionSuccessful"] is True
