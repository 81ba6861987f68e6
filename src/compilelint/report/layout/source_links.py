"""Where the linted lines are on the web: in the repository and at the commit that a runner names in its environment.

Nothing is read from `.git`: what stands there belongs to the linted tree. Without a runner there are no links.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from compilelint.model import Location
from compilelint.report.layout.paths import Places

_ADDRESS = re.compile(r"https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~/-]*)?")
_COMMIT = re.compile(r"[0-9a-f]{7,64}")


@dataclass(frozen=True, slots=True)
class SourceOnWeb:
    """A repository's files at one commit: `files` is what stands before a path, `range_mark` before the last line."""

    files: str
    range_mark: str

    def line(self, location: Location, places: Places) -> str:
        """The address of a place; empty where it lies outside the repository or in a notebook's cell."""
        uri = places.uri(location.path)
        if location.cell is not None or uri.startswith("file:"):
            return ""
        span = location.span
        last = f"-{self.range_mark}{span.end_line}" if span.end_line > span.line else ""
        return f"{self.files}{uri.replace('(', '%28').replace(')', '%29')}#L{span.line}{last}"


def source_from(environment: Mapping[str, str]) -> SourceOnWeb | None:
    """What GitHub's and GitLab's runners say of the checkout; None elsewhere, and where it is no address."""
    get = environment.get
    if get("GITHUB_REPOSITORY") and get("GITHUB_SHA"):
        address, commit = (
            f"{get('GITHUB_SERVER_URL', 'https://github.com')}/{get('GITHUB_REPOSITORY')}",
            get("GITHUB_SHA"),
        )
        files, mark = f"{address}/blob/{commit}/", "L"
    elif get("CI_PROJECT_URL") and get("CI_COMMIT_SHA"):
        address, commit = get("CI_PROJECT_URL", ""), get("CI_COMMIT_SHA")
        files, mark = f"{address}/-/blob/{commit}/", ""
    else:
        return None
    return SourceOnWeb(files, mark) if _ADDRESS.fullmatch(address) and _COMMIT.fullmatch(commit or "") else None
