"""Links to the linted lines: what a runner says of the checkout, and nothing that could be anything else."""

from __future__ import annotations

import pytest

from compilelint.model import Location, Span
from compilelint.report.layout.paths import Places
from compilelint.report.layout.source_links import source_from

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
