"""The readiness report for programs; its schema is `report/overview-1.json`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from compilelint import __version__
from compilelint.model import Finding, Location
from compilelint.report.formats.json import findings_data
from compilelint.report.layout.cost import cost_data
from compilelint.report.layout.judged import judged_data, place
from compilelint.report.layout.root_tree import configured
from compilelint.report.layout.text import json_text, shown_path
from compilelint.report.overview.deployment.deploy import deploy
from compilelint.report.overview.deployment.plan import Asked
from compilelint.report.overview.overview import Overview
from compilelint.report.overview.roots import Compiled
from compilelint.report.overview.since import Since
from compilelint.report.overview.work import Task

SCHEMA_VERSION = 1
_TIERS = ("compiled", "model", "if-compiled", "if-cuda-graphs")


def render(overview: Overview) -> str:
    """All of it, nothing cut; lines and columns are 1-based, paths absolute with `/`."""
    report = overview.report
    document = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "compilelint", "version": __version__},
        "torch": {"target": report.torch.version, "source": report.torch.source},
        "work": [_task(one) for one in overview.tasks],
        "functions": [_function(one) for one in overview.functions],
        "refuted": _findings(overview.refuted),
        "findings": findings_data(report),
        **({} if overview.since is None else {"since": _since(overview.since)}),
        "runs": [asdict(one) for one in overview.measured.runs],
        "speeds": [asdict(one) for one in overview.measured.speeds],
        **({} if overview.asked is None else {"deployment": _deployment(overview, overview.asked)}),
        "judged": judged_data(report),
        "summary": {
            "files_checked": report.files_checked,
            "hidden": overview.hidden,
            "suppressed": report.suppressed,
            "min_confidence": report.min_confidence.label,
        },
    }
    return json_text(json.dumps(document, indent=1)) + "\n"


def _deployment(overview: Overview, asked: Asked) -> dict[str, Any]:
    found = deploy(overview, asked, shown_path)
    return {
        "for": found.purpose,
        "verdicts": [
            {
                "name": one.name,
                "roots": one.spec,
                **_where(one.location),
                "verdict": one.kind,
                "words": one.words,
                "expected": [{"as": part.what, "low": part.low, "high": part.high} for part in one.ranges],
            }
            for one in found.verdicts
        ],
        "advice": [
            {
                "topic": one.topic,
                "words": one.words,
                "place": None if one.location is None else _where(one.location),
                "rows": list(one.rows),
            }
            for one in found.advice
        ],
        "commands": list(found.commands),
        "assumes": found.assumes,
    }


def _since(since: Since) -> dict[str, Any]:
    return {
        "report": since.name,
        "summary": since.words,
        "fixed": [{"rule": one.rule, "place": one.place} for one in since.fixed],
        "new": _findings(since.new),
        "graphs": [
            {"name": one.name, "before": one.before, "after": one.after, "worse": one.is_worse} for one in since.graphs
        ],
        "milliseconds_a_step": [since.low, since.high],
    }


def _task(task: Task) -> dict[str, Any]:
    finding = task.finding
    return {
        **_finding(finding),
        "name": finding.rule.name,
        "message": finding.message,
        "help": finding.help,
        "severity": finding.severity.label,
        "confidence": finding.confidence.label,
        "doubts": [{"name": doubt.label, "why": doubt.why} for doubt in finding.confidence.doubts],
        "effects": [one.value for one in finding.effects],
        "verdict": finding.verdict.outcome.value if finding.verdict else None,
        "of": _TIERS[task.tier],
        "functions": list(task.roots),
        "mode": task.mode or None,
        "mode_asked": task.asked if task.mode else None,
        "why_here": task.reason,
        "cost": cost_data(task.cost),
        "like_it": _findings(task.others),
    }


def _function(one: Compiled) -> dict[str, Any]:
    return {
        "name": one.name,
        "roots": one.spec,
        "kind": one.kind,
        **_where(one.location),
        "calls": [{**_where(at), "configuration": dict(configured(config))} for at, config in one.calls],
        "state": one.state,
        "graphs": 0 if one.failures else one.graphs.most,
        "fewest_graphs": 0 if one.failures else one.graphs.fewest,
        "more_graphs": one.graphs.again and not one.failures,
        "failures": _findings(one.failures),
        "breaks": _findings((*one.breaks, *one.off)),
        "recompiles": _findings(one.recompiles),
        "host_syncs": _findings(one.syncs),
        "cuda_graphs": {"asked": one.asks_for_cuda_graphs, "kept_out_by": _findings(one.unrecorded)},
        "findings": _findings(one.findings),
        "runs": [run.target for run in one.runs],
        "speeds": [speed.target for speed in one.speeds],
    }


def _findings(findings: Sequence[Finding]) -> list[dict[str, Any]]:
    return [_finding(one) for one in findings]


def _finding(finding: Finding) -> dict[str, Any]:
    return {"rule": finding.rule.code, **_where(finding.location)}


def _where(location: Location) -> dict[str, Any]:
    return {**place(location), "column": location.span.column}
