"""What holds for an export: breaks that stop it, worded so; and what is about compiled code alone left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from textwrap import dedent

import click
import pytest

from compilelint.cli.check import check
from compilelint.config import Options
from compilelint.config.options import PURPOSES
from compilelint.model import Confidence, Effect, Finding, Location, Rule, Severity, Span
from compilelint.report.layout.judged import judged
from compilelint.session.commands.lint import lint
from compilelint.session.pipeline.purpose import as_asked, left_out, stops, table, viewed

BREAK = (Effect.GRAPH_BREAK,)


def finding(code: str, effects: tuple[Effect, ...] = BREAK, **more: object) -> Finding:
    rule = Rule(code, "name", "summary", effects[0])
    place = Location("/p/m.py", Span(1, 1, 1, 2))
    made = Finding(rule, "it does it", effects, Confidence.LIKELY, place, roots=("Net.forward",))
    return replace(made, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "strict", "by_default"),
    [
        pytest.param("CL101", True, True, id="a branch on data"),
        pytest.param("CL204", True, False, id="Python reads the clock while it runs"),
        pytest.param("CL201", False, False, id="printing is left out of the graph"),
        pytest.param("CL690", True, False, id="whatever has no rule of its own"),
        pytest.param("TEAM001", True, False, id="a rule of one's own"),
    ],
)
def test_what_stops_which_export(code: str, strict: bool, by_default: bool) -> None:
    assert (stops(code, "strict"), stops(code, "non-strict")) == (strict, by_default)
    for purpose, expected in (("export-strict", strict), ("export", by_default), ("aoti", by_default)):
        assert bool(viewed([finding(code)], purpose)) is expected
    assert viewed([finding(code)], "compile") == [finding(code)]


def test_what_stops_an_export_says_so_and_is_an_error() -> None:
    (one,) = viewed([finding("CL101")], "export")
    assert one.message == "it does it, which stops the export"
    assert one.why.startswith("It stops the export, which runs this code over tensors without data.")
    assert one.severity is Severity.ERROR
    assert one.fails_to_compile
    assert viewed([finding("CL204")], "export-strict")[0].why.startswith("Strict export makes one graph or none")


@pytest.mark.parametrize(
    "more",
    [
        pytest.param({"roots": ("f (unreached)",)}, id="in a function that nothing exports"),
        pytest.param({"confidence": Confidence.POSSIBLE}, id="merely possible"),
    ],
)
def test_a_guess_is_no_error(more: dict[str, object]) -> None:
    guess = replace(finding("CL101"), **more)  # type: ignore[arg-type]
    (one,) = viewed([guess], "export")
    assert one.severity < Severity.ERROR


@pytest.mark.parametrize(
    ("one", "kept"),
    [
        (finding("CL701", (Effect.RECOMPILE,)), False),
        (finding("CL303", (Effect.SYNC,)), False),
        (finding("CL309", (Effect.SLOW,)), False),
        (finding("CL823", (Effect.CUDAGRAPH,)), False),
        (finding("CL821", (Effect.ERROR,)), False),
        (finding("CL307", (Effect.ERROR,)), True),
        (finding("CL512", (Effect.WRONG_RESULT,)), True),
        (finding("CL902", (Effect.TOOL,)), True),
        (finding("CL101", message="`if` depends on a random number"), False),
    ],
    ids=["recompile", "wait", "slow", "CUDA graphs", "around compiling", "raises", "wrong", "tool", "drawn by Python"],
)
def test_what_is_about_compiled_code_alone_is_left_out(one: Finding, kept: bool) -> None:
    assert bool(viewed([one], "export")) is kept


def test_rules_without_a_recording_are_named() -> None:
    _, notice = left_out([finding("TEAM001"), finding("CL101")], "export")
    assert "TEAM001; --for export-strict shows them" in notice.text
    assert "CL101" not in notice.text
    assert not list(left_out([finding("TEAM001")], "compile"))


@pytest.mark.parametrize(("purpose", "found"), [("export", "of 12 "), ("aoti", "of 12 "), ("export-strict", "of 24 ")])
def test_it_is_said_how_much_is_known(purpose: str, found: str) -> None:
    (notice,) = left_out([], purpose)
    assert notice.kind == "export"
    assert found in notice.text


def test_nothing_found_is_not_all_clear_for_an_export(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text("import torch\n\n\ndef f(x):\n    return torch.relu(x)\n", encoding="utf-8")
    options = Options((str(tmp_path),), torch_version="2.13", no_cache=True, roots=("all",))
    assert judged(lint(options)).whole
    assert not judged(lint(replace(options, purpose="export"))).whole


def test_the_table_counts_recordings_and_says_why_where_both_refuse() -> None:
    assert len(table()) > 40
    for code, row in table().items():
        for way in ("strict", "non-strict"):
            refused, recorded = row[way]
            assert 0 <= refused <= recorded > 0, code
    assert table()["CL101"]["why"]


def test_dynamo_is_set_as_export_sets_it() -> None:
    asked = as_asked(Options(paths=(".",), purpose="export")).dynamo
    assert (asked.export, asked.fullgraph, len(asked.captures)) == (True, True, 2)
    assert as_asked(Options(paths=(".",))).dynamo == Options(paths=(".",)).dynamo


PROGRAM = """
    import time
    import torch


    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor, n: torch.Tensor) -> torch.Tensor:
            begin = time.perf_counter()
            x = x * n.max().item()
            if x.sum() > 0:
                return x + (time.perf_counter() - begin)
            return x


    program = torch._inductor.aoti_compile_and_package(torch.export.export(Net(), (torch.ones(3), torch.ones(3))))
"""


@pytest.mark.parametrize(
    ("purpose", "lines"),
    [
        ("compile", [7, 8, 9, 10]),
        ("export", [9]),
        ("export-strict", [7, 9, 10]),
        ("aoti", [9]),
    ],
)
def test_a_program_for_each_purpose(purpose: str, lines: list[int], tmp_path: Path) -> None:
    text = dedent(PROGRAM).lstrip("\n")
    if purpose == "compile":  # as its forward is checked without the export
        text = text[: text.index("\n\nprogram")] + "\n"
    (tmp_path / "m.py").write_text(text, encoding="utf-8")
    report = lint(Options(paths=(str(tmp_path),), torch_version="2.13", purpose=purpose))
    assert sorted({one.location.span.line for one in report.findings}) == lines
    assert set(PURPOSES) >= {purpose}


def test_the_option_offers_every_purpose() -> None:
    (choice,) = [one.type for one in check.params if one.name == "purpose"]
    assert isinstance(choice, click.Choice)
    assert tuple(choice.choices) == PURPOSES
