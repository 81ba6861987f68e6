"""The last touch of a report: quoted lines, places in notebooks, and what the run has to say about itself."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from compilelint.config import Options
from compilelint.model import Confidence, Effect, Finding, Location, Notice, Rule, Span
from compilelint.project.compile_calls import CompileCall
from compilelint.project.discovery import Discovery
from compilelint.rulebook import UNPARSABLE_FILE
from compilelint.session.pipeline import finish
from compilelint.syntax.source import Source
from compilelint.syntax.unreadable import Unreadable

RULE = Rule("CL101", "branch-on-tensor", "", Effect.GRAPH_BREAK)


def found(path: str, line: int, rule: Rule = RULE) -> Finding:
    return Finding(rule, "m", rule.effects, Confidence.CERTAIN, Location(path, Span(line, 1, line, 2)))


def texts(notices: Any) -> list[tuple[str, str]]:
    return [(one.kind, one.text) for one in notices]


# ------------------------------------------------------------------ quoted lines


def test_findings_quote_their_first_line_from_memory_or_from_the_file(tmp_path: Path) -> None:
    on_disk = tmp_path / "disk.py"
    on_disk.write_text("one\ntwo\n", encoding="utf-8")
    sources = {"/memory.py": Source("/memory.py", "a\nb\n", ascii=True)}
    given = [
        found("/memory.py", 2),
        found(str(on_disk), 1),
        found("/gone.py", 1),
        found("/memory.py", 1, UNPARSABLE_FILE),
        found("/spoilt.py", 1, UNPARSABLE_FILE),
    ]
    lines = {(one.location.path, one.rule.code): one.line_text for one in finish.with_lines(given, sources)}
    assert lines == {
        ("/memory.py", "CL101"): "b",
        (str(on_disk), "CL101"): "one",
        ("/gone.py", "CL101"): "",
        ("/memory.py", UNPARSABLE_FILE.code): "",
        ("/spoilt.py", UNPARSABLE_FILE.code): "",
    }


# ---------------------------------------------------------------------- notebooks


class Cells:
    """A notebook of ten lines a cell."""

    def located(self, at: Location) -> Location:
        cell, line = divmod(at.span.line - 1, 10)
        return replace(at, span=Span(line + 1, 1, line + 1, 1), cell=cell + 1)


NOTEBOOKS: Any = {"/n.ipynb": Cells()}


def test_notices_count_the_lines_of_a_cell_and_stand_once() -> None:
    given = [
        Notice("compile-call", "a", "/n.ipynb", 12),
        Notice("compile-call", "a", "/n.ipynb", 12),
        Notice("compile-call", "a", "/m.py", 12),
        Notice("torch", "a"),
        Notice("unresolved", "a", "/n.ipynb"),
    ]
    placed = [(one.path, one.line, one.cell) for one in finish.notices_in_cells(given, NOTEBOOKS)]
    assert placed == [("/n.ipynb", 2, 2), ("/m.py", 12, None), (None, 0, None), ("/n.ipynb", 0, None)]


def test_compile_calls_stand_once_by_place() -> None:
    def call(path: str, line: int, how: str = "torch.compile", reason: str = "") -> CompileCall:
        return CompileCall(Location(path, Span(line, 1, line, 2)), how, (), reason)

    given = [call("/n.ipynb", 12), call("/m.py", 3), call("/m.py", 3, reason="last"), call("/m.py", 3, "torch.export")]
    placed = [
        (one.location.path, one.location.cell, one.location.span.line, one.how, one.reason)
        for one in finish.calls_in_cells(given, NOTEBOOKS)
    ]
    assert placed == [
        ("/m.py", None, 3, "torch.compile", "last"),
        ("/m.py", None, 3, "torch.export", ""),
        ("/n.ipynb", 2, 2, "torch.compile", ""),
    ]


# ------------------------------------------------------------------------ notices


def test_only_compile_calls_that_are_not_known_are_mentioned() -> None:
    at = Location("/m.py", Span(4, 1, 4, 9))
    calls = [CompileCall(at, "torch.compile", ("f",)), CompileCall(at, "torch.compile", (), "it is a parameter")]
    (notice,) = finish.calls_unresolved(calls)
    assert (notice.kind, notice.path, notice.line) == ("compile-call", "/m.py", 4)
    assert notice.text.startswith("what `torch.compile` compiles here is ")
    assert notice.text.endswith(": it is a parameter")


def about(missed: tuple[str, ...] = (), files: tuple[str, ...] = ("/m.py",), **given: Any) -> list[tuple[str, str]]:
    loader: Any = SimpleNamespace(finder=SimpleNamespace(missed=missed), unreadable=given.pop("unreadable", ()))
    environment: Any = SimpleNamespace(prefix="/env", kind="named", notices=given.pop("environment", ()))
    torch: Any = SimpleNamespace(assumed=given.pop("assumed", ""))
    options = replace(Options(("/m.py",)), **given)
    said = texts(finish.notices_of(options, Discovery(files), environment, torch, loader))
    where = [one for one in said if one[0] == "environment" and "/env (named)" in one[1]]
    assert len(where) == 1, "where imports are looked up is always said, once"
    return [one for one in said if one not in where]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        pytest.param({}, [], id="nothing to say"),
        pytest.param({"missed": ("a.b", "a.c")}, [], id="modules of packages that are there"),
        pytest.param({"missed": ("b", "a", "a.c")}, [("unresolved", "packages not found: a, b")], id="packages"),
        pytest.param(
            {"missed": tuple("abcdefghij")},
            [("unresolved", "packages not found: a, b, c, d, e, f, g, h and 2 more")],
            id="many packages",
        ),
        pytest.param({"missed": tuple("abcdefgh")}, [("unresolved", "packages not found: a, b, c, d, e, f, g, h")]),
        pytest.param({"assumed": "torch 2.13 is assumed"}, [("torch", "torch 2.13 is assumed")], id="torch"),
        pytest.param({"environment": ("no stdlib",)}, [("environment", "no stdlib")], id="environment"),
        pytest.param(
            {"unreadable": (Unreadable("link", "/x.py", "a link"),)},
            [("unresolved", "an imported module cannot be read: a link")],
            id="an import",
        ),
        pytest.param({"files": ()}, [("nothing", "every named file is excluded")], id="no file"),
    ],
)
def test_what_the_run_could_not_have(given: dict[str, Any], said: list[tuple[str, str]]) -> None:
    assert about(**given) == said


def test_the_configuration_comes_first() -> None:
    said = about(notes=("an old key",), config_file="/pyproject.toml")
    assert said == [("configuration", "an old key"), ("environment", "the configuration is read from here")]


def test_roots_that_took_too_long_are_named_by_file() -> None:
    given = [("/a.py", f"f{number}") for number in range(10)] + [("/b.py", "g")]
    first, second = finish.about_time(Options(("/a.py",), timeout=2.5), given)
    assert (first.path, second.path) == ("/a.py", "/b.py")
    assert "the roots of this file took 2.5 s: f0, f1, f2, f3, f4, f5, f6, f7 and 2 more;" in first.text
    assert " 2.5 s: g;" in second.text


@pytest.mark.parametrize(
    ("roots", "found_ones", "files", "kinds"),
    [
        (("auto",), 0, 1, ["no-roots"]),
        (("all", "x"), 0, 1, ["roots"]),
        (("auto",), 1, 1, []),
        (("auto",), 0, 0, []),
    ],
)
def test_nothing_was_followed(roots: tuple[str, ...], found_ones: int, files: int, kinds: list[str]) -> None:
    said = list(finish.about_roots(Options(("/m.py",), roots=roots), found_ones, files))
    assert [one.kind for one in said] == kinds
    assert all(", ".join(roots) in one.text for one in said)


def test_a_report_is_ordered_by_file_cell_place_and_code() -> None:
    one = found("/a.py", 2)
    later = [
        replace(one, rule=replace(RULE, code="CL102")),
        found("/a.py", 3),
        replace(found("/a.py", 1), location=replace(one.location, cell=1)),
        found("/b.py", 1),
    ]
    assert sorted([*reversed(later), one], key=finish.place_of) == [one, *later]
