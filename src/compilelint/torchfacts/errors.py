"""The one error of this package."""

from __future__ import annotations


class FactsError(Exception):
    """The fact tables cannot answer: data missing, damaged, or of an unknown version.

    The text names what was read, where, and what to do; it is meant to be shown to the user as it is.
    """

    def __init__(self, what: str, where: str, hint: str) -> None:
        super().__init__(f"{what} ({where}); {hint}")
        self.what = what
        self.where = where
        self.hint = hint
