"""The life of a process that is measured: it prepares one variant, then answers what it is asked until goodbye."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.worker.channel import Channel, leave
from compilelint.dynamic.worker.serve import ends_in_words, say_ready, start


def main(secret: str) -> None:
    """Serve until the parent says goodbye."""
    started = start(secret, compiles=True)
    if started is None:
        leave()
        return
    channel, settings, messages = started
    with ends_in_words(channel):
        _serve_all(channel, settings, messages)
    leave()


def _serve_all(channel: Channel, settings: Settings, messages: Iterator[dict[str, Any]]) -> None:
    """Say that questions may come, and answer those that do."""
    from compilelint.bench.worker.subject import Subject

    subject = Subject(settings, ast.literal_eval)
    say_ready(channel)
    for message in messages:
        number = message["number"]

        def progress(phase: str, number: int = number) -> None:
            channel.send({"event": "phase", "number": number, "phase": phase})

        channel.send({"event": "done", "number": number, "observed": _answer(subject.answers(progress), message)})


def _answer(answers: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]], message: Mapping[str, Any]) -> Any:
    """What came of a question; what the user's code raises is an answer too."""
    from compilelint.dynamic.worker.faults import is_answer
    from compilelint.dynamic.worker.job import Ended, fate_of, where
    from compilelint.dynamic.worker.last_words import ending_of

    try:
        return {"fate": "ran", **answers[message["event"]](message)}
    except Ended as end:
        return {"fate": end.fate, "detail": end.detail}
    except BaseException as error:  # noqa: BLE001 - whatever the user's code raises is what was observed
        if not is_answer(error):
            ending = ending_of(error)
            return {"fate": ending.fate, "detail": ending.detail}
        return {"fate": fate_of(str(error), message.get("blame", "eager-error")), "detail": where(error)}
