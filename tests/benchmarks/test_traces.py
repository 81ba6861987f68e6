"""The bars of `trace`: what makes a volume, what is damaged, and what is counted without the reader."""

from __future__ import annotations

import pytest

from benchmarks.traces import counted_breaks, counted_recompiles, damaged, recordings, repeated

_PREFIX = "V0101 00:00:00.000000 1 torch/x.py:1] [0/1] "


def test_a_volume_has_other_frames_and_folders_each_time() -> None:
    made = list(repeated(['{"frame_id": 7} /job/src/net.py'], 70))
    assert made[:2] == ['{"frame_id": 0} /job/part0/net.py', '{"frame_id": 1} /job/part1/net.py']
    assert sum(map(len, made)) >= 70
    assert sum(map(len, made[:-1])) < 70


def test_the_same_seed_damages_alike_and_another_otherwise() -> None:
    known = recordings()
    assert damaged(known, 3) == damaged(known, 3) != damaged(known, 4)
    assert all(damaged(known, seed) not in known for seed in range(5))


@pytest.mark.parametrize(
    ("line", "breaks", "recompiles"),
    [
        (f"{_PREFIX}[__graph_breaks] Graph break in user code at /a/net.py:5", 1, 0),
        (f"{_PREFIX}[__recompiles] Recompiling function f in /a/net.py:5", 0, 1),
        (f"{_PREFIX}[__recompiles]     triggered by the following guard failure(s):", 0, 0),
        ("Graph break in user code at", 0, 0),
    ],
    ids=["a break", "a recompile", "what follows a recompile", "no place"],
)
def test_a_text_is_counted_without_the_reader(line: str, breaks: int, recompiles: int) -> None:
    assert (len(counted_breaks(line)), counted_recompiles(line).total()) == (breaks, recompiles)
