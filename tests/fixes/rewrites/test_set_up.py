"""What a module sets up in its first call is set up in `__init__`, and does the same from the first call on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compilelint.fixes.rewrites.set_up import set_up_in_init
from tests.fixes.alike import made

PROGRAM = """import torch
from torch import nn


class Watched(nn.Module):
    def __init__(self, net: nn.Module, layer: int = 0) -> None:
        super().__init__()
        self.net = net
        self.layer = layer
        self.seen = []
        self.ready = False{more}

    def _keep(self, module, args, output) -> None:
        self.seen.append(output.detach())

    def _set_up(self) -> None:
        self.net[self.layer].register_forward_hook(self._keep)
        self.ready = True

    def forward(self, x: torch.Tensor):
        self.seen.clear(){before}
        if not self.ready:
            self._set_up()
        return self.net(x), self.seen[0]
"""
EARLY = "\n        if self.layer == -1:\n            return self.net(x), x"


def _program(more: str = "", before: str = "") -> str:
    return PROGRAM.replace("{more}", more).replace("{before}", before)


@pytest.mark.parametrize(
    ("before", "added"),
    [
        pytest.param("", "\n        self._set_up()", id="always"),
        pytest.param(EARLY, "\n        if self.layer != -1:\n            self._set_up()", id="not where it returns"),
        pytest.param(
            EARLY.replace("self.layer == -1", "self.layer"),
            "\n        if not self.layer:\n            self._set_up()",
            id="a setting",
        ),
        pytest.param(
            EARLY.replace("self.layer == -1", "not self.layer"),
            "\n        if self.layer:\n            self._set_up()",
            id="no setting",
        ),
    ],
)
def test_it_is_the_last_of_init(before: str, added: str, tmp_path: Path) -> None:
    after, unmet = made(_program(before=before), set_up_in_init, tmp_path)
    assert after == _program(added, before)
    assert unmet, "what comes before the first call is only known by a run"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param("(nn.Module):", "(Base):", id="near miss: a base class that is not seen"),
        pytest.param("self.ready = False", "self.ready = ready", id="near miss: the flag is not known"),
        pytest.param("        self.ready = True\n", "        pass\n", id="near miss: it does not say that it is done"),
        pytest.param("_set_up(self)", "_set_up(self, x=1)", id="near miss: it takes something"),
        pytest.param("self.seen = []", "return", id="near miss: an early return of `__init__`"),
        pytest.param("self.net[self.layer]", "self.net[self.other]", id="near miss: what `__init__` does not set"),
        pytest.param("self.seen.clear()", "self.ready = False", id="near miss: it is done again"),
        pytest.param(
            "        if not self.ready:\n", "        if x.sum() > 0:\n", id="near miss: another test calls for it"
        ),
        pytest.param(
            "        self.seen.clear()", "        if x.dim() == 1:\n            return x", id="near miss: an input"
        ),
        pytest.param("self.seen = []", "self._set_up()", id="near miss: `__init__` does it"),
    ],
)
def test_it_stays_where_something_else_may_decide(old: str, new: str, tmp_path: Path) -> None:
    text = _program().replace(old, new)
    assert text != _program()
    assert made(text, set_up_in_init, tmp_path) == (text, "")


@pytest.mark.dynamo
@pytest.mark.parametrize("layer", [0, 1, -1])
def test_it_gives_the_same_and_does_not_break(layer: int, tmp_path: Path) -> None:
    import torch

    from tests.rules.recorder import record

    text = _program(before=EARLY)
    after, _ = made(text, set_up_in_init, tmp_path)
    results = []
    for name, source in (("before.py", text), ("after.py", after)):
        path = tmp_path / name
        path.write_text(source, encoding="utf-8")
        module: dict[str, Any] = {"__name__": path.stem}
        exec(compile(source, str(path), "exec"), module)
        torch.manual_seed(0)
        model = module["Watched"](torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU()), layer)
        x = torch.randn(2, 3)
        breaks = record(model, [(x,)], str(path)).breaks
        assert bool(breaks) == (name == "before.py" and layer != -1)
        results.append((*model(x), *model(2 * x), len(model.seen), len(model.net[layer]._forward_hooks)))
    for one, other in zip(*results, strict=True):
        assert torch.equal(torch.as_tensor(one), torch.as_tensor(other))
