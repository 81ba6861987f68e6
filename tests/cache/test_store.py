"""The store: what was put comes back or nothing does, whatever happens to the files and other writers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import fields
from pathlib import Path

import pytest

from compilelint.cache import NoFindingError, Store, decoded, encoded, store_in
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

SECRET = b"secret"
KEY, CONTENT = "a key, with any text: \N{SNOWMAN}", b'{"findings": [1, 2, 3]}'


def test_what_was_put_comes_back(tmp_path: Path) -> None:
    store = Store(tmp_path / "deep" / "cache", SECRET)
    assert store.get(KEY) is None
    store.put(KEY, CONTENT)
    store.put("other", b"")
    assert (store.get(KEY), store.get("other"), store.get("third")) == (CONTENT, b"", None)
    assert (store.folder / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f06886806bc55")


def test_the_last_writer_wins(tmp_path: Path) -> None:
    Store(tmp_path, SECRET).put(KEY, b"old")
    Store(tmp_path, SECRET).put(KEY, b"new")
    assert Store(tmp_path, SECRET).get(KEY) == b"new"
    assert len(list(Store(tmp_path, SECRET).entries())) == 1


def test_a_flipped_byte_at_any_position_is_a_miss(tmp_path: Path) -> None:
    store = Store(tmp_path, SECRET)
    store.put(KEY, CONTENT)
    (entry,) = store.entries()
    sound = entry.path.read_bytes()
    for position in range(len(sound)):
        broken = bytearray(sound)
        broken[position] ^= 0x20
        entry.path.write_bytes(broken)
        assert store.get(KEY) is None, position
    for length in range(len(sound)):
        entry.path.write_bytes(sound[:length])
        assert store.get(KEY) is None, length
    entry.path.write_bytes(sound + b"x")
    assert store.get(KEY) is None
    entry.path.write_bytes(sound)
    assert store.get(KEY) == CONTENT


def test_an_entry_under_the_name_of_another_is_a_miss(tmp_path: Path) -> None:
    store = Store(tmp_path, SECRET)
    store.put("one", b"1")
    (one,) = store.entries()
    store.put("two", b"2")
    (two,) = [entry for entry in store.entries() if entry.path != one.path]
    os.replace(one.path, two.path)
    assert store.get("two") is None


def test_a_folder_that_cannot_be_used_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    store = Store(tmp_path / "file" / "cache", SECRET)
    store.put(KEY, CONTENT)
    store.close()
    assert store.get(KEY) is None
    assert store.clean() == (0, 0)


def test_the_store_is_bounded_and_what_was_used_longest_ago_goes(tmp_path: Path) -> None:
    store = Store(tmp_path, SECRET, most_bytes=3_000)
    for number in range(5):
        store.put(str(number), b"x" * 900)
        for entry in store.entries():
            os.utime(entry.path, (entry.used - 100, entry.used - 100))
    assert store.get("0") is not None  # used just now
    store.close()
    assert [number for number in range(5) if store.get(str(number)) is not None] == [0, 3, 4]
    assert sum(entry.size for entry in store.entries()) <= 3_000


def test_clean_removes_entries_and_nothing_else(tmp_path: Path) -> None:
    store = Store(tmp_path, SECRET)
    store.put(KEY, CONTENT)
    (tmp_path / "notes.txt").write_text("mine")
    count, size = store.clean()
    assert (count, size > len(CONTENT)) == (1, True)
    assert store.get(KEY) is None
    assert (tmp_path / "notes.txt").read_text() == "mine"


WRITER = """
import sys
from pathlib import Path
from compilelint.cache import Store
store = Store(Path(sys.argv[1]), b"secret")
print("ready", flush=True)
while True:
    store.put("shared", bytes([65 + int(sys.argv[2])]) * 300_000)
"""


def test_writers_may_be_killed_at_any_moment(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    writers = []
    for number in range(2):
        command = [sys.executable, "-c", WRITER, str(tmp_path), str(number)]
        writers.append(subprocess.Popen(command, stdout=subprocess.PIPE, env=environment))
    seen = set()
    try:
        for writer in writers:
            assert writer.stdout is not None
            assert writer.stdout.readline() == b"ready\n"
        end = time.monotonic() + 0.5
        while time.monotonic() < end:
            seen.add(Store(tmp_path, SECRET).get("shared"))
    finally:
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
            writer.communicate()
    seen.add(Store(tmp_path, SECRET).get("shared"))
    assert seen - {None} <= {b"A" * 300_000, b"B" * 300_000}
    assert seen - {None}


def test_what_killed_writers_left_goes_in_time(tmp_path: Path) -> None:
    left = tmp_path / ".compilelint-abcdefgh.tmp"
    left.write_bytes(b"half")
    os.utime(left, (1_000_000, 1_000_000))
    store = Store(tmp_path, SECRET)
    store.put(KEY, CONTENT)
    store.close()
    assert not left.exists()


def test_the_default_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    assert "compilelint" in store_in(None).folder.parts
    assert store_in(str(tmp_path / "own")).folder == tmp_path / "own"


# ------------------------------------------------------------------- findings

RULE = Rule("CL101", "branch-on-tensor", "the branch depends on tensor data", Effect.GRAPH_BREAK)
PLACE = Location("/p/\udcff a.py", Span(3, 1, 3, 9), cell=2)
EDITS = (Edit(Span(1, 2, 3, 4), "text"), Edit(Span(1, 2, 3, 4), "text", "/project/other.py"))
FULL = Finding(
    RULE,
    "message",
    (Effect.ERROR, Effect.GRAPH_BREAK),
    Confidence.LIKELY,
    PLACE,
    "Net.forward",
    ("GB0170",),
    ("Net.forward", "Other.forward"),
    (CallSite(PLACE, "Net.forward"),),
    (Related(PLACE, "here"),),
    "why",
    "help",
    Fix(
        Safety.UNSAFE,
        "rewrite",
        EDITS,
        rewrite="reshaped",
    ),
    Rewrite("branch", (("dtype", "bool"), ("rank", 0), ("always", True))),
    "    if x:",
    ("2.12.0", "2.13.0"),
    skips_frame=True,
    root_places=(("Net.forward", "/p/\udcff a.py", 3), ("Other.forward", "b.py", 0)),
)
LATER = frozenset({"configured", "verdict"})
"""What settings and runs add to a finding that was recalled."""


def test_the_full_finding_is_full() -> None:
    plain = Finding(RULE, "m", RULE.effects, Confidence.CERTAIN, PLACE)
    same = {one.name for one in fields(Finding) if getattr(FULL, one.name) == getattr(plain, one.name)}
    assert same == {"rule", "location", *LATER}


@pytest.mark.parametrize("finding", [FULL, Finding(RULE, "m", RULE.effects, Confidence.CERTAIN, PLACE)])
def test_a_finding_survives_the_way_through_text(finding: Finding) -> None:
    import json

    assert decoded(json.loads(json.dumps(encoded(finding))), {"CL101": RULE}) == finding


@pytest.mark.parametrize("position", range(17))
def test_what_is_no_finding_is_refused(position: int) -> None:
    value = encoded(FULL)
    value[position] = {"no": "such"} if position in (0, 2, 3, 4, 8, 9, 12) else value[position]
    with pytest.raises(NoFindingError):
        decoded(value[: position or None] if position not in (0, 2, 3, 4, 8, 9, 12) else value, {"CL101": RULE})
