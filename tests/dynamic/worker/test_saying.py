"""What a run says is kept, in order and without addresses, and not shown."""

from __future__ import annotations

import logging
import os
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


def test_variables_of_the_process_are_kept_and_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    from compilelint.dynamic.worker.saying import Said

    monkeypatch.setenv("SHOP_OLD", "1")
    monkeypatch.delenv("SHOP_NEW", raising=False)
    said, compiled = Said(), Said(eager=False)
    with said.listening():
        os.environ["SHOP_NEW"] = "2"
        del os.environ["SHOP_OLD"]
    assert said.words.splitlines() == ["environment SHOP_NEW: 2", "environment SHOP_OLD: removed"]
    assert (os.environ["SHOP_OLD"], "SHOP_NEW" in os.environ) == ("1", False)
    with compiled.listening():
        os.environ["SHOP_NEW"] = "2"
    assert not compiled.words
