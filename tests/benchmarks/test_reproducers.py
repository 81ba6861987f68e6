"""Reproducers on trial: ids in logs and lines of code."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.reproducers import Case, Result, code_lines, ids_in


@pytest.mark.parametrize(
    ("log", "ids"),
    [
        ("see https://meta-pytorch.github.io/compile-graph-break-site/gb/gb0170.html", {"GB0170"}),
        ("[0/1] [__recompiles] Recompiling function f in a.py:1", {"recompile"}),
        ("loss 0.25 GB0170", set()),
    ],
    ids=["a break's page", "a recompile", "text of the program's"],
)
def test_ids_are_read_from_torchs_own_log(log: str, ids: set[str]) -> None:
    assert ids_in(log) == ids


def test_comments_docstrings_and_blank_lines_are_no_code() -> None:
    assert code_lines('# head\n\nimport torch\n\n\ndef f(x):\n    """Two\n    lines."""\n    return x\n') == 3


def test_only_what_nothing_speaks_against_counts() -> None:
    case = Case(Path(), "net:Net")
    ids = frozenset({"GB0170"})
    assert Result(case, ids, ids, 9, "").counts
    assert not Result(case, ids, ids, 90, "too long").counts
