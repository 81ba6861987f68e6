"""`--diff-base`: which lines a branch changed, asked of a real git."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from compilelint.config import Options, UsageError
from compilelint.model import Confidence, Effect, Finding, Location, Rule, Span
from compilelint.rulebook import UNPARSABLE_FILE, UNUSED_SUPPRESSION
from compilelint.session.commands.lint import lint
from compilelint.session.pipeline.changed import Changed, changed_since

SOURCE = """\
import torch


def old(x: torch.Tensor):
    return x * x.item()


def new(x: torch.Tensor):
    return x + 1
"""


def git(folder: Path, *words: str) -> str:
    who = ["-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *who, *words], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """One commit on `main` with one finding, then a branch."""
    folder = tmp_path / "a repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    (folder / "net.py").write_text(SOURCE, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    git(folder, "checkout", "-qb", "branch")
    return folder


def reported(folder: Path, base: str, *paths: str) -> list[tuple[str, int]]:
    report = lint(Options(tuple(str(folder / path) for path in paths or (".",)), diff_base=base))
    return [(Path(one.location.path).name, one.location.span.line) for one in report.findings]


def changes(folder: Path, base: str) -> dict[str, list[tuple[int, int]] | None]:
    return changed_since(base, [folder.as_posix()], map(str, folder.rglob("*.py"))).lines


def test_only_findings_on_changed_lines_are_reported(repository: Path) -> None:
    assert reported(repository, "main") == []
    (repository / "net.py").write_text(SOURCE.replace("x + 1", "x + x.item()"), encoding="utf-8")
    assert reported(repository, "main") == [("net.py", 9)], "not committed"
    git(repository, "commit", "-qam", "two")
    assert reported(repository, "main") == [("net.py", 9)], "committed"
    report = lint(Options((str(repository),), diff_base="main"))
    assert report.unchanged == 1


def test_what_the_base_did_meanwhile_does_not_count(repository: Path) -> None:
    git(repository, "checkout", "-q", "main")
    (repository / "net.py").write_text("# a line of main\n" + SOURCE, encoding="utf-8")
    git(repository, "commit", "-qam", "main goes on")
    git(repository, "checkout", "-q", "branch")
    assert reported(repository, "main") == []


def test_new_files_count_whole_tracked_or_not(repository: Path) -> None:
    (repository / "fresh.py").write_text(SOURCE, encoding="utf-8")
    assert reported(repository, "main") == [("fresh.py", 5)]
    git(repository, "add", "-A")
    assert reported(repository, "main") == [("fresh.py", 5)]


def test_a_renamed_file_counts_whole(repository: Path) -> None:
    git(repository, "mv", "net.py", "moved.py")
    assert reported(repository, "main") == [("moved.py", 5)]


@pytest.mark.parametrize("name", ["with space.py", "ümlaut.py", 'quo"te.py', "tab\t.py", "new\nline.py", "b", "a b"])
def test_odd_names_are_found_in_the_diff(repository: Path, name: str) -> None:
    name = name if name.endswith(".py") else f"{name}/x.py"
    file = repository / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("1\n", encoding="utf-8")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "odd")
    file.write_text("1\n2\n3\n", encoding="utf-8")
    assert changes(repository, "HEAD") == {os.path.realpath(file): [(2, 3)]}


def test_an_added_line_is_not_taken_for_the_head_of_a_file(repository: Path) -> None:
    (repository / "net.py").write_text("++ b/other.py\n@@ -1 +1,99 @@\n" + SOURCE, encoding="utf-8")
    (repository / "zz.py").write_text("1", encoding="utf-8")
    git(repository, "add", "-A")
    found = changes(repository, "main")
    assert found == {
        os.path.realpath(repository / "net.py"): [(1, 2)],
        os.path.realpath(repository / "zz.py"): None,
    }


def test_a_deletion_changes_no_line_that_is_left(repository: Path) -> None:
    (repository / "net.py").write_text(SOURCE.replace("import torch\n", "", 1), encoding="utf-8")
    assert changes(repository, "main") == {os.path.realpath(repository / "net.py"): []}


def test_a_link_into_the_repository_and_a_subfolder_are_the_same_files(repository: Path, tmp_path: Path) -> None:
    (repository / "net.py").write_text(SOURCE.replace("x + 1", "x + x.item()"), encoding="utf-8")
    (repository / "sub").mkdir()
    (tmp_path / "link").symlink_to(repository)
    assert reported(tmp_path / "link", "main") == [("net.py", 9)]
    git(repository, "mv", "net.py", "sub/net.py")
    git(repository, "commit", "-qam", "sub")
    (repository / "sub" / "net.py").write_text(SOURCE, encoding="utf-8")
    assert reported(repository / "sub", "HEAD", ".") == []


def test_what_spoils_a_file_counts_wherever_the_change_is() -> None:
    place = Location("/p/a.py", Span(9, 1, 9, 2))
    spoiled = Finding(UNPARSABLE_FILE, "m", UNPARSABLE_FILE.effects, Confidence.CERTAIN, place)
    pragma = Finding(UNUSED_SUPPRESSION, "m", UNUSED_SUPPRESSION.effects, Confidence.LIKELY, place)
    changed = Changed({"/p/a.py": [(1, 1)]})
    assert changed(spoiled)
    assert not changed(pragma)


@pytest.mark.parametrize(
    ("revision", "what"),
    [
        ("no-such-branch", "git does not know the revision 'no-such-branch'"),
        ("--output=stolen", "git does not know the revision '--output=stolen'"),
        ("$(touch stolen)", "git does not know the revision"),
        ("; touch stolen", "git does not know the revision"),
        ("main:net.py", "git does not know the revision"),
        ("", "no revision"),
        ("a\0b", "no revision"),
    ],
)
def test_a_revision_that_is_none_is_refused_and_runs_nothing(repository: Path, revision: str, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        reported(repository, revision)
    assert what in caught.value.what
    assert not (repository / "stolen").exists()


def test_programs_that_the_repository_configures_are_not_run(repository: Path) -> None:
    (repository / ".gitattributes").write_text("*.py diff=evil\n", encoding="utf-8")
    for key in ("diff.evil.command", "diff.evil.textconv", "diff.external", "core.fsmonitor"):
        git(repository, "config", key, "touch stolen; true")
    (repository / "net.py").write_text(SOURCE.replace("x + 1", "x + x.item()"), encoding="utf-8")
    assert reported(repository, "main") == [("net.py", 9)]
    assert not (repository / "stolen").exists()


def test_settings_that_change_the_form_of_a_diff_do_no_harm(repository: Path) -> None:
    for key, value in {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "color.diff": "always",
        "diff.context": "9",
        "diff.wordRegex": ".",
        "core.quotePath": "true",
        "diff.relative": "true",
        "diff.interHunkContext": "99",
    }.items():
        git(repository, "config", key, value)
    text = SOURCE.replace("x + 1", "x + x.item()").replace("import torch", "import torch as torch")
    (repository / "net.py").write_text(text, encoding="utf-8")
    assert reported(repository, "main") == [("net.py", 9)]
    assert changes(repository, "main") == {os.path.realpath(repository / "net.py"): [(1, 1), (9, 9)]}


def test_a_folder_outside_of_git_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(SOURCE, encoding="utf-8")
    with pytest.raises(UsageError, match="is not in a git repository"):
        reported(tmp_path, "main")


def test_unrelated_histories_are_refused(repository: Path) -> None:
    git(repository, "checkout", "-q", "--orphan", "alone")
    git(repository, "commit", "-qm", "alone")
    with pytest.raises(UsageError, match="no common commit"):
        reported(repository, "main")


def test_without_git_the_request_is_refused(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    with pytest.raises(UsageError, match="git is not on the PATH"):
        changed_since("main", [str(repository)], [])


@pytest.mark.parametrize(
    ("changed", "counts"),
    [
        pytest.param((4, 4), True, id="a line in the middle"),
        pytest.param((3, 3), True, id="the first line"),
        pytest.param((6, 6), True, id="the last line"),
        pytest.param((1, 9), True, id="all of it and more"),
        pytest.param((1, 2), False, id="the lines before"),
        pytest.param((7, 8), False, id="the lines behind"),
    ],
)
def test_a_finding_over_several_lines_is_new_where_any_of_them_changed(
    changed: tuple[int, int], counts: bool, tmp_path: Path
) -> None:
    path = (tmp_path / "net.py").as_posix()
    rule = Rule("CL101", "branch-on-tensor", "", Effect.GRAPH_BREAK)
    finding = Finding(rule, "", rule.effects, Confidence.CERTAIN, Location(path, Span(3, 1, 6, 2)))
    assert Changed({os.path.realpath(path): [changed]})(finding) is counts
