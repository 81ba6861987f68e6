"""Which packs are used, and which never: code of a linted tree runs only if the command line names it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.lib import packs as module
from compilelint.lib.packs import packs
from compilelint.rulebook import RulebookError
from tests.lib.programs import MODEL, RULE, install, write

EVIL = "from pathlib import Path\n\nPath(__file__).with_name('ran').touch()\n" + RULE


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of installed packages, the only one."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.setattr(module, "installed_in", lambda: (os.path.realpath(folder),))
    monkeypatch.syspath_prepend(str(folder))
    for name in [name for name in sys.modules if name.startswith("team_")]:
        del sys.modules[name]
    return folder


def test_an_installed_pack_is_found(site: Path) -> None:
    install(site, "team_found", RULE)
    (one,) = packs().rules
    assert (one.rule.code, one.pack, one.words, one.rule.family) == ("TEAM001", "team-rules 1.0", (".item(",), "TEAM")


def test_a_pack_for_another_version_is_refused_with_one_message(site: Path) -> None:
    install(site, "team_new", RULE.replace("COMPILELINT_API = 1", "COMPILELINT_API = 2"))
    with pytest.raises(RulebookError) as said:
        packs()
    assert str(said.value) == (
        "team-rules 1.0 was written for version 2 of compilelint.lib, and this is version 1 "
        f"(COMPILELINT_API in {site / 'team_new.py'}); update compilelint"
    )


def test_a_pack_that_cannot_be_imported_is_named(site: Path) -> None:
    install(site, "team_broken", "import nothing_of_that_name\n")
    with pytest.raises(RulebookError, match=r"the pack team-rules 1.0 cannot be loaded: ModuleNotFoundError"):
        packs()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        pytest.param('"TEAM001"', '"CL999"', "codes with CL are compilelint's own", id="a code of ours"),
        pytest.param('"TEAM001"', '"team1"', "'team1' is not a code", id="a code in small letters"),
        pytest.param('"item-call"', '"Item Call"', "'Item Call' is not a name for a rule", id="a name of two words"),
        pytest.param("effect = Effect.SYNC", "effect = 'sync'", "TEAM001 has no effect", id="an effect that is text"),
        pytest.param("effect = Effect.SYNC", "effect = Effect.TOOL", "TEAM001 has no effect", id="the tool's effect"),
        pytest.param('words = (".item(",)', 'words = ".item("', "the words of TEAM001 are one text", id="one word"),
        pytest.param("fixes =", "whole = False\n    fixes =", "a file that it sees parts of", id="fixes of parts"),
        pytest.param("(Rule):", "(object):", "has no rule", id="no rule"),
    ],
)
def test_a_rule_that_contradicts_itself_is_refused(tmp_path: Path, before: str, after: str, said: str) -> None:
    folder = write(tmp_path, team=RULE.replace(before, after))
    with pytest.raises(RulebookError, match=said):
        packs([str(folder)])


def test_two_rules_of_one_code_are_refused(tmp_path: Path) -> None:
    from compilelint.checks import rulebook

    folder = write(tmp_path, one=RULE, two=RULE.replace("item-call", "other-call"))
    with pytest.raises(RulebookError, match="two rules are called TEAM001"):
        rulebook([str(folder)])


# ------------------------------------------------------------------ the tree


def ran(folder: Path, *arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """The command line in a folder, its standard output and error; nothing of the folder may have run."""
    source = str(Path(module.__file__).parents[2])
    path = os.pathsep.join([source, *filter(None, [(environment or {}).get("PYTHONPATH", "")])])
    command = [sys.executable, "-m", "compilelint", "--no-cache", *arguments]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_an_entry_point_in_the_tree_is_not_seen(tmp_path: Path) -> None:
    install(tmp_path, "evil_pack", EVIL)
    write(tmp_path, net=MODEL)
    for extra in ({}, {"PYTHONPATH": str(tmp_path)}):
        result = ran(tmp_path, ".", environment=extra)
        assert "TEAM001" not in result.stdout
        assert result.returncode == 1, result.stderr
        assert not list(tmp_path.glob("**/ran"))


def test_a_virtual_environment_in_the_tree_is_followed_and_never_loaded(tmp_path: Path) -> None:
    site = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (tmp_path / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11\n")
    install(site, "evil_pack", EVIL)
    write(tmp_path, net=MODEL)
    assert "TEAM001" not in ran(tmp_path, ".").stdout
    assert not list(tmp_path.glob("**/ran"))


@pytest.mark.parametrize(
    "line",
    [
        pytest.param('rules = ["evil_pack.py"]', id="a path"),
        pytest.param('packs = ["evil_pack"]', id="a module"),
        pytest.param('select = ["./evil_pack.py"]', id="in a list of rules"),
        pytest.param('select = ["TEAM001"]', id="a code that no pack brings"),
        pytest.param('extend-select = ["evil_pack:ItemCall"]', id="an entry point"),
    ],
)
def test_configuration_in_the_tree_loads_nothing(tmp_path: Path, line: str) -> None:
    write(tmp_path, net=MODEL, evil_pack=EVIL)
    (tmp_path / "pyproject.toml").write_text(f"[tool.compilelint]\n{line}\n", encoding="utf-8")
    result = ran(tmp_path, ".")
    assert result.returncode == 2
    assert "unknown" in result.stderr
    assert not list(tmp_path.glob("**/ran"))


def test_what_the_command_line_names_is_loaded_wherever_it_lies(tmp_path: Path) -> None:
    write(tmp_path, net=MODEL, evil_pack=EVIL)
    assert "TEAM001" in ran(tmp_path, ".", "--rules", "evil_pack.py").stdout
    assert (tmp_path / "ran").exists()


def test_a_module_of_the_tree_cannot_stand_in_for_an_installed_pack(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(site, "team_shadowed", RULE)
    tree = write(tmp_path / "tree", team_shadowed=EVIL)
    monkeypatch.setenv("PYTHONPATH", str(tree))
    monkeypatch.syspath_prepend(str(tree))
    monkeypatch.chdir(tree)
    before = list(sys.path)
    assert [one.rule.code for one in packs(tree=[str(tree)]).rules] == ["TEAM001"]
    assert not (tree / "ran").exists()
    assert sys.path == before


def test_an_editable_pack_in_the_linted_tree_is_not_used_and_that_is_said(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = write(tmp_path / "tree", team_editable=EVIL)
    (tree / ".git").mkdir()
    install(site, "team_editable", EVIL)
    (site / "team_editable.py").unlink()
    monkeypatch.syspath_prepend(str(tree))  # as the `.pth` file of an editable install does
    found = packs(tree=[str(tree / "net.py")])
    assert found.rules == ()
    assert "team-rules 1.0 are not used: their code is in the linted tree" in found.notes[0]
    assert not (tree / "ran").exists()
    assert packs(tree=[str(tmp_path / "elsewhere")]).rules


def test_a_named_file_brings_no_folder_of_the_tree_onto_the_path(tmp_path: Path) -> None:
    write(tmp_path, json_of_ours="Evil = 1\n", team="import json_of_ours\n" + RULE)
    before = list(sys.path)
    with pytest.raises(RulebookError, match="No module named 'json_of_ours'"):
        packs([str(tmp_path / "team.py")])
    assert sys.path == before


def test_without_packs_libcst_is_not_imported(tmp_path: Path) -> None:
    write(tmp_path, net=MODEL)
    code = (
        "import sys; from compilelint.config import Options; from compilelint.session.commands.lint import lint; "
        "lint(Options((sys.argv[1],))); sys.exit('libcst' in sys.modules)"
    )
    source = str(Path(module.__file__).parents[2])
    subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], check=True, env={**os.environ, "PYTHONPATH": source}, timeout=120
    )


def test_a_package_is_named_by_its_folder_and_may_import_its_parts(tmp_path: Path) -> None:
    folder = write(tmp_path / "team_rules", __init__="from .items import COMPILELINT_API, ItemCall\n", items=RULE)
    (one,) = packs([str(folder)]).rules
    assert (one.rule.code, one.pack) == ("TEAM001", "--rules team_rules")


def test_the_named_sources_of_an_installed_pack_hold(site: Path, tmp_path: Path) -> None:
    install(site, "team_installed", RULE)
    (one,) = packs([str(write(tmp_path / "work", team=RULE))]).rules
    assert one.pack == "--rules team.py"
