"""Rows of the board: plain data that says of each break whether it was predicted, and of each library how well."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from compilelint.config import Options
from compilelint.model import Fate, ObservedBreak, Step, TargetRun
from compilelint.session.commands.board_rows import (
    NoBoardError,
    data_of,
    read,
    rows_of,
    speeds_of,
    together,
    with_speeds,
)
from compilelint.session.commands.verify import joined

MODEL = """\
import torch


class Ranker(torch.nn.Module):
    def forward(self, x: torch.Tensor):
        if x.sum() > 0:
            x = x + 1
        return helper(x)
"""


def ran(path: str) -> TargetRun:
    """A run that broke at the `if`, which is predicted, and at the call of the helper, which is not."""

    def broke(line: int, text: str) -> ObservedBreak:
        stack = (Step(path, line, "Ranker.forward"),)
        why = "data_dependent_branch"
        return ObservedBreak(path, line, line, line, "forward", text, "GB0170", why, "words", "", stack, None, 0)

    return TargetRun(
        "shop/ranker",
        Fate.RAN,
        torch="2.13.0",
        place=Step(path, 4, "Ranker"),
        graphs=2,
        breaks=(broke(6, "if x.sum() > 0:"), broke(8, "return helper(x)")),
        traced=((path, (6, 7, 8)),),
    )


@pytest.fixture
def rows(tmp_path: Path) -> list[dict[str, object]]:
    package = tmp_path / "shop"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "ranker.py").write_text(MODEL)
    runs = [ran((package / "ranker.py").as_posix()), TargetRun("gone/model", Fate.TIME_LIMIT, "still there\nafter")]
    options = Options((str(package),), torch_version="2.13")
    return rows_of(joined(runs, options), "today", known=5)


def test_a_small_file_that_unpacks_to_very_much_is_refused() -> None:
    bomb = gzip.compress(bytes(300 << 20), 1)
    with pytest.raises(NoBoardError, match="more than 256 MiB"):
        read(bomb)
    with pytest.raises(NoBoardError, match="cut off"):
        read(gzip.compress(b'{"kind": "run"}\n')[:-9])


def test_a_row_says_what_was_predicted_and_where(rows: list[dict[str, object]]) -> None:
    assert rows[1]["breaks"] == [
        {"rules": ["CL101"], "id": "GB0170", "place": "shop/ranker.py:6", "words": "words"},
        {"rules": [], "id": "GB0170", "place": "shop/ranker.py:8", "words": "words"},
    ]


def test_a_model_that_did_not_run_says_why_in_one_line(rows: list[dict[str, object]]) -> None:
    assert (rows[2]["library"], rows[2]["fate"], rows[2]["detail"]) == ("gone", "time-limit", "still there")


def test_the_head_has_the_scores_and_how_many_there_are(rows: list[dict[str, object]]) -> None:
    assert (rows[0]["asked"], rows[0]["known"]) == (2, 5)
    scores = rows[0]["scores"]
    assert isinstance(scores, dict)
    assert (scores["shop"]["precision"], scores["shop"]["recall"], scores["shop"]["break_lines"]) == (1.0, 0.5, 2)


def test_parts_of_one_run_are_one_and_its_scores_are_theirs_added() -> None:
    def part(name: str, model: str, fate: str, **counts: int) -> list[dict[str, Any]]:
        score = dict.fromkeys(("cases", "breaking_cases", "break_lines", "found", "true_positives"), 1)
        scores = {"shop": {**score, "false_positives": 0, **counts, "precision": 1.0, "recall": 1.0}}
        head = {"kind": "run", "name": name, "torch": "2.13.0", "asked": 1, "known": 1, "scores": scores}
        return [head, {"kind": "model", "model": model, "mode": "eval", "fate": fate}]

    first = part("monday", "shop/one", "time-limit")
    second = part("monday", "shop/two", "ran", found=0, true_positives=0, false_positives=1)
    again, later = part("monday", "shop/one", "ran"), part("tuesday", "shop/one", "ran")
    found = together([first, second, again, later])
    assert [run[0]["name"] for run in found] == ["monday", "tuesday"]
    (head, *rows), alone = found
    assert {row["model"]: row["fate"] for row in rows} == {"shop/one": "ran", "shop/two": "ran"}
    assert (head["asked"], head["known"]) == (2, 2)
    score = head["scores"]["shop"]
    assert (score["cases"], score["precision"], score["recall"]) == (3, round(2 / 3, 4), round(2 / 3, 4))
    assert alone == later


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.jsonl.gz"])
def test_the_file_is_read_back_and_the_same_rows_are_the_same_bytes(rows: list[dict[str, object]], name: str) -> None:
    assert read(data_of(rows, name)) == rows
    assert data_of(rows, name) == data_of(rows, name)


@pytest.mark.parametrize("data", [b"", b"{}", b"\x1f\x8bx", b'{"kind": "model"}\n', b"[1]\n"])
def test_what_holds_no_rows_is_refused(data: bytes) -> None:
    with pytest.raises(NoBoardError):
        read(data)


def measured(name: str, estimate: float | None, change: str = "") -> dict[str, Any]:
    interval = None if estimate is None else {"estimate": estimate, "low": estimate - 0.1, "high": estimate + 0.1}
    return {"name": name, "change": change, "faster_than_eager": interval}


def test_a_model_that_was_measured_says_how_fast_its_fastest_configuration_is(rows: list[dict[str, object]]) -> None:
    configurations = [measured("eager", None), measured("default", 1.5), measured("dynamic", 1.2)]
    configurations += [measured("default", 9.0, "a fix")]
    bench = {"target": "shop/ranker", "mode": "eval", "configurations": configurations}
    speeds = speeds_of(json.dumps({"benches": [bench, {**bench, "target": "no/other"}]}).encode())
    (run,) = with_speeds([rows], speeds)
    assert run[1]["speed"] == {"configuration": "default", "estimate": 1.5, "low": 1.4, "high": 1.6}
    assert all("speed" not in row for row in (run[0], run[2]))


@pytest.mark.parametrize("text", ["[]", "{}", "nothing", '{"benches": [1]}', '{"benches": 3}'])
def test_what_holds_no_measurements_is_refused(text: str) -> None:
    with pytest.raises(NoBoardError):
        speeds_of(text.encode())


def test_a_model_that_ran_in_one_part_ran_whatever_the_order_of_the_parts(rows: list[dict[str, object]]) -> None:
    failed = [rows[0], {**rows[2], "model": "shop/ranker"}]
    for parts in ([rows, failed], [failed, rows]):
        ((_, *joined_rows),) = together(parts)
        assert {row["model"]: row["fate"] for row in joined_rows} == {"shop/ranker": "ran", "gone/model": "time-limit"}
