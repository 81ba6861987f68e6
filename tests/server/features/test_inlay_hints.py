"""Inlay hints: where a graph ends and the next one begins."""

from __future__ import annotations

from pathlib import Path

from tests.support.editor import editor
from tests.support.editor_model import MODEL


def test_hints_count_the_graphs_of_a_root(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path) as client:
        client.open("model.py")
        assert client.hints("model.py") == [
            (6, "graph 1 of up to 3"),
            (9, "graph ends"),
            (10, "graph 2 of up to 3"),
            (11, "graph ends"),
            (12, "graph 3 of up to 3"),
        ]


VARYING = """\
import torch


@torch.compile
def f(x, verbose: bool):
    x = x.sin()
    if verbose:
        print("one")
        x = x * 2
    return x + 1
"""


def test_where_a_call_may_come_to_fewer_graphs_the_hints_say_so(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(VARYING)
    with editor(tmp_path) as client:
        client.open("model.py")
        assert client.hints("model.py") == [
            (5, "graph 1 of up to 2"),
            (8, "graph ends"),
            (9, "graph 2 of up to 2"),
        ]


def test_what_a_client_switches_off_is_off(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    with editor(tmp_path, settings={"inlayHints": False, "codeLens": False}) as client:
        client.until(lambda: any("workspace/didChangeWatchedFiles" in one for one in client.registered))
        client.open("model.py")
        client.until(lambda: client.hints("model.py") == [])
        assert client.lenses("model.py") == []
