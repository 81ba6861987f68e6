"""A program that is run follows what it imports from the project, whichever of its files are linted."""

from __future__ import annotations

import pytest

from compilelint.events import Recompiled
from compilelint.host.run import run
from tests.support.reveal import program_of

NET = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, image):
        return self.layer(image)
"""
SCRIPT = """
import torch
{how}

fast = torch.compile({name}(), backend="eager")
for n in (3, 5):
    fast(torch.ones(n, 4))
"""


def named(files: dict[str, str], unlinted: tuple[str, ...] = ()) -> list[str]:
    """Under which name each argument varies."""
    program, modules = program_of(files, unlinted)
    scripts = [module for module in modules if module.name == "train"]
    return [one.name for one in run(program, scripts) if isinstance(one, Recompiled)]


@pytest.mark.parametrize(
    ("how", "name", "path", "unlinted", "expected"),
    [
        pytest.param("from net import Net", "Net", "net.py", (), "image", id="beside the script"),
        pytest.param("import net", "net.Net", "net.py", (), "image", id="as a module"),
        pytest.param("from net import Net", "Net", "net.py", ("net",), "image", id="the script alone is linted"),
        pytest.param("from parts.net import Net", "Net", "parts/net.py", ("parts",), "image", id="in a package"),
        pytest.param(
            "from installed.net import Net", "Net", "installed/net.py", ("installed",), "args[0]", id="installed"
        ),
    ],
)
def test_a_script_follows_what_it_imports(
    how: str, name: str, path: str, unlinted: tuple[str, ...], expected: str
) -> None:
    files = {path: NET, "train.py": SCRIPT.format(how=how, name=name)}
    assert named(files, unlinted) == [expected]
