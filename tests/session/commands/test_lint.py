"""The pipeline on small real projects: what is folded, suppressed, refused, and where findings stand."""

from __future__ import annotations

import gc
import json
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from compilelint.config import Options, UsageError
from compilelint.events import DynamoConfig
from compilelint.model import Confidence, Effect, Severity, Span
from compilelint.project.discovery import Discovery
from compilelint.report.report import Report
from compilelint.session.commands.lint import _workers, files_to_lint, lint, unfounded

MODEL = """
    import torch
    from torch import nn

    from helpers import flag


    class Net(nn.Module):
        def forward(self, x: torch.Tensor):
            if x.sum() > 0:
                x = x + 1
            n = x.max().item()
            return flag(x), torch.nonzero(x), n


    class Other(nn.Module):
        def forward(self, x: torch.Tensor):
            return flag(x)
"""
HELPERS = """
    def flag(value):
        if value.any():
            return value
        return value - 1
"""


def project(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    return folder


def run(folder: Path, **options: Any) -> Report:
    given = {"paths": (str(folder),), "torch_version": "2.13", **options}
    return lint(Options(**given))


def reported(report: Report) -> list[tuple[str, str, int]]:
    return [(one.rule.code, Path(one.location.path).name, one.location.span.line) for one in report.findings]


# ----------------------------------------------------------------- end to end


def test_three_rules_on_a_project_of_two_files(tmp_path: Path) -> None:
    report = run(project(tmp_path, model=MODEL, helpers=HELPERS))
    assert reported(report) == [
        ("CL101", "helpers.py", 2),
        ("CL101", "model.py", 9),
        ("CL102", "model.py", 11),
        ("CL120", "model.py", 12),
    ]
    assert {one.severity for one in report.findings} == {Severity.ERROR}
    assert report.files_checked == 2
    assert report.torch == ("2.13", "--torch-version")


def test_a_line_that_two_roots_reach_is_one_finding_with_the_way_to_it(tmp_path: Path) -> None:
    finding = run(project(tmp_path, model=MODEL, helpers=HELPERS)).findings[0]
    assert finding.roots[0] == "Net.forward"
    assert [(step.function, step.location.span.line) for step in finding.call_chain] == [("Net.forward", 12)]
    assert finding.line_text == "    if value.any():"


def test_every_finding_stands_on_a_syntax_node(tmp_path: Path) -> None:
    report = run(project(tmp_path, model=MODEL, helpers=HELPERS))
    assert report.findings
    assert list(unfounded(report.findings)) == []


def test_the_same_files_give_the_same_report(tmp_path: Path) -> None:
    folder = project(tmp_path, model=MODEL, helpers=HELPERS)
    assert run(folder) == run(folder)


def test_what_no_root_reaches_is_not_reported(tmp_path: Path) -> None:
    helpers = "def flag(value):\n    if value.any():\n        return value\n"
    assert run(project(tmp_path, helpers=helpers)).findings == ()


@pytest.mark.parametrize("spec", ["helpers:flag", "helpers.flag", "helpers.*"])
def test_a_glob_makes_a_root_of_what_it_names(tmp_path: Path, spec: str) -> None:
    helpers = "import torch\n\n\ndef flag(value: torch.Tensor):\n    if value.any():\n        return value\n"
    report = run(project(tmp_path, helpers=helpers), roots=(spec,))
    assert reported(report) == [("CL101", "helpers.py", 5)]


def test_roots_that_name_nothing_are_reported(tmp_path: Path) -> None:
    kinds = {notice.kind for notice in run(project(tmp_path, model=MODEL), roots=("nowhere.*",)).notices}
    assert "roots" in kinds
    assert "no-roots" in {notice.kind for notice in run(project(tmp_path, model="x = 1\n")).notices}


def test_scripts_of_one_name_do_not_hide_each_other(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        project(tmp_path / name, train=MODEL, helpers=HELPERS)
    found = run(tmp_path).findings
    in_train = [one.location.path for one in found if one.location.path.endswith("/train.py")]
    assert {path: in_train.count(path) for path in in_train} == {
        f"{tmp_path.as_posix()}/one/train.py": 3,
        f"{tmp_path.as_posix()}/two/train.py": 3,
    }


def test_imports_are_not_followed_when_asked_not_to(tmp_path: Path) -> None:
    folder = project(tmp_path, model=MODEL, helpers=HELPERS)
    alone = str(folder / "model.py")
    followed = run(folder, paths=(alone,))
    assert [line for _, name, line in reported(followed) if name == "model.py"][-1:] == [17]
    assert 17 not in [line for _, _, line in reported(run(folder, paths=(alone,), follow_imports="none"))]


def test_nothing_of_torch_is_imported_and_the_collector_is_put_back(tmp_path: Path) -> None:
    assert gc.isenabled()
    before = "torch" in sys.modules  # the tests that run the real Dynamo share this process
    run(project(tmp_path, model=MODEL, helpers=HELPERS))
    assert gc.isenabled()
    assert ("torch" in sys.modules) is before


# -------------------------------------------------------------------- pragmas


def test_a_pragma_silences_its_line_and_is_counted(tmp_path: Path) -> None:
    helpers = HELPERS.replace("value.any():", "value.any():  # compilelint: ignore[CL101] by design")
    report = run(project(tmp_path, model=MODEL, helpers=helpers))
    assert "helpers.py" not in {name for _, name, _ in reported(report)}
    assert report.suppressed == 1


def test_a_pragma_that_silences_nothing_is_a_warning(tmp_path: Path) -> None:
    report = run(project(tmp_path, plain="x = 1  # compilelint: ignore[CL101]\n"))
    (finding,) = report.findings
    assert (finding.rule.name, finding.severity) == ("unused-suppression", Severity.WARNING)
    assert finding.location.span == Span(1, 8, 1, 36)
    assert finding.message == "there is no finding to suppress for CL101"


def test_a_pragma_for_a_rule_that_did_not_run_is_not_called_unused(tmp_path: Path) -> None:
    folder = project(tmp_path, plain="x = 1  # compilelint: ignore[CL101]\n")
    assert run(folder, select=("CL102", "CL902")).findings == ()
    assert run(folder, ignore=("unused-suppression",)).findings == ()


def test_a_malformed_pragma_silences_nothing_and_says_so(tmp_path: Path) -> None:
    helpers = HELPERS.replace("value.any():", "value.any():  # compilelint: ignore[CL101")
    report = run(project(tmp_path, model=MODEL, helpers=helpers))
    assert reported(report)[:2] == [("CL101", "helpers.py", 2), ("CL904", "helpers.py", 2)]


# ------------------------------------------------------------- files and torch


def test_an_unreadable_file_is_a_finding_and_the_rest_is_checked(tmp_path: Path) -> None:
    folder = project(tmp_path, model=MODEL, helpers=HELPERS, broken="def f(:\n")
    (folder / "latin.py").write_bytes(b"x = '\xe9'\n")
    report = run(folder)
    refused = [one for one in report.findings if one.rule.code == "CL901"]
    assert [(Path(one.location.path).name, one.location.span) for one in refused] == [
        ("broken.py", Span(1, 7, 1, 8)),
        ("latin.py", Span(1, 6, 1, 7)),
    ]
    assert {(one.severity, one.effect, one.confidence) for one in refused} == {
        (Severity.ERROR, Effect.TOOL, Confidence.CERTAIN)
    }
    assert len(report.findings) == 6


def test_an_unreadable_file_is_reported_even_if_another_rule_is_selected(tmp_path: Path) -> None:
    folder = project(tmp_path, broken="def f(:\n")
    assert [one.rule.code for one in run(folder, select=("CL101",)).findings] == ["CL901"]
    assert run(folder, ignore=("CL901",)).findings == ()


def test_possible_findings_are_counted_but_shown_only_when_asked_for(tmp_path: Path) -> None:
    folder = project(tmp_path, model=MODEL, helpers=HELPERS)
    every, few = run(folder, min_confidence=Confidence.POSSIBLE), run(folder, min_confidence=Confidence.CERTAIN)
    assert len(every.findings) == len(few.findings) + few.hidden
    assert every.hidden == 0


def test_the_hidden_count_is_what_the_option_would_show(tmp_path: Path) -> None:
    """Of one line and rule the surest is reported, and what a baseline holds would not be shown either."""
    folder = project(
        tmp_path,
        model="""
            import torch

            def both(x: torch.Tensor, mask, logits):
                return x * int(x.sum()) * int(mask) * int(logits)

            def other(x: torch.Tensor, mask):
                if mask:
                    return x
                return x + 1
        """,
    )
    few = run(folder, baseline=str(tmp_path / "known.json"), update_baseline=True, min_confidence=Confidence.POSSIBLE)
    assert (len(few.findings), few.hidden) == (0, 0)
    for more in ({}, {"baseline": str(tmp_path / "known.json")}):
        few, every = (run(folder, min_confidence=least, **more) for least in (Confidence.LIKELY, Confidence.POSSIBLE))
        assert len(every.findings) == len(few.findings) + few.hidden
        assert (few.hidden > 0) is not bool(more)


def test_torch_is_the_one_of_the_environment_named(tmp_path: Path) -> None:
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    (site / "torch-2.9.1+cpu.dist-info").mkdir(parents=True)
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /nowhere\n", encoding="utf-8")
    (tmp_path / "p").mkdir()
    folder = project(tmp_path / "p", helpers=HELPERS)
    report = run(folder, torch_version=None, python=str(tmp_path / "env"))
    assert report.torch.version == "2.9.1+cpu"
    assert report.torch.source.startswith("installed in ")


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"torch_version": "newest"}, "is not a torch version.*--torch-version newest"),
        ({"python": "/no/such/python"}, "--python"),
        ({"paths": ("missing-a", "missing-b")}, "no such file or folder.*missing-a.*missing-b"),
        ({"exclude": ("*.py",)}, "no Python file found"),
        ({"select": ("CL10l",)}, "unknown rule 'CL10l' .--select.; did you mean CL101"),
        ({"ignore": ("host-reed",)}, "--ignore.; did you mean host-read"),
    ],
)
def test_a_request_that_cannot_be_carried_out_is_refused(
    tmp_path: Path, options: dict[str, object], complaint: str
) -> None:
    with pytest.raises(UsageError, match=complaint):
        run(project(tmp_path, helpers=HELPERS), **options)
    assert gc.isenabled()


def test_a_hook_that_is_handed_excluded_files_only_has_nothing_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = project(tmp_path, helpers=HELPERS)
    report = run(folder, paths=("helpers.py",), exclude=("helpers.py",), force_exclude=True)
    assert (report.findings, report.files_checked) == ((), 0)
    assert "nothing" in {notice.kind for notice in report.notices}


def test_files_to_lint_are_those_that_lint_reads(tmp_path: Path) -> None:
    folder = project(tmp_path, model=MODEL, helpers=HELPERS)
    options = Options(paths=(str(folder),))
    assert [Path(path).name for path in files_to_lint(options)] == ["helpers.py", "model.py"]


# -------------------------------------------------------------- configuration


def test_the_configuration_gives_severities_but_what_is_possible_stays_a_note(tmp_path: Path) -> None:
    folder = project(tmp_path, model=MODEL, helpers=HELPERS)
    report = run(folder, severity=(("CL1", Severity.NOTE), ("host-read", Severity.WARNING)))
    assert {(one.rule.code, one.severity) for one in report.findings} == {
        ("CL101", Severity.NOTE),
        ("CL102", Severity.WARNING),
        ("CL120", Severity.NOTE),
    }
    every = run(folder, severity=(("ALL", Severity.ERROR),), min_confidence=Confidence.POSSIBLE)
    assert {one.severity for one in every.findings if one.confidence == Confidence.POSSIBLE} <= {Severity.NOTE}


def test_rules_are_off_in_some_files(tmp_path: Path) -> None:
    folder = project(tmp_path, model=MODEL, helpers=HELPERS)
    report = run(folder, project=tmp_path.as_posix(), per_file_ignores=(("model.py", ("CL101", "CL120")),))
    assert reported(report) == [("CL101", "helpers.py", 2), ("CL102", "model.py", 11)]


def test_the_default_dynamo_configuration_is_that_of_the_roots(tmp_path: Path) -> None:
    folder = project(tmp_path, model=MODEL, helpers=HELPERS)
    (host_read,) = (one for one in run(folder).findings if one.rule.code == "CL102")
    assert host_read.effect is Effect.GRAPH_BREAK
    strict = run(folder, dynamo=DynamoConfig(fullgraph=True)).findings
    assert [(one.rule.code, one.effect) for one in strict] == [("CL101", Effect.ERROR)] * 2


# ------------------------------------------------------- notebooks and stdin


def test_a_notebook_is_a_module_and_its_findings_name_cell_and_line(tmp_path: Path) -> None:
    project(tmp_path, helpers=HELPERS)
    cells = [
        "%matplotlib inline\nimport torch\nfrom helpers import flag",
        "@torch.compile\ndef step(x: torch.Tensor):\n    n = x.max().item()  # compilelint: ignore[CL102] shown\n"
        "    return flag(x), x.min().item()",
        "def broken(:",
    ]
    made = [{"cell_type": "code", "source": cell} for cell in cells]
    (tmp_path / "study.ipynb").write_text(json.dumps({"cells": made}), encoding="utf-8")
    report = run(tmp_path)
    assert [(one.rule.code, one.location.cell, one.location.span.line) for one in report.findings] == [
        ("CL101", None, 2),
        ("CL102", 2, 4),
        ("CL901", 3, 1),
    ]
    assert report.suppressed == 1
    (step,) = report.findings[0].call_chain
    assert (step.location.cell, step.location.span.line) == (2, 4)
    assert report.findings[1].line_text == "    return flag(x), x.min().item()"


def test_a_broken_notebook_is_one_finding(tmp_path: Path) -> None:
    (tmp_path / "bad.ipynb").write_text("{", encoding="utf-8")
    (finding,) = run(tmp_path).findings
    assert finding.message.startswith("the file is not a notebook: expecting property name")


def test_a_notebook_of_the_name_of_a_script_does_not_hide_it(tmp_path: Path) -> None:
    project(tmp_path, model=MODEL, helpers=HELPERS)
    (tmp_path / "helpers.ipynb").write_text(json.dumps({"cells": []}), encoding="utf-8")
    assert reported(run(tmp_path))[0] == ("CL101", "helpers.py", 2)


def test_standard_input_is_linted_under_its_name(tmp_path: Path) -> None:
    project(tmp_path, model="x = 1\n", helpers=HELPERS)
    report = run(tmp_path, paths=(str(tmp_path / "model.py"),), stdin=dedent(MODEL).encode())
    assert ("CL120", "model.py", 13) in reported(report)
    assert report.unsaved == ((f"{tmp_path.as_posix()}/model.py", dedent(MODEL).encode()),)


@pytest.mark.parametrize(
    ("options", "parts", "wanted"),
    [
        pytest.param(Options(("p",), jobs=4), 3, 3, id="as many as there are parts"),
        pytest.param(Options(("p",), jobs=2), 3, 2, id="no more than are allowed"),
        pytest.param(Options(("p",), jobs=1), 3, 0, id="one job is this process"),
        pytest.param(Options(("p",), jobs=4), 1, 0, id="one part is analysed here"),
        pytest.param(Options(("p",), jobs=4), 5, 4, id="no more than are allowed, of many parts"),
        pytest.param(Options(("p",), jobs=4, stdin=b"x = 1"), 3, 0, id="a text that no file holds"),
    ],
)
def test_how_many_other_processes_are_of_use(
    options: Options, parts: int, wanted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("compilelint.session.parallel.split.parts_of", lambda size: parts)
    files = tuple(f"{number}.py" for number in range(6))
    assert _workers(options, Discovery(files)) == wanted
    assert _workers(options, Discovery(files[:1])) == 0, "one file is one part, however long"
