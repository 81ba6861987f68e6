"""Two halves of the recorded breaks: one that is read while rewrites are written, and one that is only counted.

A break belongs to the half of its file, so that copies of an idiom within a file stay together. Decided by a hash of
the file's name below the site folder, not by choice; a file that is recorded later has its half already.
"""

from __future__ import annotations

import hashlib

HALVES = ("read", "unread")


def half_of(file: str) -> str:
    """`read` or `unread`, of a file name as the truth gives it."""
    return HALVES[int(hashlib.sha256(file.encode()).hexdigest(), 16) % 2]


def rank(name: str) -> str:
    """A key that sorts names by chance, and always alike."""
    return hashlib.sha256(name.encode()).hexdigest()
