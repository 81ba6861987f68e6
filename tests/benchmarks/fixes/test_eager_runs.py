"""Runs of both sides as hashes: what is the same to the bit, and what is asked for where it is not."""

from __future__ import annotations

import pytest
import torch

from benchmarks.fixes.eager_runs import _kept, _unlike


def run(**found: object) -> dict[str, object]:
    return {"label": "seed 0", "found": found, "error": "", "drawn": "a", "said": ""}


def hashed(**found: object) -> dict[str, object]:
    return _kept(run(**found), None)


def test_equal_tensors_have_equal_hashes_and_a_bit_makes_them_differ() -> None:
    one = torch.tensor([1.0, float("nan")])
    assert _unlike(hashed(y=one), hashed(y=one.clone())) is None
    assert _unlike(hashed(y=one, z=one), hashed(y=one, z=one + 1)) == ["z"]
    assert _unlike(hashed(y=torch.zeros(2)), hashed(y=-torch.zeros(2))) == ["y"]


@pytest.mark.parametrize("other", [torch.zeros(2, dtype=torch.float64), torch.zeros(1, 2), 0.0, "0"], ids=repr)
def test_dtype_shape_and_kind_are_part_of_the_hash(other: object) -> None:
    assert _unlike(hashed(y=torch.zeros(2)), hashed(y=other)) == ["y"]


def test_what_one_side_lacks_is_asked_for() -> None:
    assert _unlike(hashed(y=torch.zeros(2)), hashed()) == ["y"]


def test_a_run_that_differs_in_words_alone_is_compared_without_tensors() -> None:
    assert _unlike(hashed(y=torch.zeros(2)), {**hashed(y=torch.zeros(2)), "drawn": "b"}) == []


def test_asked_for_by_name_a_run_keeps_the_numbers_of_these() -> None:
    found = _kept(run(y=torch.ones(2), z=torch.ones(3)), ["z"])["found"]
    assert list(found) == ["z"]
    assert torch.equal(found["z"], torch.ones(3))
