"""Findings that are known and accepted: `--baseline FILE` keeps quiet about them, `--update-baseline` writes them down.

An entry names rule, path, function and the text of the line, blanks collapsed, and how many there are; no line number
is in it, so code may move. Where a known line was copied there is one more than the entry allows, and the last of them
is reported. Paths count from the folder of the file, so that it means the same wherever the run is started.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from compilelint.config import UsageError
from compilelint.config.rules import ALWAYS_ON
from compilelint.disk.data import NotParsedError, json_of
from compilelint.disk.read import NotReadError, read_bytes
from compilelint.disk.tree import leads_out
from compilelint.disk.write import NotWrittenError, write_text
from compilelint.model import Finding, Notice
from compilelint.model.slotted import dataclass

SCHEMA_VERSION = 1
_MOST_BYTES = 50_000_000
_HINT = "write it again with --update-baseline"


class Entry(NamedTuple):
    """What is accepted: `text` is the line with its blanks collapsed, `path` counts from the baseline's folder."""

    rule: str
    path: str
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline file and how often each of its entries may occur."""

    file: str
    allowed: Mapping[Entry, int]

    def entry(self, finding: Finding) -> Entry:
        """The entry that holds a finding."""
        folder = os.path.realpath(os.path.dirname(os.path.abspath(self.file)))
        path = os.path.relpath(os.path.realpath(finding.location.path), folder).replace(os.sep, "/")
        return Entry(finding.rule.code, path, finding.function, " ".join(finding.line_text.split()))

    def filter(
        self, findings: Iterable[Finding], last: Callable[[Finding], bool] = lambda finding: False
    ) -> tuple[list[Finding], Counter[Entry]]:
        """The findings that no entry accounts for, in the given order, and how many each entry took out.

        Of findings that are alike the first are taken out; those of which `last` is true come after all others. What
        says that a file or a rule could not be had always stays: it hides more than itself.
        """
        used: Counter[Entry] = Counter()
        left: list[tuple[int, Finding]] = []
        numbered = sorted(enumerate(findings), key=lambda pair: (last(pair[1]), pair[0]))
        for number, finding in numbered:
            entry = self.entry(finding)
            if finding.rule.code not in ALWAYS_ON and used[entry] < self.allowed.get(entry, 0):
                used[entry] += 1
            else:
                left.append((number, finding))
        return [finding for _, finding in sorted(left, key=lambda pair: pair[0])], used

    def unused(self, used: Counter[Entry], seen: Scope) -> dict[Entry, int]:
        """How often entries that the run could judge are allowed in vain."""
        return {
            entry: allowed - used[entry]
            for entry, allowed in self.allowed.items()
            if allowed > used[entry] and seen.judges(self, entry)
        }


@dataclass(frozen=True, slots=True)
class Scope:
    """What a run looked at: files by absolute path, the codes of the rules that took part, and the entries that only
    `--min-confidence` keeps from being findings.
    """

    files: frozenset[str]
    codes: frozenset[str]
    hidden: frozenset[Entry] = frozenset()

    def judges(self, baseline: Baseline, entry: Entry) -> bool:
        """Whether the run would have found it. A file that is gone will not be found by any."""
        if entry.rule not in self.codes or entry in self.hidden:
            return False
        path = os.path.join(os.path.realpath(os.path.dirname(os.path.abspath(baseline.file))), entry.path)
        path = os.path.normpath(path)
        return path.replace(os.sep, "/") in self.files or not os.path.exists(path)


# ------------------------------------------------------------------------ file


def read_baseline(file: str, where: str, *, may_be_new: bool = False) -> Baseline:
    """The baseline of a file; an empty one if there is none yet and there may be none. `where` says who named the file.
    Raises UsageError.
    """
    if leads_out(file):
        raise UsageError("the baseline is a link out of its tree", where, "name the file itself")
    try:
        data = read_bytes(file, _MOST_BYTES)
    except NotReadError as error:
        if error.kind == "missing" and may_be_new:
            return Baseline(file, {})
        if error.kind == "missing":
            raise UsageError("no such baseline", where, "make it with --update-baseline") from error
        hint = _HINT if error.kind == "too-large" else "name another file"
        raise UsageError(f"the baseline cannot be read: {error.message}", where, hint) from error
    return Baseline(file, _allowed(data, where))


def _allowed(data: bytes, where: str) -> dict[Entry, int]:
    try:
        document = json_of(data)
    except NotParsedError as error:
        what = "is not JSON" if error.line else f"cannot be read: {error.message}"
        raise UsageError(f"the baseline {what}", where, _HINT) from error
    if not isinstance(document, dict) or document.get("schema_version") != SCHEMA_VERSION:
        raise UsageError(f"the file is not a baseline of version {SCHEMA_VERSION}", where, _HINT)
    entries = document.get("entries")
    if not isinstance(entries, list):
        raise UsageError("the baseline has no list of entries", where, _HINT)
    allowed: Counter[Entry] = Counter()
    for number, raw in enumerate(entries, 1):
        entry, count = _parsed(raw, number, where)
        allowed[entry] += count
    return dict(allowed)


def _parsed(raw: Any, number: int, where: str) -> tuple[Entry, int]:
    if isinstance(raw, dict):
        words, count = [word for name in Entry._fields if isinstance(word := raw.get(name), str)], raw.get("count")
        if len(words) == len(Entry._fields) and type(count) is int and count > 0:
            return Entry(*words), count
    keys = ", ".join((*Entry._fields, "count"))
    raise UsageError(f"entry {number} of the baseline is incomplete: it needs {keys}", where, _HINT)


def update_baseline(baseline: Baseline, findings: Iterable[Finding], seen: Scope) -> Baseline:
    """Write down what is found now, and keep what the run could not judge. Raises UsageError."""
    found = Counter(baseline.entry(one) for one in findings if one.rule.code not in ALWAYS_ON)
    kept = {entry: count for entry, count in baseline.allowed.items() if not seen.judges(baseline, entry)}
    allowed = {**kept, **found}
    entries = [{**entry._asdict(), "count": allowed[entry]} for entry in sorted(allowed, key=_order)]
    document = {"schema_version": SCHEMA_VERSION, "tool": "compilelint", "entries": entries}
    try:
        write_text(baseline.file, json.dumps(document, indent=1) + "\n")
    except NotWrittenError as error:
        where = f"--baseline {baseline.file}"
        raise UsageError(f"the baseline cannot be written: {error.reason}", where, "name another file") from error
    return Baseline(baseline.file, allowed)


def _order(entry: Entry) -> tuple[str, str, str, str]:
    return entry.path, entry.function, entry.rule, entry.text


def about_unused(baseline: Baseline, unused: Mapping[Entry, int]) -> Sequence[Notice]:
    """Entries of findings that are gone, all in one notice."""
    if not unused:
        return ()
    first = min(unused, key=_order)
    total = sum(unused.values())
    more = f" and {total - 1} more" if total > 1 else ""
    entries = f"{first.rule} in {first.path}{more}"
    text = f"the baseline has findings that are gone: {entries}; --update-baseline drops it"
    return (Notice("baseline", text, os.path.abspath(baseline.file).replace(os.sep, "/")),)
