"""The end of a function with a case for each kind of value: mypy proves that it is never reached.

A function that ends in `unhandled(value)` names every kind, those with nothing to say included, so that a new kind of
value does not become unknown in silence: mypy reports each such function until it says what the new kind means there.
(`typing.assert_never` would do, and is missing from Python 3.10.)
"""

from __future__ import annotations

from typing import NoReturn


def unhandled(value: NoReturn) -> NoReturn:
    """Refuse a value of a kind that the function before did not name."""
    raise AssertionError(f"no case for a value of kind {type(value).__name__}")
