"""Hover: what the engine believes of the expression under the cursor."""

from __future__ import annotations

from pathlib import Path

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
