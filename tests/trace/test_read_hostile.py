"""Logs that were damaged or made to do harm: reading never raises, and takes no more than its bounds."""

from __future__ import annotations

import random

import pytest

from compilelint.trace.files import payload_below
from compilelint.trace.gather import Gatherer
from compilelint.trace.read import Reader, Tally
from tests.trace.recordings import RUNS

_NASTY = [
    b"\xff\xfe",
    b"\0" * 50,
    b"\t",
    b"\n",
    b'{"',
    b'] {"',
    b"}" * 50,
    b"[" * 3_000,
    b"9" * 5_000,
    b"\x1b[2J",
    b"0/0: ",
]


def mutated(seed: int) -> bytes:
    """A recording with pieces cut, doubled, moved and overwritten."""
    chance = random.Random(seed)
    run = chance.choice(RUNS)
    data = bytearray((run / chance.choice(["trace.log", "logs.txt"])).read_bytes()[: chance.randrange(200, 30_000)])
    for _ in range(chance.randrange(1, 30)):
        at = chance.randrange(len(data) or 1)
        kind = chance.randrange(5)
        if kind == 0:
            del data[at : at + chance.randrange(1, 400)]
        elif kind == 1:
            data[at:at] = chance.choice(_NASTY)
        elif kind == 2:
            data[at:at] = data[at : at + chance.randrange(1, 2_000)]
        elif kind == 3 and data:
            data[at % len(data)] = chance.randrange(256)
        else:
            chance_to = chance.randrange(len(data) or 1)
            data[at:at] = data[chance_to : chance_to + 300]
    return bytes(data)


def gather(data: bytes) -> None:
    tally, gatherer = Tally(), Gatherer()
    gatherer.begin(None, None)
    for seen in Reader(tally).read(data.splitlines(keepends=True)):
        gatherer.take(seen)
    trace = gatherer.trace(tally, 1)
    assert trace.lines == len(data.splitlines(keepends=True))


@pytest.mark.parametrize("part", range(8))
def test_damaged_logs_never_raise(part: int) -> None:
    for seed in range(part * 25, part * 25 + 25):
        gather(mutated(seed))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_five_thousand_damaged_logs_never_raise(part: int) -> None:
    for seed in range(part * 500, part * 500 + 500):
        gather(mutated(seed))


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "a\0b", "", ".", "a" * 5_000])
def test_a_payload_outside_of_its_folder_is_not_opened(name: str, tmp_path: object) -> None:
    assert payload_below(str(tmp_path), name) == ""
