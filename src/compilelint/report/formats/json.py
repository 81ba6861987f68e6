"""Reports for programs. JSON is the one everything else can be made from; its schema is `schema-1.json`."""

from __future__ import annotations

import enum
import json
from collections import Counter
from dataclasses import asdict
from typing import Any

from compilelint import __version__
from compilelint.model import CallSite, Finding, Fix, Location, Notice, Related, Step, TargetRun, Verdict
from compilelint.report.layout.cost import cost_data, costs
from compilelint.report.layout.fingerprints import fingerprints
from compilelint.report.layout.folding import reasons
from compilelint.report.layout.judged import judged_data
from compilelint.report.layout.text import json_text
from compilelint.report.overview.choice import ranks
from compilelint.report.overview.measured import Measured
from compilelint.report.overview.overview import overview
from compilelint.report.report import Report

SCHEMA_VERSION = 1


def render(report: Report) -> str:
    """The report of design section 4.5; lines and columns are 1-based, ends exclusive, paths absolute with `/`."""
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "compilelint", "version": __version__},
        "torch": {"target": report.torch.version, "source": report.torch.source, **_versions(report.torch_versions)},
        "findings": findings_data(report),
        "targets": [_target(run) for run in report.targets],
        "notices": [_notice(one) for one in report.notices],
        "judged": judged_data(report),
        "summary": {
            "files_checked": report.files_checked,
            "findings": len(report.findings),
            "by_severity": {severity.label: count for severity, count in report.by_severity().items()},
            "by_rule": dict(sorted(Counter(one.rule.code for one in report.findings).items())),
            "suppressed": report.suppressed,
            "hidden": report.hidden,
            "min_confidence": report.min_confidence.label,
            **{name: count for name, count in _gated(report) if count},
        },
    }
    return json_text(json.dumps(document, indent=1)) + "\n"


def findings_data(report: Report) -> list[dict[str, Any]]:
    """The findings as they stand in the report."""
    each = zip(report.findings, fingerprints(report), costs(report), reasons(report), strict=True)
    places = ranks(overview(report, None, report.min_confidence, Measured()))
    return [
        {
            **_finding(one, mark),
            "cost": cost_data(cost),
            "rank": places.get(id(one)),
            "folded": reason or None,
        }
        for one, mark, cost, reason in each
    ]


def _notice(one: Notice) -> dict[str, Any]:
    """A notice; with the line it is about, if it is about one."""
    cell = {} if one.cell is None else {"cell": one.cell}
    return {"kind": one.kind, "text": one.text, "path": one.path, **cell, **({"line": one.line} if one.line else {})}


def _gated(report: Report) -> tuple[tuple[str, int], ...]:
    """What a baseline and a diff leave out."""
    return ("baselined", report.baselined), ("unchanged", report.unchanged)


def _finding(finding: Finding, fingerprint: str) -> dict[str, Any]:
    return {
        "rule": finding.rule.code,
        "name": finding.rule.name,
        "message": finding.message,
        "effect": finding.effect.value,
        "effects": [effect.value for effect in finding.effects],
        "severity": finding.severity.label,
        "confidence": finding.confidence.label,
        "doubts": [{"name": doubt.label, "why": doubt.why} for doubt in finding.confidence.doubts],
        **_whole_span(finding.location),
        "function": finding.function,
        "break_ids": list(finding.break_ids),
        "roots": list(finding.roots),
        "call_chain": [_step(site) for site in finding.call_chain],
        "related": [_related(related) for related in finding.related],
        "fix": None if finding.fix is None else _fix(finding.fix),
        "verdict": None if finding.verdict is None else _verdict(finding.verdict),
        "fingerprint": fingerprint,
        **{f"torch_{key}": versions for key, versions in _versions(finding.torch_versions).items()},
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    return {
        "outcome": verdict.outcome.value,
        "detail": verdict.detail,
        "targets": list(verdict.targets),
        "break_ids": list(verdict.break_ids),
    }


def _target(run: TargetRun) -> dict[str, Any]:
    """A target's run without the lines it traced, which only records need."""
    fields = {name: _json_value(value) for name, value in asdict(run).items() if name not in ("traced", "output")}
    return {**fields, "within_budget": run.within_budget}


def _json_value(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, Step):
        return value._asdict()
    if isinstance(value, (list, tuple)):
        return [_json_value(one) for one in value]
    return {key: _json_value(one) for key, one in value.items()} if isinstance(value, dict) else value


def _versions(versions: tuple[str, ...]) -> dict[str, list[str]]:
    """An entry that is there only where a range of torch versions was asked for."""
    return {"versions": list(versions)} if versions else {}


def _whole_span(location: Location) -> dict[str, Any]:
    span = location.span
    ends = {"end_line": span.end_line, "end_column": span.end_column}
    cell = {} if location.cell is None else {"cell": location.cell}
    return {"path": location.path, **cell, "line": span.line, "column": span.column, **ends}


def _step(site: CallSite) -> dict[str, Any]:
    cell = {} if site.location.cell is None else {"cell": site.location.cell}
    return {"path": site.location.path, **cell, "line": site.location.span.line, "function": site.function}


def _related(related: Related) -> dict[str, Any]:
    return {**_whole_span(related.location), "text": related.text}


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [
        {**({"path": edit.path} if edit.path else {}), **edit.span._asdict(), "text": edit.text} for edit in fix.edits
    ]
    return {"safety": fix.safety.value, "title": fix.title, "edits": edits}
