"""The small programs that show what Dynamo does with one operation on one kind of object. Nothing is compiled here.

`objects.txt` says how an object of each kind is made, `operations.txt` what is done to `v` (and `w`, another object of
the same kind, and `x`, a tensor); `preamble.txt` is the module around them.
"""

from __future__ import annotations

import functools
import re
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import torch

from compilelint.torchfacts.generate.fault import Fault
from compilelint.torchfacts.kinds import INSIDE

_HERE = Path(__file__).parent
_FILE = "kinds_module.py"
Origin = Literal["inside", "outside"]
ORIGINS: tuple[Origin, ...] = ("inside", "outside")
_ARGUMENTS = ("", "1", "'a'", "w", "x", "[1]", "['a']", "'a', 1", "1, 2", "'a', 'b'", "function", "None", "(1, 2)")
"""What a method is tried with, until one of them runs."""


def _table(name: str) -> dict[str, str]:
    lines = (_HERE / name).read_text(encoding="utf-8").splitlines()
    return {key: code for key, _, code in (re.split(r" (=) ", line, maxsplit=1) for line in lines if line)}


@functools.cache
def objects() -> dict[str, str]:
    """The expression that makes an object of each kind, in the order of the file."""
    return _table("objects.txt")


@functools.cache
def operations() -> dict[str, str]:
    """The statement behind each operation, in the order of the file."""
    return _table("operations.txt")


@functools.cache
def _module() -> dict[str, Any]:
    name = _FILE.removesuffix(".py")
    found = sys.modules[name] = types.ModuleType(name)
    exec(compile((_HERE / "preamble.txt").read_text(encoding="utf-8"), _FILE, "exec"), found.__dict__)
    return found.__dict__


def module() -> dict[str, Any]:
    """The names of the module that programs run in, for one program to add to."""
    return dict(_module())


def made(kind: str) -> Any:
    """An object of the kind, made here."""
    return eval(objects()[kind], module())


def members_of(kind: str) -> list[str]:
    """The public members of a kind, `.typecode` and `.append()`.

    None for tensors and modules, whose members the tables of names hold.
    """
    sample = made(kind)
    if isinstance(sample, (torch.Tensor, torch.nn.Module)) or kind in _WITHOUT_MEMBERS:
        return []
    names = [name for name in dir(sample) if not name.startswith("_") and name not in _BLOCKING]
    return [f".{name}()" if _is_method(sample, name) else f".{name}" for name in names]


def _is_method(sample: Any, name: str) -> bool:
    with Fault():  # an array of texts has an imaginary part that cannot be read
        return callable(getattr(sample, name, None))
    return False


_WITHOUT_MEMBERS = frozenset({"module", "autograd-function", "numpy.ndarray", "class-library", "queue.Queue"})
MEMBERS = "|members"
_BLOCKING = frozenset({"wait", "join_thread", "acquire", "synchronize"})


def candidates(member: str) -> list[str]:
    """The statements that may read or call a member, the first that runs is the one."""
    if not member.endswith("()"):
        return [f"r = v{member}"]
    return [f"r = v{member[:-1]}{arguments})" for arguments in _ARGUMENTS]


def program(kind: str, origin: Origin, statement: str) -> tuple[Callable[..., Any], list[Any]]:
    """The function to compile and its arguments, all freshly made; raises whatever making them raises."""
    space = module()
    names = ["v", "w"] if re.search(r"\bw\b", statement) else ["v"]
    lines = ["x = x + 1", statement]
    given: list[Any] = []
    if origin == INSIDE:
        expression = re.sub(r"\bT\b", "x", objects()[kind])
        lines[1:1] = [f"{name} = {expression}" for name in names]
    else:
        given = [eval(objects()[kind], space) for _ in names]
    if not statement.startswith("return "):
        lines.append("return x * 2")
    parameters = ", ".join(["x", *names] if given else ["x"])
    source = f"def f({parameters}):\n" + "".join(f"    {line}\n" for line in lines)
    exec(compile(source, _FILE, "exec"), space)
    return space["f"], [space["T"] + 0, *given]
