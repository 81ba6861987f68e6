"""What the blocks around findings are, in the files that hold them."""

from __future__ import annotations

import ast
import warnings
from pathlib import Path

import pytest

from compilelint.model import CallSite, Location, Span
from compilelint.report.layout.quoted import Lines
from compilelint.report.overview.blocks import Blocks, parsed
from tests.report.overview.samples import BREAK, finding, report

SWITCHED = "def f(x, probe=False):\n    if probe:\n        print(x)\n    return g(x)\n\n\ndef g(x):\n    return x\n"


def test_a_finding_repeats_where_it_or_a_call_on_the_way_stands_in_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text("def f(x):\n    for b in x:\n        g(b)\n\n\ndef g(b):\n    return b\n", encoding="utf-8")
    name = path.as_posix()

    def at(line: int) -> Location:
        return Location(name, Span(line, 1, line, 2))

    plain = finding(BREAK, 7, path=name)
    through = finding(BREAK, 7, path=name, call_chain=(CallSite(at(3), "f"),))
    inside, head = finding(BREAK, 3, path=name), finding(BREAK, 2, path=name)
    repeats = Blocks(Lines(report((plain, inside, head)))).repeats
    assert [repeats(one) for one in (plain, through, inside, head)] == [False, True, True, False]


def test_a_finding_is_behind_a_switch_where_it_or_a_call_on_the_way_is(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(SWITCHED, encoding="utf-8")
    name = path.as_posix()
    behind, beside = finding(BREAK, 3, path=name), finding(BREAK, 4, path=name)
    through = finding(BREAK, 8, path=name, call_chain=(CallSite(Location(name, Span(3, 1, 3, 2)), "f"),))
    switch = Blocks(Lines(report((behind, beside)))).switch
    assert [switch(one) for one in (behind, beside, through)] == ["probe", "", "probe"]


def test_each_file_is_parsed_once_and_no_tree_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "m.py"
    path.write_text(SWITCHED, encoding="utf-8")
    first, second = finding(BREAK, 3, path=path.as_posix()), finding(BREAK, 4, path=path.as_posix())
    parses: list[str] = []
    parse = ast.parse

    def counted(text: str) -> ast.Module:
        parses.append(text)
        return parse(text)

    monkeypatch.setattr(ast, "parse", counted)
    blocks = Blocks(Lines(report((first, second))))
    assert [blocks.repeats(one) for one in (first, second)] == [False, False]
    assert [blocks.switch(one) for one in (first, second)] == ["probe", ""]
    assert parses == [SWITCHED]
    assert not [one for one in vars(blocks).values() if isinstance(one, ast.AST)]


def test_a_missing_file_and_what_is_not_python_have_no_blocks(tmp_path: Path) -> None:
    absent = finding(BREAK, 3, path=(tmp_path / "absent.py").as_posix())
    blocks = Blocks(Lines(report((absent,))))
    assert (blocks.repeats(absent), blocks.switch(absent)) == (False, "")
    assert parsed("def f(:").body == []


def test_invalid_escapes_in_linted_code_say_nothing_on_our_stderr() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parsed('x = "\\d"\n').body != []
