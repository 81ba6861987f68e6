"""Every doubt has a program in which it, and nothing else, keeps a finding from being surer, and which says so."""

from __future__ import annotations

import ast
import copy
import html
import json
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from compilelint.cache.encoding import decoded, encoded
from compilelint.checks import rulebook
from compilelint.events import DynamoConfig
from compilelint.host.run import run as run_hosts
from compilelint.mcp.findings import finding_of
from compilelint.model import Confidence, Doubt, Finding, weakest
from compilelint.report.formats import render
from compilelint.report.report import CompileRoot, Report, TorchTarget
from compilelint.server.diagnostics import data_of, message_of
from compilelint.session.pipeline.made import lowered
from compilelint.session.pipeline.merge import suppressed
from compilelint.survey.constructed import constructed
from compilelint.survey.passed_to_parts import Passed
from compilelint.survey.survey import survey, survey_operators
from compilelint.syntax import ir
from compilelint.syntax.source import Source, source_from_bytes
from compilelint.syntax.suppressions import suppressions
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
    surveyed = list(survey(program, modules))
    events = [
        *run(files, case.roots, DynamoConfig(mode=case.mode), unlinted=unlinted),
        *surveyed,
        *run_hosts(program, modules, surveyed),
        *survey_operators(program, modules),
    ]
    found = [one for event in events for one in book.findings_for(event, facts)]
    yield from _as_made(found, [one.ir for one in modules]) if case.made else found
    read = [source_from_bytes(one.ir.path, texts[one.ir.path].encode()) for one in modules]
    opened = [one for one in read if isinstance(one, Source)]
    yield from tree_findings(program, modules, opened, facts)
    pragmas = {one.path: suppressions(one) for one in opened}
    yield from suppressed([], pragmas, book.rules, book.rules).findings


def _as_made(found: list[Finding], modules: list[ir.Module]) -> list[Finding]:
    """The findings, where nothing that the files do not make is a model; every root is the `forward` of a class."""
    roots = [CompileRoot(name, one.location, None) for one in found for name in one.roots]
    known = {one.path: one for one in modules}
    return lowered(found, roots, known.get, constructed(modules, False, frozenset()), Passed(modules))


def surest(case: Case) -> Finding | None:
    """The surest finding of the case's rule; None where there is none."""
    found = [one for one in findings_of(case) if one.rule.code == case.code]
    return max(found, key=lambda one: one.confidence, default=None)


@pytest.mark.parametrize(
    ("doubt", "case"),
    [pytest.param(doubt, case, id=doubt.name) for doubt, cases in CASES.items() for case in cases],
)
def test_a_doubt_keeps_a_finding_down_and_is_given_as_the_reason(
    doubt: Doubt, case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = surest(case)
    assert found is not None
    assert (found.confidence, found.confidence.doubts) == (doubt.cap, (doubt,))
    assert_said(found, doubt)
    monkeypatch.setattr(doubt, "cap", Confidence.CERTAIN)
    without = surest(case)
    assert without is not None
    assert without.confidence > doubt.value[0], "another reason holds it down as well"


def assert_said(finding: Finding, doubt: Doubt) -> None:
    """Assert that every report that speaks of single findings at length gives the doubt as the reason."""
    report = Report((finding,), 1, TorchTarget("2.13.0", "installed"), base="/p")
    said = f"{finding.confidence.label}, since {doubt.why}"
    for name in ("full", "grouped", "github", "gitlab", "sarif"):
        assert said in render(report, name), name
    assert said in html.unescape(render(report, "junit"))
    for name in ("html", "markdown"):
        assert said in re.sub("<[^>]*>", "`", html.unescape(render(report, name))), name
    assert said in message_of(finding)
    assert finding_of(finding, str).since == [doubt.why]
    named = {"name": doubt.label, "why": doubt.why}
    (of_json,) = json.loads(render(report, "json"))["findings"]
    (of_sarif,) = json.loads(render(report, "sarif"))["runs"][0]["results"]
    assert of_json["doubts"] == of_sarif["properties"]["doubts"] == data_of(finding)["doubts"] == [named]
    kept = decoded(json.loads(json.dumps(encoded(finding))), {finding.rule.code: finding.rule})
    assert kept.confidence is finding.confidence


def test_every_doubt_has_a_program_and_says_why() -> None:
    assert [doubt.name for doubt in Doubt if not CASES.get(doubt)] == []
    assert len({doubt.why for doubt in Doubt}) == len(Doubt)


@pytest.mark.parametrize("doubt", Doubt, ids=lambda doubt: doubt.name)
def test_the_sentence_of_a_doubt_reads_behind_likely_since(doubt: Doubt) -> None:
    assert doubt.why[0].islower() or doubt.why.startswith(("`", "CUDA", "NumPy")), "it goes on behind `since`"
    assert doubt.why[-1] not in ".;:,", "more may follow"
    assert ";" not in doubt.why, "a second doubt is joined by one"
    assert len(doubt.why) <= 110, "two of them and a place fit three lines"


@pytest.mark.parametrize("doubt", Doubt, ids=lambda doubt: doubt.name)
def test_a_doubt_never_raises_a_claim(doubt: Doubt) -> None:
    assert doubt.cap < Confidence.CERTAIN
    assert [doubt.lower(sure) for sure in Confidence] == [min(sure, doubt.cap) for sure in Confidence]


# ------------------------------------------------------------- reasons travel

LIKELY, POSSIBLE = Confidence.LIKELY, Confidence.POSSIBLE
SEVERAL, TEST, ADVICE = Doubt.SEVERAL_CALLEES, Doubt.BEHIND_A_TEST, Doubt.ADVICE


@pytest.mark.parametrize(
    ("sure", "doubts"),
    [
        pytest.param(SEVERAL.lower(Confidence.CERTAIN), (SEVERAL,), id="the doubt that lowers"),
        pytest.param(TEST.lower(SEVERAL.cap), (SEVERAL, TEST), id="a second doubt of that level comes second"),
        pytest.param(SEVERAL.lower(SEVERAL.cap), (SEVERAL,), id="once, however often it is met"),
        pytest.param(ADVICE.lower(SEVERAL.cap), (ADVICE,), id="a lower level has reasons of its own"),
        pytest.param(SEVERAL.lower(ADVICE.cap), (ADVICE,), id="a doubt that lowers nothing is no reason"),
        pytest.param(SEVERAL.lower(LIKELY), (SEVERAL,), id="a level that came without a reason"),
        pytest.param(weakest(Confidence.CERTAIN, TEST.cap, SEVERAL.cap), (TEST, SEVERAL), id="of several claims"),
        pytest.param(weakest(TEST.cap, ADVICE.cap, SEVERAL.cap), (ADVICE,), id="of the lowest claim"),
        pytest.param(weakest(TEST.cap, LIKELY), (TEST,), id="beside a level without a reason"),
    ],
)
def test_a_confidence_carries_the_doubts_that_lowered_it(sure: Confidence, doubts: tuple[Doubt, ...]) -> None:
    assert sure.doubts == doubts


def test_no_more_than_four_doubts_are_carried() -> None:
    every = [doubt for doubt in Doubt if doubt.cap == LIKELY]
    assert weakest(Confidence.CERTAIN, *(doubt.cap for doubt in every)).doubts == tuple(every[:4])


def test_whatever_goes_by_confidence_goes_by_its_level() -> None:
    sure = TEST.cap
    assert (sure, hash(sure), sure.name, sure.value) == (LIKELY, hash(LIKELY), "LIKELY", 2)
    assert {sure: 1}[LIKELY] == 1
    assert POSSIBLE < sure < Confidence.CERTAIN
    assert list(Confidence) == [POSSIBLE, LIKELY, Confidence.CERTAIN], "levels, whatever was said since"
    assert Confidence(2).doubts == ()


def test_like_levels_with_like_doubts_are_one_object_also_in_another_process() -> None:
    sure = TEST.lower(SEVERAL.cap)
    assert LIKELY.since((SEVERAL, TEST)) is sure
    assert pickle.loads(pickle.dumps(sure)) is sure
    assert copy.deepcopy(sure) is sure


@pytest.mark.parametrize(
    ("sure", "words"),
    [
        pytest.param(Confidence.CERTAIN, "certain", id="no doubt"),
        pytest.param(LIKELY, "likely", id="no reason"),
        pytest.param(TEST.cap, f"likely, since {TEST.why}", id="one"),
        pytest.param(TEST.lower(SEVERAL.cap), f"likely, since {SEVERAL.why}; and since {TEST.why}", id="two"),
        pytest.param(
            Doubt.RANK_UNKNOWN.lower(TEST.lower(SEVERAL.cap)),
            f"likely, since {SEVERAL.why}; and since {TEST.why}",
            id="two of three",
        ),
    ],
)
def test_at_most_two_reasons_are_given_in_words(sure: Confidence, words: str) -> None:
    assert sure.explained == words


IDENTITY = re.compile(r"\bis (?:not )?Confidence\.(?:LIKELY|POSSIBLE)\b")


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        pytest.param("if sure is Confidence.LIKELY:", True, id="one object of many"),
        pytest.param("if sure is not Confidence.POSSIBLE:", True, id="or its opposite"),
        pytest.param("if sure == Confidence.LIKELY:", False, id="the level"),
        pytest.param("if sure is Confidence.CERTAIN:", False, id="nothing lowers to certain"),
    ],
)
def test_a_level_that_is_compared_by_identity_is_seen(line: str, seen: bool) -> None:
    assert bool(IDENTITY.search(line)) == seen


def test_no_file_compares_a_level_by_identity() -> None:
    read = [(file, file.read_text(encoding="utf-8")) for file in sorted(SOURCE.rglob("*.py"))]
    assert [file.name for file, text in read if IDENTITY.search(text) and file.name != "confidence.py"] == []


# ------------------------------------------------------------------ one home

JUDGES = ("values", "events", "project", "survey", "host", "interp", "checks", "rulebook.py", "session/pipeline")


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
