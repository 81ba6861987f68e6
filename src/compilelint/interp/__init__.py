"""The abstract interpreter: a static TorchDynamo. It follows values from the compile roots and emits events.

Knows no parser and judges nothing. `interpreter` is the door; everything else is one kind of construct a file.
"""

from compilelint.interp.driver.compiled_roots import roots_of
from compilelint.interp.driver.interpreter import Interpreter

__all__ = ["Interpreter", "roots_of"]
