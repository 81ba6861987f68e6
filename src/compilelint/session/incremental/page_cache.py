"""The cache of pages: what a report looks like to people, kept beside the outcome of its run.

A page depends on the report, on the files that it quotes, on the current folder, from which paths are counted, and on
what the terminal can do. It is taken again only where all of that is the same: the report is compared as a whole, since
a baseline, a configuration or a commit may have changed it, and the files are those that the run has read.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields

from compilelint.cache import encoded
from compilelint.cache.encoding import Json
from compilelint.model import Finding
from compilelint.report.report import Report
from compilelint.session.incremental.run_cache import RunCache, encoded_call, encoded_root
from compilelint.syntax.source import digest_of

_ENCODED = frozenset({"findings", "roots", "unjudged", "calls", "rules", "pages"})
"""Fields of a report that are written out below; its rules are part of the request that a page is kept under."""


class PageCache:
    """Pages of one request; satisfies `report.report.Pages`. `read` are the hashes of the files that the run read."""

    def __init__(self, cache: RunCache, read: Mapping[str, str]) -> None:
        self._cache = cache
        self._read = read

    def page(self, report: Report, asked: tuple[str, bool, int | None, bool, bool], make: Callable[[], str]) -> str:
        """What `make` gives, or gave for the same report and files when the same was `asked` for."""
        quoted = {path for finding in report.findings for path in _quoted(finding)}
        if not quoted.issubset(self._read):
            return make()
        key: list[object] = ["page", *asked, os.getcwd()]
        stamp = _stamp(report, self._read)
        known = self._cache.page(key, stamp)
        if known is not None:
            return known
        made = make()
        if all(digest_of(path) == self._read[path] for path in quoted):  # no file has changed since it was linted
            self._cache.keep_page(key, stamp, made)
        return made


def _quoted(finding: Finding) -> Iterator[str]:
    """The files that a finding may be shown with."""
    yield finding.location.path
    yield from (one.location.path for one in finding.related)
    yield from (one.location.path for one in finding.call_chain)


def _stamp(report: Report, read: Mapping[str, str]) -> str:
    """A hash of all that a report says, and of the files behind it."""
    findings: list[Json] = [[encoded(one), int(one.severity), repr(one.verdict)] for one in report.findings]
    roots = [encoded_root(one) for one in (*report.roots, *report.unjudged)]
    rest = [getattr(report, field.name) for field in fields(report) if field.name not in _ENCODED]
    said = [findings, roots, len(report.roots), [encoded_call(one) for one in report.calls], rest, sorted(read.items())]
    return hashlib.blake2b(json.dumps(said, default=repr).encode("ascii"), digest_size=16).hexdigest()
