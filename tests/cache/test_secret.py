"""The secret that entries are signed with: made once, and believed only as a private file of ours and of its length."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from compilelint.cache import secret
from compilelint.cache.store import Store


@pytest.fixture
def file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    path = tmp_path / "own" / "key"
    path.parent.mkdir(mode=0o700)
    path.write_bytes(b"s" * secret.LENGTH)
    path.chmod(0o600)
    return path


def test_it_is_made_once_for_this_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "key"
    secret._make(path)
    first = path.read_bytes()
    secret._make(path)
    assert path.read_bytes() == first
    assert (len(first), path.stat().st_mode & 0o777) == (secret.LENGTH, 0o600)
    assert secret._read(path) == first


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_a_private_file_is_read(file: Path, mode: int) -> None:
    file.chmod(mode)
    assert secret._read(file) == b"s" * secret.LENGTH


@pytest.mark.parametrize("mode", [0o604, 0o640, 0o620, 0o601, 0o610, 0o602])
def test_what_others_may_touch_is_not_believed(file: Path, mode: int) -> None:
    file.chmod(mode)
    assert secret._read(file) is None


@pytest.mark.parametrize("size", [0, secret.LENGTH - 1, secret.LENGTH + 1])
def test_one_of_another_length_is_not_believed(file: Path, size: int) -> None:
    file.write_bytes(b"s" * size)
    assert secret._read(file) is None


def test_a_link_a_pipe_and_a_file_of_another_are_not_believed(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file.parent / "link").symlink_to(file)
    os.mkfifo(file.parent / "pipe", 0o600)
    assert [secret._read(file.parent / name) for name in ("link", "pipe", "missing")] == [None, None, None]
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    assert secret._read(file) is None


def test_without_a_secret_nothing_is_kept_and_nothing_believed(tmp_path: Path) -> None:
    signed, unsigned = Store(tmp_path, b"secret"), Store(tmp_path, None)
    signed.put("a", b"1")
    unsigned.put("b", b"2")
    assert [store.get(key) for store in (signed, unsigned) for key in "ab"] == [b"1", None, None, None]
