"""A run over a real Dask cluster that loses a worker, its client and three targets still has every result once."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.fleet.endure import endured

pytestmark = [pytest.mark.dynamo, pytest.mark.slow]


def test_every_result_is_there_once_and_the_same_as_on_this_machine(tmp_path: Path) -> None:
    found = endured(tmp_path, 12)
    assert found["answers when the client was killed"] >= 5
    assert found["answers in the end"] == 12
    assert found["faults"] == {"Hangs": "time-limit", "Kills": "killed", "Grows": "memory-limit"}
    for trouble in ("answered twice", "lost", "reported twice", "other than on this machine"):
        assert found[trouble] == 0, trouble
