"""The costly middle of a run: find roots, interpret, survey, fold, and take out what pragmas silence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from compilelint.config import Options
from compilelint.events import Event
from compilelint.interp import Interpreter
from compilelint.model import Finding, Rule
from compilelint.program.roots import find_roots
from compilelint.program.survey import survey
from compilelint.report import CompileRoot
from compilelint.rulebook import Rulebook
from compilelint.session.finishing import compile_roots
from compilelint.session.gathering import Project, Torch, captures_of
from compilelint.session.judging import Folded, suppressed
from compilelint.torchfacts import TorchFacts


@dataclass(frozen=True, slots=True)
class Analysed:
    """What the files come to, before settings choose among it: `started` counts the roots that could be started."""

    findings: Sequence[Finding]
    suppressed: int
    roots: tuple[CompileRoot, ...]
    started: int


def analysed(
    options: Options,
    project: Project,
    torch: Torch,
    book: Rulebook,
    rules: Sequence[Rule],
    tell: Callable[[str], object],
) -> Analysed:
    """Run all compile roots of the project under every torch asked for."""
    folded = Folded()
    judge = book.only(rules)
    specs = tuple(spec.replace(":", ".") for spec in options.roots)  # `pkg.mod:Class.method` is a dotted name too
    # Looked for in the few files that may say it: what a survey asks of a module before the roots are run is answered
    # without what their imports tell, and the answer would stay.
    switches = captures_of(survey(project.program, project.naming_captures))
    config = replace(options.dynamo, captures=options.dynamo.captures | switches)
    roots = find_roots(project.program, project.modules, specs, config)
    started = len(roots.first) + len(roots.rest)

    tell(f"following {started:,} compile roots")
    for facts in torch.facts:
        version = facts.version if len(torch.facts) > 1 else ""

        def sink(event: Event, facts: TorchFacts = facts, version: str = version) -> None:
            folded.add(judge.findings_for(event, facts), version)  # at once, so that no event has to be kept

        Interpreter(project.program, facts, sink, config).analyse(roots)
        for event in survey(project.program, project.to_survey):
            sink(event)
    folded.add(project.refused)
    judged = suppressed(folded.findings(), project.pragmas, rules, book.rules)
    return Analysed(judged.findings, judged.suppressed, tuple(compile_roots(roots, project.notebooks)), started)
