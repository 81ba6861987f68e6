"""What the readiness report says first, what it leaves out and counts, and that every format says the same."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

import compilelint.report
from compilelint.events import DynamoConfig
from compilelint.model import Confidence, Effect, Finding, Notice
from compilelint.project.compile_calls import CompileCall
from compilelint.report.overview import console, html, markdown
from compilelint.report.overview import json as for_programs
from compilelint.report.overview.measured import Measured
from compilelint.report.overview.overview import Overview, overview
from compilelint.report.report import CompileRoot
from tests.report.overview.samples import BREAK, RECOMPILE, SPLIT, WAIT, at, finding, report, root

SCHEMA = Path(compilelint.report.__file__).with_name("overview-1.json")


def made(
    findings: tuple[Finding, ...] = (), roots: tuple[CompileRoot, ...] = (), unrecorded: tuple[Finding, ...] = ()
) -> Overview:
    found, recorded = report(findings, roots), report(unrecorded, roots)
    return overview(found, recorded, Confidence.LIKELY, Measured())


def text(*given: tuple[object, ...]) -> str:
    return console.render(made(*given))  # type: ignore[arg-type]


def test_a_clean_project_says_what_was_judged() -> None:
    said = text((), (root(compiled_at=20), root("Other.forward", 40)))
    assert "1 function compiled by this code: one graph is expected.\n" in said
    assert "There is nothing to fix in what is compiled.\n" in said
    assert "What to do first" not in said
    assert "Checked: 1 compile call found, resolved (1 function); 1 module forward." in said


def test_nothing_compiled_is_said_first() -> None:
    said = text((finding(BREAK, 3),), (root(),))
    assert said.splitlines()[1] == "No call that compiles these functions was found: they are checked as if one did."
    assert "What to do first\n  1. /p/model.py:3:5 CL101 line 3 does it\n" in said


def test_nothing_judged_is_no_praise() -> None:
    said = text()
    assert "No function was checked." in said
    assert "Nothing was found" not in said


def test_a_call_that_is_not_resolved_is_said_at_the_top() -> None:
    call = CompileCall(at(9), "torch.compile", (), "what `model` holds is not known")
    found = replace(report((), (root(compiled_at=20),)), calls=(call,))
    said = console.render(overview(found, report(), Confidence.LIKELY, Measured()))
    assert "What 1 compile call compiles is unknown, so it is not checked: see the end." in said.splitlines()[3]
    assert "(what `model` holds is not known)" in said


def test_work_on_what_nothing_compiles_is_counted_beside_other_work() -> None:
    guess = root("guess", 30, kind="unreached")
    maybe = finding(BREAK, 33, "guess (unreached)")
    both = text((finding(BREAK, 3), maybe), (root(compiled_at=20), guess))
    assert "and 1 in functions that nothing compiles: `compilelint check --all` lists every finding" in both
    assert ":33" not in both
    beside = text((maybe,), (root(compiled_at=20), guess))
    assert "1 in functions that nothing compiles: `compilelint check --all` lists every finding" in beside
    assert "There is nothing to fix in what is compiled." in beside
    alone = text((maybe,), (guess,))
    assert "If more than now is compiled\n  1. /p/model.py:33:5 CL101" in alone


def test_a_function_says_where_graphs_end_and_what_it_costs_beside() -> None:
    breaks = (finding(BREAK, 3), finding(BREAK, 5, skips_frame=True))
    others = (finding(RECOMPILE, 6), finding(WAIT, 7))
    said = text((*breaks, *others), (root(compiled_at=20, config=DynamoConfig(dynamic=True), graphs=1),))
    block = said[said.index("What is compiled") : said.index("Checked")]
    assert "/p/model.py:1 `Net.forward`: 1 graph, and a part uncompiled\n" in block
    assert "compiled at :20 (`dynamic=True`)\n" in block
    assert "a graph ends at :3 (CL101); runs eagerly after :5 (CL101)\n" in block
    assert "1 recompile at :6 (CL701); 1 host sync at :7 (CL830)\n" in block


def test_one_graph_is_proposed_to_stay_so_once_a_script() -> None:
    said = text((), (root(compiled_at=20), root("Other.forward", 40, compiled_at=21)))
    assert said.count("`fullgraph=True` at :20 keeps it so: a break that comes later raises there") == 1
    assert "`fullgraph=True` at :21" not in said


@pytest.mark.parametrize(
    ("findings", "given"),
    [
        pytest.param((), {"config": DynamoConfig(fullgraph=True)}, id="asked for"),
        pytest.param((finding(BREAK, 3),), {}, id="a break"),
    ],
)
def test_one_graph_is_not_proposed_where_it_is_asked_for_or_not_expected(
    findings: tuple[Finding, ...], given: dict[str, object]
) -> None:
    assert "keeps it so" not in text(findings, (root(compiled_at=20, **given),))  # type: ignore[arg-type]


def test_one_graph_that_is_asked_for_and_not_given_is_a_failure() -> None:
    said = text((finding(BREAK, 3),), (root(compiled_at=20, config=DynamoConfig(fullgraph=True)),))
    assert "`Net.forward`: fails to compile\n" in said
    assert "raises at :3 (CL101)\n" in said
    assert "a graph ends at" not in said


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("reduce-overhead", "its mode asks for CUDA graphs, kept from recording it whole at :4 (CL823)"),
        (None, "CUDA graphs, which its mode does not ask for, would not record it whole: :4 (CL823)"),
    ],
)
def test_cuda_graphs_are_judged_whether_asked_for_or_not(mode: str | None, words: str) -> None:
    asked = root(compiled_at=20, config=DynamoConfig(mode=mode))
    assert words in text((), (asked,), (finding(SPLIT, 4),))
    assert "nothing found that keeps CUDA graphs from recording it" in text((), (asked,))


def test_what_is_less_sure_is_counted_and_advice_is_shown() -> None:
    unsure = finding(BREAK, 3, confidence=Confidence.POSSIBLE)
    advice = finding(WAIT, 4, confidence=Confidence.POSSIBLE)
    said = text((unsure, advice), (root(compiled_at=20),))
    assert "Not shown: 1 finding below likely." in said
    assert "CL830" in said
    assert "CL101" not in said


def test_what_the_request_leaves_out_is_said() -> None:
    notes = (Notice("configuration", "nothing is said of CL699"), Notice("environment", "no environment"))
    found = replace(report((), (root(),)), notices=notes)
    said = console.render(overview(found, report(), Confidence.LIKELY, Measured(), "export"))
    assert "Note: nothing is said of CL699" in said
    assert "no environment" not in said


def test_an_export_is_stopped_and_neither_waits_nor_compiles_again() -> None:
    stopping = finding(BREAK, 3, effects=(Effect.ERROR, Effect.GRAPH_BREAK, Effect.SYNC))
    found = report((stopping,), (root(compiled_at=20), root("Other.forward", 40)))
    said = console.render(overview(found, found, Confidence.LIKELY, Measured(), "export-strict"))
    assert said.startswith("Readiness for torch.export, strict=True: ")
    assert "`Net.forward`: cannot be exported\n    compiled or exported at :20\n    stopped at :3 (CL101)\n" in said
    assert "1 model forward checked as if exported: 1 with nothing found that stops an export." in said
    assert "CUDA" not in said
    assert "host" not in said


def test_long_lists_are_cut_and_the_rest_is_counted() -> None:
    findings = tuple(finding(BREAK, line, help=f"h{line}") for line in range(2, 12))
    said = text(findings, (root(compiled_at=20),))
    assert "  7. " in said
    assert "  8. " not in said
    assert "and 3 more: `compilelint check --all` lists every finding" in said


def every() -> Overview:
    guess = root("guess", 30, kind="unreached")
    findings = (finding(BREAK, 3), finding(RECOMPILE, 6), finding(BREAK, 33, "guess (unreached)"))
    return made(findings, (root(compiled_at=20), guess), (finding(SPLIT, 4),))


def test_the_json_holds_all_of_it_in_its_schema() -> None:
    document = json.loads(for_programs.render(every()))
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(document, schema)
    assert [(one["line"], one["of"]) for one in document["work"]] == [
        (3, "compiled"),
        (6, "compiled"),
        (33, "if-compiled"),
        (4, "if-cuda-graphs"),
    ]
    first, guess = document["functions"]
    assert (first["state"], first["graphs"], [one["line"] for one in first["breaks"]]) == ("compiled", 2, [3])
    assert guess["kind"] == "unreached"


@pytest.mark.parametrize("render", [html.render, markdown.render])
def test_pages_say_what_the_terminal_says(render: object) -> None:
    page = render(every())  # type: ignore[operator]
    for words in ("What to do first", "What is compiled", "CL101", "Checked"):
        assert words in page


def test_nothing_of_a_name_becomes_markup() -> None:
    hostile = root("<b>x</b>|*y*", compiled_at=20, location=at(1, "/p/<i>&|`.py"))
    page, table = html.render(made((), (hostile,))), markdown.render(made((), (hostile,)))
    assert "<b>x" not in page
    assert "<i>" not in page
    assert "<b>x" not in table
    assert "*y*" not in table


def test_a_page_of_html_allows_no_script() -> None:
    page = html.render(every())
    assert "<script" not in page
    assert "default-src &#39;none&#39;" in page
