"""Ask what the survey reports as practices of a small file."""

from __future__ import annotations

import textwrap

from compilelint.survey.practices import Practice, practices
from tests.support.survey_events import NET, program_of


def found(*texts: str) -> list[Practice]:
    """The practices of files, each behind the prelude; the first behind a model, too."""
    first, *others = (textwrap.dedent(text) for text in texts)
    program, modules = program_of(NET + first, *others)
    return list(practices(program, modules))


def of_kind(kind: str, *texts: str) -> list[tuple[str, str]]:
    """Name and detail of each practice of one kind."""
    return [(one.name, one.detail) for one in found(*texts) if one.kind == kind]
