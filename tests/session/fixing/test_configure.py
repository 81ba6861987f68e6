"""Switches are set in the file that compiles, and only where the engine finds that they cure without harm."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.config import Options
from compilelint.session.commands.fix import fix
from compilelint.session.fixing.explain import messages

SCRIPT = """\
import torch


def f(x):
    {body}


g = torch.compile(f)
g(torch.ones(3))
"""
KEPT = "y = x[x > 0]\n    return y.sum()"


def fixed(folder: Path, *, configure: bool = True, unsafe: bool = True, **texts: str) -> dict[str, str]:
    """The texts that fixing makes of files, by name."""
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    found = fix(Options((str(folder),), torch_version="2.13"), unsafe, configure)
    return {Path(path).stem: text for path, (_, text) in found.texts.items()}


@pytest.mark.parametrize(
    ("body", "switches"),
    [
        pytest.param(KEPT, ["capture_dynamic_output_shape_ops"], id="a shape from data"),
        pytest.param("return x * int(x.sum().item())", ["capture_scalar_outputs"], id="a number from data"),
        pytest.param(
            "y = x[x > 0]\n    return y * x.sum().item()",
            ["capture_dynamic_output_shape_ops", "capture_scalar_outputs"],
            id="both, each for a line of its own",
        ),
        pytest.param(
            "n = x.sum().item()\n    return torch.stack([x, x + 1])[int(n)]",
            ["capture_scalar_outputs"],
            id="an index by it",
        ),
        pytest.param("return x if 0.0 in x else x + 1", [], id="the captured answer is branched on"),
        pytest.param("n = x.sum().item()\n    return x if n > 2 else x + 1", [], id="the captured number is, too"),
        pytest.param("return x.clone().requires_grad_(x.sum().item() > 0)", [], id="whether it compares is a flag"),
        pytest.param("print(x)\n    return x", [], id="no switch cures it"),
    ],
)
def test_what_the_engine_confirms_is_set_below_the_imports(body: str, switches: list[str], tmp_path: Path) -> None:
    made = fixed(tmp_path, script=SCRIPT.format(body=body))
    set_ = [line for line in made.get("script", "").splitlines() if line.startswith("torch._dynamo.config.")]
    assert sorted(set_) == [f"torch._dynamo.config.{name} = True" for name in switches]


def test_a_commit_message_says_what_was_asked_of_the_engine(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT.format(body=KEPT), encoding="utf-8")
    (text,) = messages(fix(Options((str(tmp_path),), torch_version="2.13"), True, True).made, "2.13", str)
    assert "nothing was run. Linted with the switch" in text


def test_only_the_file_that_compiles_is_changed_for_a_break_in_another(tmp_path: Path) -> None:
    model = "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x[x > 0]\n"
    script = "import torch\nfrom model import Net\n\ntorch.compile(Net())(torch.ones(3))\n"
    assert list(fixed(tmp_path, model=model, script=script)) == ["script"]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        pytest.param(SCRIPT.format(body=KEPT), {"configure": False}, id="no leave"),
        pytest.param(SCRIPT.format(body=KEPT), {"unsafe": False}, id="only what changes nothing"),
        pytest.param(
            "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x[x > 0]\n",
            {},
            id="the file compiles nothing: its program decides",
        ),
    ],
)
def test_nothing_is_set_otherwise(text: str, given: dict[str, bool], tmp_path: Path) -> None:
    assert fixed(tmp_path, script=text, **given) == {}  # type: ignore[arg-type]
