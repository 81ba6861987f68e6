"""Attacks through what is printed: orders to terminals and runners, encodings that do not round-trip, wrong counts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from compilelint.cli import app
from compilelint.config import Options
from compilelint.disk.data import toml_of
from compilelint.report.formats import FORMATS, render
from compilelint.report.layout.text import json_text, pasted_path
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint
from tests.security.hostile import ROOT, compilelint

# The suppression silences nothing, which is a finding with a safe fix; the line after it is shown in the diff.
FIXABLE = "y = 1  # compilelint: ignore[CL101]\nz = 2  # {}\n"
ORDERS = {
    "escape: colour": "\x1b[31m",
    "escape: title of the window": "\x1b]0;owned\x07",
    "escape: cursor up and erase": "\x1b[1A\x1b[2K",
    "escape: one byte of C1": "\x9b31m",
    "escape: backspaces": "a\b\b\bb",
    "escape: carriage of a hidden text": "\u200b\u2060",
    "escape: text from right to left": "\u202egnp.exe",
    "escape: isolates": "\u2066\u2069",
    "runner: ##[add-mask]": "##[add-mask]x",
    "runner: ##[set-env]": "##[set-env name=A]b",
    "runner: a group that hides what follows": "##[group]all clear",
    "runner: ##[ in ##[": "##[##[error]]",
    "runner: ##vso[ of Azure": "##vso[task.setvariable variable=PATH]evil",
    "runner: ##teamcity[": "##teamcity[buildStatus status='SUCCESS']",
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def call(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["check", *arguments, "--no-cache", "--torch-version", "2.13", "--roots", "all"])


def orders_in(text: str) -> list[str]:
    """What a terminal or a runner would obey: control and format characters, `##[`, and `::` at the start of a line."""
    found = [repr(one) for one in text if not one.isprintable() and one not in "\n\t"]
    found += re.findall(r"##\w*\[", text)
    return found + [line for line in text.split("\n") if line.lstrip().startswith("::")]


@pytest.mark.parametrize("order", ORDERS.values(), ids=ORDERS.keys())
def test_a_diff_gives_no_orders(project: Path, order: str) -> None:
    (project / "m.py").write_text(FIXABLE.format(order), encoding="utf-8")
    shown = call("m.py", "--diff").stdout
    assert "-y = 1" in shown
    assert orders_in(shown) == []


def test_a_diff_without_such_characters_is_exact(project: Path) -> None:
    text = FIXABLE.format("a tab\there, an umlaut \xe4") + "\n\n    # :: in the middle\n"
    (project / "m.py").write_text(text, encoding="utf-8")
    shown = call("m.py", "--diff").stdout
    old = [line[1:] for line in shown.split("\n")[3:] if line[:1] in ("-", " ")]
    assert "\n".join(old) in text


def test_a_diff_has_no_workflow_command_at_the_start_of_a_line(project: Path) -> None:
    text = "s = '''\n::set-output name=a::b\n    ::error::c\n'''\n" + FIXABLE.format("")
    (project / "m.py").write_text(text)
    assert orders_in(call("m.py", "--diff").stdout) == []


@pytest.mark.parametrize("name", [one for one in FORMATS if one != "github"])
@pytest.mark.parametrize("order", [one for one in ORDERS.values() if "##" in one])
def test_no_report_gives_orders_to_a_runner(project: Path, name: str, order: str) -> None:
    (project / "m.py").write_text(FIXABLE.format(order) + f"# compilelint: ignore[{order}] {order}\n")
    report = lint(Options(paths=("m.py",), torch_version="2.13", roots=("all",)))
    assert len(report.findings) == 2
    text = render(report, name)
    assert re.findall(r"##\w*\[", text) == []
    assert [line for line in text.split("\n") if line.lstrip().startswith("::")] == []


def test_json_means_the_same_with_the_escape() -> None:
    document = {"a": "##[x]", "b": "##", "c": ["[", "\\##[", "#\\u0023["], "##vso[d]": "##teamcity["}
    text = json_text(json.dumps(document))
    assert orders_in(text) == []
    assert json.loads(text) == document


# --------------------------------------------------------- what a configuration says

SAID = [
    pytest.param("{order} = 1", id="key"),
    pytest.param("select = [{order}]", id="rule"),
    pytest.param("severity = {{{order} = 'error'}}", id="rule of a severity"),
    pytest.param("per-file-ignores = {{'*' = [{order}]}}", id="rule of a file"),
    pytest.param("per-file-ignores = {{{order} = ['CL101']}}", id="pattern of a file"),
    pytest.param("fail-on = {order}", id="severity"),
    pytest.param("extend = {order}", id="base"),
    pytest.param("baseline = {order}", id="baseline"),
    pytest.param("python = {order}", id="environment"),
    pytest.param("roots = [{order}]", id="roots"),
    pytest.param("exclude = [{order}]", id="exclude"),
    pytest.param("torch-version = {order}", id="torch"),
    pytest.param("dynamo = {{{order} = true}}", id="setting of Dynamo"),
    pytest.param("[[targets]]\nmodel = {order}", id="target"),
]


@pytest.mark.parametrize("text", SAID)
def test_no_configuration_gives_orders(tmp_path: Path, text: str) -> None:
    """Through what is said of it: errors and notices on standard error, and the command that shows settings."""
    order = json.dumps("\n".join(["x", "::error::x", *ORDERS.values()]))
    (tmp_path / "compilelint.toml").write_text(text.format(order=order), encoding="utf-8")
    (tmp_path / "m.py").write_text(FIXABLE.format(""), encoding="utf-8")
    commands = [["check", ".", "--verbose", "--no-cache"], ["config"], ["config", "--output", "json"]]
    for command in commands:
        done = compilelint(tmp_path, *command)
        assert done.stdout + done.stderr
        assert orders_in(done.stdout) + orders_in(done.stderr) == []


def test_settings_are_shown_as_they_could_be_written(project: Path) -> None:
    """What stands between `config` and the file that it shows is an escape, which TOML reads back."""
    pattern = '##[a\u202e\U000e0041\x9b"\\b'
    (project / "compilelint.toml").write_text(
        f'exclude = [{json.dumps(pattern)[:-1]}"]\n'.replace("\\udb40\\udc41", "\\U000e0041")
    )
    shown = CliRunner().invoke(app, ["config"]).stdout
    line = next(one for one in shown.splitlines() if one.startswith("exclude"))
    assert toml_of(line)["exclude"] == [pattern]


def test_one_place_writes_to_standard_error() -> None:
    """Names and texts of strangers stand in messages, so each goes through `say`; the rest are words of our own."""
    package = ROOT / "src" / "compilelint"
    known = {
        "terminal.py": 1,
        "dev.py": 3,
        "__init__.py": 4,
        "check.py": 1,
        "fix.py": 2,
    }  # commit messages escape their parts
    texts = {path.name: path.read_text(encoding="utf-8") for path in (package / "cli").glob("*.py")}
    found = {name: len(re.findall(r"\berr=", text)) for name, text in texts.items() if re.search(r"\berr=", text)}
    assert found == known


# ---------------------------------------------------------------- encodings


@pytest.mark.parametrize(
    ("cookie", "line"),
    [
        pytest.param("utf-7", b"s = '+AGE-b'", id="encoding: utf-7 spells one letter in two ways"),
        pytest.param("utf-7", b"s = '+AOQA9g-'", id="encoding: utf-7 in blocks"),
        pytest.param("iso2022_jp", b"s = '\x1b$B$\"\x1b(B\x1b(B'", id="encoding: a shift that changes nothing"),
        pytest.param("iso2022_kr", b"s = '\x0e\x0f'", id="encoding: shifts around nothing"),
        pytest.param("hz", b"s = '~{~}'", id="encoding: an empty stretch"),
        pytest.param("cp932", b"s = '\xfa\x54'", id="encoding: two codes of one sign"),
    ],
)
def test_a_file_whose_encoding_does_not_give_back_its_bytes_is_left_alone(
    project: Path, cookie: str, line: bytes
) -> None:
    data = f"# -*- coding: {cookie} -*-\n".encode() + line + b"\n" + FIXABLE.format("").encode()
    (project / "m.py").write_bytes(data)
    (project / "plain.py").write_text(FIXABLE.format(""))
    result = call(".", "--fix")
    assert (project / "m.py").read_bytes() == data
    assert "compilelint" not in (project / "plain.py").read_text()
    assert "m.py was not written: its encoding" in result.stderr
    assert "fixed 1 finding in 1 file (1 CL" in result.stderr, "what was left alone does not count as fixed"


@pytest.mark.parametrize("cookie", ["utf-8", "latin-1", "cp1252", "koi8-r", "euc-jp"])
def test_a_file_of_an_encoding_that_does_is_fixed(project: Path, cookie: str) -> None:
    (project / "m.py").write_bytes(f"# -*- coding: {cookie} -*-\n{FIXABLE.format('')}".encode(cookie))
    assert "fixed 1 finding in 1 file" in call(".", "--fix").stderr


# -------------------------------------------------------------- fingerprints


def prints(report: Report) -> list[str]:
    return [one["fingerprint"] for one in json.loads(render(report, "json"))["findings"]]


@pytest.mark.parametrize("named", ["folder", "file"])
def test_fingerprints_outside_a_repository_are_the_same_from_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    (folder / "m.py").write_text(FIXABLE.format(""))
    found = []
    for here in (folder, tmp_path, tmp_path / "a"):
        monkeypatch.chdir(here)
        path = folder if named == "folder" else folder / "m.py"
        found.append(prints(lint(Options(paths=(str(path),), torch_version="2.13", roots=("all",)))))
    assert found[0] == found[1] == found[2] != []


def test_a_folder_is_quoted_in_a_command_to_paste(project: Path) -> None:
    folder = project / "x;touch pwned;"
    folder.mkdir()
    (folder / "net.py").write_text(
        "import torch\nfrom gone import thing\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n"
        "        if thing(x).sum() > 0:\n            x.sum().item()\n        return x\n"
    )
    shown = CliRunner().invoke(app, ["check", folder.name, "--no-cache", "--output", "full"]).stdout
    assert "`compilelint init --verify 'x;touch pwned;'`" in " ".join(shown.split())
    assert "--verify x;touch" not in shown


@pytest.mark.parametrize(
    ("path", "words"),
    [
        pytest.param("a b", "'a b'", id="a space"),
        pytest.param("$(touch pwned)", "'$(touch pwned)'", id="a command of its own"),
        pytest.param("-rf", "./-rf", id="an option"),
        pytest.param("it's", "'it'\"'\"'s'", id="a quote"),
        pytest.param("a\x1b[2J", "'a\\x1b[2J'", id="an order to the terminal"),
        pytest.param("src/net.py", "src/net.py", id="what needs no quotes"),
    ],
)
def test_a_path_to_paste_is_one_word_of_a_shell(path: str, words: str) -> None:
    assert pasted_path(path) == words
