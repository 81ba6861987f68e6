"""Findings as JSON values and back: nothing is lost, and nothing but findings can come out.

A rule is written as its code; the reader gives the rules. Spans are lists of four numbers. What settings and runs
add later (`configured`, `verdict`) is no part of an outcome that is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from compilelint.model import (
    CallSite,
    Confidence,
    Edit,
    Effect,
    Finding,
    Fix,
    Location,
    Related,
    Rewrite,
    Rule,
    Safety,
    Span,
)

Json: TypeAlias = Any


class NoFindingError(Exception):
    """The text is no finding of these rules."""


def encoded(finding: Finding) -> Json:
    """A finding as lists, texts and numbers."""
    fix = finding.fix
    return [
        finding.rule.code,
        finding.message,
        [effect.value for effect in finding.effects],
        int(finding.confidence),
        _place(finding.location),
        finding.function,
        list(finding.break_ids),
        list(finding.roots),
        [[_place(step.location), step.function] for step in finding.call_chain],
        [[_place(one.location), one.text] for one in finding.related],
        finding.why,
        finding.help,
        encoded_fix(fix),
        None if finding.rewrite is None else [finding.rewrite.name, [list(one) for one in finding.rewrite.known]],
        finding.line_text,
        list(finding.torch_versions),
        finding.skips_frame,
    ]


def decoded(value: Json, rules: Mapping[str, Rule]) -> Finding:
    """The finding that `encoded` was given. Raises NoFindingError for anything else."""
    try:
        code, message, effects, sure, place, function, breaks, roots, chain, related, *rest = value
        why, help_, fix, rewrite, line, torch, skips_frame = rest
        return Finding(
            rules[code],
            message,
            tuple([_EFFECTS[effect] for effect in effects]),
            _CONFIDENCES[sure],
            _location(place),
            function,
            break_ids=tuple(breaks),
            roots=tuple(roots),
            call_chain=tuple([CallSite(_location(where), name) for where, name in chain]),
            related=tuple([Related(_location(where), text) for where, text in related]),
            why=why,
            help=help_,
            fix=_fix(fix),
            rewrite=None
            if rewrite is None
            else Rewrite(rewrite[0], tuple([(name, known) for name, known in rewrite[1]])),
            line_text=line,
            torch_versions=tuple(torch),
            skips_frame=skips_frame,
        )
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise NoFindingError(f"{type(error).__name__}: {error}") from error


def encoded_fix(fix: Fix | None) -> Json:
    """A fix, or that there is none, as lists and texts."""
    return None if fix is None else [fix.safety.value, fix.title, [[list(one.span), one.text] for one in fix.edits]]


def decoded_fix(value: Json) -> Fix | None:
    """What `encoded_fix` was given. Raises NoFindingError for anything else."""
    try:
        return _fix(value)
    except (ValueError, TypeError) as error:
        raise NoFindingError(f"{type(error).__name__}: {error}") from error


_EFFECTS = {effect.value: effect for effect in Effect}
_CONFIDENCES = {int(one): one for one in Confidence}


def _fix(value: Json) -> Fix | None:
    if value is None:
        return None
    safety, title, edits = value
    return Fix(Safety(safety), str(title), tuple([Edit(_span(span), str(text)) for span, text in edits]))


def _place(location: Location) -> Json:
    return [location.path, *location.span, location.cell]


def _location(value: Json) -> Location:
    path, line, column, end_line, end_column, cell = value
    return Location(path, Span(line, column, end_line, end_column), cell)


def _span(value: Json) -> Span:
    line, column, end_line, end_column = value
    return Span(line, column, end_line, end_column)
