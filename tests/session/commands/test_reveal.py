"""`compilelint dev reveal`: every `reveal_type(EXPR)` of a file with what is believed of it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from compilelint.cli import run

PROGRAM = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x: torch.Tensor, flag: bool = False):
            größe = 2; reveal_type(x.sum())
            reveal_type((
                x.shape,
                größe,
            ))
            for n in (1, 2.5):
                reveal_type(n)
            return x


    def uncalled(q):
        reveal_type(q)
"""


def _revealed(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> list[str]:
    path = tmp_path / "net.py"
    path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
    assert run(["dev", "reveal", str(path), "--isolated"]) == 0
    return [line.rpartition("net.py:")[2] for line in capsys.readouterr().out.splitlines()]


def test_each_question_is_answered_where_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = _revealed(tmp_path, capsys, PROGRAM)
    assert found[0].startswith("7:20: x.sum(): tensor ? 0-d computed ")
    assert found[0].endswith("certain; result of `.sum`, from argument `x`, annotated `Tensor`")
    assert found[1] == "8:9: (x.shape, größe): tuple(tuple[int shape], 2)"
    assert found[2] == "13:13: n: 1 | 2.5", "all passes over a line are joined"
    assert found[3] == "18:5: q: not reached"
    assert len(found) == 4


def test_a_file_that_is_no_python_is_bad_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.py"
    path.write_text("def (:\n", encoding="utf-8")
    assert run(["dev", "reveal", str(path), "--isolated"]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_nothing_asked_nothing_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _revealed(tmp_path, capsys, "x = 1\n") == []
