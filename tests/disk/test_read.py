"""One reader for files of strangers: what it takes, what it refuses, and in which words. Attacks: `tests/security`."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from compilelint.disk.read import NotReadError, read_bytes, read_text


def refused(path: Path | str, most_bytes: int = 10) -> tuple[str, str]:
    with pytest.raises(NotReadError) as caught:
        read_bytes(str(path), most_bytes)
    assert str(caught.value) == caught.value.message
    return caught.value.kind, caught.value.message


@pytest.mark.parametrize("size", [0, 1, 10])
def test_a_file_of_up_to_as_many_bytes_as_allowed_is_taken_whole(tmp_path: Path, size: int) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * size)
    assert read_bytes(str(path), 10) == b"x" * size


def test_one_byte_more_is_too_large(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 11)
    assert refused(path) == ("too-large", "larger than 0 MB")
    path.write_bytes(b"x" * 2_000_001)
    assert refused(path, 2_000_000) == ("too-large", "larger than 2 MB")


@pytest.mark.parametrize(("content", "taken"), [(b"x" * 10, True), (b"x" * 11, False)])
def test_a_file_that_lies_about_its_size_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, taken: bool
) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    real = os.fstat
    monkeypatch.setattr(os, "fstat", lambda fd: os.stat_result((*real(fd)[:6], 0, *real(fd)[7:])))
    if taken:
        assert read_bytes(str(path), 10) == content
    else:
        assert refused(path) == ("too-large", "larger than 0 MB")


def test_what_is_no_regular_file_is_named(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path) == ("not-a-file", "a folder")
    assert refused(tmp_path / "pipe") == ("not-a-file", "not a regular file")
    assert refused(os.devnull) == ("not-a-file", "not a regular file")


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (FileNotFoundError(errno.ENOENT, "No such file"), "missing", "no such file"),
        (NotADirectoryError(errno.ENOTDIR, "Not a directory"), "missing", "not a directory"),
        (PermissionError(errno.EACCES, "Permission denied"), "permission", "permission denied"),
        (OSError(errno.EIO, "Input/output error"), "io", "input/output error"),
        (OSError("Odd words"), "io", "odd words"),
        (ValueError("Embedded null byte"), "io", "embedded null byte"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_what_the_system_says_is_handed_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, kind: str, message: str
) -> None:
    def fails(path: str, flags: int) -> int:
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", fails)
        assert refused(tmp_path / "a") == (kind, message)
        if kind == "permission":
            assert refused(tmp_path)[0] == "not-a-file", "a folder, which Windows refuses to open"


def test_text_that_is_no_utf_8_is_marked(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"a\xffb")
    assert read_text(str(tmp_path / "a")) == "a\ufffdb"
