"""The abstract interpreter: a static TorchDynamo. It follows values from the compile roots and emits events.

Knows no parser and judges nothing. `interpreter` is the door; everything else is one kind of construct a file. The door
is opened when it is asked for: what takes a run from the cache needs only the clock.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from compilelint.interp.driver.compiled_roots import roots_of as roots_of
    from compilelint.interp.driver.interpreter import Interpreter as Interpreter

_HOMES = {"Interpreter": "interpreter", "roots_of": "compiled_roots"}


def __getattr__(name: str) -> Any:
    """`Interpreter` and `roots_of`, imported with all that they use."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.driver.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
