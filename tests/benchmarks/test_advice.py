"""The table of what advice pays: it is what was recorded, and pages quote it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.advice import __main__ as advice

PAGES = Path("rules")


def test_the_page_shows_what_was_recorded() -> None:
    text = (advice.HERE / "README.md").read_text()
    shown = text.partition("<!-- table:begin -->\n")[2].partition("\n<!-- table:end -->")[0]
    assert shown.splitlines() == list(advice.table(advice.rows()))


@pytest.mark.parametrize(
    ("code", "pairs"),
    [
        ("CL710", "counted_argument"),
        ("CL817", "raised_size"),
        ("CL821", "kept_results"),
        ("CL822", "graph_for_each_size"),
        ("CL822", "recorded_sizes"),
        ("CL825", "state_of_calls"),
        ("CL830", "read_each_step_graphed"),
        ("CL831", "uneven_last_batch"),
        ("CL832", "rate_as_number"),
        ("CL836", "compiled_twice"),
    ],
)
def test_a_page_quotes_its_pair(code: str, pairs: str) -> None:
    (page,) = PAGES.glob(f"{code}-*.md")
    text = " ".join(page.read_text().split())
    for row in (one for one in advice.rows() if one.pair == pairs):
        assert f"{row.ratio:.2f}" in text
        assert f"{row.low:.2f} to {row.high:.2f}" in text


def line(side: str, process: int, seconds: list[float], **more: object) -> str:
    one = {
        "pair": "p",
        "model": "m",
        "side": side,
        "process": process,
        "seconds": seconds,
        "story": False,
        "device": "NVIDIA H100 80GB",
        "peak_mb": 1.0,
    }
    return json.dumps({**one, "result": 2.0, "error": "", **more})


def test_an_advice_pays_only_where_the_whole_interval_does(tmp_path: Path) -> None:
    sides = [("before", 0, [2.0]), ("after", 0, [1.0]), ("before", 1, [2.1]), ("after", 1, [1.0])]
    (tmp_path / "a.jsonl").write_text("\n".join(line(*one) for one in sides))
    (row,) = advice.rows((tmp_path / "a.jsonl",))
    assert row.verdict == "pays"
    assert row.parity == 0.0
    noisy = [("before", 0, [2.0]), ("after", 0, [1.0]), ("before", 1, [1.0]), ("after", 1, [1.1])]
    (tmp_path / "b.jsonl").write_text("\n".join(line(*one) for one in noisy))
    (row,) = advice.rows((tmp_path / "b.jsonl",))
    assert row.verdict == "not shown"


def test_one_run_of_a_story_has_no_interval(tmp_path: Path) -> None:
    sides = [("before", 0, [9.0]), ("after", 0, [1.0])]
    (tmp_path / "a.jsonl").write_text("\n".join(line(*one, story=True) for one in sides))
    (row,) = advice.rows((tmp_path / "a.jsonl",))
    assert row.verdict == "one run"
    assert "9.00 (1 process)" in next(iter(list(advice.table([row]))[2:]))


def test_a_side_that_failed_has_no_row(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(line("before", 0, [2.0]) + "\n" + line("after", 0, [], error="raised"))
    assert advice.rows((tmp_path / "a.jsonl",)) == []
