"""Hover: what the engine believes of the expression under the cursor."""

from __future__ import annotations

from pathlib import Path

from compilelint.model import Doubt
from tests.support.editor import editor
from tests.support.editor_model import MODEL


def test_hover_says_what_is_believed_why_and_how_sure(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path) as client:
        client.open("model.py")
        said = client.hover("model.py", "z > 0")
        assert "tensor" in said
        assert "0-d" in said
        assert "compiled from `Model.forward` (certain)" in said
        assert "int" in client.hover("model.py", "n = x.shape")
        assert "Graph break" in client.hover("model.py", "print(y)")
        assert client.hover("model.py", "import torch") == ""


def test_hover_says_why_a_belief_is_not_certain(tmp_path: Path) -> None:
    text = "from torch import Tensor, nn\n\n\nclass Net(nn.Module):\n    def forward(self, hidden_states):\n"
    (tmp_path / "net.py").write_text(
        text + "        return hidden_states + 1\n\n\ndef f(x: Tensor):\n    return x - 1\n"
    )
    with editor(tmp_path) as client:
        client.open("net.py")
        assert f"likely, since {Doubt.NAMED_LIKE_A_TENSOR.why}" in client.hover("net.py", "hidden_states + 1")
        assert f"compiled from `f` (likely, since {Doubt.COMPILED_BY_GUESS.why})" in client.hover("net.py", "x - 1")
