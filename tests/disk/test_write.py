"""Files reach their place whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from compilelint.disk import write
from compilelint.disk.write import NotWrittenError, write_all_bytes, write_bytes, write_text


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


# ---------------------------------------------------------------- whose a file is


def test_a_file_stays_with_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--fix` in a container is run by root, and the files are a user's."""
    file = tmp_path / "m.py"
    file.write_bytes(b"old")
    given: list[tuple[int, int]] = []
    monkeypatch.setattr(write, "_owner", lambda path: (1234, 567) if path == str(file) else (0, 0))
    monkeypatch.setattr(os, "chown", lambda path, user, group: given.append((user, group)))
    write_bytes(str(file), b"new", expected=b"old")
    write_all_bytes([(str(file), b"newer", b"new"), (str(file), b"newest", b"newer")])
    assert (file.read_bytes(), given) == (b"newest", [(1234, 567)] * 3)


def test_a_file_whose_owner_cannot_be_kept_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "m.py"
    file.write_bytes(b"old")

    def refuse(*_: object) -> None:
        raise PermissionError("not permitted")

    monkeypatch.setattr(write, "_owner", lambda path: (1234, 567) if path == str(file) else (0, 0))
    monkeypatch.setattr(os, "chown", refuse)
    with pytest.raises(NotWrittenError, match="belongs to another user or group"):
        write_bytes(str(file), b"new", expected=b"old")
    assert [(one.name, one.read_bytes()) for one in tmp_path.iterdir()] == [("m.py", b"old")]


def test_attributes_stay_and_those_of_the_system_are_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "m.py"
    file.write_bytes(b"old")
    kept: dict[str, bytes] = {}
    names = ["user.origin", "system.posix_acl_access", "security.selinux", "trusted.overlay"]
    monkeypatch.setattr(os, "listxattr", lambda path: names)
    monkeypatch.setattr(os, "getxattr", lambda path, name: name.encode())
    monkeypatch.setattr(os, "setxattr", lambda path, name, value: kept.update({name: value}))
    write_bytes(str(file), b"new", expected=b"old")
    assert kept == {name: name.encode() for name in names[:2]}

    def refuse(*_: object) -> None:
        raise OSError("not supported")

    monkeypatch.setattr(os, "setxattr", refuse)
    with pytest.raises(NotWrittenError, match=r"its attribute user\.origin cannot be kept"):
        write_bytes(str(file), b"newer", expected=b"new")
    assert file.read_bytes() == b"new"


def test_a_new_file_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "chown", lambda *_: pytest.fail("nothing is replaced"))
    write_bytes(str(tmp_path / "m.py"), b"new")
