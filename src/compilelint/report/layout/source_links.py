"""Where the linted lines are on the web: in the repository and at the commit that a runner names in its environment, or
that a checkout from a well-known host says it is at.

Of a remote's address only host and path are used: it may hold a name and a password. Any other host gets no links.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from compilelint.disk.checkout import checkout_of
from compilelint.model import Location
from compilelint.model.patterns import late_pattern
from compilelint.report.layout.paths import Places

_ADDRESS = late_pattern(r"https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~/-]*)?")
_COMMIT = late_pattern(r"[0-9a-f]{7,64}")


_REMOTE = late_pattern(
    r"(?:https?://(?:[^/@]*@)?|ssh://(?:[^/@]*@)?|(?:[\w.-]+@))(?P<host>[a-z.]+)(?::\d+)?[:/]"
    r"(?P<path>[A-Za-z0-9][\w.-]*(?:/[\w.-]+)+)/?"
)


@dataclass(frozen=True, slots=True)
class SourceOnWeb:
    """A repository's files at one commit.

    `files` is what stands before a path, `line_mark` before the first line, `range_mark` before the last.
    """

    files: str
    range_mark: str
    line_mark: str = "#L"

    def line(self, location: Location, places: Places) -> str:
        """The address of a place; empty where it lies outside the repository or in a notebook's cell."""
        uri = places.uri(location.path)
        if location.cell is not None or uri.startswith("file:"):
            return ""
        span = location.span
        last = f"{self.range_mark}{span.end_line}" if span.end_line > span.line else ""
        return f"{self.files}{uri.replace('(', '%28').replace(')', '%29')}{self.line_mark}{span.line}{last}"


# By host: what stands between the repository and the commit, before the last line, and before the first.
_HOSTS = {
    "github.com": ("blob", "-L", "#L"),
    "gitlab.com": ("-/blob", "-", "#L"),
    "codeberg.org": ("src/commit", "-L", "#L"),
    "bitbucket.org": ("src", ":", "#lines-"),
}


def source_from(environment: Mapping[str, str]) -> SourceOnWeb | None:
    """What GitHub's and GitLab's runners say of the checkout; None elsewhere, and where it is no address."""
    get = environment.get
    if get("GITHUB_REPOSITORY") and get("GITHUB_SHA"):
        address, commit = (
            f"{get('GITHUB_SERVER_URL', 'https://github.com')}/{get('GITHUB_REPOSITORY')}",
            get("GITHUB_SHA"),
        )
        files, mark = f"{address}/blob/{commit}/", "-L"
    elif get("CI_PROJECT_URL") and get("CI_COMMIT_SHA"):
        address, commit = get("CI_PROJECT_URL", ""), get("CI_COMMIT_SHA")
        files, mark = f"{address}/-/blob/{commit}/", "-"
    else:
        return None
    return SourceOnWeb(files, mark) if _ADDRESS.fullmatch(address) and _COMMIT.fullmatch(commit or "") else None


def source_of(base: str) -> SourceOnWeb | None:
    """The same of the checkout that a report is about, read from its files; None for other hosts than the known."""
    found = checkout_of(base)
    remote = _REMOTE.fullmatch(found.remote) if found else None
    if found is None or remote is None or remote["host"] not in _HOSTS or ".." in remote["path"]:
        return None
    between, range_mark, line_mark = _HOSTS[remote["host"]]
    repository = f"https://{remote['host']}/{remote['path'].removesuffix('.git')}"
    return SourceOnWeb(f"{repository}/{between}/{found.commit}/", range_mark, line_mark)
