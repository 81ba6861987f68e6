"""What installs are held against, and one install of each kind in a clean environment."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchmarks import installs
from benchmarks.installs import Install


def test_installs_that_find_the_same_are_right() -> None:
    same = [Install("Python 3.12", "a.whl", "compilelint 1", ("net.py:3 CL101",)) for _ in range(2)]
    assert installs.faults(same) == []
    assert installs.table(same).splitlines()[2] == "| Python 3.12 | a.whl | compilelint 1 | 1 |"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Install("Python 3.10", "a.whl", fault="install: no"), "Python 3.10, a.whl: install: no"),
        (Install("Python 3.10", "a.whl", "compilelint 1"), "Python 3.10, a.whl: no findings in the demo"),
        (Install("Python 3.10", "a.whl", "compilelint 1", ("net.py:4 CL101",)), "Python 3.10, a.whl: other findings"),
    ],
)
def test_what_is_wrong_with_an_install_is_said(wrong: Install, said: str) -> None:
    right = Install("Python 3.12", "a.whl", "compilelint 1", ("net.py:3 CL101",))
    assert said in installs.faults([right, wrong])


def test_a_step_that_fails_is_said_with_its_words() -> None:
    with pytest.raises(subprocess.CalledProcessError, match="exit status 3"):
        installs._run([sys.executable, "-c", "raise SystemExit(3)"])


@pytest.mark.slow
def test_wheel_and_sdist_install_and_lint_in_clean_environments(capsys: pytest.CaptureFixture[str]) -> None:
    assert installs.main([sys.executable]) == 0, capsys.readouterr().out
