"""Bytes to text, lines and columns: every file is read or refused with a place, and none hangs or kills the process."""

from __future__ import annotations

import ast
import codecs
import json
import os
import sys
import tokenize
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from compilelint.syntax import parse as parsing
from compilelint.syntax import source as source_module
from compilelint.syntax.parse import MAX_DEPTH, parse, tree_depth
from compilelint.syntax.source import Source, read_source, source_from_bytes, utf8_columns
from compilelint.syntax.stack import in_deep_stack, run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable


def readable(data: bytes) -> Source:
    found = source_from_bytes("/x.py", data)
    assert isinstance(found, Source), found
    return found


def refused(data: bytes) -> Unreadable:
    found = source_from_bytes("/x.py", data)
    if isinstance(found, Source):
        tree = found.tree()
        assert isinstance(tree, Unreadable)
        return tree
    return found


@pytest.mark.parametrize(
    ("data", "text", "newline"),
    [
        pytest.param(b"", "", "\n", id="empty"),
        pytest.param(b"a\nb\n", "a\nb\n", "\n", id="unix"),
        pytest.param(b"a\r\nb\r\n", "a\nb\n", "\r\n", id="dos"),
        pytest.param(b"a\rb\r", "a\nb\n", "\r", id="lone carriage returns"),
        pytest.param(b"a\r\nb\nc\r", "a\nb\nc\n", None, id="mixed"),
        pytest.param(b"a\r\rb", "a\n\nb", "\r", id="two carriage returns are two lines"),
    ],
)
def test_line_ends_are_those_of_the_tokenizer(data: bytes, text: str, newline: str | None) -> None:
    found = readable(data)
    assert (found.text, found.newline) == (text, newline)
    if newline is not None:
        assert found.encode(found.text) == data


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_lines_agree_with_the_syntax_tree(newline: bytes) -> None:
    # Form feeds, vertical tabs, U+0085 and U+2028 end lines for str.splitlines, but not for Python.
    lines = ["x = 1", "\fy = 'a\u2028b\x0bc\x85d'", "", "def f(é):", "    return é"]
    found = readable(newline.join(line.encode() for line in lines))
    assert found.lines == lines
    assert found.has_form_feeds
    tree = found.tree()
    assert isinstance(tree, ast.Module)
    (returned,) = [node for node in ast.walk(tree) if isinstance(node, ast.Return)]
    assert found.line(returned.lineno)[returned.col_offset :] == "return é"
    assert found.line(0) == found.line(99) == ""


def test_byte_order_mark_is_no_text() -> None:
    data = codecs.BOM_UTF8 + "é = 1\r\n".encode()
    found = readable(data)
    assert (found.text, found.bom, found.encoding) == ("é = 1\n", True, "utf-8")
    assert found.encode(found.text) == data


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("# coding: latin-1\nx = 'é'\n".encode("latin-1"), id="first line"),
        pytest.param(
            "#!/usr/bin/python\r# -*- coding: iso-8859-15 -*-\rx = 'é'\r".encode("latin-1"), id="second line, CR"
        ),
        pytest.param("# vim: set fileencoding=cp1252 :\r\nx = 'é'\r\n".encode("cp1252"), id="vim"),
        pytest.param("# coding: utf-8\nx = 'é'\n".encode(), id="utf-8 said aloud"),
        pytest.param("# coding: shift_jis\nx = 'é'\n".replace("é", "表").encode("shift_jis"), id="multi-byte"),
    ],
)
def test_declared_encodings(data: bytes) -> None:
    found = readable(data)
    tree = found.tree()
    assert isinstance(tree, ast.Module)
    assert ast.unparse(tree) in ("x = 'é'", "x = '表'")
    assert found.encode(found.text) == data


def test_a_cookie_on_the_third_line_says_nothing() -> None:
    assert readable("#\n#\n# coding: latin-1\nx = 'é'\n".encode()).encoding == "utf-8"


@pytest.mark.parametrize(
    ("data", "kind", "line", "column"),
    [
        pytest.param(b"x = 1\ny = '\xff'\n", "encoding", 2, 6, id="invalid byte"),
        pytest.param("é = '".encode() + b"\xff'\n", "encoding", 1, 6, id="columns count code points"),
        pytest.param(b"# coding: no-such\n", "encoding", 1, 1, id="unknown codec"),
        pytest.param(b"# coding: rot13\n", "encoding", 1, 1, id="codec that is no text encoding"),
        pytest.param(b"# coding: punycode\nx\n", "encoding", 1, 1, id="codec slow enough to hang on"),
        pytest.param(codecs.BOM_UTF8 + b"# coding: latin-1\n", "encoding", 1, 1, id="mark and cookie disagree"),
        pytest.param(b"x = 1\n  y = \0\n", "syntax", 2, 7, id="null byte"),
        pytest.param(b"x = 1\nif x\n", "syntax", 2, 5, id="syntax"),
        pytest.param(b"x = '\xc3\xa9' +\n", "syntax", 1, 9, id="syntax behind a wide character"),
        pytest.param(b"# coding: utf-7\nx = '+2AA-'\n", "syntax", 2, 6, id="codec that yields a lone surrogate"),
        pytest.param(b"a = " + b"(" * 300 + b")" * 300, "too-deep", 1, 205, id="brackets"),
    ],
)
def test_refusals_have_a_place(data: bytes, kind: str, line: int, column: int) -> None:
    found = refused(data)
    assert (found.kind, found.line, found.path) == (kind, line, "/x.py"), found
    assert abs(found.column - column) <= 1, found  # CPython's own syntax columns move by one between versions
    assert found.message


def test_syntax_warnings_of_linted_code_are_not_ours(recwarn: pytest.WarningsRecorder) -> None:
    assert isinstance(parse(r"x = '\d'" + "\nif x is 1: pass\nassert (x, 1)\n"), ast.Module)
    assert not recwarn.list


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.py").mkdir()
    os.mkfifo(tmp_path / "fifo.py")
    (tmp_path / "loop.py").symlink_to(tmp_path / "loop.py")
    kinds = {}
    for name in ("folder.py", "fifo.py", "missing.py", "loop.py", "null\0.py"):
        found = read_source(str(tmp_path / name))
        assert isinstance(found, Unreadable)
        kinds[name] = found.kind
    assert kinds == {
        "folder.py": "not-a-file",
        "fifo.py": "not-a-file",
        "missing.py": "missing",
        "loop.py": "io",
        "null\0.py": "io",
    }


def test_permission_is_distinguished_from_absence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The tests may run as root, whom no mode keeps out: the refusal is the system call's.
    def denied(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "x.py"
    path.write_text("")
    monkeypatch.setattr(os, "open", denied)
    found = read_source(str(path))
    assert isinstance(found, Unreadable)
    assert (found.kind, found.message) == ("permission", "permission denied")


def test_huge_files_are_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.py"
    with path.open("wb") as opened:
        opened.truncate(source_module.MAX_BYTES * 1000)
    found = read_source(str(path))
    assert isinstance(found, Unreadable)
    assert found.kind == "too-large"


def test_path_is_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.py").write_text("x = 1\n")
    monkeypatch.chdir(tmp_path)
    found = read_source("x.py")
    assert isinstance(found, Source)
    assert found.path == f"{tmp_path.as_posix()}/x.py"


@pytest.mark.parametrize("line", ["", "plain", "é", "a é 漢 \U0001d4b3 z", "\té", "\ud800 x"])
def test_columns_count_code_points(line: str) -> None:
    columns = utf8_columns(line)
    offset = 0
    for column, character in enumerate(line, 1):
        assert (columns[offset] if columns else offset + 1) == column
        offset += len(character.encode("utf-8", "surrogatepass"))
    assert (columns[offset] if columns else offset + 1) == len(line) + 1


def test_columns_of_a_source() -> None:
    found = readable("x = 1\ns = '漢字' + y\n".encode())
    tree = found.tree()
    assert isinstance(tree, ast.Module)
    (name,) = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "y"]
    assert name.end_col_offset is not None
    assert found.column(name.lineno, name.col_offset) == found.lines[1].index("y") + 1
    assert found.column(name.lineno, name.end_col_offset) == len(found.lines[1]) + 1
    assert found.column(1, 4) == 5


DEEP: dict[str, Callable[[int], str]] = {
    "terms": lambda n: "x = " + " + ".join(["1"] * n) + "\n",
    "calls": lambda n: "x = a" + ".b()" * n + "\n",
    "elif": lambda n: "if a:\n    pass\n" + "elif b:\n    pass\n" * n,
    "brackets": lambda n: "x = " + "(" * n + "1" + ")" * n + "\n",
    "blocks": lambda n: "".join("\t" * i + "if a:\n" for i in range(n)) + "\t" * n + "pass\n",
    "unary": lambda n: "x = " + "-" * n + "1\n",
    "lambda": lambda n: "x = " + "lambda: " * n + "1\n",
    "power": lambda n: "x = " + "**".join(["1"] * n) + "\n",
}
# CPython 3.12 and 3.13 count the levels of a tree in C and stop at some 3,000 and 10,000, whatever the stack.
UNBOUNDED = sys.version_info < (3, 12)


@pytest.mark.parametrize(
    ("shape", "size", "accepted"),
    [
        ("terms", 2_500, True),
        ("terms", 20_000, UNBOUNDED),
        ("terms", 30_000, False),
        pytest.param("terms", 150_000, False, marks=pytest.mark.slow),
        ("calls", 1_400, True),
        ("calls", 3_000, UNBOUNDED or sys.version_info >= (3, 13)),
        ("elif", 2_000, True),
        ("elif", 40_000, False),
        ("brackets", 150, True),
        ("brackets", 100_000, False),
        ("blocks", 99, True),
        ("blocks", 500, False),
        ("unary", 2_500, True),
        ("unary", 100_000, False),
        ("lambda", 100_000, False),
        ("power", 100_000, False),
    ],
)
def test_depth_is_accepted_or_refused_never_fatal(shape: str, size: int, accepted: bool) -> None:
    found = parse(DEEP[shape](size), "/x.py")
    if accepted:
        assert isinstance(found, ast.Module), found
        assert tree_depth(found) <= MAX_DEPTH + 8
    elif isinstance(found, Unreadable):
        assert found.kind == "too-deep"
    else:
        # A later CPython may accept more than those measured; its tree must still be within our own bound.
        assert sys.version_info >= (3, 14)
        assert tree_depth(found) <= MAX_DEPTH + 8


def test_depth_in_a_long_flat_file_is_found_where_it_is() -> None:
    text = "class A:\n" + "    x = 1\n" * 20_000 + "    y = " + " + ".join(["1"] * 30_000) + "\n"
    found = parse(text)
    assert isinstance(found, Unreadable)
    assert found.kind == "too-deep"
    if UNBOUNDED:
        assert found.line == 20_002
    flat = parse("x = [" + "1, " * 60_000 + "]\n")
    assert isinstance(flat, ast.Module)


def test_deep_stack_bears_deep_recursion_and_restores_the_limit() -> None:
    before = sys.getrecursionlimit()

    def down(levels: int) -> int:
        return 0 if levels == 0 else 1 + down(levels - 1)

    def twice() -> int:
        assert in_deep_stack()
        return run_with_deep_stack(lambda: down(100_000))  # nested: runs in place

    assert run_with_deep_stack(twice) == 100_000
    assert sys.getrecursionlimit() == before
    assert not in_deep_stack()


def test_endless_recursion_is_an_error_not_a_crash() -> None:
    def endless() -> None:
        sorted((1, 2), key=again)

    def again(number: int) -> int:
        endless()
        return number

    with pytest.raises(RecursionError):
        run_with_deep_stack(endless)


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), KeyboardInterrupt()])
def test_deep_stack_passes_errors_on(error: BaseException) -> None:
    def fails() -> None:
        raise error

    with pytest.raises(type(error)) as caught:
        run_with_deep_stack(fails)
    assert caught.value is error


def test_text_agrees_with_the_standard_library() -> None:
    for path in sorted(Path(os.__file__).parent.glob("*.py"))[:60]:
        found = read_source(str(path))
        with tokenize.open(path) as opened:
            assert isinstance(found, Source)
            assert found.text == opened.read()


# ----------------------------------------------------------------------- budget

DENSE = {
    "short lines": "x\n",
    "statements on one line": "x;",
    "assignments": "x=1\n",
    "anonymous functions": "lambda:0\n",
    "comprehensions": "[x for x in x]\n",
    "numbers of a list": "0,",
    "keywords of calls": "f(a=1)\n",
    "brackets": "()\n",
}


@pytest.mark.parametrize("piece", DENSE.values(), ids=DENSE.keys())
def test_a_text_of_more_words_than_a_tree_may_have_is_refused(piece: str) -> None:
    """800,000 short lines took 2.1 GB, though the file is smaller than may be."""
    text = piece * (3_000_000 // len(piece))
    found = source_from_bytes("/x.py", text.encode())
    assert isinstance(found, Unreadable)
    assert (found.kind, found.message) == ("too-large", "more than 330,000 words and symbols")
    again = parse(f"x=[{text}]" if piece == "0," else text)
    assert isinstance(again, Unreadable)
    assert again.kind == "too-large"


@pytest.mark.parametrize("piece", DENSE.values(), ids=DENSE.keys())
def test_a_tree_takes_no_more_than_is_said_for_a_word(piece: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = f"x=[{piece * 3_000}]" if piece == "0," else piece * 3_000
    tracemalloc.start()
    try:
        kept = ast.parse(text)
        size, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept.body
    words = next(most for most in range(0, 10**6, 500) if _fits(text, most, monkeypatch))
    assert size / words < 750


def _fits(text: str, most: int, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(parsing, "MAX_WORDS", most)
    return parsing.too_many_words(text) is None


def test_long_texts_of_few_words_are_read() -> None:
    data = "x = '" + "Ab0" * 1_000_000 + "'\n" + "# note\n" * 1_000
    assert isinstance(source_from_bytes("/x.py", data.encode()), Source)
    printed = json.dumps({"cells": [], "output": "a b " * 300_000})
    assert isinstance(source_from_bytes("/x.ipynb", printed.encode()), Source)  # what it prints is no work
    larger = source_from_bytes("/x.py", b"#" * (source_module.MAX_BYTES + 1))
    assert isinstance(larger, Unreadable)
    assert larger.message == "larger than 5 MB"
