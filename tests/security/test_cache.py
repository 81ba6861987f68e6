"""Attacks through the cache: entries that someone else wrote, and places where nothing must be written."""

from __future__ import annotations

import copy
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compilelint.cache import NoFindingError, Store, decoded, encoded, store_in
from compilelint.cache.secret import LENGTH, user_secret
from compilelint.config import Options
from compilelint.report.report import Report
from compilelint.session.commands.lint import lint

MODEL = """import torch


@torch.compile
def run(x: torch.Tensor):
    if x.sum() > 0:
        return x
    return x.item()
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL)
    return folder


def linted(project: Path, folder: Path | None) -> Report:
    cache = None if folder is None else str(folder)
    return lint(Options(paths=(str(project),), torch_version="2.13", no_cache=False, cache_dir=cache))


def codes(report: Report) -> list[str]:
    return [finding.rule.code for finding in report.findings]


# ------------------------------------------------------------------ whose entries


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def holes(path: Path) -> None:
    os.truncate(path, 10**12)


def each(change: Callable[[Path], object], folder: Path) -> None:
    for entry in folder.glob("*.entry"):
        change(entry)


def forged(entries: Path) -> None:
    """Say in every entry that nothing was found, in the form of the store, with a key of one's own."""
    theirs = Store(entries, b"a secret of theirs")
    for one in list(theirs.entries()):
        one.path.write_bytes(one.path.read_bytes().replace(b"CL101", b"CL102"))


@pytest.mark.parametrize(
    "attack",
    [
        pytest.param(forged, id="forged: other findings under the old mark"),
        pytest.param(lambda folder: [p.write_bytes(b"") for p in folder.glob("*.entry")], id="forged: emptied"),
        pytest.param(
            lambda folder: [
                p.write_bytes(b"compilelint-entry-2\n" + b"\0" * 32 + b"[]") for p in folder.glob("*.entry")
            ],
            id="forged: a mark without a secret",
        ),
        pytest.param(
            lambda folder: [(p.unlink(), p.symlink_to("/dev/zero")) for p in folder.glob("*.entry")],
            id="device: an entry that never ends",
        ),
        pytest.param(
            lambda folder: each(pipe, folder),
            id="device: an entry that waits",
        ),
        pytest.param(
            lambda folder: [(p.unlink(), p.mkdir()) for p in folder.glob("*.entry")], id="device: a folder for an entry"
        ),
        pytest.param(lambda folder: each(holes, folder), id="memory: an entry of 1 TB of holes"),
    ],
)
def test_what_someone_else_wrote_is_no_entry(project: Path, tmp_path: Path, attack: Callable[[Path], object]) -> None:
    folder = tmp_path / "cache"
    first = linted(project, folder)
    attack(folder)
    assert codes(linted(project, folder)) == codes(first) != []


def test_a_cache_that_another_user_filled_is_ignored(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a CI service restores: entries of good form, made with another secret."""
    theirs, ours = tmp_path / "theirs", tmp_path / "ours"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "their-config"))
    linted(project, theirs)
    kept = [json.loads(p.read_bytes().partition(b"\n")[2][32:]) for p in theirs.glob("*.entry")]
    assert kept, "they have an entry"
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "our-config"))
    shutil.copytree(theirs, ours)
    before = {p.name: p.read_bytes() for p in ours.glob("*.entry")}
    assert len(codes(linted(project, ours))) == 2
    assert any(p.read_bytes() != before.get(p.name) for p in ours.glob("*.entry")), "it was made again, with our secret"


def test_our_own_entry_is_taken(project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = linted(project, tmp_path / "cache")
    monkeypatch.setattr("compilelint.session.analyse.analyse", None)  # calling it would fail
    assert codes(linted(project, tmp_path / "cache")) == codes(first)


# ------------------------------------------------------------------- the secret


def test_the_secret_is_made_once_and_is_private(tmp_path: Path) -> None:
    first = user_secret(tmp_path / "new" / "config")
    assert first is not None
    assert len(first) == LENGTH
    assert user_secret(tmp_path / "new" / "config") == first
    assert user_secret(tmp_path / "other") != first
    (path,) = (tmp_path / "new" / "config").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


def short(path: Path) -> None:
    path.write_bytes(b"short")


def linked(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to(path.with_name("elsewhere"))


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda path: path.chmod(0o644), id="secret: others may read it"),
        pytest.param(lambda path: path.chmod(0o620), id="secret: others may write it"),
        pytest.param(linked, id="secret: a link"),
        pytest.param(short, id="secret: too short"),
        pytest.param(lambda path: (path.unlink(), path.mkdir()), id="secret: a folder"),
        pytest.param(pipe, id="secret: a pipe"),
    ],
)
def test_a_secret_that_is_not_ours_alone_is_none(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: Callable[[Path], object]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    assert user_secret() is not None
    change(tmp_path / "config" / "compilelint" / "cache-secret")
    assert user_secret() is None
    assert len(codes(linted(project, tmp_path / "cache"))) == 2
    assert list(store_in(str(tmp_path / "cache")).entries()) == [], "without a secret nothing is kept"


# ------------------------------------------------------------ never in the tree


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(lambda project: project / ".cache", id="tree: a folder of it"),
        pytest.param(lambda project: project, id="tree: itself"),
        pytest.param(lambda project: project / "a" / ".." / "b", id="tree: a way around"),
        pytest.param(lambda project: _link(project.parent / "link", project / "below"), id="tree: a link into it"),
        pytest.param(lambda project: _link(project / "out", project.parent / "victim"), id="tree: a link out of it"),
    ],
)
def test_nothing_is_kept_in_the_linted_tree(project: Path, tmp_path: Path, place: Callable[[Path], Path]) -> None:
    folder = place(project)
    before = sorted(str(path) for path in tmp_path.rglob("*"))
    report = linted(project, folder)
    (notice,) = [one for one in report.notices if one.kind == "cache"]
    assert "is inside the linted tree and is not used: results are kept in" in notice.text
    assert sorted(str(path) for path in tmp_path.rglob("*")) == before
    assert list(store_in(None).entries()), "they are, in the user's folder"


def test_a_tree_that_holds_the_users_own_cache_folder_has_none(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(project / "home"))
    report = linted(project, None)
    assert [one.text for one in report.notices if "nothing is remembered" in one.text]
    assert not (project / "home").exists()


def _link(link: Path, target: Path) -> Path:
    target.mkdir()
    link.symlink_to(target)
    return link


# ----------------------------------------------------------------- types of fields


def fields(value: Any, way: tuple[int, ...] = ()) -> list[tuple[int, ...]]:
    """The way to everything in an encoded finding."""
    found = [way] if way else []
    for number, one in enumerate(value) if isinstance(value, list) else ():
        found += fields(one, (*way, number))
    return found


WRONG: tuple[Any, ...] = ({"a": 1}, 1.5, [[[[]]]], b"bytes")


def test_a_field_of_another_type_makes_no_finding(project: Path) -> None:
    report = linted(project, None)
    rules = {rule.code: rule for rule in report.rules}
    tried = 0
    for finding in report.findings:
        sound = encoded(finding)
        assert decoded(sound, rules) == finding
        for way in fields(sound):
            for wrong in WRONG:
                broken = copy.deepcopy(sound)
                holder = broken
                for step in way[:-1]:
                    holder = holder[step]
                holder[way[-1]] = wrong
                with pytest.raises(NoFindingError):
                    decoded(broken, rules)
                tried += 1
    assert tried > 200
