"""`primaryLocationLineHash`, the mark by which GitHub code scanning finds an alert again after the file was edited.

The upload action computes it where it is missing; computing the same here serves those who upload through the API.
The hash of a line is a polynomial over the 100 UTF-16 code units that follow from its start, blanks and tabs left out,
every line end counted as `\\n`, the end of the file as 0xFFFF and what lies behind it as 0; `:N` distinguishes equal
hashes of one file apart. Description: docs.github.com, "SARIF support for code scanning", and codeql-action's
`fingerprints.ts`.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection

from compilelint.model.patterns import late_pattern

_BLOCK = 100
_BASE = 37
_WORD = (1 << 64) - 1
_END = "\uffff"
_BLANKS = {ord(" "): None, ord("\t"): None}
_NOT_BASIC = late_pattern("[\U00010000-\U0010ffff]")


def line_hashes(text: str, wanted: Collection[int]) -> dict[int, str]:
    """The marks of the 1-based lines `wanted`; a line that the text does not have gets none.

    `text` is the file as UTF-8 reads it: a byte order mark counts, and what is no UTF-8 is U+FFFD.
    """
    units = _units(text.replace("\r\n", "\n").replace("\r", "\n").translate(_BLANKS)) + _END
    padded = units + "\0" * _BLOCK
    last = max(wanted, default=0)
    seen: Counter[str] = Counter()
    found: dict[int, str] = {}
    start = 0
    for number in range(1, last + 1):
        window = padded[start : start + _BLOCK]
        # Equal windows are counted instead of equal hashes: only the wanted lines have to be hashed.
        seen[window] += 1
        if number in wanted:
            found[number] = f"{_hash(window):x}:{seen[window]}"
        start = units.find("\n", start) + 1
        if not start:
            break
    return found


def _units(text: str) -> str:
    """A character for each UTF-16 code unit."""
    if not _NOT_BASIC.search(text):
        return text
    units = array("H")
    units.frombytes(text.encode("utf-16-le" if _little_endian() else "utf-16-be", "surrogatepass"))
    return "".join(map(chr, units))


def _little_endian() -> bool:
    return array("H", [1]).tobytes()[0] == 1


def _hash(window: str) -> int:
    value = 0
    for unit in window:
        value = (value * _BASE + ord(unit)) & _WORD
    return value
