"""Copies of the process that wait: they run when they are let go, and end in any order."""

from __future__ import annotations

from pathlib import Path

import pytest

pytestmark = pytest.mark.dynamo


def test_copies_that_wait_are_dropped_and_run_in_any_order(tmp_path: Path) -> None:
    from compilelint.dynamic.worker.calling import Forked

    first, second, third = (Forked(lambda: {"ran": True}, str(tmp_path / name)) for name in "abc")
    first.drop()  # would wait forever, if the later ones held its gate open
    assert second.run().fate == "ran"
    third.drop()
    assert second.read() == {"ran": True}
    assert sorted(one.name for one in tmp_path.iterdir()) == ["b"]


@pytest.mark.parametrize(("name", "drew"), [("rand_like", True), ("sin", False)])
def test_a_call_that_draws_random_numbers_is_known(name: str, drew: bool) -> None:
    import torch

    from compilelint.dynamic.worker.calling import make_calls

    called = getattr(torch, name)
    outcome = make_calls(called, called, [((torch.ones(3),), {})], train=False, seed=0)
    assert outcome.drew is drew


@pytest.mark.parametrize(
    ("bad", "kept"),
    [
        pytest.param("nan", [0.0, 2.0], id="NaN has none, the others have theirs"),
        pytest.param("inf", [3.0, 2.0], id="an infinite number has one"),
        pytest.param("1", [3.0, 2.0], id="and so has any other"),
    ],
)
def test_gradients_are_those_of_results_that_are_numbers(bad: str, kept: list[float]) -> None:
    import torch

    from compilelint.dynamic.worker.calling import derivatives

    class Net(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.w = torch.nn.Parameter(torch.ones(2))

        def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            return self.w * torch.tensor([3.0, 2.0]) + x, self.w.sum() * float("nan")

    net = Net()
    found = derivatives(net, net(torch.tensor([float(bad), 0.0])), ((), {}), 1)["gradient of w"]
    # The second result is NaN whatever comes in; that it has no number must not hide the gradients of the first.
    assert found.div(torch.cos(torch.arange(2.0))).tolist() == pytest.approx(kept)
