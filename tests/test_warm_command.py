"""A fork of a loaded process (`tests/support/warm_command.py`) ends and says what a process of its own does."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.hostile import BREAKS, compilelint, fresh


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "net.py").write_text(BREAKS + "# größer\n", encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "given", "code"),
    [
        pytest.param(("check", "net.py", "--no-cache"), None, 1, id="findings"),
        pytest.param(("check", "-", "--no-cache", "--output", "json"), BREAKS, 1, id="standard input"),
        pytest.param(("check", "missing.py"), None, 2, id="an error"),
        pytest.param(("--help",), None, 0, id="help"),
    ],
)
def test_a_fork_says_what_a_fresh_process_says(
    folder: Path, words: tuple[str, ...], given: str | None, code: int
) -> None:
    forked, alone = (run(folder, *words, given=given) for run in (compilelint, fresh))
    assert (forked.returncode, forked.stdout, forked.stderr) == (alone.returncode, alone.stdout, alone.stderr)
    assert forked.returncode == code


def test_a_fork_has_the_folder_and_the_environment_that_it_is_given(folder: Path) -> None:
    for name in ("a", "b"):
        compilelint(folder, "check", "net.py", environment={"XDG_CACHE_HOME": str(folder / name)})
        assert list((folder / name).rglob("*.entry"))
    (folder / "other").mkdir()
    (folder / "other" / "net.py").write_text("x = 1\n", encoding="utf-8")
    codes = [compilelint(where, "check", "net.py", "--no-cache").returncode for where in (folder, folder / "other")]
    assert codes == [1, 0]
