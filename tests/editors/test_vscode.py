"""The extension for VS Code: what it declares agrees with the server, and its own tests pass in Node.

No build of VS Code can be had from a package registry, so its tests drive the real server by the libraries that carry
VS Code's client (`vscode-languageserver-protocol`, `vscode-jsonrpc`), not in an editor.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import compilelint
from compilelint.keys import key
from compilelint.server import settings
from compilelint.server.features.commands import BLOCKS
from tests.cli.test_cli import BREAKS, compilelint_in
from tests.editors.sample import EDITORS

VSCODE = EDITORS / "vscode"
MANIFEST: dict[str, Any] = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))
PROPERTIES: dict[str, Any] = {
    name.removeprefix("compilelint."): value
    for name, value in MANIFEST["contributes"]["configuration"]["properties"].items()
}
ITS_OWN = {"interpreter", "args", "fixAllOnSave", "trace.server"}
"""Settings that the extension reads itself."""


def test_the_extension_has_the_settings_that_the_server_reads_and_no_others() -> None:
    assert set(PROPERTIES) - ITS_OWN == {*settings._KEYS, *settings._SWITCHES, "diagnosticMode"}


def test_the_server_passes_over_the_settings_of_the_extension() -> None:
    said = {"interpreter": "python", "args": [], "fixAllOnSave": True, "trace": {"server": "off"}}
    assert settings.settings_of(said).unknown == ()


def test_the_server_takes_every_value_that_the_extension_offers() -> None:
    for name in set(PROPERTIES) - ITS_OWN:
        for value in PROPERTIES[name].get("enum", [PROPERTIES[name].get("default")]):
            assert settings.settings_of({name: value}).unknown == (), name


def test_choices_are_those_of_the_configuration() -> None:
    for word, name in settings._KEYS.items():
        choices = key(name).choices
        assert tuple(PROPERTIES[word].get("enum", ())) == choices, word


def test_every_setting_says_what_it_does_and_where_it_may_be_set() -> None:
    for name, one in PROPERTIES.items():
        assert one["description"].endswith((".", "...")), name
        assert one["scope"], name


def test_what_starts_a_program_is_not_taken_from_an_untrusted_workspace() -> None:
    trust = MANIFEST["capabilities"]["untrustedWorkspaces"]
    assert trust["supported"] == "limited"
    assert {"compilelint.interpreter", "compilelint.args"} <= set(trust["restrictedConfigurations"])


def test_the_gallery_finds_a_picture_and_a_text() -> None:
    icon = (VSCODE / MANIFEST["icon"]).read_bytes()
    assert (icon[:8], icon[16:24]) == (b"\x89PNG\r\n\x1a\n", b"\0\0\1\0\0\0\1\0"), "a PNG of 256 by 256 pixels"
    assert MANIFEST["galleryBanner"]["theme"] == "dark"
    assert MANIFEST["description"]
    assert not {"repository", "homepage", "bugs"} & set(MANIFEST), "there is no public address that resolves"


def test_the_view_is_filled_by_a_command_of_the_server() -> None:
    (view,) = MANIFEST["contributes"]["views"]["explorer"]
    source = (VSCODE / "src" / "extension.ts").read_text(encoding="utf-8")
    assert f'createTreeView("{view["id"]}"' in source
    assert f'command: "{BLOCKS}"' in source


def test_the_version_is_that_of_the_package() -> None:
    assert MANIFEST["version"] == compilelint.__version__


# --------------------------------------------------------- the problem matcher


def pattern(name: str) -> re.Pattern[str]:
    (found,) = (one for one in MANIFEST["contributes"]["problemPatterns"] if one["name"] == name)
    return re.compile(found["regexp"])


def test_the_problem_matcher_reads_every_line_of_a_concise_report(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(dedent(BREAKS).lstrip("\n"), encoding="utf-8")
    report = compilelint_in(tmp_path, "check", ".", "--output", "concise", "--quiet").stdout
    (line,) = report.splitlines()
    found = pattern("compilelint").match(line)
    assert found is not None
    assert found.groups() == ("net.py", "7", "12", "error", "CL101", "`if` depends on the data of `x.sum() > 0`")


def test_the_problem_matcher_of_a_watch_reads_its_beginning_and_its_end() -> None:
    (found,) = (one for one in MANIFEST["contributes"]["problemMatchers"] if one["name"] == "compilelint-watch")
    background = found["background"]
    for words in ("net.py changed", "src/a b.py changed, and 2 more"):
        assert re.search(background["beginsPattern"], f"compilelint: 12:30:01 {words}; linting"), words
    for words in ("1 folder", "12 folders"):
        assert re.search(background["endsPattern"], f"compilelint: watching {words} for changes; Ctrl-C ends"), words


# ------------------------------------------------------------------- in Node


@pytest.mark.slow
@pytest.mark.needs("npm", "apt-get install npm")
def test_the_extension_compiles_and_its_tests_pass(tmp_path: Path) -> None:
    copy = tmp_path / "vscode"
    shutil.copytree(VSCODE, copy, ignore=shutil.ignore_patterns("node_modules", "dist", "out"))
    environment = {
        **os.environ,
        "COMPILELINT_PYTHON": sys.executable,
        "PYTHONPATH": str(Path(compilelint.__file__).parents[1]),
    }
    for command in (["npm", "ci", "--no-audit", "--no-fund"], ["npm", "test"]):
        ran = subprocess.run(
            command, cwd=copy, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (copy / "dist" / "extension.js").stat().st_size > 100_000
