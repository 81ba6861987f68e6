"""Lines of keys in TOML texts: every form of key, table and value, and nothing taken for a key that is none."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compilelint.config.positions import lines_of

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TEXT = '''\
title = "a # no comment" # a comment = 1
"quoted key" = 1
dotted.inner.key = """
not = "a key"
[nor.a.table] \\""""
literal = \'\'\'
[also] = none\'\'\'\'

[tool.compilelint]  # a table
ignore = [
  "CL101",  # why
  'CL102',
]
day = 2026-11-21 10:00:00
per-file-ignores = { "a/**" = ["CL1"], 'b' = [
  "CL2" ] }

[[tool.compilelint.targets]]
model = "a:b"
[tool.compilelint.targets.inputs]
x = "2x3"

[[tool.compilelint.targets]]
inputs = [
  [1, 2], { deep = true },
]
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 1),
        (("quoted key",), 2),
        (("dotted", "inner", "key"), 3),
        (("literal",), 6),
        (("tool", "compilelint"), 9),
        (("tool", "compilelint", "ignore"), 10),
        (("tool", "compilelint", "ignore", 1), 12),
        (("tool", "compilelint", "day"), 14),
        (("tool", "compilelint", "per-file-ignores", "a/**", 0), 15),
        (("tool", "compilelint", "per-file-ignores", "b", 0), 16),
        (("tool", "compilelint", "targets", 0, "model"), 19),
        (("tool", "compilelint", "targets", 0, "inputs", "x"), 21),
        (("tool", "compilelint", "targets", 1), 23),
        (("tool", "compilelint", "targets", 1, "inputs", 1, "deep"), 25),
    ],
)
def test_where_things_stand(path: tuple[str | int, ...], line: int) -> None:
    assert lines_of(TEXT)[path] == line


def test_all_that_has_a_name_has_a_line_and_nothing_else_has() -> None:
    found = set(lines_of(TEXT))
    named = {path for path in paths_in(tomllib.loads(TEXT), ()) if path}
    assert named <= found
    # The tables that only a header's first words make have no line of their own.
    assert found - named == set()
    assert named - found == set()


def test_the_keys_of_this_project_s_own_file() -> None:
    text = (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    lines = lines_of(text)
    for path in paths_in(tomllib.loads(text), ()):
        if path and path in lines and isinstance(path[-1], str):
            assert path[-1] in text.split("\n")[lines[path] - 1]
    assert lines["project", "name"] == text.split("\n").index('name = "compilelint"') + 1


@pytest.mark.parametrize("text", ["", "\n\n# only words\n", "a = 1", "a = [[], [[]]]\n", "a={}\nb=''\n"])
def test_small_texts_end(text: str) -> None:
    assert {path[0] for path in lines_of(text)} == set(tomllib.loads(text))


def paths_in(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Every path of a document that a key, header or item spells out."""
    if path not in ((), ("tool",)):
        yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in pairs:
        yield from paths_in(inner, (*path, key))


def test_arrays_of_tables_in_arrays_of_tables_count_from_their_own_beginning() -> None:
    text = "[[a]]\nx = 1\n[[a.b]]\ny = 1\n[[a.b]]\ny = 2\n[a.c]\nz = 1\n[[a]]\n[[a.b]]\ny = 3\n[d]\n[d.e]\nf = 1\n"
    assert lines_of(text) == {
        ("a",): 1,
        ("a", 0): 1,
        ("a", 0, "x"): 2,
        ("a", 0, "b"): 3,
        ("a", 0, "b", 0): 3,
        ("a", 0, "b", 0, "y"): 4,
        ("a", 0, "b", 1): 5,
        ("a", 0, "b", 1, "y"): 6,
        ("a", 0, "c"): 7,
        ("a", 0, "c", "z"): 8,
        ("a", 1): 9,
        ("a", 1, "b"): 10,
        ("a", 1, "b", 0): 10,
        ("a", 1, "b", 0, "y"): 11,
        ("d",): 12,
        ("d", "e"): 13,
        ("d", "e", "f"): 14,
    }
