"""The page of two runs is what the two recordings say, and no recording names a folder of the machine that made it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent.parent / "benchmarks"
RUNS = [HERE / "bench" / "cpu-first.json", HERE / "bench" / "cpu-second.json"]


def test_the_page_is_made_from_the_recordings() -> None:
    made = subprocess.run(
        [sys.executable, str(HERE / "bench" / "twice.py"), *map(str, RUNS)], capture_output=True, text=True, check=True
    )
    assert made.stdout == (HERE / "bench.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("run", RUNS, ids=["first", "second"])
def test_a_recording_holds_five_models_with_every_time(run: Path) -> None:
    text = run.read_text(encoding="utf-8")
    benches = json.loads(text)["benches"]
    assert len({one["target"] for one in benches}) == 5
    for bench in benches:
        for one in bench["configurations"]:
            assert [len(one["times"]), one["fate"]] == [10, "ran"]
    assert '"/' not in text


def test_the_readme_shows_the_first_recording() -> None:
    readme = (HERE.parent / "README.md").read_text(encoding="utf-8")
    for bench in json.loads(RUNS[0].read_text(encoding="utf-8"))["benches"]:
        ratio = bench["configurations"][1]["faster_than_eager"]
        assert f"{ratio['estimate']:.2f} ({ratio['low']:.2f} to {ratio['high']:.2f})" in readme
