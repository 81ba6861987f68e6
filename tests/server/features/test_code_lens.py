"""Code lenses: what is expected of a compile root."""

from __future__ import annotations

from pathlib import Path

from tests.support.editor import editor
from tests.support.editor_model import MODEL


def test_a_root_says_how_many_breaks_are_expected(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path) as client:
        client.open("model.py")
        assert client.lenses("model.py") == [(6, "2 graph breaks, 2 to 3 graphs expected")]
    with editor(tmp_path, options={"trusted": True}) as client:
        client.open("model.py")
        assert (6, "verify") in client.lenses("model.py")
