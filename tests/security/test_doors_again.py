"""A fourth round against the doors beside the analyser, as `test_git_again.py` is against git.

A tree says something to an environment, to a notebook's reader, to a report, to the cache or to a writer, and must be
taken for what it is: text. Every id begins with the class that it stands for.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import zipfile
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest

from compilelint.report.formats import FORMATS
from tests.security.attacks import Attack, attacked_tree, both, program, written
from tests.security.hostile import BREAKS, SECRET, all_reports, compilelint, fresh


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return attacked_tree(tmp_path)


# ------------------------------------------------------------------ environments on the path


def environment(*files: tuple[str, str]) -> Attack:
    """An environment in the tree: its interpreter is a program that leaves the mark."""

    def attack(tree: Path, mark: Path) -> None:
        site = tree / ".venv" / "lib" / "python3.11" / "site-packages"
        site.mkdir(parents=True)
        (tree / ".venv" / "bin").mkdir()
        for name in ("python", "python3"):
            shutil.copy(program(mark), tree / ".venv" / "bin" / name)
        (tree / ".venv" / "pyvenv.cfg").write_text(f"home = {tree}/.venv/bin\nversion = 3.11.0\n", encoding="utf-8")
        for name, text in files:
            path = site / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text.replace("MARK", str(mark)).replace("OUTSIDE", str(tree.parent / "outside")), "utf-8")

    return attack


def archive(name: str) -> Attack:
    """A module in an archive that a `.pth` puts on the path."""

    def attack(tree: Path, mark: Path) -> None:
        environment(("a.pth", f"{name}\n"))(tree, mark)
        with zipfile.ZipFile(tree / ".venv" / "lib" / "python3.11" / "site-packages" / name, "w") as opened:
            opened.writestr("evil/__init__.py", f"open({str(mark)!r}, 'w')\n")
            opened.writestr("../../../outside/new.py", "x = 1\n")
        (tree / "net.py").write_text("import evil\n" + BREAKS, encoding="utf-8")

    return attack


RUNS = "import os; open('MARK', 'w')\n"


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(environment(("a.pth", RUNS)), id="environment: a line that is run at the start"),
        pytest.param(environment(("sitecustomize.py", RUNS), ("usercustomize.py", RUNS)), id="environment: customized"),
        pytest.param(environment(("torch/__init__.py", RUNS), ("torch/version.py", RUNS)), id="environment: its torch"),
        pytest.param(
            environment(("torch-2.13.0.dist-info/METADATA", "Name: torch\nVersion: ##[error]2.13.0\n")),
            id="environment: version with an order",
        ),
        pytest.param(
            environment(("__editable___x_finder.py", RUNS), ("__editable__.x.pth", "import __editable___x_finder")),
            id="environment: editable finder",
        ),
        pytest.param(
            environment(("x.egg-link", "OUTSIDE\n."), ("easy-install.pth", "OUTSIDE\n")),
            id="environment: links of eggs",
        ),
        pytest.param(archive("evil.egg"), id="archive: egg"),
        pytest.param(archive("evil-1-py3-none-any.whl"), id="archive: wheel"),
        pytest.param(archive("evil.zip"), id="archive: zip"),
        pytest.param(
            written("compilelint.toml", 'python = "./.venv/bin/python"\n'), id="environment: named, not there"
        ),
        pytest.param(
            both(environment(), written("compilelint.toml", 'python = "./.venv/bin/python"\n')),
            id="environment: named interpreter that is a program",
        ),
        pytest.param(written("uv.toml", '[pip]\nindex-url = "http://127.0.0.1:9"\n'), id="tools: uv.toml"),
        pytest.param(written(".python-version", "../../../../PROGRAM\n"), id="tools: .python-version"),
        pytest.param(written(".env", "PYTHONPATH=.\nPATH=.\n"), id="tools: .env"),
        pytest.param(
            written("pyvenv.cfg", "home = .\ninclude-system-site-packages = true\n"), id="tools: pyvenv.cfg of the tree"
        ),
        pytest.param(written("tox.ini", "[compilelint]\nextend = PROGRAM\n"), id="tools: tox.ini"),
    ],
)
def test_nothing_of_an_environment_runs(tree: Path, tmp_path: Path, attack: Attack) -> None:
    mark = tmp_path / "mark"
    attack(tree, mark)
    done = fresh(tree, "check", ".", "--no-cache", "--output", "concise")
    assert not mark.exists()
    assert "Traceback" not in done.stderr
    assert "##[" not in done.stdout + done.stderr
    assert done.returncode in (1, 2)
    assert "[CL101]" in done.stdout or done.returncode == 2
    assert {path.name for path in (tmp_path / "outside").iterdir()} == {"secret.txt", "kept"}
    assert (tmp_path / "outside" / "kept").read_text(encoding="utf-8") == "kept\n"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        pytest.param("PYTHONWARNINGS", "error::evil.Warning", id="variable: a class of warnings"),
        pytest.param("PYTHONPYCACHEPREFIX", "TREE", id="variable: where compiled files lie"),
        pytest.param("PYTHONBREAKPOINT", "evil.run", id="variable: what a breakpoint runs"),
        pytest.param("VIRTUAL_ENV", "TREE/.venv", id="variable: an environment of the tree"),
        pytest.param("PYTHONPLATLIBDIR", "TREE", id="variable: folder of libraries"),
    ],
)
def test_a_variable_that_names_the_tree_runs_nothing(tree: Path, tmp_path: Path, variable: str, value: str) -> None:
    mark = tmp_path / "mark"
    environment(("a.pth", RUNS), ("sitecustomize.py", RUNS))(tree, mark)
    written("evil.py", RUNS.replace("MARK", str(mark)))(tree, mark)
    done = subprocess.run(
        [sys.executable, "-I", "-m", "compilelint", "check", "net.py", "--no-cache", "--output", "concise"],
        cwd=tree,
        env={**os.environ, variable: value.replace("TREE", str(tree))},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert not mark.exists()
    assert "net.py:5:8" in done.stdout, done.stderr


# ------------------------------------------------------------------ files


def bound(tree: Path, mark: Path) -> None:
    """A socket by the name of a module; its path is relative, since one of a socket is short."""
    here = Path.cwd()
    os.chdir(tree)
    try:
        socket.socket(socket.AF_UNIX).bind("sock.py")
    finally:
        os.chdir(here)


def nested(tree: Path, mark: Path) -> None:
    """Folders whose whole path is longer than the system takes."""
    here = os.open(tree, os.O_RDONLY)
    for _ in range(40):
        os.mkdir("d" * 200, dir_fd=here)
        inner = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(os.open("deep.py", os.O_WRONLY | os.O_CREAT, dir_fd=here))
    os.close(here)


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(bound, id="kind: socket"),
        pytest.param(nested, id="names: a path longer than the system takes"),
        pytest.param(
            lambda tree, mark: [(tree / f"{c}et.py").write_text(BREAKS) for c in "Nn"], id="names: alike but for case"
        ),
        pytest.param(lambda tree, mark: (tree / f"{'l' * 251}.py").write_text(BREAKS), id="names: 254 characters"),
        pytest.param(
            lambda tree, mark: Path(os.fsdecode(bytes(tree) + b"/\xff\xfe.py")).write_text(BREAKS),
            id="names: no characters",
        ),
        pytest.param(
            lambda tree, mark: [(tree / "e\u0301.py").write_text(BREAKS), (tree / "\u00e9.py").write_text(BREAKS)],
            id="names: composed and not",
        ),
        pytest.param(lambda tree, mark: (tree / "con.py:x").write_text(BREAKS), id="names: of another system"),
        pytest.param(lambda tree, mark: os.mkfifo(tree / ".gitignore"), id="kind: pipe of ignored names"),
        pytest.param(
            lambda tree, mark: [(tree / "p.py").mkdir(), (tree / "p.py" / "__init__.py").write_text(BREAKS)],
            id="kind: folder like a file",
        ),
        pytest.param(lambda tree, mark: os.link(tree / "net.py", tree / "same.py"), id="kind: two names of a file"),
        pytest.param(lambda tree, mark: os.mkfifo(tree / "pyproject.toml"), id="kind: pipe of settings"),
    ],
)
def test_odd_files_leave_the_others_judged(tree: Path, tmp_path: Path, attack: Attack) -> None:
    attack(tree, tmp_path / "mark")
    formats = [word for name in FORMATS for word in ("--output", f"{name}:{tmp_path}/report-{name}")]
    words = ("check", ".", *formats, "--cache-dir", str(tmp_path / "cache"), "--output", "concise")
    done = compilelint(tree, *words)
    assert "Traceback" not in done.stderr
    assert "net.py:5:8" in done.stdout or done.returncode == 2, done.stderr
    assert compilelint(tree, *words).stdout == done.stdout


# ------------------------------------------------------------------ notebooks


def notebook(**changes: object) -> str:
    cell: dict[str, object] = {
        "cell_type": "code",
        "source": BREAKS,
        "metadata": {},
        "outputs": [],
        "execution_count": None,
    }
    whole: dict[str, object] = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    for key, value in changes.items():
        (cell if key in ("source", "cell_type", "outputs", "id") else whole)[key] = value
    return json.dumps(whole)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            notebook(metadata={"kernelspec": {"argv": ["touch", "MARK"], "language": "python"}}), id="program: kernel"
        ),
        pytest.param(notebook(source=f"!touch MARK\n%run evil.py\n%%bash\n{BREAKS}"), id="program: magics"),
        pytest.param(notebook(source="x = '\ud800'\n" + BREAKS), id="text: half a character"),
        pytest.param(notebook(source=["import torch\n"] * 50_000), id="size: a cell of fifty thousand strings"),
        pytest.param(notebook(source=[[["x"]]]), id="type: lists of lists"),
        pytest.param(notebook(nbformat="4##[error]"), id="type: version of text"),
        pytest.param(notebook(outputs=[{"text": SECRET * 1000}]), id="size: outputs"),
        pytest.param(notebook(id="\x1b[31m::error::x"), id="text: order in the id of a cell"),
        pytest.param(notebook().replace('"cells"', '"cells": [], "cells"'), id="type: cells twice"),
        pytest.param("\ufeff" + notebook(), id="text: byte order mark"),
        pytest.param(notebook(source=BREAKS.replace("\n", "\r\u2028\x0c\n")), id="text: line ends of all kinds"),
    ],
)
def test_a_notebook_is_read_not_run(tree: Path, tmp_path: Path, text: str) -> None:
    mark = tmp_path / "mark"
    (tree / "n.ipynb").write_text(text.replace("MARK", str(mark)), encoding="utf-8", errors="surrogatepass")
    said = all_reports(tree, ".")
    assert not mark.exists()
    assert "\x1b" not in said
    assert "##[" not in said
    assert "net.py" in said


# ------------------------------------------------------------------ reports


class Page(HTMLParser):
    """The tags and attributes of a page that a browser would act on."""

    def __init__(self) -> None:
        super().__init__()
        self.acts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("img", "iframe", "object", "embed", "base", "form", "meta"):
            self.acts += [f"{tag} {attrs}"] if "EVIL" in str(attrs) else []
        self.acts += [
            f"{tag} {name}={value}" for name, value in attrs if name.startswith("on") and "EVIL" in str(value)
        ]
        self.acts += [
            f"{tag} {name}={value}" for name, value in attrs if name in ("href", "src") and "EVIL" in str(value)
        ]


PAYLOADS = {
    "html: image": "<img src=x onerror=EVIL>",
    "html: end of a script": "</script><script>EVIL</script>",
    "html: end of an attribute": '\\" onmouseover=\\"EVIL',
    "html: end of a comment": "--><svg onload=EVIL>",
    "html: end of data": "]]><script>EVIL</script>",
    "html: end of a style": "</style></title></textarea><script>EVIL</script>",
    "markdown: link": "[click](javascript:EVIL)",
    "markdown: image": "![x](https://EVIL.example/x)",
    "markdown: end of code": "`` ` ``` ```` <b>EVIL</b>",
    "markdown: end of a cell": "| EVIL | <details open> |",
    "markdown: mention": "@EVIL/team fixes #1",
    "annotation: end of a property": "::error file=EVIL,line=1::x",
    "annotation: escapes of its own": "%0A::error::EVIL%0D%3A%2C",
    "gitlab: section": "section_start:1:EVIL[collapsed=true]",
    "sarif: placeholder": "{0} {EVIL} [t](0) [EVIL](https://EVIL.example)",
}

# The text stands where messages, places and suggestions quote it.
QUOTING = """import torch, os


class C(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        print("{0}", x)
        print(f"{0} {{x.sum().item()}}")
        y = getattr(self, "{0}")(x)
        assert x.sum() > 0, "{0}"
        z = {{"{0}": x}}[str(x.sum().item())]
        os.environ["{0}"] = "1"
        if x.sum() > len("{0}"):
            raise ValueError("{0}")
        return torch.compile(getattr(os, "{0}"), backend="{0}", mode="{0}")(y, z, x.to("{0}"))


model = torch.compile(C(), backend="{0}", options={{"{0}": True}})
other = torch.compile(globals()["{0}"])
reveal = torch.ops.load_library("{0}")


@torch.library.custom_op("{0}", mutates_args=("{0}",))
def op(x: torch.Tensor) -> torch.Tensor:
    return x
"""


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=PAYLOADS.keys())
def test_text_of_a_program_stays_text_in_every_report(tree: Path, tmp_path: Path, payload: str) -> None:
    (tree / "net.py").write_text(QUOTING.format(payload), encoding="utf-8")
    formats = [word for name in FORMATS for word in ("--output", f"{name}:{tmp_path}/report-{name}")]
    done = compilelint(tree, "check", ".", "--no-cache", "--exit-zero", "--roots", "all", "--verbose", *formats)
    assert done.returncode == 0, done.stderr
    reports = {name: (tmp_path / f"report-{name}").read_text(encoding="utf-8") for name in FORMATS}
    page = Page()
    page.feed(reports["html"])
    assert page.acts == []
    assert not re.findall(r"<script>[^<]*EVIL|<(?:svg|img|b)\b[^>]*EVIL|<b>EVIL", reports["html"])
    fences = r"(?ms)^ *(`{3,})[^\n]*\n.*?^ *\1 *$"
    assert not re.findall(r"<(?:img|script|svg|b|style)\b|\]\([^)]*EVIL|@EVIL", re.sub(fences, "", reports["markdown"]))
    for line in reports["github"].splitlines():
        assert line.count("::") >= 2 or "::" not in line
        assert re.match(r"(::(error|warning|notice|group|endgroup)\b|[^:]|$)", line), line
        assert not line.startswith("::error file=EVIL")
    assert all(json.loads(reports[name]) is not None for name in reports if name in ("json", "sarif", "gitlab"))
    for message in re.findall(r'"text": "((?:[^"\\]|\\.)*)"', reports["sarif"]):
        assert not re.search(r"(?<!\\)\[[^\]\\]*EVIL[^\]\\]*\]\(", json.loads(f'"{message}"')), message


# ------------------------------------------------------------------ the cache


def swapped(folder: Path) -> None:
    """Every entry gets the content of its neighbour: all are ours, none is of its name."""
    paths = sorted(path for path in folder.rglob("*.entry"))
    texts = [path.read_bytes() for path in paths]
    for path, text in zip(paths, texts[1:] + texts[:1], strict=True):
        path.write_bytes(text)


def cut(folder: Path) -> None:
    for path in folder.rglob("*.entry"):
        path.write_bytes(path.read_bytes()[:-7])


def doubled(folder: Path) -> None:
    for path in folder.rglob("*.entry"):
        path.write_bytes(path.read_bytes() * 2)


def linked_to_each_other(folder: Path) -> None:
    paths = sorted(path for path in folder.rglob("*.entry"))
    for path in paths[1:]:
        path.unlink()
        os.link(paths[0], path)


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(swapped, id="entries: each under the name of another"),
        pytest.param(cut, id="entries: cut"),
        pytest.param(doubled, id="entries: doubled"),
        pytest.param(linked_to_each_other, id="entries: all one file"),
    ],
)
def test_our_own_entries_in_other_places_are_not_obeyed(
    tree: Path, tmp_path: Path, attack: Callable[[Path], None]
) -> None:
    cache = tmp_path / "cache"
    clean = tmp_path / "clean"
    clean.mkdir()
    (clean / "net.py").write_text("import torch\n\n\ndef f(x: torch.Tensor):\n    return x\n", encoding="utf-8")
    words = ("--cache-dir", str(cache), "--output", "concise", "--torch-version", "2.13")
    quiet = compilelint(clean, "check", "net.py", *words).stdout
    loud = compilelint(tree, "check", "net.py", *words).stdout
    assert "[CL101]" in loud
    assert list(cache.rglob("*.entry"))
    attack(cache)
    assert compilelint(tree, "check", "net.py", *words).stdout == loud
    assert compilelint(clean, "check", "net.py", *words).stdout == quiet


# ------------------------------------------------------------------ what is written


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(".git/config", id="of git: configuration"),
        pytest.param(".git/hooks/post-checkout", id="of git: hook"),
        pytest.param("sub/../.git/HEAD", id="of git: by a way around"),
        pytest.param("net.py", id="of the tree: a module"),
        pytest.param(".github/workflows/ci.yml", id="of the tree: a workflow"),
        pytest.param("Makefile", id="of the tree: a makefile"),
    ],
)
def test_a_baseline_that_the_tree_names_replaces_nothing_else(tree: Path, name: str) -> None:
    (tree / "sub").mkdir()
    (tree / ".github" / "workflows").mkdir(parents=True)
    for other in (".github/workflows/ci.yml", "Makefile", ".git/hooks/post-checkout"):
        (tree / other).parent.mkdir(exist_ok=True)
        (tree / other).write_text("all:\n", encoding="utf-8")
    (tree / "compilelint.toml").write_text(f"baseline = {json.dumps(name)}\n", encoding="utf-8")
    before = (tree / name).read_bytes()
    done = compilelint(tree, "check", ".", "--no-cache", "--update-baseline")
    assert (tree / name).read_bytes() == before
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("words", "name"),
    [
        pytest.param(["--output", "json:out"], "out", id="second name: report"),
        pytest.param(["--baseline", "out.json", "--update-baseline"], "out.json", id="second name: baseline"),
        pytest.param(["--add-ignore=x"], "net.py", id="second name: suppressions"),
    ],
)
def test_a_file_with_a_second_name_outside_changes_inside_alone(
    tree: Path, tmp_path: Path, words: list[str], name: str
) -> None:
    kept = tmp_path / "outside" / "linked"
    text = (tree / name).read_text(encoding="utf-8") if (tree / name).exists() else ""
    kept.write_text(text, encoding="utf-8")
    (tree / name).unlink(missing_ok=True)
    os.link(kept, tree / name)
    done = compilelint(tree, "check", "net.py", "--no-cache", *words)
    assert "Traceback" not in done.stderr
    assert kept.read_text(encoding="utf-8") == text


def test_a_link_to_a_neighbour_is_fixed_where_it_leads_or_not_at_all(tree: Path) -> None:
    """A fix never turns a link of the tree into a file of its own."""
    (tree / "real.py").write_text("y = 1  # compilelint: ignore[CL101]\n", encoding="utf-8")
    (tree / "also.py").symlink_to("real.py")
    compilelint(tree, "check", "also.py", "--no-cache", "--fix")
    assert (tree / "also.py").is_symlink()


def test_a_folder_that_cannot_be_written_is_one_line(tree: Path) -> None:
    if os.geteuid() == 0:  # root writes anywhere: a folder without room is as good
        target = "/proc/self"
    else:
        (tree / "shut").mkdir(mode=0o555)
        target = str(tree / "shut")
    done = compilelint(tree, "check", "net.py", "--no-cache", "--output", f"json:{target}/report.json")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
