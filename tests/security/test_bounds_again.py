"""Attacks that were written after the bounds: other ways out of a tree, other messages, other files that come back."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from compilelint.cli import run
from compilelint.config import UsageError
from compilelint.dynamic.answers import answers, framed, new_secret
from compilelint.session.pipeline.baseline import read_baseline
from tests.security.hostile import BREAKS, SECRET

KEY = new_secret()
DONE = {"event": "done", "number": 1, "observed": {"fate": "ran"}}


# ------------------------------------------------------------------------- confinement


@pytest.fixture
def archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree without a repository; beside it a file of its owner's."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "c.toml").write_text(f"select = ['{SECRET}']\n", encoding="utf-8")
    tree = tmp_path / "tree"
    (tree / "pkg").mkdir(parents=True)
    (tree / "pkg" / "net.py").write_text(BREAKS, encoding="utf-8")
    monkeypatch.setenv("HOME", str(out))
    monkeypatch.chdir(tree)
    return tree


LEADS_OUT: dict[str, dict[str, str]] = {
    "a base of a base": {"compilelint.toml": "extend = 'a.toml'", "a.toml": "extend = '../out/c.toml'"},
    "a base in a folder that counts from there": {
        "compilelint.toml": "extend = 'pkg/a.toml'",
        "pkg/a.toml": "extend = '../../out/c.toml'",
    },
    "pyproject.toml": {"pyproject.toml": "[tool.compilelint]\nextend = '../out/c.toml'"},
    "a linked folder": {"compilelint.toml": "extend = 'linked/c.toml'"},
    "a link to a link": {"compilelint.toml": "extend = 'second.toml'"},
    "a list": {"compilelint.toml": "extend = ['../out/c.toml']"},
    "a table": {"compilelint.toml": "[extend]\npath = '../out/c.toml'"},
    "a variable": {"compilelint.toml": "extend = '$HOME/c.toml'"},
    "an address": {"compilelint.toml": "extend = 'file://OUT/c.toml'"},
    "a user": {"compilelint.toml": "extend = '~root/c.toml'"},
    "a null byte": {"compilelint.toml": 'extend = "a.toml\\u0000/../../out/c.toml"'},
    "itself": {"compilelint.toml": "extend = 'compilelint.toml'"},
    "two that name each other": {"compilelint.toml": "extend = 'a.toml'", "a.toml": "extend = 'compilelint.toml'"},
    "a chain of 400": {f"{n}.toml": f"extend = '{n + 1}.toml'" for n in range(400)}
    | {"compilelint.toml": "extend = '0.toml'", "400.toml": "extend = '../out/c.toml'"},
    "a folder": {"compilelint.toml": "extend = '.'"},
    "the first process": {"compilelint.toml": "extend = '/proc/1/environ'"},
    "a descriptor": {"compilelint.toml": "extend = '/dev/fd/0'"},
    "a baseline": {"compilelint.toml": "baseline = '../out/c.toml'"},
    "a baseline by a link": {"compilelint.toml": "baseline = 'second.toml'"},
}


@pytest.mark.parametrize("files", LEADS_OUT.values(), ids=LEADS_OUT.keys())
def test_no_configuration_leads_out(archive: Path, files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    out = archive.parent / "out"
    (archive / "linked").symlink_to("../out")
    (archive / "first.toml").symlink_to("../out/c.toml")
    (archive / "second.toml").symlink_to("first.toml")
    for name, text in files.items():
        (archive / name).write_text(text.replace("OUT", str(out)) + "\n", encoding="utf-8")
    assert run(["check", "pkg", "--no-cache"]) == 2
    printed = capsys.readouterr()
    said = printed.out + printed.err
    assert SECRET not in said
    assert "Traceback" not in said
    assert "defect of compilelint" not in said


# ------------------------------------------------------------------------- messages


def _read(*parts: bytes) -> Iterator[dict[str, Any]]:
    read, write = os.pipe()

    def fill() -> None:
        with os.fdopen(write, "wb") as opened:
            for part in parts:
                opened.write(part)

    threading.Thread(target=fill, daemon=True).start()
    yield from answers(lambda most: os.read(read, most), KEY)
    os.close(read)


_HEAD = f"\n{KEY} ".encode()
NO_MESSAGES: dict[str, bytes] = {
    "the secret in capitals": f"\n{KEY.upper()} {json.dumps(DONE)}\n".encode(),
    "the secret, no space": f"\n{KEY}{json.dumps(DONE)}\n".encode(),
    "the secret behind a space": f"\n {KEY} {json.dumps(DONE)}\n".encode(),
    "the secret behind a mark of order": b"\n\xef\xbb\xbf" + f"{KEY} {json.dumps(DONE)}\n".encode(),
    "half the secret": f"\n{KEY[:16]} {json.dumps(DONE)}\n".encode(),
    "the secret in the middle of a line": f"\nx{KEY} {json.dumps(DONE)}\n".encode(),
    "the secret behind another line end": f"\nx\r{KEY} {json.dumps(DONE)}\n".encode(),
    "null bytes": b"\n" + b"\0" * 70_000 + b"\n",
}


@pytest.mark.parametrize("data", NO_MESSAGES.values(), ids=NO_MESSAGES.keys())
def test_a_line_that_only_resembles_a_message_is_passed_over(data: bytes) -> None:
    assert list(_read(data, framed(DONE, KEY))) == [DONE]


DEFECTS: dict[str, bytes] = {
    "nothing": b"",
    "a number": b"3",
    "a text": b'"done"',
    "no number at all": b'{"event": "done", "number": NaN, "observed": {"fate": "ran"}}',
    "5,000 digits": b'{"event": "done", "number": ' + b"9" * 5_000 + b', "observed": {"fate": "ran"}}',
    "a number with a point": b'{"event": "done", "number": 1.0, "observed": {"fate": "ran"}}',
    "a fate in capitals": b'{"event": "done", "number": 1, "observed": {"fate": "RAN"}}',
    "two fates, the second none": b'{"event": "done", "number": 1, "observed": {"fate": "ran", "fate": "won"}}',
    "half a surrogate as a fate": b'{"event": "done", "number": 1, "observed": {"fate": "\\ud800"}}',
    "an event of an object": b'{"event": {"done": 1}}',
    "tables in each other": b'{"a":' * 90_000,
    "two messages in a line": json.dumps(DONE).encode() * 2,
    "bytes that are no text": b'{"event": "\xff"}',
}


@pytest.mark.parametrize("data", DEFECTS.values(), ids=DEFECTS.keys())
def test_a_message_that_is_none_is_a_defect_of_one_target(data: bytes) -> None:
    found = list(_read(_HEAD, data, b"\n", framed(DONE, KEY)))
    assert [one["event"] for one in found] == ["defect", "done"]


# ------------------------------------------------------------------------- what comes back


_ENTRY = {"rule": "CL101", "path": "a.py", "function": "f", "text": "x", "count": 1}
BASELINES: dict[str, str] = {
    "a count that is true": json.dumps({"schema_version": 1, "entries": [{**_ENTRY, "count": True}]}),
    "a count below one": json.dumps({"schema_version": 1, "entries": [{**_ENTRY, "count": -1}]}),
    "a count of many digits": '{"schema_version": 1, "entries": [{"count": ' + "9" * 5_000 + "}]}",
    "an entry that is a list": json.dumps({"schema_version": 1, "entries": [["CL101"]]}),
    "entries that are a table": json.dumps({"schema_version": 1, "entries": {"a": 1}}),
    "a path that is a list": json.dumps({"schema_version": 1, "entries": [{**_ENTRY, "path": ["a.py"]}]}),
    "a version of words": json.dumps({"schema_version": "1", "entries": []}),
    "a version that is no number": '{"schema_version": NaN, "entries": []}',
    "lists in each other": "[" * 100_000,
    "two documents": "{}{}",
    "an endless text": '{"schema_version": 1, "entries": ["' + "x" * 200_000,
}


@pytest.mark.parametrize("text", BASELINES.values(), ids=BASELINES.keys())
def test_a_baseline_that_someone_changed_is_one_line(tmp_path: Path, text: str) -> None:
    file = tmp_path / "base.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError) as raised:
        read_baseline(str(file), "--baseline base.json")
    assert len(str(raised.value)) < 400
