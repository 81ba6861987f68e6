"""Every doubt has a program in which it, and nothing else, keeps a finding from being surer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from compilelint.checks import rulebook
from compilelint.events import DynamoConfig
from compilelint.model import Confidence, Doubt, Finding
from compilelint.report.report import CompileRoot
from compilelint.session.pipeline.made import lowered
from compilelint.survey.constructed import constructed
from compilelint.survey.survey import survey, survey_operators
from compilelint.syntax import ir
from compilelint.syntax.source import Source, source_from_bytes
from compilelint.torchfacts import load
from tests.model.doubtful_programs import CASES, Case
from tests.support.on_trees import tree_findings
from tests.support.reveal import program_of, run, sources

SOURCE = Path(__file__).parents[2] / "src" / "compilelint"


def findings_of(case: Case) -> Iterator[Finding]:
    """What the rules report: on the events of the interpreter and of the survey, and on trees."""
    book, facts = rulebook(), load(case.version)
    files = {"app.py": case.text, **({"lib.py": case.library} if case.library else {})}
    unlinted = ("lib.py",) if case.library else ()
    texts = sources(files)
    program, modules = program_of(texts, unlinted)
    events = [
        *run(files, case.roots, DynamoConfig(mode=case.mode), unlinted=unlinted),
        *survey(program, modules),
        *survey_operators(program, modules),
    ]
    found = [one for event in events for one in book.findings_for(event, facts)]
    yield from _as_made(found, [one.ir for one in modules]) if case.made else found
    read = [source_from_bytes(one.ir.path, texts[one.ir.path].encode()) for one in modules]
    yield from tree_findings(program, modules, [one for one in read if isinstance(one, Source)], facts)


def _as_made(found: list[Finding], modules: list[ir.Module]) -> list[Finding]:
    """The findings, where nothing that the files do not make is a model; every root is the `forward` of a class."""
    roots = [CompileRoot(name, one.location, None) for one in found for name in one.roots]
    return lowered(found, roots, {one.path: one for one in modules}, constructed(modules, False, frozenset()))


def surest(case: Case) -> Confidence | None:
    """The confidence of the surest finding of the case's rule; None where there is none."""
    return max([one.confidence for one in findings_of(case) if one.rule.code == case.code], default=None)


@pytest.mark.parametrize(
    ("doubt", "case"),
    [pytest.param(doubt, case, id=doubt.name) for doubt, cases in CASES.items() for case in cases],
)
def test_a_doubt_keeps_a_finding_down(doubt: Doubt, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    assert surest(case) is doubt.cap
    monkeypatch.setattr(doubt, "cap", Confidence.CERTAIN)
    without = surest(case)
    assert without is not None
    assert without > doubt.value[0], "another reason holds it down as well"


def test_every_doubt_has_a_program_and_says_why() -> None:
    assert [doubt.name for doubt in Doubt if not CASES.get(doubt)] == []
    assert len({doubt.why for doubt in Doubt}) == len(Doubt)


@pytest.mark.parametrize("doubt", Doubt, ids=lambda doubt: doubt.name)
def test_a_doubt_never_raises_a_claim(doubt: Doubt) -> None:
    assert doubt.cap < Confidence.CERTAIN
    assert [doubt.lower(sure) for sure in Confidence] == [min(sure, doubt.cap) for sure in Confidence]


# ------------------------------------------------------------------ one home

JUDGES = ("values", "events", "project", "survey", "interp", "checks")


def levels_named(source: str) -> list[int]:
    """The lines that name `Confidence.LIKELY` or `Confidence.POSSIBLE` other than to compare with it."""
    tree = ast.parse(source)
    compared = {
        id(side) for node in ast.walk(tree) if isinstance(node, ast.Compare) for side in ast.iter_child_nodes(node)
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and node.attr in ("LIKELY", "POSSIBLE")
        and isinstance(node.value, ast.Name)
        and node.value.id == "Confidence"
        and id(node) not in compared
    ]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        pytest.param("sure = Confidence.LIKELY", [1], id="a level of its own"),
        pytest.param("sure = min(sure, Confidence.POSSIBLE)", [1], id="a cap of its own"),
        pytest.param("if sure > Confidence.POSSIBLE: pass", [], id="asked, not decided"),
        pytest.param("sure = Confidence.CERTAIN", [], id="no doubt"),
        pytest.param("sure = Doubt.BEHIND_A_TEST.cap", [], id="a doubt with a name"),
    ],
)
def test_a_level_without_a_reason_is_seen(line: str, named: list[int]) -> None:
    assert levels_named(line) == named


def test_no_file_lowers_a_claim_without_naming_the_doubt() -> None:
    found = []
    for judge in JUDGES:
        where = SOURCE / judge
        for file in [where] if where.is_file() else sorted(where.rglob("*.py")):
            found += [f"{file.relative_to(SOURCE)}:{line}" for line in levels_named(file.read_text(encoding="utf-8"))]
    assert found == []


def test_a_confidence_is_a_lower_case_word() -> None:
    assert [one.label for one in Confidence] == ["possible", "likely", "certain"]
