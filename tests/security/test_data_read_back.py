"""Files of ours that someone changed: each ends in one line and exit code 2, never in a defect of compilelint."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compilelint.cli import run

HEAD: dict[str, Any] = {
    "kind": "run",
    "name": "today",
    "torch": "2.13.0",
    "asked": 1,
    "known": 1,
    "scores": {
        "lib": {
            **dict.fromkeys(("cases", "breaking_cases", "break_lines", "found"), 1),
            **dict.fromkeys(("true_positives", "false_positives"), 1),
            "precision": 0.5,
            "recall": 1.0,
        }
    },
}
ROW: dict[str, Any] = {
    "kind": "model",
    "model": "m:N",
    "library": "lib",
    "mode": "eval",
    "torch": "2.13.0",
    "fate": "ran",
    "graphs": 1,
    "breaks": [{"rules": ["CL101"], "id": "GB0170", "place": "m.py:3", "words": "w"}],
    "refuted": 0,
    "recompiles": 0,
    "parity": "equal",
    "compile_seconds": 0.5,
}


Said = Callable[..., tuple[int, str]]


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> Said:
    """The exit code of a command, and all that it printed."""

    def call(*words: str) -> tuple[int, str]:
        code = run([*words])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    return call


def without(row: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in names}


def test_the_rows_as_they_are_written_make_a_page(said: Said, tmp_path: Path) -> None:
    file, page = tmp_path / "rows.jsonl", tmp_path / "page.html"
    file.write_text(f"{json.dumps(HEAD)}\n{json.dumps(ROW)}\n")
    assert said("board", str(file), "--output", str(page))[0] == 0
    assert "m:N" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("head", "row", "words"),
    [
        pytest.param(without(HEAD, "scores"), ROW, "in line 1, it has no 'scores'", id="a head without scores"),
        pytest.param({**HEAD, "known": "many"}, ROW, "in line 1, known is not a whole", id="a head of words"),
        pytest.param({**HEAD, "scores": {"l": {}}}, ROW, "scores['l'] has no 'cases'", id="a library without counts"),
        pytest.param(HEAD, without(ROW, "model"), "in line 2, it has no 'model'", id="a row without its model"),
        pytest.param(HEAD, {**ROW, "fate": 7}, "in line 2, fate is not a string", id="a fate that is a number"),
        pytest.param(HEAD, {**ROW, "breaks": 3}, "in line 2, breaks is not a list", id="a number of breaks"),
        pytest.param(HEAD, {**ROW, "breaks": [{}]}, "breaks[0] has no 'rules'", id="a break of nothing"),
        pytest.param(HEAD, [ROW], "in line 2, it is not a table", id="a row that is a list"),
        pytest.param(HEAD, None, "in line 2, it is not a table", id="a row that is null"),
    ],
)
def test_malformed_rows_of_a_board(said: Said, tmp_path: Path, head: Any, row: Any, words: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(f"{json.dumps(head)}\n{json.dumps(row)}\n")
    code, output = said("board", str(file), "--output", str(tmp_path / "page.html"))
    assert (code, words in output) == (2, True), output


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("{}", id="no list"),
        pytest.param('{"benches": [3]}', id="numbers"),
        pytest.param('{"benches": [{"target": [], "mode": {}, "configurations": []}]}', id="names that have no hash"),
        pytest.param('{"benches": [{"target": "t", "mode": "m", "configurations": [{}]}]}', id="nothing measured"),
        pytest.param("[" * 9_000, id="deep"),
        pytest.param("9" * 9_000, id="a number of many digits"),
    ],
)
def test_malformed_measurements(said: Said, tmp_path: Path, text: str) -> None:
    rows, file = tmp_path / "rows.jsonl", tmp_path / "bench.json"
    rows.write_text(f"{json.dumps(HEAD)}\n{json.dumps(ROW)}\n")
    file.write_text(text)
    code, output = said("board", str(rows), "--bench", str(file), "--output", str(tmp_path / "page.html"))
    assert (code, "no measurements" in output) == (2, True), output


def _packed(data: bytes) -> bytes:
    return gzip.compress(data)[:-9]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param("r.jsonl", b"[]\n", id="a list"),
        pytest.param("r.jsonl", b"{\n", id="half a line"),
        pytest.param("r.jsonl", b"\xff\xfe\n", id="no text"),
        pytest.param("r.jsonl", b'{"breaks": [{}]}\n', id="a break without its place"),
        pytest.param("r.jsonl", b'{"breaks": [{"file": "a", "line": 1, "span": [1]}]}\n', id="half a span"),
        pytest.param("r.jsonl", b'{"traced_lines": {"a": ["x"]}}\n', id="lines of words"),
        pytest.param("r.jsonl", b"[" * 9_000, id="deep"),
        pytest.param("r.jsonl", b'{"breaks": [{"file": "a", "line": ' + b"9" * 9_000 + b"}]}", id="many digits"),
        pytest.param("r.jsonl.gz", b"no gzip", id="not packed"),
        pytest.param("r.jsonl.gz", _packed(b'{"torch": "2.13.0"}\n' * 99), id="cut off"),
    ],
)
def test_malformed_records(said: Said, tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    code, output = said("score", str(tmp_path / name), "--root", str(tmp_path))
    assert (code, "a record cannot be read" in output) == (2, True), output


@pytest.mark.parametrize("word", ["GB\u00b2", "gb" + "9" * 5_000, "GB\u0661\u0667\u0660", "GB", "GB-1", "GB 1"])
def test_words_that_look_like_a_break_id(said: Said, word: str) -> None:
    assert said("rule", word)[0] == 2
