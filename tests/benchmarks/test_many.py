"""The benchmark of very many files, on three."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import many
from benchmarks.measuring import Cost


@pytest.fixture
def packages(tmp_path: Path) -> list[Path]:
    """Two packages of one name, of two files each."""
    for at in ("one", "other"):
        folder = tmp_path / at / "net"
        folder.mkdir(parents=True)
        for name in ("a.py", "b.py"):
            (folder / name).write_text(f"def {at}(x):\n    return x\n", encoding="utf-8")
    return [tmp_path / at / "net" for at in ("one", "other")]


def test_files_are_copied_side_by_side_up_to_a_number(packages: list[Path], tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    made = many.copied(packages, 3, tree)
    assert [one.relative_to(tree).as_posix() for one in made] == ["00/net/a.py", "00/net/b.py", "01/net/a.py"]
    assert made[2].read_text(encoding="utf-8").startswith("def other")


def test_a_run_that_was_stopped_has_no_pace_beside_libcst(packages: list[Path]) -> None:
    files = [one for package in packages for one in package.iterdir()]
    assert many.row(1, files, Cost(3.0, 4.0, 50.0, 0), 1.0)[-2:] == ["50", "yes"]
    stopped = many.row(1, files, Cost(3.0, 4.0, 50.0, -9), 1.0)
    assert stopped[-3:] == ["", "50", "no: code -9 after 4 s"]


def test_files_are_linted_and_the_table_is_printed(packages: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert many.main([*map(str, packages), "--files", "3"]) == 0
    said = capsys.readouterr().out
    assert "| 1 | 3 | 0.0 |" in said
    assert "| yes |" in said


def test_a_run_that_is_stopped_is_no_success(packages: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert many.main([*map(str, packages), "--limit", "0.01"]) == 1
    assert "no: code -9" in capsys.readouterr().out
