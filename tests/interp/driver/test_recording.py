"""Tables know when an entry was made and by which call, and hold a repeated call to what it found the first time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from compilelint.interp.core.modes import TRACED
from compilelint.interp.driver.recorded_tables import Counts, Known, Marks, Table
from compilelint.interp.driver.recording import Record, Recorder, UnrepeatableError


def call(recorder: Recorder, parent: Record | None = None) -> Any:
    """A call that is at work."""
    frame: Any = SimpleNamespace(function=None, modes=TRACED, interp=SimpleNamespace(symbols=0), entry=lambda: None)
    record = Record(frame, {}, "key", parent, recorder.tick())
    recorder.top = record
    return record


def ended(recorder: Recorder, record: Record) -> None:
    record.end = recorder.tick()
    recorder.top = record.parent


def test_a_repeated_call_may_ask_for_what_was_there() -> None:
    recorder = Recorder()
    table = Table(recorder)
    table["before"] = 1
    record = call(recorder)
    table["own"] = 2
    ended(recorder, record)
    with recorder.repeated(record):
        assert (table["before"], table.get("own")) == (1, 2)
        assert not record.left_out(recorder.touched)


def test_a_repeated_call_must_ask_for_what_it_made() -> None:
    recorder = Recorder()
    table = Table(recorder)
    record = call(recorder)
    table["own"] = 2
    ended(recorder, record)
    with recorder.repeated(record):
        assert record.left_out(recorder.touched)


def test_what_was_made_for_an_entry_goes_with_it() -> None:
    recorder = Recorder()
    table = Table(recorder)
    record = call(recorder)
    assert table.get("outer") is None
    table["inner"] = 1
    table["outer"] = 2
    ended(recorder, record)
    assert [key for _, key in record.made] == ["outer"]


def test_a_repeated_call_may_not_ask_for_what_came_later_nor_make_anything() -> None:
    recorder = Recorder()
    table = Table(recorder)
    record = call(recorder)
    ended(recorder, record)
    table["later"] = 1
    with recorder.repeated(record):
        with pytest.raises(UnrepeatableError):
            table.get("later")
        with pytest.raises(UnrepeatableError):
            table["new"] = 1


def test_what_another_call_made_is_there_once_that_call_was_made() -> None:
    recorder = Recorder()
    table = Table(recorder)
    outer = call(recorder)
    inner = call(recorder, outer)
    table["inner"] = 1
    ended(recorder, inner)
    ended(recorder, outer)
    with recorder.repeated(outer):
        with pytest.raises(UnrepeatableError):
            table.get("inner")
        recorder.met.append(inner)
        assert table.get("inner") == 1


def test_counts_are_as_they_were_then() -> None:
    recorder = Recorder()
    counts = Counts(recorder, (2,))
    counts["f"] = 1
    record = call(recorder)
    ended(recorder, record)
    counts["f"] = 2
    with recorder.repeated(record):
        assert counts.get("f", 0) == 1
    assert counts.get("f", 0) == 2


def test_a_count_that_reaches_its_bound_in_a_call_is_not_known() -> None:
    recorder = Recorder()
    counts = Counts(recorder, (2,))
    counts["f"] = 1
    record = call(recorder)
    counts["f"] = 2
    ended(recorder, record)
    with recorder.repeated(record), pytest.raises(UnrepeatableError):
        counts.get("f", 0)


def test_a_bound_that_a_call_made_by_the_repeated_one_reaches_is_reached_once_that_call_is_made() -> None:
    recorder = Recorder()
    counts = Counts(recorder, (2,))
    outer = call(recorder)
    counts["f"] = 1
    first = call(recorder, outer)
    ended(recorder, first)
    counts["f"] = 2
    second = call(recorder, outer)
    counts["f"] = 3
    ended(recorder, call(recorder, second))
    ended(recorder, second)
    ended(recorder, outer)
    with recorder.repeated(outer, [first, second]):
        assert counts.get("f", 0) == 0
        recorder.met.append(first)
        assert counts.get("f", 0) == 1
        recorder.met.append(second)
        assert counts.get("f", 0) == 3


def test_a_bound_that_a_silent_call_reaches_is_not_known() -> None:
    recorder = Recorder()
    counts = Counts(recorder, (2,))
    counts["f"] = 1
    outer = call(recorder)
    counts["f"] = 2
    silent = call(recorder, outer)
    ended(recorder, silent)
    ended(recorder, outer)
    with recorder.repeated(outer):
        with pytest.raises(UnrepeatableError):
            counts.get("f", 0)
        recorder.met.append(silent)
        assert counts.get("f", 0) == 2


def test_marks_of_a_call_are_gathered_and_known_keys_are_a_table() -> None:
    recorder = Recorder()
    marks, known = Marks(recorder), Known(recorder)
    record = call(recorder)
    marks.add("a")
    known.add("k")
    ended(recorder, record)
    assert record.marks == {"a"}
    with recorder.repeated(record):
        marks.add("a")
        known.add("k")
        assert recorder.marks == record.marks
        with pytest.raises(UnrepeatableError):
            known.add("other")


def test_a_question_is_asked_once_and_what_is_read_for_it_does_not_count() -> None:
    recorder = Recorder()
    node: Any = SimpleNamespace(qualname="f")

    def read() -> int:
        recorder.body(node)
        return 3

    assert recorder.ask("kind", node, read) == 3
    assert recorder.read == {}
    assert [answer for _, _, answer in recorder.questions.values()] == [3]
    recorder.body(node)
    assert list(recorder.read) == [id(node)]
