"""Other files are only changed where they are linted."""

from __future__ import annotations

from pathlib import Path

from compilelint.fixes.engine.elsewhere import NOT_LINTED, Elsewhere


def test_the_code_of_a_linted_file_is_given_and_no_other(tmp_path: Path) -> None:
    paths = [str(tmp_path / name) for name in ("home.py", "linted.py", "left_out.py", "broken.py")]
    for path in paths:
        Path(path).write_text("x = 1\n")
    Path(paths[3]).write_text("x = (\n")
    asked = Elsewhere([paths[0], paths[1], paths[3]], paths[0])
    code = asked.code(paths[1])
    assert code is not None
    assert code.source.path == paths[1]
    assert asked.code(paths[1]) is code
    assert [asked.code(path) for path in (paths[0], paths[2], paths[3])] == [None, None, None]
    assert asked.refused == {paths[2]: NOT_LINTED}
