"""As many processes as this one may use cores and memory, by limits in a folder that stands in for the system's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compilelint.session.parallel import cores


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of eight cores and 64 GB."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(8)), raising=False)
    sizes = {"SC_PHYS_PAGES": 16_000_000, "SC_PAGE_SIZE": 4_000}
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__, raising=False)


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize(
    ("limits", "environ", "jobs"),
    [
        pytest.param({}, {}, cores.MOST, id="a large machine: no more than pay"),
        pytest.param({"cpu.max": "max 100000\n", "memory.max": "max\n"}, {}, cores.MOST, id="cgroups without limits"),
        pytest.param({"cpu.max": "200000 100000\n"}, {}, 2, id="the time of two cores"),
        pytest.param({"cpu.max": "50000 100000\n"}, {}, 1, id="the time of half a core: one all the same"),
        pytest.param({"memory.max": "3000000000\n"}, {}, 3, id="a container of 3 GB"),
        pytest.param({"memory.max": "500000000\n"}, {}, 1, id="a container of half a GB"),
        pytest.param({"cpu.max": "many\n", "memory.max": "\n"}, {}, cores.MOST, id="limits that are not understood"),
        pytest.param({}, {"PYTEST_XDIST_WORKER": "gw0"}, 1, id="among workers of pytest"),
    ],
)
def test_as_many_processes_as_this_one_may_use_cores_and_memory(
    limits: dict[str, str], environ: dict[str, str], jobs: int, tmp_path: Path
) -> None:
    for name, text in limits.items():
        (tmp_path / name).write_text(text, encoding="ascii")
    assert cores.usual_jobs(environ, tmp_path) == jobs


def test_a_system_that_does_not_say_has_memory_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delattr(os, "sysconf", raising=False)
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert cores.usual_jobs({}, tmp_path) == 3
