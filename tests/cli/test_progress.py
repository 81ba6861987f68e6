"""Targets that take long are named, with phase and seconds, each time after twice as long."""

from __future__ import annotations

import time

from compilelint.cli.progress import Slow


def test_a_slow_target_is_named_after_ten_seconds_and_then_after_twice_as_long() -> None:
    slow = Slow(print, shown=False)
    start = time.monotonic()
    slow.began("net:Net", "import")
    slow.began("net:Net", "compile")
    assert slow.lines(start + 9) == []
    assert slow.lines(start + 11) == ["net:Net: still in phase 'compile' after 11 s"]
    assert slow.lines(start + 15) == []
    assert slow.lines(start + 21) == ["net:Net: still in phase 'compile' after 21 s"]
    slow.done("net:Net")
    assert slow.lines(start + 99) == []
