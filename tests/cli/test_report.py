"""`compilelint report`: one page on a project, in every format, with what runs have said of it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from textwrap import dedent

import jsonschema
import pytest

import compilelint.report
from compilelint.cli import run

SCHEMA = Path(compilelint.report.__file__).with_name("overview-1.json")

PROGRAM = """
    import torch


    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = torch.nn.ModuleList([torch.nn.Linear(4, 4) for _ in range(2)])

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
                if x.sum() > 0:
                    x = x + 1
            return x


    def main(data):
        net = torch.compile(Net())
        for x in data:
            print(net(x).sum().item())


    @torch.compile
    def update(p, g):
        p.add_(g)
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "program.py").write_text(dedent(PROGRAM).lstrip("\n"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)


def said(capsys: pytest.CaptureFixture[str], command: str) -> str:
    assert run(shlex.split(command)) == 0
    return capsys.readouterr().out


def test_a_page_says_what_to_do_first_and_where_graphs_end(capsys: pytest.CaptureFixture[str]) -> None:
    page = said(capsys, "report . --no-cache --torch-version 2.13")
    assert "2 functions compiled by this code: 1 uncompiled, 1 in one graph.\n" in page
    first = page[page.index("What to do first") :].splitlines()
    assert first[1].startswith("  1. program.py:12:16 CL101 ")
    assert first[2].strip().startswith("in a loop: the rest of its function runs eagerly; compiled: `Net.forward`")
    assert "1 host sync at :20 (CL830)" in page
    assert "CUDA graphs, which its mode does not ask for, would not record it whole: :25 (CL820)" in page


def test_a_mode_of_the_configuration_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    page = said(capsys, "report . --no-cache --torch-version 2.13 --config dynamo.mode='\"reduce-overhead\"'")
    assert "its mode asks for CUDA graphs, kept from recording it whole at :25 (CL820)" in page


def test_reports_go_to_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(shlex.split("report . --no-cache --output json:a.json --output html:a.html --output markdown:a.md")) == 0
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "note: the report is in a.json, a.html, a.md" in printed.err
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["work"][0]["rule"] == "CL101"
    assert "What to do first" in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "### What to do first" in (tmp_path / "a.md").read_text(encoding="utf-8")


def test_findings_that_were_not_selected_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    page = said(capsys, "report . --no-cache --select CL1")
    assert "CL101" in page
    assert "CL8" not in page


def test_a_speed_stands_beside_its_function(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    speed = {"estimate": 1.5, "low": 1.4, "high": 1.6}
    one = {"name": "default", "change": "", "faster_than_eager": speed}
    bench = {"benches": [{"target": "program:Net", "mode": "eval", "configurations": [one]}]}
    (tmp_path / "bench.json").write_text(json.dumps(bench), encoding="utf-8")
    assert "bench (eval): 1.50 times as fast as eager" in said(capsys, "report . --no-cache --bench bench.json")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ("gone", "no such file or folder"),
        (
            "--output sarif",
            "unknown format 'sarif' (--output sarif); use one of: text, badge, html, json, line, markdown",
        ),
        ("--verify gone.json", "no run: "),
        ("--since locked.json", "no report to compare with: program:Net has no fate (locked.json)"),
        ("--verify program.py", "no run: "),
        ("--verify empty.json", "no run: there are no targets and findings of a run in it (empty.json)"),
        ("--bench empty.json", "no measurements: there are no measurements in it: it has no 'benches' (empty.json)"),
        ("--output html:none/a.html", "no such folder for the report"),
    ],
)
def test_what_cannot_be_carried_out_is_refused(
    arguments: str, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty.json").write_text("{}", encoding="utf-8")
    (tmp_path / "locked.json").write_text('{"schema": 1, "targets": {"program:Net": {}}}', encoding="utf-8")
    assert run(["report", *shlex.split(arguments)]) == 2
    assert words in capsys.readouterr().err


def test_a_deployment_has_a_verdict_in_every_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = said(capsys, "report . --no-cache --torch-version 2.13 --for train --output text --output json:a.json")
    assert page.startswith("Training: 2 functions, ")
    assert "expected against eager: as it is" in page
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert {one["verdict"] for one in found["deployment"]["verdicts"]} == {"eager", "compile"}
    assert said(capsys, "report . --no-cache --for serve --output html:a.html --output markdown:a.md") == ""
    assert '<rect class="bar-range"' in (tmp_path / "a.html").read_text(encoding="utf-8")
    assert "### Verdict for serving" in (tmp_path / "a.md").read_text(encoding="utf-8")


def test_a_badge_and_one_line_compare_with_accepted_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    accepted = {"program:update": {"fate": "ran", "graphs": 1}, "program:Net": {"fate": "ran", "graphs": 1}}
    (tmp_path / "lock.json").write_text(json.dumps({"schema": 1, "targets": accepted}), encoding="utf-8")
    line = said(capsys, "report . --no-cache --since lock.json --output line --output badge:a.json")
    assert line.count("\n") == 1
    assert line.startswith("Since lock.json: 2 accepted targets checked again, 0 functions better, 1 function worse.")
    badge = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert badge == {"schemaVersion": 1, "label": "torch.compile", "message": "1 of 2 in one graph", "color": "yellow"}


def test_an_edge_device_is_asked_for_an_export(capsys: pytest.CaptureFixture[str]) -> None:
    page = said(capsys, "report . --no-cache --torch-version 2.13 --for edge")
    assert "A device without Python: 2 functions, export 1, fix before the export 1" in page
    assert "expected against eager" not in page
