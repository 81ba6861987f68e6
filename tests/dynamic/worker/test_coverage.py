"""What a watch sees, and that it leaves everything as it was."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.dynamo

TEXT = "import torch\n\n\ndef f(x):\n    return torch.where(x > 0, x, -x).masked_fill(x > 5, 0.0)\n"


def _run(path: Path, folder: Path, call: Any) -> dict[str, Any]:
    from compilelint.dynamic.worker.coverage import Watch

    program: dict[str, Any] = {}
    exec(compile(TEXT, str(path), "exec"), program)
    with Watch((str(folder),)) as watch:
        program["f"](call)
    return watch.seen()


def test_choices_say_which_sides_their_conditions_took(tmp_path: Path) -> None:
    import torch

    seen = _run(tmp_path / "net.py", tmp_path, torch.tensor([1.0, -1.0]))
    choices = sorted(seen[str(tmp_path / "net.py")]["choices"])
    assert [(true, false) for _, true, false in choices] == [(True, True), (False, True)]


def test_steps_have_places_in_the_text(tmp_path: Path) -> None:
    import torch

    steps = _run(tmp_path / "net.py", tmp_path, torch.tensor(1.0))[str(tmp_path / "net.py")]["steps"]
    assert {place[0] for _, place in steps if place is not None} <= {4, 5}
    assert (5, 23, 5, 28) in {place for _, place in steps}  # `x > 0`


@pytest.mark.parametrize("name", ["elsewhere", "site-packages"])
def test_other_files_are_not_watched(tmp_path: Path, name: str) -> None:
    import torch

    inside = tmp_path if name == "site-packages" else tmp_path / "project"
    assert _run(tmp_path / name / "net.py", inside, torch.tensor(1.0)) == {}


def test_torch_and_the_tracer_are_put_back(tmp_path: Path) -> None:
    import torch

    before = torch.where, torch.cond, torch.Tensor.masked_fill, torch.Tensor.where, sys.gettrace()
    _run(tmp_path / "net.py", tmp_path, torch.tensor(1.0))
    assert before == (torch.where, torch.cond, torch.Tensor.masked_fill, torch.Tensor.where, sys.gettrace())
    assert "masked_fill" not in vars(torch.Tensor)


def test_a_file_may_be_named_and_then_no_other_is_watched(tmp_path: Path) -> None:
    import torch

    one, other = tmp_path / "net.py", tmp_path / "other.py"
    assert list(_run(one, one, torch.tensor(1.0))) == [str(one)]
    assert _run(other, one, torch.tensor(1.0)) == {}
