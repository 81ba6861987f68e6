"""Runs of both sides as hashes: what is the same to the bit, and what is asked for where it is not."""

from __future__ import annotations

import pytest
import torch

from benchmarks.fixes import eager_runs
from benchmarks.fixes.eager_runs import _kept, _unlike


def run(**found: object) -> dict[str, object]:
    return {"label": "seed 0", "found": found, "form": {}, "error": "", "drawn": "a", "said": "", "lenient": False}


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


def test_a_run_in_which_the_original_differs_from_itself_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    steady, first, again, fixed = (hashed(y=torch.tensor([n])) for n in (0.0, 1.0, 2.0, 3.0))
    sides = {"old": [steady, first], "new": [steady, fixed], "again-0": [steady, again]}

    def gives(case: str, factories: str, library: str, site: str, out: str, wanted: object, count: int) -> object:
        return sides.get(out.rpartition("/")[2], sides["old"])

    monkeypatch.setattr(eager_runs, "_of_side", gives)
    row = eager_runs._compared("case", "factories", "old library", "new library", "folder")
    assert row == {"runs": 2, "raising": 0, "unsteady": 1}


def test_a_run_that_the_original_repeats_is_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {"old": [run(y=1.0)], "new": [run(y=2.0)]}

    def gives(case: str, factories: str, library: str, site: str, out: str, wanted: object, count: int) -> object:
        return runs["new" if library == "new library" else "old"]

    monkeypatch.setattr(eager_runs, "_of_side", gives)
    row = eager_runs._compared("case", "factories", "old library", "new library", "folder")
    assert row["unsteady"] == 0
    assert [one["name"] for one in row["differences"]] == ["y"]
