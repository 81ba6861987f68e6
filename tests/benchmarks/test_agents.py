"""`benchmarks.agents`: the judge of a coding agent's answers judges rightly."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.agents import judge


def test_each_program_has_hidden_inputs() -> None:
    # The inputs are tensors: read as text, so that this runs without torch
    text = (judge.HERE / "hidden.py").read_text(encoding="utf-8")
    assert len(judge.names()) == 30
    assert [name for name in judge.names() if f'"{name}": [' not in text] == []


@pytest.mark.slow
@pytest.mark.dynamo
@pytest.mark.parametrize(
    ("edit", "verdict"),
    [
        pytest.param(("", ""), "breaks", id="unchanged"),
        pytest.param(
            ("        if (ids < 0).any():\n            ids = ids.clamp(min=0)\n", "        ids = ids.clamp(min=0)\n"),
            "whole",
            id="right",
        ),
        pytest.param(
            ("        if (ids < 0).any():\n            ids = ids.clamp(min=0)\n", "        ids = ids.abs()\n"),
            "wrong",
            id="another-result-in-one-arm",
        ),
        pytest.param(("def build():", "def build(width):"), "fails", id="no-model"),
        pytest.param(("    def forward", "    @torch.compiler.disable\n    def forward"), "breaks", id="switched-off"),
    ],
)
def test_judge(tmp_path: Path, edit: tuple[str, str], verdict: str) -> None:
    text = (judge.PROGRAMS / "check_range.py").read_text(encoding="utf-8")
    changed = text.replace(*edit) if edit[0] else text
    assert not edit[0] or changed != text
    answer = tmp_path / "check_range.py"
    answer.write_text(changed, encoding="utf-8")
    assert judge.judged("check_range", answer)["verdict"] == verdict
