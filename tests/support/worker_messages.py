"""State on each line of a small program what the interpreter reports to the checks there; silent lines state silence.

`if x.sum() > 0:  # branch if` is one event; several on a line stand in order, separated by `; `. Distinguished from the
rest are branches, index loads and stores, and every call, attribute, syntax or `with` at which a graph ends.
After the kind and its name come, where they hold: `traces` (Dynamo takes it), `likely` / `possible`,
`in for/with` (the blocks around it), `skipped` (behind a break that skips the frame), `inside lib.py:3` (the place
in a file that is not linted where it really happens).
"""

from __future__ import annotations

import re

from compilelint import events
from compilelint.events import DynamoConfig, Event
from compilelint.model import Confidence
from compilelint.values import Tensor, Value
from tests.support.reveal import Files, run, sources

_STATED = re.compile(r"  # ((?:branch|index|call|attribute|syntax|enter) .+)$")


def differences(
    files: Files,
    roots: tuple[str, ...] = ("auto",),
    config: DynamoConfig | None = None,
    unlinted: tuple[str, ...] = (),
) -> list[str]:
    """Each line whose events are not those that stand on it."""
    reported: dict[tuple[str, int], list[str]] = {}
    for event in run(files, roots, config, unlinted):
        words = describe(event)
        place = event.site.location
        if words and words not in reported.setdefault((place.path, place.span.line), []):
            reported[place.path, place.span.line].append(words)
    wrong = []
    for path, text in sources(files).items():
        for number, line in enumerate(text.splitlines(), 1):
            found = _STATED.search(line)
            wanted = "" if found is None else found[1].strip()
            got = "; ".join(reported.get((path, number), []))
            if got != wanted:
                wrong.append(f"{path}: {line.strip()}\n    reported: {got or 'nothing'}")
    return wrong


def check(
    files: Files,
    roots: tuple[str, ...] = ("auto",),
    config: DynamoConfig | None = None,
    unlinted: tuple[str, ...] = (),
) -> None:
    """Fail unless the events are what its comments say, and no others."""
    wrong = differences(files, roots, config, unlinted)
    assert not wrong, "\n".join(["", *wrong])


def describe(event: Event) -> str:
    """An event in the words of this module's docstring; empty for one that is left out."""
    subject: Value | None = None
    if isinstance(event, events.Branch):
        name, subject = f"branch {event.keyword}", event.condition
    elif isinstance(event, events.Index):
        name, subject = f"index {'store' if event.store else 'load'} {event.how}".rstrip(), event.value
    elif not event.breaks:
        return ""
    elif isinstance(event, events.Call):
        name, subject = f"call {event.name}", event.receiver
    elif isinstance(event, events.Attribute):
        name, subject = f"attribute {event.name}", event.receiver
    elif isinstance(event, events.Enter):
        name = f"enter {event.name}"
    elif isinstance(event, events.Syntax):
        name = f"syntax {event.form}"
    else:
        return ""
    return " ".join([name, *_modifiers(event, subject)])


def _modifiers(event: Event, subject: Value | None) -> list[str]:
    site = event.site
    words = []
    if not event.breaks:
        words.append("traces")
    confidence = min(site.cap, subject.confidence) if isinstance(subject, Tensor) else site.cap
    if confidence is not Confidence.CERTAIN:
        words.append(confidence.label)
    if site.blocks:
        words.append(f"in {'/'.join(site.blocks)}")
    if site.after_skip:
        words.append("skipped")
    inner = site.inner
    while inner is not None and inner.inner is not None:
        inner = inner.inner
    if inner is not None:
        place = inner.location
        words.append(f"inside {place.path}:{place.span.line - 1}")  # without the line of the prelude
    return words
