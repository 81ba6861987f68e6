"""A root that calls a package that is not there says so, whichever way the callee came to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.lint import lint

HEAD = """import torch
import absent
from absent import Base


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
"""


@pytest.mark.parametrize(
    ("text", "unseen"),
    [
        pytest.param("        pass\n    def forward(self, x):\n        return absent.f(x)\n", True, id="by its name"),
        pytest.param(
            "        self.layer = absent.Layer()\n    def forward(self, x):\n        return self.layer(x)\n",
            True,
            id="an object of its class",
        ),
        pytest.param(
            "        self.net = absent.make('x')\n    def forward(self, x):\n        return self.net.features(x)\n",
            True,
            id="a method of what its function made",
        ),
        pytest.param(
            "        self.net = absent.make('x')\n    def forward(self, x):\n        return self.inner(x)\n"
            "    def inner(self, x):\n        return self.net(x)\n",
            True,
            id="in a function that the root calls",
        ),
        pytest.param(
            "        pass\n    def forward(self, x):\n        return self.own(x)\n\n\n"
            "class Net2(Base, torch.nn.Module):\n    def forward(self, x):\n        return self.theirs(x)\n",
            True,
            id="a method that its class inherits",
        ),
        pytest.param(
            "        self.net = absent.make('x')\n    def forward(self, x):\n        return x\n",
            False,
            id="made and never called",
        ),
        pytest.param(
            "        self.net = torch.nn.Linear(3, 3)\n    def forward(self, x):\n        return self.net(x)\n",
            False,
            id="what is called is torch's",
        ),
    ],
)
def test_who_calls_a_missing_package_is_known(tmp_path: Path, text: str, unseen: bool) -> None:
    path = tmp_path / "net.py"
    path.write_text(HEAD + text, encoding="utf-8")
    report = lint(Options(paths=(str(path),), torch_version="2.13", no_cache=True))
    found = {name for root in report.roots for name in root.unseen}
    assert found == ({"absent"} if unseen else set())
