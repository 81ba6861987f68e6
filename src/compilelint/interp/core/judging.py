"""What is done only where events count: in a frame that runs for its values alone, or as a host, it is left out."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from compilelint.interp.core.frame import Frame

_P = ParamSpec("_P")
_T = TypeVar("_T")


def if_judged(function: Callable[Concatenate[Frame, _P], _T]) -> Callable[Concatenate[Frame, _P], _T | None]:
    """Decorator: the function is for frames that are judged; in others it does nothing, and returns None."""

    @wraps(function)
    def judged(f: Frame, /, *args: _P.args, **keywords: _P.kwargs) -> _T | None:
        return None if f.modes.silent else function(f, *args, **keywords)

    return judged


def if_judged_else_false(function: Callable[Concatenate[Frame, _P], bool]) -> Callable[Concatenate[Frame, _P], bool]:
    """Decorator: the question is one for frames that are judged; in others the answer is no."""

    @wraps(function)
    def judged(f: Frame, /, *args: _P.args, **keywords: _P.kwargs) -> bool:
        return not f.modes.silent and function(f, *args, **keywords)

    return judged
