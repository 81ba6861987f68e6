"""Findings as JSON values and back: nothing is lost, and nothing but findings can come out, every field of its type.

A rule is written as its code; the reader gives the rules. Spans are lists of four numbers. What settings and runs
add later (`configured`, `verdict`) is no part of an outcome that is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, get_args

from compilelint.model import (
    Belief,
    CallSite,
    Confidence,
    Doubt,
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
from compilelint.model.rewrite import FactName, RewriteName

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
        _encoded_confidence(finding.confidence),
        _packed_location(finding.location),
        finding.function,
        list(finding.break_ids),
        list(finding.roots),
        [[_packed_location(step.location), step.function] for step in finding.call_chain],
        [[_packed_location(one.location), one.text] for one in finding.related],
        finding.why,
        finding.help,
        encoded_fix(fix),
        _encoded_rewrite(finding.rewrite),
        finding.line_text,
        list(finding.torch_versions),
        finding.skips_frame,
        [list(place) for place in finding.root_places],
    ]


def decoded(value: Json, rules: Mapping[str, Rule]) -> Finding:
    """The finding that `encoded` was given. Raises NoFindingError for anything else."""
    try:
        code, message, effects, sure, place, function, breaks, roots, chain, related, *rest = value
        why, help_, fix, rewrite, line, torch, skips_frame, places = rest
        return Finding(
            rules[code],
            text_of(message),
            tuple([_EFFECTS[effect] for effect in effects]),
            _confidence(sure),
            _location(place),
            text_of(function),
            break_ids=_texts(breaks),
            roots=_texts(roots),
            call_chain=tuple([CallSite(_location(where), text_of(name)) for where, name in chain]),
            related=tuple([Related(_location(where), text_of(text)) for where, text in related]),
            why=text_of(why),
            help=text_of(help_),
            fix=_fix(fix),
            rewrite=_rewrite(rewrite),
            line_text=text_of(line),
            torch_versions=_texts(torch),
            skips_frame=_flag(skips_frame),
            root_places=tuple([(text_of(name), text_of(path), number_of(line)) for name, path, line in _list(places)]),
        )
    except (KeyError, ValueError, TypeError, IndexError) as error:
        raise NoFindingError(f"{type(error).__name__}: {error}") from error


def encoded_fix(fix: Fix | None) -> Json:
    """A fix, or that there is none, as lists and texts."""
    if fix is None:
        return None
    edits = [[list(one.span), one.text, one.path] for one in fix.edits]
    return [fix.safety.value, fix.title, edits, fix.configures, fix.rewrite]


def decoded_fix(value: Json) -> Fix | None:
    """What `encoded_fix` was given. Raises NoFindingError for anything else."""
    try:
        return _fix(value)
    except (ValueError, TypeError) as error:
        raise NoFindingError(f"{type(error).__name__}: {error}") from error


_EFFECTS = {effect.value: effect for effect in Effect}
_CONFIDENCES = {int(one): one for one in Confidence}


def text_of(value: Json) -> str:
    """A text. Raises TypeError for anything else, as all readers of this file do."""
    if type(value) is not str:
        raise TypeError(f"{type(value).__name__} in place of a string")
    return value


def number_of(value: Json) -> int:
    """A whole number."""
    if type(value) is not int:
        raise TypeError(f"{type(value).__name__} in place of a number")
    return value


def _confidence(value: Json) -> Confidence:
    """A level, and the names of the doubts that lowered it."""
    level, *doubts = _list(value)
    return _CONFIDENCES[number_of(level)].since([Doubt[text_of(name)] for name in doubts])


def _flag(value: Json) -> bool:
    if type(value) is not bool:
        raise TypeError(f"{type(value).__name__} in place of a flag")
    return value


def _texts(value: Json) -> tuple[str, ...]:
    return tuple([text_of(one) for one in _list(value)])


def _list(value: Json) -> list[Json]:
    if type(value) is not list:
        raise TypeError(f"{type(value).__name__} in place of a list")
    return value


_NAMES: dict[str, RewriteName] = {name: name for name in get_args(RewriteName)}
_FACTS: dict[str, FactName] = {name: name for name in get_args(FactName)}


def _rewrite(value: Json) -> Rewrite | None:
    if value is None:
        return None
    name, known, held = value
    facts = tuple([(_FACTS[fact], _fact(one)) for fact, one in _list(known)])
    return Rewrite(_NAMES[name], facts, tuple([_belief(one) for one in _list(held)]))


def _belief(value: Json) -> Belief:
    name, dtype, rank, sure = _list(value)
    return Belief(text_of(name), text_of(dtype), None if rank is None else number_of(rank), _confidence(sure))


def _encoded_rewrite(rewrite: Rewrite | None) -> Json:
    if rewrite is None:
        return None
    held = [[one.name, one.dtype, one.rank, _encoded_confidence(one.sure)] for one in rewrite.held]
    return [rewrite.name, [list(one) for one in rewrite.known], held]


def _encoded_confidence(sure: Confidence) -> Json:
    return [int(sure), *(doubt.name for doubt in sure.doubts)]


def _fact(value: Json) -> str | int | bool:
    if type(value) not in (str, int, bool):
        raise TypeError(f"{type(value).__name__} in place of a fact")
    found: str | int | bool = value
    return found


def _fix(value: Json) -> Fix | None:
    if value is None:
        return None
    safety, title, edits, configures, rewrite = value
    made = tuple([Edit(_span(span), text_of(text), text_of(path)) for span, text, path in edits])
    return Fix(Safety(safety), text_of(title), made, _flag(configures), text_of(rewrite))


def _packed_location(location: Location) -> Json:
    return [location.path, *location.span, location.cell]


def _location(value: Json) -> Location:
    path, line, column, end_line, end_column, cell = value
    span = Span(number_of(line), number_of(column), number_of(end_line), number_of(end_column))
    return Location(text_of(path), span, None if cell is None else number_of(cell))


def _span(value: Json) -> Span:
    line, column, end_line, end_column = value
    return Span(number_of(line), number_of(column), number_of(end_line), number_of(end_column))
