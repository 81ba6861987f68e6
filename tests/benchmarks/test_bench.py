"""The page of two runs is what the two recordings say, and no recording names a folder of the machine that made it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parents[2] / "benchmarks"
RUNS = [HERE / "bench" / "cpu-first.json", HERE / "bench" / "cpu-second.json"]


def test_the_page_is_made_from_the_recordings() -> None:
    page = (HERE / "bench.md").read_text(encoding="utf-8")
    options = ["--shared"] if "second.json --shared`" in page else []
    assert twice(*map(str, RUNS), *options) == page


def test_runs_that_do_not_bear_each_other_out_are_reported(tmp_path: Path) -> None:
    first, second = (json.loads(run.read_text(encoding="utf-8")) for run in RUNS)
    ratio = second["benches"][0]["configurations"][1]["faster_than_eager"]
    other = first["benches"][0]["configurations"][1]["faster_than_eager"]
    ratio.update(estimate=1.5, low=other["high"], high=1.6)
    other["estimate"] = 1.0
    names = [tmp_path / "first.json", tmp_path / "second.json"]
    for name, run in zip(names, (first, second), strict=True):
        name.write_text(json.dumps(run), encoding="utf-8")
    page = twice(*map(str, names))
    row = next(line for line in page.splitlines() if line.startswith("| GPT-2") and "`default`" in line)
    assert row.endswith("| **no**, **no** | 50.0% |"), "although the intervals touch"
    assert "Of 10 ratios" in page
    assert "the intervals overlap in 10" in page
    assert "50.0% at most" in page
    assert "Other programs" not in page
    assert "Other programs" in twice(*map(str, names), "--shared")


def twice(*words: str) -> str:
    program = str(HERE / "bench" / "twice.py")
    return subprocess.run([sys.executable, program, *words], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("run", RUNS, ids=["first", "second"])
def test_a_recording_holds_five_models_with_every_time(run: Path) -> None:
    text = run.read_text(encoding="utf-8")
    benches = json.loads(text)["benches"]
    assert len({one["target"] for one in benches}) == 5
    for bench in benches:
        for one in bench["configurations"]:
            assert [len(one["times"]), one["fate"]] == [10, "ran"]
    assert '"/' not in text


def test_the_site_shows_the_first_recording() -> None:
    shown = (HERE.parent / "docs" / "bench.md").read_text(encoding="utf-8")
    for bench in json.loads(RUNS[0].read_text(encoding="utf-8"))["benches"]:
        ratio = bench["configurations"][1]["faster_than_eager"]
        assert f"{ratio['estimate']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})" in shown
