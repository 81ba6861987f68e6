"""Runs and measurements beside what is expected: matched by place and name, refused where they are something else."""

from __future__ import annotations

from typing import Any

import pytest

from compilelint.model import Confidence, Outcome
from compilelint.report.overview.console import render
from compilelint.report.overview.measured import Measured, NotMeasuredError, measured
from compilelint.report.overview.overview import Overview, overview
from tests.report.overview.samples import BREAK, RECOMPILE, finding, report, root


def target(**more: Any) -> dict[str, Any]:
    plain = {"target": "model:Net", "fate": "ran", "detail": "", "mode": "eval", "graphs": 2, "recompiles": []}
    place = {"path": "/p/model.py", "line": 1, "function": "Net"}
    seen = {"path": "/p/model.py", "line": 3, "after": ""}
    return {**plain, "place": place, "breaks": [seen, dict(seen)], "parity": None, **more}


def verdict(line: int, outcome: str, rule: str = "CL101") -> dict[str, Any]:
    said = {"outcome": outcome, "detail": "seen in model:Net", "targets": ["model:Net"], "break_ids": []}
    where = {"path": "/p/model.py", "line": line, "column": 5, "end_line": line, "end_column": 9}
    effects = {"message": "seen", "effects": ["graph-break"], "confidence": "certain"}
    return {"rule": rule, **where, **effects, "function": "f", "break_ids": [], "roots": [], "verdict": said}


SPEED = {"configuration": "default", "estimate": 1.5, "low": 1.4, "high": 1.6}


def read(*documents: Any, speeds: Any = None) -> Measured:
    return measured(documents, speeds or {}, report().rules)


def shown(one: Measured) -> Overview:
    found = report((finding(BREAK, 3), finding(RECOMPILE, 5)), (root(),))
    return overview(found, report(), Confidence.LIKELY, one)


def test_a_run_stands_beside_the_forward_of_its_model() -> None:
    said = shown(read({"targets": [target()], "findings": []}, speeds={("model:Net", "eval"): SPEED}))
    text = render(said)
    assert "verify (eval): 2 graphs, 1 break, 0 recompiles; no difference from eager seen" in text
    assert "bench (eval): 1.50 times as fast as eager (1.40 to 1.60), with default" in text
    assert "Measured" not in text


def test_a_run_of_something_else_stands_by_itself() -> None:
    other = target(target="other:Net", place={"path": "/p/other.py", "line": 1, "function": "Net"})
    text = render(shown(read({"targets": [other], "findings": []})))
    assert "Measured\n  `other:Net`: verify (eval): 2 graphs" in text


def test_a_target_that_did_not_run_says_why() -> None:
    text = render(shown(read({"targets": [target(fate="no-inputs", detail="x is missing\nmore")], "findings": []})))
    assert "verify: not run (no-inputs: x is missing)" in text


def test_verdicts_go_to_their_findings() -> None:
    said = shown(read({"targets": [target()], "findings": [verdict(3, "confirmed"), verdict(5, "refuted", "CL701")]}))
    assert [one.finding.location.span.line for one in said.tasks] == [3]
    assert [one.location.span.line for one in said.refuted] == [5]
    text = render(said)
    assert ":3 (CL101, confirmed)" in text
    assert "refuted by the runs, and no work: /p/model.py:5 (CL701)" in text


def test_what_a_run_alone_saw_is_work_too() -> None:
    said = shown(read({"targets": [target()], "findings": [verdict(9, "run-only")]}))
    (added,) = [one.finding for one in said.tasks if one.finding.location.span.line == 9]
    assert added.verdict is not None
    assert added.verdict.outcome is Outcome.RUN_ONLY
    assert shown(read({"targets": [], "findings": [verdict(9, "run-only", "CL999")]})).tasks == shown(Measured()).tasks


@pytest.mark.parametrize("document", [[], {}, {"targets": []}, {"targets": [{}], "findings": []}, 3])
def test_another_document_is_refused(document: Any) -> None:
    with pytest.raises(NotMeasuredError, match="no targets and findings"):
        read(document)
