"""Links to the linted lines: what a runner says of the checkout, and nothing that could be anything else."""

from __future__ import annotations

from pathlib import Path

import pytest

from compilelint.model import Location, Span
from compilelint.report.layout.paths import Places
from compilelint.report.layout.source_links import source_from, source_of

SHA = "0123456789abcdef0123456789abcdef01234567"
GITHUB = {"GITHUB_SERVER_URL": "https://github.com", "GITHUB_REPOSITORY": "a/b", "GITHUB_SHA": SHA}
GITLAB = {"CI_PROJECT_URL": "https://gitlab.example/a/b", "CI_COMMIT_SHA": SHA}


def link(environment: dict[str, str], path: str, last: int = 3, cell: int | None = None) -> str:
    source = source_from(environment)
    assert source is not None
    return source.line(Location(path, Span(3, 1, last, 2), cell), Places("/p"))


def test_a_line_and_a_range_of_lines() -> None:
    assert link(GITHUB, "/p/src/net.py") == f"https://github.com/a/b/blob/{SHA}/src/net.py#L3"
    assert link(GITHUB, "/p/src/net.py", 5).endswith("#L3-L5")
    assert link(GITLAB, "/p/net.py", 5) == f"https://gitlab.example/a/b/-/blob/{SHA}/net.py#L3-5"


def test_a_name_cannot_end_the_link() -> None:
    assert link(GITHUB, "/p/a) [x](b.py").endswith("/a%29%20%5Bx%5D%28b.py#L3")


def test_what_lies_outside_and_cells_have_no_line_there() -> None:
    assert link(GITHUB, "/elsewhere/net.py") == ""
    assert link(GITHUB, "/p/study.ipynb", cell=2) == ""


@pytest.mark.parametrize(
    "environment",
    [
        pytest.param({}, id="no runner"),
        pytest.param({**GITHUB, "GITHUB_SHA": "main)"}, id="no commit"),
        pytest.param({**GITHUB, "GITHUB_REPOSITORY": "a/b](x"}, id="no repository"),
        pytest.param({**GITHUB, "GITHUB_SERVER_URL": "javascript:x"}, id="no address"),
    ],
)
def test_doubtful_words_make_no_link(environment: dict[str, str]) -> None:
    assert source_from(environment) is None


# ------------------------------------------------------- a checkout without a runner


def checkout(folder: Path, remote: str) -> str:
    """The link to lines 3 to 5 of a file in a checkout of a remote; empty where there is none."""
    (folder / ".git" / "refs").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text(f"{SHA}\n")
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n')
    source = source_of(folder.as_posix())
    place = Location(f"{folder.as_posix()}/src/net.py", Span(3, 1, 5, 2))
    return source.line(place, Places(folder.as_posix())) if source else ""


@pytest.mark.parametrize(
    ("remote", "link"),
    [
        ("https://github.com/a/b.git", f"https://github.com/a/b/blob/{SHA}/src/net.py#L3-L5"),
        ("git@github.com:a/b.git", f"https://github.com/a/b/blob/{SHA}/src/net.py#L3-L5"),
        ("ssh://git@github.com:22/a/b", f"https://github.com/a/b/blob/{SHA}/src/net.py#L3-L5"),
        ("https://gitlab.com/group/sub/b.git", f"https://gitlab.com/group/sub/b/-/blob/{SHA}/src/net.py#L3-5"),
        ("https://codeberg.org/a/b", f"https://codeberg.org/a/b/src/commit/{SHA}/src/net.py#L3-L5"),
        ("git@bitbucket.org:a/b.git", f"https://bitbucket.org/a/b/src/{SHA}/src/net.py#lines-3:5"),
        pytest.param(
            "https://me:secret@github.com/a/b", f"https://github.com/a/b/blob/{SHA}/src/net.py#L3-L5", id="a password"
        ),
    ],
)
def test_a_checkout_of_a_known_host_has_links(tmp_path: Path, remote: str, link: str) -> None:
    assert checkout(tmp_path, remote) == link


@pytest.mark.parametrize(
    "remote",
    [
        pytest.param("https://git.company.example/a/b", id="a host that is not known"),
        pytest.param("https://github.com.evil.example/a/b", id="looks like one that is"),
        pytest.param("https://github.com@evil.example/a/b", id="a known host as the name of a user"),
        pytest.param("https://github.com/a/../../b", id="leads out"),
        pytest.param('https://github.com/a/b"><script>', id="markup"),
        pytest.param("javascript:alert(1)", id="no address"),
        pytest.param("ext::sh -c evil", id="a command"),
        pytest.param("../elsewhere", id="a folder"),
    ],
)
def test_any_other_remote_has_none(tmp_path: Path, remote: str) -> None:
    assert checkout(tmp_path, remote) == ""
