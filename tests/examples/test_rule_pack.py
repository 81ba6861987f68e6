"""The template of a pack: its cases, and the whole way from a wheel in a clean environment to a finding."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from compilelint.session.commands.test_rules import tried
from tests.lib.programs import write

ROOT = Path(__file__).parents[2]
PACK = ROOT / "examples" / "rule-pack"
NET = """\
import numpy as np
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x + np.random.rand()
"""


@pytest.mark.parametrize("version", ["2.13.0", "2.15.0"])
def test_its_cases_are_as_they_say(version: str) -> None:
    cases = tried([str(PACK / "src" / "team_rules" / "__init__.py")], torch_version=version)
    assert [(case.code, case.faults) for case in cases] == [("TEAM001", ())] * 3


@pytest.mark.slow
def test_from_a_wheel_in_a_clean_environment_it_is_found_by_itself(tmp_path: Path) -> None:
    wheels = tmp_path / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", str(wheels)]
    subprocess.run([*build, str(ROOT), str(PACK)], check=True, timeout=600)
    place = tmp_path / "env"
    # What compilelint depends on is that of the environment the tests run in; the two wheels are installed.
    venv.create(place, with_pip=True)
    python = str(place / "bin" / "python")
    own = [one for one in sys.path if one.endswith("site-packages")]
    site = next((place / "lib").glob("python*/site-packages"))
    (site / "dependencies.pth").write_text("\n".join(own), encoding="utf-8")
    install = [python, "-m", "pip", "install", "-q", "--no-deps", "--no-index", *map(str, wheels.glob("*.whl"))]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run(install, check=True, env=environment, timeout=600)
    folder = write(tmp_path / "src", net=NET)

    def ran(*words: str) -> subprocess.CompletedProcess[str]:
        command = [python, "-m", "compilelint", *words]
        return subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=300
        )

    linted = ran("--no-cache", "--select", "TEAM", ".")
    assert "[TEAM001] host-noise: noise is drawn on the host" in linted.stdout, linted.stderr
    assert "torch.rand(())" in ran("--no-cache", "--select", "TEAM", "--diff", "--unsafe-fixes", ".").stdout
    assert ran("rule", "TEAM001").stdout.startswith("# TEAM001 host-noise")
    assert ran("dev", "test-rules").returncode == 0
    assert "CL" not in ran("--no-cache", "--select", "TEAM", "--output", "concise", ".").stdout
