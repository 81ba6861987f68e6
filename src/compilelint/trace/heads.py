"""The head of a log line: what torch writes before its words, and what schedulers and CI write before torch.

[rank3]:V1127 18:50:12.097000 17119 torch/_dynamo/guards.py:5396] [0/1] [__recompiles] Recompiling function f
2026-11-27T18:50:12.0970000Z worker-0  | V1127 ...
"""

from __future__ import annotations

from typing import NamedTuple

from compilelint.model.patterns import late_pattern
from compilelint.trace.events import Id

_GLOG = late_pattern(
    r"(?:\[rank(?P<rank>\d{1,6})\]:)?[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d{1,9} (?P<process>\d{1,12}) "
    r"(?P<file>[^\s\]]+):\d+\](?: \[(?P<id>[!\d][\d/_!]*)\])?(?: \[__(?P<artifact>\w+)\])? ?"
)
_ID = late_pattern(r"(?:!?\d+/)?(\d{1,9})/(\d{1,9})(?:_(\d{1,9}))?$")
_RANK = late_pattern(r"\[(?:rank|default)?(\d{1,6})\]:|\[1,(\d{1,6})\]<std(?:err|out)>:|^(?:\S*\s)?(\d{1,6}): ")

# What stands before a line of torch's, by who writes it; tried again and again until none matches.
_OUTER = tuple(
    late_pattern(pattern)
    for pattern in (
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)? ?",  # GitHub, Kubernetes, GitLab
        r"\[\d{4}-\d\d-\d\d[T ][^\]]{8,40}\] ?",
        r"\[1,\d{1,6}\]<std(?:err|out)>: ?",  # mpirun --tag-output
        r"\[default\d{1,6}\]:",  # torchrun --tee
        r"\[(?:rank)?\d{1,6}\]:",
        r"\([^()]{1,80}? pid=\d+(?:, ip=[\d.]+)?\) ?",  # ray
        r"[\w.\-/]{1,80} +\| ",  # docker compose
        r"\d{1,6}: ",  # srun --label
    )
)
_MOST_OUTER = 4

# `TORCH_LOGS_FORMAT=short`, and the formats that programs give to `logging`.
_PLAIN = late_pattern(
    r"(?:(?:DEBUG|INFO|WARNING|ERROR|CRITICAL)[:\s|-]+)?(?P<logger>torch\.[\w.]+)"
    r"(?:[:\s|-]+(?:DEBUG|INFO|WARNING|ERROR|CRITICAL))?[:\s|\]-]+"
)


class Head(NamedTuple):
    """Who wrote a line, and where its words begin. `outer` is what stands before torch's own part."""

    rank: int | None
    process: str
    file: str
    id: Id | None
    artifact: str
    begins: int
    outer: int


def head_of(line: str) -> Head | None:
    """The head that torch writes; None where the line has none."""
    outer = outer_of(line)
    found = _GLOG.match(line, outer)
    # Here a tag of the rank that torch itself writes was taken for one of the scheduler's.
    if found is None:
        return None
    rank = found["rank"]
    before = _RANK.search(line, 0, outer) if rank is None and outer else None
    number = rank if rank is not None else next(filter(None, before.groups()), None) if before is not None else None
    return Head(
        int(number) if number is not None else None,
        found["process"],
        found["file"],
        id_of(found["id"] or ""),
        found["artifact"] or "",
        found.end(),
        outer,
    )


def outer_of(line: str) -> int:
    """Where torch's own part of a line begins: behind what a scheduler, a container or CI puts before it."""
    at = 0
    for _ in range(_MOST_OUTER):
        for pattern in _OUTER:
            found = pattern.match(line, at)
            if found is not None and found.end() > at:
                at = found.end()
                break
        else:
            break
    return at


def plain_head_of(line: str) -> int:
    """Where the words of a line begin that another format of `logging` wrote for one of torch's loggers; 0 if none."""
    found = _PLAIN.search(line, 0, 240)
    return 0 if found is None else found.end()


def rank_of(line: str, outer: int) -> int | None:
    """The rank that stands before torch's part of a line."""
    found = _RANK.search(line, 0, outer) if outer else None
    return int(next(filter(None, found.groups()), "0")) if found is not None else None


def id_of(text: str) -> Id | None:
    """`2/1` or `2/1_1` (an attempt), `!0/2/1` under compiled autograd."""
    found = _ID.match(text)
    return None if found is None else Id(int(found[1]), int(found[2]))
