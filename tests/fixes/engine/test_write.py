"""Files are written whole or not at all, in their own style, and only where the user pointed."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from compilelint.cli import run
from compilelint.disk.write import NotWrittenError
from compilelint.fixes.engine.write import write, write_together
from compilelint.syntax.source import Source, read_source

KILLS = 300


def _source(path: Path) -> Source:
    found = read_source(str(path))
    assert isinstance(found, Source)
    return found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"a = 1\nb = 2\n", b"a = 1\nb = 3\n", id="newlines"),
        pytest.param(b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\n", id="carriage return and newline"),
        pytest.param(b"a = 1\rb = 2\r", b"a = 1\rb = 3\r", id="lone carriage returns"),
        pytest.param(b"a = 1\r\nb = 2\nc = 3\r", b"a = 1\r\nb = 3\nc = 3\r", id="mixed ends stay where they were"),
        pytest.param(b"\xef\xbb\xbfa = 1\nb = 2\n", b"\xef\xbb\xbfa = 1\nb = 3\n", id="byte order mark"),
        pytest.param(b"a = 1\nb = 2", b"a = 1\nb = 3", id="no newline at the end"),
        pytest.param(
            b"# coding: latin-1\n# \xe9\nb = 2\n", b"# coding: latin-1\n# \xe9\nb = 3\n", id="another encoding"
        ),
        pytest.param(b"a = '\x0c'\nb = 2\n", b"a = '\x0c'\nb = 3\n", id="form feed"),
    ],
)
def test_the_style_of_the_bytes_stays(before: bytes, after: bytes, tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(before)
    source = _source(path)
    write(source, source.text.replace("b = 2", "b = 3"), [str(tmp_path)])
    assert path.read_bytes() == after


def test_the_mode_stays(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("a = 1\n", encoding="utf-8")
    path.chmod(0o754)
    write(_source(path), "a = 2\n", [str(path)])
    assert stat.S_IMODE(path.stat().st_mode) == 0o754
    assert os.listdir(tmp_path) == ["m.py"]


def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("a = 1\n", encoding="utf-8")
    source = _source(path)
    path.write_text("a = 7\n", encoding="utf-8")
    with pytest.raises(NotWrittenError, match="changed during the run"):
        write(source, "a = 2\n", [str(tmp_path)])
    assert path.read_text(encoding="utf-8") == "a = 7\n"


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("a = 1\n", encoding="utf-8")
    path.chmod(0o444)
    with pytest.raises(NotWrittenError, match="read-only"):
        write(_source(path), "a = 2\n", [str(tmp_path)])
    assert path.read_text(encoding="utf-8") == "a = 1\n"


def test_a_link_that_leaves_the_linted_folder_is_left_alone(tmp_path: Path) -> None:
    inside, outside = tmp_path / "in", tmp_path / "out.py"
    inside.mkdir()
    outside.write_text("a = 1\n", encoding="utf-8")
    (inside / "m.py").symlink_to(outside)
    with pytest.raises(NotWrittenError, match="outside the linted paths"):
        write(_source(inside / "m.py"), "a = 2\n", [str(inside)])
    assert outside.read_text(encoding="utf-8") == "a = 1\n"


def test_a_link_within_the_linted_folder_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.py").write_text("a = 1\n", encoding="utf-8")
    (tmp_path / "link.py").symlink_to(tmp_path / "real.py")
    write(_source(tmp_path / "link.py"), "a = 2\n", [str(tmp_path)])
    assert (tmp_path / "link.py").is_symlink()
    assert (tmp_path / "real.py").read_text(encoding="utf-8") == "a = 2\n"


def test_a_character_that_the_encoding_lacks_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_bytes(b"# coding: latin-1\na = 1\n")
    with pytest.raises(NotWrittenError, match="has no"):
        write(_source(path), "# coding: latin-1\na = '\u20ac'\n", [str(tmp_path)])
    assert path.read_bytes() == b"# coding: latin-1\na = 1\n"


# In a small process of its own, since a fork of one that ran thousands of tests takes ten times as long.
KILLING = """
import os, random, signal, sys, time
from compilelint.fixes.engine.write import write
from compilelint.syntax.source import read_source

path, folder, times = sys.argv[1], os.path.dirname(sys.argv[1]), int(sys.argv[2])
write(read_source(path), "b" * 200_000, [folder])  # loads what writing needs
moments, seen = random.Random(0), set()
for _ in range(times):
    writer = os.fork()
    while writer == 0:
        source = read_source(path)
        write(source, ("b" if source.text[0] == "a" else "a") * len(source.text), [folder])
    time.sleep(moments.random() * 0.01)
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    text = open(path, encoding="utf-8").read()
    seen.add(f"{len(text)} of {''.join(sorted(set(text)))}")
print(*sorted(seen), sep=", ")
"""


def test_a_run_killed_at_any_moment_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("a" * 200_000, encoding="utf-8")
    command = [sys.executable, "-c", KILLING, str(path), str(KILLS)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "200000 of a, 200000 of b", done.stderr


BAD = "import torch\n\n\ndef f(x: torch.Tensor):\n    print(1)\n    return x\n"
GOOD = BAD.replace("    print(1)", "    if not torch.compiler.is_compiling():\n        print(1)")


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A file with one finding that has an unsafe fix."""
    path = tmp_path / "m.py"
    path.write_text(BAD, encoding="utf-8")
    return path


LIKE = ["--torch-version", "2.13", "--roots", "all"]


def test_diff_shows_and_writes_nothing(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(bad), *LIKE, "--diff", "--unsafe-fixes"]) == 1
    printed = capsys.readouterr().out
    assert "-    print(1)\n+    if not torch.compiler.is_compiling():\n+        print(1)\n" in printed
    assert bad.read_text(encoding="utf-8") == BAD


def test_diff_without_leave_shows_nothing(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad.write_text(BAD.replace("print(1)", "print(input())"), encoding="utf-8")  # reading a line is no mere print
    assert run(["check", str(bad), *LIKE, "--diff"]) == 0
    assert capsys.readouterr().out == ""


def test_fix_writes_and_the_rest_is_reported(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(bad), *LIKE, "--fix", "--unsafe-fixes", "--output", "concise"]) == 0
    assert bad.read_text(encoding="utf-8") == GOOD
    assert "fixed 1 finding in 1 file (1 CL201)" in capsys.readouterr().err


def test_fix_says_what_it_left_alone(bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad.chmod(0o444)
    assert run(["check", str(bad), *LIKE, "--fix", "--unsafe-fixes", "--output", "concise"]) == 1
    assert "was not written: it is read-only" in capsys.readouterr().err
    assert bad.read_text(encoding="utf-8") == BAD


@pytest.mark.parametrize("wrong", [["--fix", "--diff"], ["--unsafe-fixes"], ["--diff", "--allow-config"]])
def test_contradictions_are_refused(wrong: list[str], bad: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["check", str(bad), *LIKE, *wrong]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_files_of_one_fix_are_written_together(tmp_path: Path) -> None:
    sources = _two(tmp_path)
    write_together([(one, "b = 3\n") for one in sources], [str(tmp_path)])
    assert [Path(one.path).read_text() for one in sources] == ["b = 3\n"] * 2


def test_where_one_file_cannot_be_written_none_is(tmp_path: Path) -> None:
    sources = _two(tmp_path)
    Path(sources[1].path).write_text("c = 1\n")
    with pytest.raises(NotWrittenError, match="changed during the run") as refused:
        write_together([(one, "b = 3\n") for one in sources], [str(tmp_path)])
    assert refused.value.path == sources[1].path
    assert Path(sources[0].path).read_text() == "a = 1\n"
    outside = _two(tmp_path)
    with pytest.raises(NotWrittenError, match="outside the linted paths"):
        write_together([(one, "b = 3\n") for one in outside], [outside[0].path])
    assert [Path(one.path).read_text() for one in outside] == ["a = 1\n"] * 2


def test_what_was_replaced_is_put_back_where_a_later_file_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources, replace = _two(tmp_path), os.replace

    def failing(start: str, end: str) -> None:
        if end == sources[1].path:
            raise PermissionError(13, "Permission denied")
        replace(start, end)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(NotWrittenError, match="permission denied"):
        write_together([(one, "b = 3\n") for one in sources], [str(tmp_path)])
    assert [Path(one.path).read_text() for one in sources] == ["a = 1\n"] * 2
    assert sorted(one.name for one in tmp_path.iterdir()) == ["m.py", "n.py"], "nothing is left beside them"


def _two(folder: Path) -> list[Source]:
    for name in ("m.py", "n.py"):
        (folder / name).write_text("a = 1\n")
    return [_source(folder / name) for name in ("m.py", "n.py")]
