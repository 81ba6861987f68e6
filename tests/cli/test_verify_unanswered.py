"""What `verify` prints where compilelint itself fails: one line however many targets, and exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint import cli
from compilelint.fleet import observe as fleet
from compilelint.model import Fate, TargetRun

DEFECT = "a defect of compilelint: KeyError: 'x', dynamic/worker/job.py:1"
NAMES = ["net:a", "net:b", "net:c"]


@pytest.mark.parametrize(
    ("fates", "code", "printed"),
    [
        pytest.param([Fate.NO_ANSWER] * 3, 2, False, id="nothing could be judged"),
        pytest.param([Fate.RAN, Fate.NO_ANSWER, Fate.NO_ANSWER], 2, True, id="the others are ready"),
        pytest.param([Fate.EXITED, Fate.NO_ANSWER, Fate.NO_ANSWER], 1, True, id="another is not ready by itself"),
    ],
)
def test_a_defect_is_said_once(
    fates: list[Fate],
    code: int,
    printed: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def observe(work: Any, settings: Any, on_result: Any, jobs: int) -> list[TargetRun]:
        return [
            TargetRun(name, fate, DEFECT if fate is Fate.NO_ANSWER else "")
            for name, fate in zip(NAMES, fates, strict=True)
        ]

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(fleet, "observe", observe)
    assert cli.run(["verify", *NAMES, "--isolated", "--input", "2x2"]) == code
    out, err = capsys.readouterr()
    assert err.count("a defect of compilelint: KeyError") == 1
    assert "please report it" in err
    assert ("not run: no-answer" in out) is printed
    assert "compilelint: error: a defect" in err
