"""Files reach their place whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from compilelint.disk.write import NotWrittenError, write_text


def test_a_new_file_gets_the_usual_permissions(tmp_path: Path) -> None:
    target, plain = tmp_path / "report.json", tmp_path / "plain"
    write_text(str(target), "é\n")
    plain.touch()
    assert target.read_bytes() == "é\n".encode()
    assert stat.S_IMODE(target.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["plain", "report.json"]


def test_an_old_file_keeps_its_permissions_and_a_link_stays_a_link(tmp_path: Path) -> None:
    target, link = tmp_path / "real.json", tmp_path / "link.json"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    write_text(str(link), "new")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_a_write_that_fails_leaves_the_old_report_and_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "report.json"
    target.write_text("old", encoding="utf-8")

    def full_disk(source: str, destination: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full_disk)
    with pytest.raises(NotWrittenError, match="no space left"):
        write_text(str(target), "new")
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.json"]


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # there before the writer comes
    write_text(str(pipe), "through\n")
    assert os.read(reader, 100) == b"through\n"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
