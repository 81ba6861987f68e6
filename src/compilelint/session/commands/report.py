"""The readiness report of a project: a lint of everything, one with CUDA graphs asked for, and what runs have said."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from compilelint.config import Options, UsageError
from compilelint.disk.data import NotParsedError, json_of
from compilelint.disk.read import NotReadError, read_bytes
from compilelint.fleet.accepted import NotAcceptedError, read_accepted
from compilelint.model import Confidence, Rule
from compilelint.project.index import Program
from compilelint.report.overview.deployment.plan import Asked, Purpose
from compilelint.report.overview.measured import Measured, NotMeasuredError, measured
from compilelint.report.overview.overview import Overview, overview
from compilelint.report.overview.since import NoReportError, Since, since, since_accepted
from compilelint.session.commands.board_rows import NoBoardError, speeds_of
from compilelint.session.commands.lint import lint
from compilelint.session.commands.verify import with_recording
from compilelint.session.parallel.module_cache import ModuleCache, View
from compilelint.session.pipeline.inputs import Project
from compilelint.session.pipeline.unite import united
from compilelint.session.run import Progress, run_of
from compilelint.survey.practices import Practice, practices
from compilelint.survey.top_models import models
from compilelint.syntax import ir
from compilelint.syntax.stack import run_with_deep_stack

_MOST_BYTES = 256 << 20


def overview_of(
    each: Sequence[Options],
    progress: Progress,
    keep_alive: list[object],
    runs: Sequence[str],
    benches: Sequence[str],
    before: str | None = None,
    deployment: Purpose | None = None,
) -> Overview:
    """The overview of what the options name; `runs` and `benches` are files that `verify` and `bench` wrote, `before`
    is the JSON of an earlier report to compare with, `deployment` what the project is to be deployed for.

    Raises UsageError.
    """
    earlier = None if before is None else _document(before, "no report to compare with", _HINT_SINCE)
    documents = [_document(path, "no run", _HINT_VERIFY) for path in runs]
    speeds = [_speeds(path) for path in benches]
    least = min(options.min_confidence for options in each)
    every = [replace(one, min_confidence=Confidence.POSSIBLE) for one in each]
    report = united([lint(options, progress, keep_alive) for options in every])
    report = replace(report, min_confidence=least)
    purpose = each[0].purpose
    recorded = [with_recording(options) for options in every]
    again = report
    if purpose == "compile" and recorded != every:
        again = united([lint(options, progress, keep_alive) for options in recorded])
    found = overview(report, again, least, _measured(documents, speeds, report.rules, runs), purpose)
    if deployment is not None:
        found = replace(found, asked=run_with_deep_stack(lambda: _asked(every, deployment, progress)))
    if before is None:
        return found
    return replace(found, since=_since(found, earlier, before))


def _since(found: Overview, earlier: Any, path: str) -> Since:
    """The comparison with an earlier report, or with the numbers that `verify --budget` accepted. Raises UsageError."""
    name = os.path.basename(path)
    try:
        if isinstance(earlier, dict) and "targets" in earlier and "findings" not in earlier:
            return since_accepted(found.functions, read_accepted(earlier), name)
        return since(found.report, found.functions, earlier, name)
    except (NoReportError, NotAcceptedError) as error:
        raise UsageError(f"no report to compare with: {error}", path, _HINT_SINCE) from error


def _asked(each: Sequence[Options], purpose: Purpose, progress: Progress) -> Asked:
    """What the code around the models does, and the outermost models; the files are read again without analysis."""
    progress("reading the code around the models")
    found: list[Practice] = []
    tops: set[str] = set()
    for options in each:
        run = run_of(options, progress)
        project = Project(run.loader, run.files, options.stdin)
        known = ModuleCache(run.loader, project.files, project.texts, project.given)
        program = Program(View(known), frozenset(run.files.files).__contains__)
        lowered = [one for file in project.files if isinstance(one := known.lowered(file), ir.Module)]
        modules = [program.add(one) for one in lowered]
        found += practices(program, modules)
        tops.update(one.reference for one in models(program, modules))
    return Asked(purpose, tuple(found), frozenset(tops))


_HINT_SINCE = "name what `report --output json:FILE`, `check --output json:FILE` or `verify --update-budget` wrote"


def _measured(documents: Sequence[Any], speeds: Sequence[Any], rules: Sequence[Rule], runs: Sequence[str]) -> Measured:
    every = {key: speed for found in speeds for key, speed in found.items()}
    try:
        return measured(documents, every, rules)
    except NotMeasuredError as error:
        raise UsageError(f"no run: {error}", ", ".join(runs), _HINT_VERIFY) from error


_HINT_VERIFY = "name what `verify --output json:FILE` wrote"


def _document(path: str, what: str, hint: str) -> Any:
    try:
        return json_of(read_bytes(path, _MOST_BYTES))
    except (NotReadError, NotParsedError) as error:
        raise UsageError(f"{what}: {error}", path, hint) from error


def _speeds(path: str) -> Any:
    try:
        return speeds_of(read_bytes(path, _MOST_BYTES))
    except (NotReadError, NoBoardError) as error:
        raise UsageError(f"no measurements: {error}", path, "name what `bench --output json:FILE` wrote") from error
