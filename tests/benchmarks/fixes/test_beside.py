"""Cases beside each other: what ends well, badly, late, or not at all."""

from __future__ import annotations

import subprocess
import sys
import time

from benchmarks.fixes import beside

PROGRAMS = {
    "well": "print('done')",
    "threads": "import os; assert os.environ['OMP_NUM_THREADS'] == '1'",
    "badly": "raise SystemExit('no such model')",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "late": "import time; time.sleep(60)",
}


def run(*names: str, limit: float = 20, budget: float = float("inf")) -> dict[str, str]:
    found: dict[str, str] = {}
    beside.each(
        names,
        lambda name: [sys.executable, "-c", PROGRAMS[name]],
        lambda case, seconds, words: found.update({case: words}),
        jobs=2,
        limit=limit,
        budget=budget,
    )
    return found


def test_each_case_is_reported_once_with_how_it_ended() -> None:
    assert run("well", "badly", "killed", "threads") == {
        "well": "",
        "badly": "ended with code 1: no such model",
        "killed": "was killed by SIGKILL: ",
        "threads": "",
    }


def test_what_takes_too_long_is_ended() -> None:
    assert run("late", limit=0.5) == {"late": "did not end in 0 s"}


def test_what_still_runs_when_the_budget_is_spent_is_left_for_the_next_time() -> None:
    started = time.monotonic()
    assert run("late", "late", budget=0.5) == {}
    assert time.monotonic() - started < 10


def test_what_a_case_started_in_a_session_of_its_own_is_gone_too() -> None:
    mark = "a-mark-of-this-test"
    sleeping = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"], env={beside.MARK: mark}, start_new_session=True
    )
    time.sleep(0.3)
    beside.end(mark)
    assert sleeping.wait(5) == -9
