"""The door of what is read beside linted files: bounded, regular, parsed with one clear message.

Each case is a file that tries to hang, crash or swell the run; it ends with one line, or the file is passed over.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from compilelint.disk.data import NotParsedError, json_of, toml_of
from compilelint.disk.read import SMALL, NotReadError, read_bytes
from compilelint.syntax.stack import run_with_deep_stack
from tests.security.hostile import BREAKS, ROOT, compilelint

TOML = [
    pytest.param("a = " + "[" * 500_000, id="open arrays"),
    pytest.param("a = " + "{a=" * 200_000, id="open tables"),
    pytest.param("a" + ".a" * 400_000 + " = 1", id="key of many parts"),
    pytest.param("[a" + ".a" * 400_000 + "]", id="table of many parts"),
    pytest.param('"a"' + '."a"' * 200_000 + " = 1", id="quoted key of many parts"),
    pytest.param("a = " + "9" * 900_000, id="number of many digits"),
    pytest.param("a = 1979-99-99", id="no date"),
    pytest.param("a = '\\ud800'\nb = \"\\ud800\"", id="half a character"),
    pytest.param("\x00" * 1000, id="null bytes"),
    pytest.param("a = 1\na = 2", id="key twice"),
    pytest.param('a = "' + "\\" * 500_000, id="backslashes"),
]
JSON = [
    pytest.param("[" * 5_000_000, id="open arrays"),
    pytest.param('{"a":' * 900_000, id="open objects"),
    pytest.param("9" * 4_000_000, id="number of many digits"),
    pytest.param("[" * 100 + "1" * 9_000 + "]" * 100, id="number in arrays"),
    pytest.param('"\\ud800', id="half a character"),
    pytest.param("nul", id="no JSON"),
    pytest.param("", id="empty"),
]


@pytest.mark.parametrize("text", TOML)
def test_a_bomb_of_toml_is_one_message(text: str) -> None:
    for deep in (False, True):
        started = time.process_time()
        with pytest.raises(NotParsedError) as caught:
            run_with_deep_stack(lambda: toml_of(text)) if deep else toml_of(text)
        assert time.process_time() - started < 5
        assert len(caught.value.message) < 120
        assert "\n" not in caught.value.message


@pytest.mark.parametrize("text", JSON)
def test_a_bomb_of_json_is_one_message(text: str) -> None:
    for deep in (False, True):
        started = time.process_time()
        with pytest.raises(NotParsedError) as caught:
            run_with_deep_stack(lambda: json_of(text)) if deep else json_of(text)
        assert time.process_time() - started < 5
        assert len(caught.value.message) < 120


def test_documents_of_usual_size_are_taken() -> None:
    assert toml_of(b'"a.b.c" = 1\r\nx.y = [1.5, 2]\n') == {
        "a.b.c": 1,
        "x": {"y": [1.5, 2]},
    }
    assert toml_of("a = '''" + "........" * 100 + "'''")["a"]
    assert json_of(b"\xef\xbb\xbf[1]") == [1]


# ------------------------------------------------------------------------ places


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _folder(path: Path) -> None:
    path.mkdir()


def _large(path: Path) -> None:
    with path.open("wb") as opened:
        opened.truncate(3_000_000_000)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


KINDS = [
    pytest.param(_fifo, id="pipe"),
    pytest.param(_folder, id="folder"),
    pytest.param(_large, id="three gigabytes"),
    pytest.param(_endless, id="endless device"),
    pytest.param(_loop, id="link to itself"),
]
NAMES = (
    "compilelint.toml",
    "pyproject.toml",
    "requirements.txt",
    ".gitignore",
    ".venv/pyvenv.cfg",
    ".venv/lib/python3.11/site-packages/a.pth",
    ".venv/lib/python3.11/site-packages/__editable___a_finder.py",
    ".venv/lib/python3.11/site-packages/torch-2.9.0.dist-info/METADATA",
    "nb.ipynb",
    "imported.py",
)
# Each name with one kind and each kind with two names; the others are many processes that say the same.
PLACES = [
    pytest.param(name, *kind.values, id=f"{name} {kind.id}", marks=() if (i - j) % 5 == 0 else pytest.mark.slow)
    for i, name in enumerate(NAMES)
    for j, kind in enumerate(KINDS)
]


@pytest.mark.parametrize(("name", "kind"), PLACES)
def test_what_is_no_plain_file_ends_in_a_line_or_is_passed_over(
    tmp_path: Path, name: str, kind: Callable[[Path], None]
) -> None:
    (tmp_path / "net.py").write_text(f"import imported\n{BREAKS}", encoding="utf-8")
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    kind(path)
    started = time.monotonic()
    done = compilelint(tmp_path, "check", ".", "--no-cache", "--output", "concise")
    assert time.monotonic() - started < 30
    assert "Traceback" not in done.stderr
    if done.returncode == 2:
        assert len(done.stderr.strip().splitlines()) == 1
        assert re.search(r"error: .+ \(.+\); .+", done.stderr)
    else:
        assert "net.py:6:8" in done.stdout


def _first_quick(bombs: list[ParameterSet]) -> list[ParameterSet]:
    """Of bombs that are also given to the parser itself, above, one as a whole run."""
    return [bombs[0], *(pytest.param(*one.values, id=one.id, marks=pytest.mark.slow) for one in bombs[1:])]


@pytest.mark.parametrize("text", _first_quick(TOML))
def test_a_bomb_as_configuration_is_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "net.py").write_text(BREAKS, encoding="utf-8")
    (tmp_path / "compilelint.toml").write_text(text, encoding="utf-8", errors="surrogatepass")
    done = compilelint(tmp_path, "check", ".", "--no-cache")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "compilelint.toml" in done.stderr


@pytest.mark.parametrize("text", _first_quick(JSON))
@pytest.mark.parametrize("name", ["baseline.json", "nb.ipynb"])
def test_a_bomb_as_baseline_or_notebook_is_one_line(tmp_path: Path, text: str, name: str) -> None:
    (tmp_path / "net.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / name).write_text(text[:4_900_000], encoding="utf-8")
    words = ["--baseline", name] if name == "baseline.json" else []
    done = compilelint(tmp_path, "check", ".", "--no-cache", "--output", "concise", *words)
    assert done.returncode == (2 if words else 1), done.stderr
    assert "Traceback" not in done.stderr


def test_odd_values_of_an_environment_are_passed_over(tmp_path: Path) -> None:
    site = tmp_path / ".venv" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    (tmp_path / "net.py").write_text(f"import evil\n{BREAKS}", encoding="utf-8")
    (tmp_path / ".venv" / "pyvenv.cfg").write_bytes(
        b"home = /a\0b/bin\ninclude-system-site-packages = true\n\xff = \xff\n"
    )
    (site / "a.pth").write_bytes(b"/a\0b\n\xff\xfe\nimport os; os.system('x')\n" + b"x" * 100_000)
    (site / "__editable___evil_finder.py").write_text(
        "MAPPING = {'evil': '/a\\0b', 'b': '\\ud800'}\n", encoding="utf-8"
    )
    done = compilelint(tmp_path, "check", ".", "--no-cache", "--python", ".venv", "--output", "concise")
    assert "net.py:6:8" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_file_that_lies_about_its_size_is_read_within_bounds() -> None:
    assert b"Python" in read_bytes("/proc/self/cmdline") or read_bytes("/proc/self/cmdline")
    with pytest.raises(NotReadError, match="not a regular file"):
        read_bytes("/dev/zero")
    with pytest.raises(NotReadError) as caught:
        read_bytes("a\0b")
    assert caught.value.kind == "io"


def test_the_bound_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * SMALL)
    assert len(read_bytes(str(path))) == SMALL
    path.write_bytes(b"x" * (SMALL + 1))
    with pytest.raises(NotReadError) as caught:
        read_bytes(str(path))
    assert caught.value.kind == "too-large"


def test_no_other_file_of_the_static_pass_opens_or_parses_documents() -> None:
    """`open`, `read_text`, `json.loads` and `tomllib` of foreign files stand in `disk/` alone."""
    package = ROOT / "src" / "compilelint"
    rooms = ("config", "project", "session", "syntax", "survey", "interp", "checks", "fixes", "report")
    doors = re.compile(r"(?<![\w.])open\(|\.read_text\(|\.read_bytes\(\)|json\.loads?\(|tomllib\.loads?\(")
    # Defaults of our own keys, our own templates, our own cache entries (checked before), copies that `compilelint fix`
    # and `prove` made themselves, and the factories that `init` writes.
    known = {
        "config/schema.py",
        "report/layout/templating.py",
        "session/incremental/run_cache.py",
        "session/commands/init.py",
        "session/fixing/patched.py",
        "session/fixing/prove.py",
        "session/pipeline/history.py",
        "session/pipeline/whole.py",
    }
    found = {
        path.relative_to(package).as_posix()
        for room in rooms
        for path in (package / room).rglob("*.py")
        if doors.search(path.read_text(encoding="utf-8"))
    }
    assert found <= known, found - known


def test_a_notebook_that_holds_odd_values_is_refused_or_linted(tmp_path: Path) -> None:
    cells: list[object] = [
        None,
        7,
        {"cell_type": "code", "source": 9},
        {"cell_type": "code", "source": ["x = 1\n", 3]},
        [],
        {"a": 1},
    ]
    (tmp_path / "nb.ipynb").write_text(json.dumps({"cells": cells, "metadata": []}), encoding="utf-8")
    done = compilelint(tmp_path, "check", ".", "--no-cache")
    assert done.returncode == 0, done.stderr
