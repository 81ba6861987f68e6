"""What the recipes of all libraries share: the refusal of what has no recipe, and errors as one line."""

from __future__ import annotations

import logging
import warnings
from typing import Any

Call = tuple[tuple[Any, ...], dict[str, Any]]

MOST_PARAMETERS = 120_000_000


class NoRecipeError(Exception):
    """No way is known to build a model of this name, or to call it; the text is one line."""


def quiet(library: str) -> None:
    """Keep a library's advice about its defaults out of the output."""
    logging.getLogger(library).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore")


def one_line(error: BaseException) -> str:
    """An error of a library in one line of bounded length."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:160]}" if text else type(error).__name__
