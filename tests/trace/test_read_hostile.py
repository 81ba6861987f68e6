"""Logs that were damaged or made to do harm: reading never raises, and takes no more than its bounds."""

from __future__ import annotations

import pytest

from benchmarks.traces import HERE, damaged, gather, recordings, show
from compilelint.cli.trace import OF_FINDINGS, OWN
from compilelint.trace.files import payload_below


def test_damaged_logs_never_raise() -> None:
    known = recordings()
    for seed in range(200):
        data = damaged(known, seed)
        assert gather(data).lines == len(data.splitlines(keepends=True))


@pytest.mark.parametrize("form", [*OWN, *OF_FINDINGS])
def test_damaged_logs_are_shown_in_every_format(form: str) -> None:
    known = recordings()
    for seed in range(10):
        show(gather(damaged(known, seed)), str(HERE / "programs"), [form])


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\0b", "", ".", "a" * 5_000])
def test_a_payload_outside_of_its_folder_is_not_opened(name: str, tmp_path: object) -> None:
    assert payload_below(str(tmp_path), name) == ""
