"""The deliberate faults can still be applied: their texts are where they were, and their test folders exist."""

from __future__ import annotations

import pytest

from benchmarks.faults.fault import Fault
from benchmarks.faults.run import FAULTS, stale


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.path for fault in FAULTS])
def test_the_text_of_every_fault_occurs_exactly_once(fault: Fault) -> None:
    assert stale(fault) == ""


def test_there_are_forty_faults_at_least_and_each_changes_something() -> None:
    assert len(FAULTS) >= 40
    assert len({(fault.path, fault.text) for fault in FAULTS}) == len(FAULTS)
    assert all(fault.text != fault.instead and fault.why for fault in FAULTS)


def test_a_fault_whose_text_is_gone_or_in_no_file_is_named() -> None:
    fault = FAULTS[0]
    assert "0 times" in stale(fault._replace(text="no such text"))
    assert "no such file" in stale(fault._replace(path="interp/gone.py"))
