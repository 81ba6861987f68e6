"""A script behind a file of programs that moves what a program gets to the device, compiles it and calls it.

What `record` does, in the words of a user. The lines of the programs stay where they are.
"""

from __future__ import annotations

from collections.abc import Iterable

_MOVE = """

import torch


def to_device(value):
    if isinstance(value, torch.Tensor):
        return value.cuda()
    if isinstance(value, dict):
        return {key: to_device(one) for key, one in value.items()}
    if isinstance(value, tuple):
        return tuple([to_device(one) for one in value])
    if isinstance(value, list):
        return [to_device(one) for one in value]
    return value
"""
_CALL = """
{name}_function, {name}_samples = make_{name}()
{name}_compiled = torch.compile({name}_function, mode="reduce-overhead")
for {name}_args, {name}_kwargs in {name}_samples:
    {name}_args = [to_device(one) for one in {name}_args]
    {name}_compiled(*{name}_args, **{name}_kwargs)
"""


def text_of(text: str, names: Iterable[str]) -> str:
    """A file of programs with a caller of each of those that are named."""
    return text + _MOVE + "".join(_CALL.format(name=name) for name in names)
