"""Ids of torch's registry of graph breaks, as a user writes them."""

from __future__ import annotations

import re

from compilelint.model.patterns import late_pattern

_ID = late_pattern(r"gb([0-9]{1,6})", re.IGNORECASE | re.ASCII)


def break_id_of(word: str) -> str:
    """`GB0170` for `gb170`; empty for a word that is not an id."""
    found = _ID.fullmatch(word)
    return f"GB{int(found[1]):04}" if found else ""
