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
