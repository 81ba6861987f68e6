"""The cache of fixes: those of a file depend on its text and on its findings, and on nothing else."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import replace

from compilelint.cache import NoFindingError, decoded_fix, encoded, encoded_fix
from compilelint.cache.encoding import Json
from compilelint.model import Confidence, Finding, Fix
from compilelint.session.incremental.run_cache import RunCache
from compilelint.session.parallel.in_process import Executor, may_have_fix


def with_fixes(executor: Executor, cache: RunCache, findings: Sequence[Finding], least: Confidence) -> list[Finding]:
    """The findings with their fixes: of files of which nothing is remembered `executor` makes them."""
    found = list(findings)
    by_path: dict[str, list[int]] = {}
    for number, finding in enumerate(found):
        if may_have_fix(finding, least):
            by_path.setdefault(finding.location.path, []).append(number)
    before = cache.fixes()
    now: dict[str, list[Json]] = {}
    left: list[int] = []
    for path, numbers in by_path.items():
        stamp = _stamp(cache.digest(path), [found[number] for number in numbers])
        fixes = _cached(before.get(path), stamp, len(numbers))
        if fixes is None:
            left += numbers
        else:
            for number, fix in zip(numbers, fixes, strict=True):
                found[number] = replace(found[number], fix=fix)
        now[path] = [stamp]
    for number, made in zip(left, executor.with_fixes([found[number] for number in left], least), strict=True):
        found[number] = made
    for path, numbers in by_path.items():
        now[path].append([encoded_fix(found[number].fix) for number in numbers])
    cache.keep_fixes(now)
    return found


def _stamp(digest: str, findings: Sequence[Finding]) -> str:
    """What the fixes of a file depend on."""
    asked = json.dumps([digest, [encoded(one) for one in findings]])
    return hashlib.blake2b(asked.encode("ascii"), digest_size=16).hexdigest() if digest else ""


def _cached(entry: Json, stamp: str, count: int) -> list[Fix | None] | None:
    """The fixes of an entry of that stamp, None where it is another's or does not read back."""
    try:
        if not stamp or entry is None or entry[0] != stamp or len(entry[1]) != count:
            return None
        return [decoded_fix(one) for one in entry[1]]
    except (NoFindingError, TypeError, IndexError, KeyError):
        return None
