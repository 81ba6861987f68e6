"""A changed copy, compiled, is held against the original's eager run, and not blamed for what the original does too."""

from __future__ import annotations

from typing import Any

import pytest

pytestmark = pytest.mark.dynamo


def _divergences(eager: float, original: float | None, copy: float) -> list[Any]:
    import torch

    from compilelint.dynamic.protocol import Settings
    from compilelint.dynamic.worker.calling import Outcome
    from compilelint.dynamic.worker.judging import judge

    made = {one: Outcome([{"output": torch.tensor([one, 1.0])}]) for one in (eager, original, copy) if one is not None}
    reference = made[eager].plain()
    if original is not None:
        reference["compiled"] = made[original].plain()
    observed: dict[str, Any] = {}
    judge(observed, reference, made[eager].plain(), made[copy], None, Settings())
    return list(observed["parity"]["divergences"])


@pytest.mark.parametrize(
    ("original", "copy", "blamed"),
    [(None, 2.0, False), (None, 3.0, True), (3.0, 3.0, False), (3.0, 2.0, False), (3.0, 4.0, True), (2.0, 3.0, True)],
)
def test_what_the_original_compiled_gives_is_not_charged_to_a_copy(
    original: float | None, copy: float, blamed: bool
) -> None:
    assert bool(_divergences(2.0, original, copy)) is blamed


@pytest.mark.parametrize(
    ("eager", "compiled", "call", "blamed"),
    [
        pytest.param("RuntimeError: size 8", "RuntimeError: size s0", 1, False, id="the same class"),
        pytest.param("RuntimeError: size 8", "TorchRuntimeError: got RuntimeError", 1, False, id="wrapped by Dynamo"),
        pytest.param("RuntimeError: size 8", "TorchRuntimeError: got RuntimeError", 0, True, id="in an earlier call"),
        pytest.param("RuntimeError: size 8", "ValueError: size 8", 1, True, id="another class"),
        pytest.param("", "TorchRuntimeError: got RuntimeError", 1, True, id="in compiled code alone"),
        pytest.param("RuntimeError: size 8", "", 1, True, id="in eager code alone"),
    ],
)
def test_an_error_of_the_same_cause_is_no_divergence(eager: str, compiled: str, call: int, blamed: bool) -> None:
    import torch

    from compilelint.dynamic.worker.calling import Outcome
    from compilelint.dynamic.worker.judging import differences_of

    def outcome(error: str, failed: int) -> dict[str, Any]:
        return Outcome([{"output": torch.ones(1)}], error=error, failed=failed if error else -1).plain()

    found = list(differences_of(outcome(eager, 1), outcome(compiled, call), False))
    assert [one["kind"] for one in found] == ["exception"] * blamed


@pytest.mark.parametrize(
    ("drew", "recorded", "blamed"), [(True, True, False), (True, False, True), (False, True, True)]
)
def test_numbers_that_inductor_draws_otherwise_are_no_divergence_where_cuda_graphs_are_recorded(
    drew: bool, recorded: bool, blamed: bool
) -> None:
    import torch

    from compilelint.dynamic.protocol import Settings
    from compilelint.dynamic.worker.calling import Outcome
    from compilelint.dynamic.worker.judging import judge

    eager = Outcome([{"output": torch.tensor([1.0])}], drew=drew).plain()
    observed: dict[str, Any] = {}
    judge(observed, eager, eager, Outcome([{"output": torch.tensor([2.0])}]), None, Settings(cuda_graphs=recorded))
    assert bool(observed["parity"]["divergences"]) is blamed
    assert bool(observed["parity"]["unknown"]) is not blamed
