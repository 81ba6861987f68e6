"""What a client may set, and what no file of a workspace can."""

from __future__ import annotations

import pytest

from compilelint.server.settings import Settings, settings_of


def test_settings_say_what_the_command_line_says() -> None:
    found = settings_of({"select": ["CL1"], "torchVersion": "2.13", "diagnosticMode": "openFiles", "codeLens": False})
    assert found.said == (("select", ["CL1"]), ("torch-version", "2.13"))
    assert found.mode == "openFiles"
    assert not found.code_lens


@pytest.mark.parametrize("value", [None, 3, [], "x"])
def test_what_is_no_table_says_nothing(value: object) -> None:
    assert settings_of(value) == Settings()


@pytest.mark.parametrize("word", ["rules", "packs", "enabled"])
def test_a_word_without_meaning_is_named_and_loads_nothing(word: str) -> None:
    found = settings_of({word: ["pack.py"]})
    assert found.said == ()
    assert found.unknown == (f"compilelint.{word} = ['pack.py']",)
