"""Every word of a closed vocabulary is emitted by one of the analysers, and judged by a rule."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import get_args

import pytest

from compilelint import events

SOURCE = Path(__file__).parents[2] / "src" / "compilelint"
VOCABULARIES = {
    "Placement": events.Placement,
    "StateHow": events.StateHow,
    "GuardedInput": events.GuardedInput,
    "CompileUse": events.CompileUse,
    "WrapperHow": events.WrapperHow,
    "OperatorHow": events.OperatorHow,
    "NativeHow": events.NativeHow,
    "DroppedHow": events.DroppedHow,
}


def words_in(*folders: str) -> set[str]:
    """All string constants of some folders."""
    return {
        node.value
        for folder in folders
        for file in (SOURCE / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_every_word_is_emitted(vocabulary: str) -> None:
    words = set(get_args(VOCABULARIES[vocabulary]))
    assert words
    assert words - words_in("interp", "survey", "host") == set()


@pytest.mark.parametrize("vocabulary", sorted(VOCABULARIES))
def test_every_word_is_judged(vocabulary: str) -> None:
    assert set(get_args(VOCABULARIES[vocabulary])) - words_in("checks") == set()
