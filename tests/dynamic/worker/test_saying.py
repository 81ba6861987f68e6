"""What a run says is kept, in order and without addresses, and not shown."""

from __future__ import annotations

import logging
import sys

import pytest


def test_prints_and_logs_are_kept_and_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    from compilelint.dynamic.worker.saying import Said

    said, before = Said(), logging.Logger.handle
    with said.listening():
        sys.stdout.write(f"one {object()}\n")
        logging.getLogger("shop").warning("two %d", 2)
        logging.getLogger("torch.fx").warning("of torch")
        logging.getLogger("shop").debug("below the level")
    assert said.words.splitlines() == ["one <object object at 0x>", "", "WARNING shop: two 2"]
    assert capsys.readouterr().out == ""
    assert logging.Logger.handle is before
