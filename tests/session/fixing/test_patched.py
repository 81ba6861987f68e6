"""Versions of a folder: what is put in the copy stays in it, whatever links there are; and the table of a proof."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from compilelint.config import UsageError
from compilelint.dynamic.proof import Proof
from compilelint.model import Fate, Parity, TargetRun
from compilelint.session.fixing.patched import Judged, as_markdown, as_text, replaced, since, table

OLD, NEW = "gain = 1\n", "gain = 2\n"


def test_the_copy_holds_the_new_text_and_the_folder_the_old_one(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "net.py").write_text(OLD, encoding="utf-8")
    (tmp_path / "new.py").write_text(NEW, encoding="utf-8")
    with replaced(str(tmp_path / "p"), str(tmp_path / "p" / "net.py"), str(tmp_path / "new.py")) as versions:
        assert [*versions.texts().values()] == [(OLD, NEW)]
    assert (tmp_path / "p" / "net.py").read_text(encoding="utf-8") == OLD


@pytest.mark.parametrize("kept", ["p/old.py", "old.py"])
def test_a_file_that_was_edited_where_it_stands_is_the_new_one(tmp_path: Path, kept: str) -> None:
    """The copy from before lies beside it or elsewhere, and git does not track it."""
    project = tmp_path / "p"
    project.mkdir()
    (project / "net.py").write_text(NEW, encoding="utf-8")
    for words in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *words], cwd=project, check=True)
    (tmp_path / kept).write_text(OLD, encoding="utf-8")
    with replaced(str(project), str(tmp_path / kept), str(project / "net.py")) as versions:
        assert [*versions.texts().values()] == [(OLD, NEW)]
        assert versions.new == str(project)
        assert versions.files == ("net.py",)


@pytest.mark.parametrize("linked", ["file", "folder"])
def test_a_link_out_of_the_folder_is_not_written_through(tmp_path: Path, linked: str) -> None:
    outside, project = tmp_path / "outside", tmp_path / "p"
    outside.mkdir()
    project.mkdir()
    (outside / "net.py").write_text(OLD, encoding="utf-8")
    (tmp_path / "new.py").write_text(NEW, encoding="utf-8")
    if linked == "file":
        (project / "net.py").symlink_to(outside / "net.py")
        old = project / "net.py"
    else:
        (project / "sub").symlink_to(outside)
        old = project / "sub" / "net.py"
    with (
        pytest.raises(UsageError, match="leads out of the current folder"),
        replaced(str(project), str(old), str(tmp_path / "new.py")),
    ):
        pass
    assert (outside / "net.py").read_text(encoding="utf-8") == OLD


def test_a_folder_that_became_a_link_since_a_revision_is_not_written_through(tmp_path: Path) -> None:
    outside, project = tmp_path / "outside", tmp_path / "p"
    outside.mkdir()
    (project / "sub").mkdir(parents=True)
    (project / "sub" / "net.py").write_text(NEW, encoding="utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=project, check=True)
    (project / "sub" / "net.py").unlink()
    (project / "sub").rmdir()
    (outside / "net.py").write_text(OLD, encoding="utf-8")
    (project / "sub").symlink_to(outside)
    with pytest.raises(UsageError, match="leads out of the current folder"), since(str(project), "HEAD"):
        pass
    assert (outside / "net.py").read_text(encoding="utf-8") == OLD


def test_what_git_does_not_track_is_in_both_versions(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(OLD, encoding="utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    (tmp_path / "tiny.py").write_text("import net\n", encoding="utf-8")
    with pytest.raises(UsageError, match="nothing differs"), since(str(tmp_path), "HEAD"):
        pass
    (tmp_path / "net.py").write_text(NEW, encoding="utf-8")
    with since(str(tmp_path), "HEAD") as versions:
        assert Path(versions.old, "net.py").read_text(encoding="utf-8") == OLD
        assert Path(versions.old, "tiny.py").exists()


@pytest.mark.parametrize(
    ("named", "kept"),
    [
        pytest.param(("tests.targets:net",), True, id="the target's module"),
        pytest.param(("tests/targets.py:net",), True, id="the target's file"),
        pytest.param(("net:Net", "tests.targets:inputs"), True, id="the module of its inputs"),
        pytest.param(("net:Net",), False, id="another's"),
        pytest.param(("other.targets:net",), False, id="a module of another package"),
        pytest.param((), False, id="none"),
    ],
)
def test_a_new_file_that_holds_the_target_is_in_both_versions(
    named: tuple[str, ...], kept: bool, tmp_path: Path
) -> None:
    (tmp_path / "net.py").write_text(OLD, encoding="utf-8")
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    (tmp_path / "net.py").write_text(NEW, encoding="utf-8")
    (tmp_path / "tests").mkdir()
    for name in ("__init__", "targets"):
        (tmp_path / "tests" / f"{name}.py").write_text("import net\n", encoding="utf-8")
    subprocess.run(["git", "add", "."], cwd=tmp_path, check=True)
    with since(str(tmp_path), "HEAD", named) as versions:
        assert Path(versions.old, "tests/targets.py").exists() is kept
        assert versions.files == (("net.py",) if kept else ("net.py", "tests/__init__.py", "tests/targets.py"))
        assert Path(versions.old, "net.py").read_text(encoding="utf-8") == OLD


@pytest.mark.parametrize(
    ("before", "after", "equal", "words"),
    [
        (Fate.RAN, Fate.RAN, True, "equal"),
        (Fate.RAN, Fate.EAGER_ERROR, False, "not equal"),
        (Fate.RAN, Fate.EXITED, False, "not equal"),
        *((Fate.RAN, one, None, "not compared") for one in (Fate.KILLED, Fate.TIME_LIMIT, Fate.MEMORY_LIMIT)),
        *((Fate.RAN, one, None, "not compared") for one in (Fate.INTERRUPTED, Fate.NO_ANSWER)),
        (Fate.KILLED, Fate.RAN, None, "not compared"),
    ],
)
def test_a_run_that_was_ended_from_outside_is_no_difference(
    before: Fate, after: Fate, equal: bool | None, words: str
) -> None:
    old, new = (TargetRun("net", fate, parity=Parity(2, 4)) for fate in (before, after))
    found = Judged("why", "", (Proof(old, new),), ())
    assert table(found)[0]["equal"] is equal
    assert as_text(found).startswith(f"net: {words};")
    assert ("not compared" in as_markdown(found)) == (equal is None)
