"""Tables, enumerations, limits and defaults of all files of the room, against `golden/tables.txt`."""

from __future__ import annotations

from tests.support.tables import REWRITE_THEM, path_of, tables


def test_tables_and_defaults_are_those_recorded() -> None:
    assert tables("checks") == path_of("checks").read_text(encoding="utf-8"), REWRITE_THEM
