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


def test_what_a_module_keeps_of_torch_while_it_is_imported_is_torchs_own(tmp_path: Path) -> None:
    import torch

    from compilelint.dynamic.worker.coverage import watch_of

    text = "from torch import where\n\n\ndef ends():\n    return 4.0\n\n\nEND = ends()\n"
    program: dict[str, Any] = {}
    watch = watch_of((str(tmp_path),))
    with watch.importing():
        exec(compile(text, str(tmp_path / "net.py"), "exec"), program)
    assert program["where"] is torch.where
    assert watch_of((str(tmp_path),)) is watch  # a later job goes on with what was seen
    steps = watch.seen()[str(tmp_path / "net.py")]["steps"]
    assert 5 in {place[0] for _, place in steps if place is not None}


def test_a_choice_that_was_kept_while_building_is_not_watched_afterwards(tmp_path: Path) -> None:
    import torch
    import torch._dynamo

    from compilelint.dynamic.worker.coverage import Watch

    with Watch((str(tmp_path),)) as watch:
        kept = torch.where
    program: dict[str, Any] = {"kept": kept}
    text = "def f(x):\n    return kept(x > 0, x, -x)\n"
    exec(compile(text, str(tmp_path / "net.py"), "exec"), program)
    assert torch.equal(program["f"](torch.tensor([-1.0])), torch.tensor([1.0]))
    assert watch.seen() == {}
    torch._dynamo.trace_rules.clear_lru_cache()  # Dynamo may have come to know torch's functions under another watch
    compiled = torch.compile(program["f"], backend="eager", fullgraph=True)
    assert torch.equal(compiled(torch.tensor([-1.0])), torch.tensor([1.0]))


def test_a_file_may_be_named_and_then_no_other_is_watched(tmp_path: Path) -> None:
    import torch

    one, other = tmp_path / "net.py", tmp_path / "other.py"
    assert list(_run(one, one, torch.tensor(1.0))) == [str(one)]
    assert _run(other, one, torch.tensor(1.0)) == {}


SCRIPTED = """import torch


@torch.jit.script
def f(x, n: int):
    if n > 0:
        return torch.where(x > 0, x, torch.rand_like(x))
    return x.mul_(2)


def g(x, n: int):
    return f(x, n)
"""


def test_what_torchscript_runs_is_watched_on_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    from compilelint.dynamic.worker.coverage import Watch

    (tmp_path / "scripted.py").write_text(SCRIPTED)  # TorchScript reads the text of a module
    monkeypatch.syspath_prepend(str(tmp_path))
    import scripted  # type: ignore[import-not-found]

    x = torch.tensor([1.0, -1.0], requires_grad=True)
    torch.manual_seed(0)
    alone, after = scripted.g(x, 1), torch.rand(1)
    torch.manual_seed(0)
    with Watch((str(tmp_path),)) as watch:
        assert torch.equal(scripted.g(x, 1), alone)
        assert torch.equal(torch.rand(1), after)
        twice = torch.tensor([3.0])
        assert scripted.g(twice, 0).tolist() == twice.tolist() == [6.0], "not doubled twice"
        with pytest.raises(RuntimeError):
            scripted.g(torch.tensor([1]), torch)
    seen = watch.seen()[str(tmp_path / "scripted.py")]
    assert {5, 6, 7} <= {place[0] - 1 for _, place in seen["steps"] if place is not None}
    assert [one[1:] for one in seen["choices"]] == [[True, True]]
    scripted.g(torch.tensor([3.0]), 0)
    assert watch.seen()[str(tmp_path / "scripted.py")]["choices"] == seen["choices"], "put back"
