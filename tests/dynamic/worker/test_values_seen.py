"""What of a call is kept: descriptions of what its names hold, by line, of calls that differ."""

from __future__ import annotations

import sys
from typing import Any

import torch

from compilelint.dynamic.worker.values_seen import ValuesSeen, of_functions, value_of


def test_values_are_described_and_not_held() -> None:
    weight = torch.nn.Linear(2, 3).weight
    assert value_of(weight) == ["T", "torch.float32", [3, 2], True]
    assert value_of((1, None, True, 1.0, "a")) == ["(", ["I", 1], ["N"], ["B"], ["F"], ["S"]]
    assert value_of(torch.ones(2).to_sparse()) == value_of(object()) == ["?"]


def test_calls_that_differ_are_kept_line_by_line() -> None:
    def doubled(x: int) -> int:
        y = x * 2
        return y + 0

    values = ValuesSeen()

    def tracing(frame: Any, event: str, arg: Any) -> Any:
        call = values.begun(frame) if frame.f_code is doubled.__code__ else None

        def stepped(frame: Any, event: str, arg: Any) -> Any:
            if call is not None:
                call.end(arg) if event == "return" else call.step(frame)
            return stepped

        return stepped

    before = sys.gettrace()
    sys.settrace(tracing)
    try:
        for one in (1, 1, 2):
            doubled(one)
    finally:
        sys.settrace(before)
    found = values.seen(lambda code: "net.py")
    line = doubled.__code__.co_firstlineno
    first, second = found["net.py"][0]["calls"]
    assert first["lines"] == [[0, {"x": ["I", 1]}], [line + 1, {}], [line + 2, {"y": ["I", 2]}]]
    assert (first["returned"], second["returned"]) == (["I", 2], ["I", 4])
    assert of_functions(found, {"doubled"}) == found
    assert not of_functions(found, {"other"})
