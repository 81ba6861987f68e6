"""Freed memory, given back to the system.

glibc keeps what was freed in the middle of its heaps. Parsing one file of half a megabyte of dense tables takes 130 MB
for a moment, which nothing else that a lint does can use again: Python's own objects lie elsewhere.
"""

from __future__ import annotations

from contextlib import suppress


def give_back() -> None:
    """Return what is free, where the C library can; some hundredths of a second."""
    with suppress(ImportError, OSError, AttributeError, TypeError):  # another system, another C library
        import ctypes  # few runs come here

        ctypes.CDLL(None).malloc_trim(0)
