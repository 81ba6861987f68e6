"""The shipped results of operations against the installed torch: a sample is measured again and compared."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compilelint.torchfacts import store
from compilelint.torchfacts.generate import results
from compilelint.torchfacts.result_tables import file_of

_EVERY = 90  # operations; about twenty are measured


@pytest.mark.slow
@pytest.mark.dynamo
def test_a_sample_of_the_shipped_results_is_what_torch_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert results.main(["--check", "--every", str(_EVERY)]) == 0, capsys.readouterr().out


ADD = {"name": "torch.add", "kwargs": {}}


def call(*ranks: int) -> dict[str, object]:
    """A recorded sum of tensors of so many dimensions."""
    args = [["t", "float", rank, "", [2, 3, 4][3 - rank :]] for rank in ranks]
    return {**ADD, "args": args, "out": ["t", "float", max(ranks), "", False, [2, 3, 4][3 - max(ranks) :]]}


def recorded(tmp_path: Path, *calls: dict[str, object]) -> str:
    """A file of recorded calls, said to be of the version that is shipped."""
    path = tmp_path / "calls.json"
    path.write_text(json.dumps({"torch": "2.13.0", "members": {}, "calls": calls}))
    return str(path)


def test_a_difference_is_named_and_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Planted: recorded calls of tensors alone, so that the forms that the shipped results distinguish are one."""
    calls = [call(3, 3), call(2, 3), call(1, 2), call(1, 3), call(2, 2)]
    assert results.main(["--check", "--every", "90", "--calls", recorded(tmp_path, *calls)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert any(line.startswith("torch.add") and "shipped" in line and "measured" in line for line in lines)
    assert all(line.startswith(("torch.add", "5 calls")) for line in lines), "only the operations that were called"


def test_a_part_is_not_installed() -> None:
    before = (store.DATA / file_of("2.13.0")).read_bytes()
    with pytest.raises(SystemExit):
        results.main(["--install", "--every", "90"])
    assert (store.DATA / file_of("2.13.0")).read_bytes() == before
