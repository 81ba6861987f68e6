"""Jinja2 for the HTML report: every text that a template prints is made visible, cut and escaped, whatever it is.

Templates, style sheet and script are files of `report/templates/`. `Shown` marks text that is fit to be shown already
(a line of source whose columns must stay), `worded` makes markup of a message's backticks; nothing else passes unread.
"""

from __future__ import annotations

import functools
import re
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from compilelint.report.layout.text import escaped

_MOST_CHARACTERS = 2000
_WORDED = re.compile(r"`([^`]+)`")


class Shown(str):
    """Text in which every character is visible already."""

    __slots__ = ()


def page(template: str, **values: Any) -> str:
    """A template of the report, filled in."""
    return _environment().get_template(template).render(**values)


def source(name: str) -> str:
    """A file of `report/templates/` as it stands there."""
    return files("compilelint.report").joinpath("templates").joinpath(name).read_text(encoding="utf-8")


def worded(text: str) -> Markup:
    """A message of ours: what stands between backticks is code."""
    if "`" not in text:
        return escape(_cut(_visible(text)))
    parts = _WORDED.split(_visible(text))
    return Markup("").join(
        Markup("<code>%s</code>") % _cut(part) if number % 2 else escape(_cut(part))
        for number, part in enumerate(parts)
    )


def first_upper(text: str) -> str:
    """A sentence part as a sentence begins."""
    return text[:1].upper() + text[1:]


@functools.cache
def _environment() -> Environment:
    found = Environment(
        loader=FunctionLoader(lambda name: (source(name), name, None)),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_fit,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters |= {"worded": worded, "first_upper": first_upper}
    return found


def _fit(value: Any) -> Any:
    """What a template prints, before it is escaped."""
    if isinstance(value, Shown):
        return _cut(value)
    if isinstance(value, str) and not isinstance(value, Markup):
        return _cut(_visible(value))
    return value


def _visible(text: str) -> str:
    """On one line, hidden characters as their escapes."""
    return escaped(text if text.isprintable() else " ".join(text.splitlines()))


def _cut(text: str) -> str:
    """Cut to a length that is read."""
    return text if len(text) <= _MOST_CHARACTERS else text[: _MOST_CHARACTERS - 1] + "…"
