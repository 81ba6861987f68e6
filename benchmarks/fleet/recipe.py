"""What the recipes of all libraries share: the refusal of what has no recipe, and errors as one line."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import torch

Call = tuple[tuple[Any, ...], dict[str, Any]]

MOST_PARAMETERS = 120_000_000


class NoRecipeError(Exception):
    """No way is known to build a model of this name, or to call it; the text is one line."""


class TooLargeError(NoRecipeError):
    """More parameters than are run here."""


class Reasons:
    """Why attempts failed: what the first built model raised when it was called, else the first error of all.

    That a larger cut is too large says nothing where a smaller one was built.
    """

    def __init__(self, start: str) -> None:
        self._start = start
        self._ranked: dict[int, str] = {}

    def add(self, error: BaseException | str, *, built: bool = False) -> None:
        text = error if isinstance(error, str) else one_line(error)
        rank = 0 if built else 2 if isinstance(error, TooLargeError) else 1
        self._ranked.setdefault(rank, text)

    def __str__(self) -> str:
        return self._ranked[min(self._ranked)] if self._ranked else self._start


def quiet(library: str) -> None:
    """Keep a library's advice about its defaults out of the output."""
    logging.getLogger(library).setLevel(logging.CRITICAL)
    warnings.filterwarnings("ignore")


def one_line(error: BaseException) -> str:
    """An error of a library in one line of bounded length."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:160]}" if text else type(error).__name__


def refuse_large(make: Callable[[], Any]) -> None:
    """Raise TooLargeError where a model has too many parameters; without memory for them, where it builds so."""
    with torch.device("meta"):
        try:
            size = sum(one.numel() for one in make().parameters())
        except Exception:  # noqa: BLE001 - what cannot be built without memory may be built with it
            return
    if size > MOST_PARAMETERS:
        raise TooLargeError(f"{size / 1e6:.0f} million parameters")
