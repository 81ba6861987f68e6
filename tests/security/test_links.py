"""The door of links: what leads out of the tree is refused and reported, and text that is no Python is never quoted.

Every case puts a secret outside the tree and looks for it in every format; it must not be there, however it is asked.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from compilelint.disk.tree import leads_out, tree_of
from tests.security.hostile import BREAKS, SECRET, all_reports, compilelint

NOT_PYTHON = f"AWS_TOKEN={SECRET} and more\nPASSWORD: {SECRET}\n"
VARIABLES = {"CI_TOKEN": SECRET}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with one finding, and a home beside it that holds secrets."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "credentials").write_text(NOT_PYTHON, encoding="utf-8")
    (home / "settings.py").write_text(
        f"import torch\n\ndef f(x: torch.Tensor):\n    return x.item(), {SECRET!r}\n", encoding="utf-8"
    )
    (home / "secret.toml").write_text(f"select = ['{SECRET}']\n", encoding="utf-8")
    (home / "secret.json").write_text(json.dumps({"cells": [{"cell_type": "code", "source": f"x = {SECRET!r}"}]}))
    folder = tmp_path / "tree"
    (folder / ".git").mkdir(parents=True)
    (folder / "net.py").write_text(BREAKS, encoding="utf-8")
    return folder


def _environ(folder: Path) -> None:
    (folder / "env.py").symlink_to("/proc/self/environ")


def _passwd(folder: Path) -> None:
    (folder / "users.py").symlink_to("/etc/passwd")


def _credentials(folder: Path) -> None:
    (folder / "creds.py").symlink_to("../home/credentials")


def _python(folder: Path) -> None:
    (folder / "settings.py").symlink_to("../home/settings.py")


def _two_links(folder: Path) -> None:
    (folder / "first.txt").symlink_to("../home/settings.py")
    (folder / "second.py").symlink_to("first.txt")


def _folder(folder: Path) -> None:
    (folder / "conf").symlink_to("../home")


def _notebook(folder: Path) -> None:
    (folder / "book.ipynb").symlink_to("../home/secret.json")


def _imported(folder: Path) -> None:
    (folder / "conf").symlink_to("../home")
    (folder / "net.py").write_text(
        f"from conf.settings import f\nfrom settings import f as g\n{BREAKS}", encoding="utf-8"
    )
    (folder / "settings.py").symlink_to("../home/settings.py")


def _package(folder: Path) -> None:
    (folder / "pkg").mkdir()
    (folder / "pkg" / "__init__.py").symlink_to("../../home/settings.py")
    (folder / "net.py").write_text(f"import pkg\n{BREAKS}", encoding="utf-8")


def _requirements(folder: Path) -> None:
    (folder / "requirements.txt").symlink_to("../home/credentials")
    (folder / "pyproject.toml").write_text("", encoding="utf-8")


def _ignore_file(folder: Path) -> None:
    (folder / ".gitignore").symlink_to("../home/credentials")


def _environment(folder: Path) -> None:
    (folder / ".venv").mkdir()
    (folder / ".venv" / "pyvenv.cfg").symlink_to("../../home/credentials")


LINKS = [
    pytest.param(_environ, id="environment of the process"),
    pytest.param(_passwd, id="file of the system"),
    pytest.param(_credentials, id="file that is no Python"),
    pytest.param(_python, id="file that is Python"),
    pytest.param(_two_links, id="link to a link"),
    pytest.param(_folder, id="folder"),
    pytest.param(_notebook, id="notebook"),
    pytest.param(_imported, id="imported module"),
    pytest.param(_package, id="imported package"),
    pytest.param(_requirements, id="requirements"),
    pytest.param(_ignore_file, id="ignore file"),
    pytest.param(_environment, id="settings of an environment"),
]


@pytest.mark.parametrize("link", LINKS)
def test_no_report_holds_what_a_link_leads_to(
    tree: Path, link: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    link(tree)
    monkeypatch.setenv("CI_TOKEN", SECRET)
    reported = all_reports(tree, ".")
    assert SECRET not in reported
    assert "root:x:" not in reported, "the first line of /etc/passwd; `:root:not(` is a selector of the HTML report"
    assert "net.py" in reported, "what is not linked is linted"


@pytest.mark.parametrize("link", [_environ, _credentials, _python, _notebook, _two_links])
def test_a_refused_link_is_reported_once(tree: Path, link: Callable[[Path], None]) -> None:
    link(tree)
    done = compilelint(tree, "check", ".", "--no-cache", "--output", "json")
    refused = [one for one in json.loads(done.stdout)["findings"] if one["rule"] == "CL901"]
    assert len(refused) == 1
    assert "link" in refused[0]["message"]


def test_a_named_link_is_refused_too(tree: Path) -> None:
    """A hook is given the names of changed files."""
    _python(tree)
    _environ(tree)
    reported = all_reports(tree, "settings.py", "env.py")
    assert SECRET not in reported
    assert "leads out of its tree" in reported


def test_a_named_folder_that_leads_out_of_its_repository_is_refused(tree: Path) -> None:
    _folder(tree)
    assert SECRET not in all_reports(tree, "conf")
    assert SECRET not in all_reports(tree, "conf/settings.py")


@pytest.mark.parametrize("name", ["compilelint.toml", "pyproject.toml"])
def test_a_linked_configuration_is_refused(tree: Path, name: str) -> None:
    (tree / name).symlink_to("../home/secret.toml")
    done = compilelint(tree, "check", ".", "--no-cache")
    assert done.returncode == 2
    assert "is a link out of its tree" in done.stderr
    assert SECRET not in done.stdout + done.stderr


@pytest.mark.parametrize("base", ["../home/secret.toml", "/proc/self/environ", "~/secret.toml", "link.toml"])
def test_a_base_configuration_outside_the_repository_is_refused(tree: Path, base: str) -> None:
    (tree / "link.toml").symlink_to("../home/secret.toml")
    (tree / "compilelint.toml").write_text(f'extend = "{base}"\n', encoding="utf-8")
    done = compilelint(tree, "check", ".", "--no-cache", environment={"HOME": str(tree.parent / "home")})
    assert done.returncode == 2
    assert "outside the project" in done.stderr
    assert SECRET not in done.stdout + done.stderr


# ------------------------------------------------------------------------ no Python


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("a.py", NOT_PYTHON, id="no Python"),
        pytest.param("a.py", f"x = '{SECRET}\n", id="open text"),
        pytest.param("a.py", f"def {SECRET}:\n    pass\n", id="no name"),
        pytest.param("a.py", f"# {SECRET} \x00\n", id="null byte"),
        pytest.param("a.ipynb", f"{{'{SECRET}'", id="no notebook"),
        pytest.param(
            "a.ipynb",
            json.dumps({"cells": [{"cell_type": "code", "source": f"key {SECRET} is"}]}),
            id="cell of no Python",
        ),
    ],
)
def test_text_that_is_no_python_is_in_no_report(tree: Path, name: str, text: str) -> None:
    (tree / name).write_text(text, encoding="utf-8")
    reported = all_reports(tree, ".")
    assert SECRET not in reported
    assert "CL901" in reported


def test_a_module_outside_that_a_tree_puts_on_the_path_is_not_quoted(tree: Path) -> None:
    """A `.pth` of an environment in the tree leads to a folder of the home; labels could quote its lines."""
    site = tree / ".venv" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (tree / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
    (site / "a.pth").write_text(f"{tree.parent / 'home'}\n", encoding="utf-8")
    (tree / "net.py").write_text(
        "import torch\nfrom settings import f\n\n\ndef g(x: torch.Tensor):\n    return f(x)\n", encoding="utf-8"
    )
    assert SECRET not in all_reports(tree, ".", "--python", ".venv")


# ------------------------------------------------------------------------ what stays


def test_links_within_the_repository_are_linted(tree: Path) -> None:
    (tree / "sub").mkdir()
    (tree / "shared").mkdir()
    (tree / "shared" / "real.py").write_text(BREAKS, encoding="utf-8")
    (tree / "sub" / "link.py").symlink_to("../shared/real.py")
    done = compilelint(tree, "check", "sub", "--no-cache", "--output", "concise")
    assert "link.py:5:8" in done.stdout


def test_a_folder_that_its_user_reaches_by_a_link_is_linted(tree: Path) -> None:
    (tree.parent / "short").symlink_to(tree)
    done = compilelint(tree.parent, "check", "short", "--no-cache", "--output", "concise")
    assert "net.py:5:8" in done.stdout


def test_a_link_to_another_repository_leads_out(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "home" / ".git").mkdir()
    (tree / "other").symlink_to("../home")
    assert leads_out(str(tree / "other" / "settings.py"))
    assert not tree_of([str(tree)]).holds(str(tree / "other" / "settings.py"))
    assert tree_of([str(tree / "other")]).tops == ()
    assert not leads_out(str(tree / "net.py"))
    assert tree_of([str(tree)]).holds(os.path.join(str(tree), "net.py"))
