"""A changed copy, compiled, is held against the original's eager run, and not blamed for what the original does too."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def _divergences(eager: float, original: float | None, copy: float) -> list[Any]:
    import torch

    from compilelint.dynamic.protocol import Settings
    from compilelint.dynamic.worker.calling import Outcome
    from compilelint.dynamic.worker.job import _judge

    made = {one: Outcome([{"output": torch.tensor([one, 1.0])}]) for one in (eager, original, copy) if one is not None}
    reference = made[eager].plain()
    if original is not None:
        reference["compiled"] = made[original].plain()
    observed: dict[str, Any] = {}
    _judge(observed, reference, made[eager].plain(), made[copy], None, Settings())
    return list(observed["parity"]["divergences"])


@pytest.mark.parametrize(
    ("original", "copy", "blamed"),
    [(None, 2.0, False), (None, 3.0, True), (3.0, 3.0, False), (3.0, 2.0, False), (3.0, 4.0, True), (2.0, 3.0, True)],
)
def test_what_the_original_compiled_gives_is_not_charged_to_a_copy(
    original: float | None, copy: float, blamed: bool
) -> None:
    assert bool(_divergences(2.0, original, copy)) is blamed
