"""Ask the interpreter what it believes, in the analysed source itself.

A line `reveal_type(y)  # tensor bool 0-d computed` states the belief about `y`; `check` compares all such lines of a
small program that lives in memory. `values/words.py` has the words of a belief; layout and device are compared only
where the expectation names them. A line that no root reaches is `not reached`.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Mapping as Dictionary

from compilelint.events import DynamoConfig, Event
from compilelint.interp import Interpreter, roots_of
from compilelint.interp.driver.witness import Witness, revealed
from compilelint.project.classes import ModuleInfo
from compilelint.project.index import Program
from compilelint.project.loader import load_source
from compilelint.syntax import ir
from compilelint.syntax.source import source_from_bytes
from compilelint.syntax.unreadable import Unreadable
from compilelint.torchfacts import TorchFacts, load
from compilelint.values import Value, join_all
from compilelint.values.words import describe

# Put before every file, on one line, so that a snippet can start with what it is about.
PRELUDE = (
    "import functools, logging, math, random, numpy as np, torch; from torch import Tensor, nn; "
    "from torch.nn import functional as F; from dataclasses import dataclass; from typing import "
    "Annotated, Any, Dict, Final, Literal, NamedTuple, Optional, Sequence, Tuple, TypedDict, TypeVar, Union, "
    "TYPE_CHECKING\n"
)
Files = str | Dictionary[str, str]
_EXPECTED = re.compile(r"\breveal_type\(.*\)\s+# (.+)$")
_PLACEMENT = frozenset({"contiguous", "strided", "permuted", "expanded", "cpu", "cuda", "meta"})


@functools.cache
def facts() -> TorchFacts:
    """One torch version for all tests of the engine."""
    return load("2.13.0")


class Memory:
    """Satisfies `index.ModuleSource` with sources that lie in no file; keys are paths (`pkg/__init__.py`).

    A path that ends in `.so` is a compiled module; what is in the folder `installed` is not of the project.
    """

    def __init__(self, files: Dictionary[str, str]) -> None:
        self.names = {_module_name(path): path for path in files if not path.endswith(".so")}
        self.compiled = {_module_name(path.removesuffix(".so")) for path in files if path.endswith(".so")}
        self.files = files

    def load(self, dotted: str) -> ir.Module | None:
        path = self.names.get(dotted)
        return None if path is None else lowered(self.files[path], path, dotted)

    def is_package(self, dotted: str) -> bool:
        return self.names.get(dotted, "").endswith("__init__.py")

    def is_there(self, dotted: str) -> bool:
        return dotted in self.names or any(name.startswith(f"{dotted}.") for name in self.names)

    def is_in_project(self, dotted: str) -> bool:
        return dotted in self.names and not dotted.startswith("installed.")

    def is_compiled(self, dotted: str) -> bool:
        return dotted.rpartition(".")[0] in self.compiled

    def may_bind(self, dotted: str, name: str) -> bool:
        return dotted in self.names


def _module_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def lowered(text: str, path: str = "app.py", name: str = "app") -> ir.Module:
    """The IR of a text."""
    source = source_from_bytes(path, text.encode())
    assert not isinstance(source, Unreadable), source
    module = load_source(source, name, path.endswith("__init__.py"))
    assert not isinstance(module, Unreadable), module
    return module


def sources(files: Files) -> dict[str, str]:
    """The texts of a program under their paths: a single text is `app.py`; every file starts with `PRELUDE`."""
    named = {"app.py": files} if isinstance(files, str) else files
    return {path: PRELUDE + textwrap.dedent(text).lstrip("\n") for path, text in named.items()}


def program_of(texts: Dictionary[str, str], unlinted: tuple[str, ...] = ()) -> tuple[Program, list[ModuleInfo]]:
    """The program and its linted modules; paths that start with one of `unlinted` are followed, not linted."""
    memory = Memory(texts)
    program = Program(memory, lambda path: not path.startswith(unlinted) if unlinted else True)
    found = [program.module(name) for name in memory.names]
    return program, [m for m in found if m is not None and m.linted]


def run(
    files: Files,
    roots: tuple[str, ...] = ("auto",),
    config: DynamoConfig | None = None,
    unlinted: tuple[str, ...] = (),
    interpreter: type[Interpreter] = Interpreter,
) -> list[Event]:
    """Every event that the interpreter emits for a program, in order."""
    program, modules = program_of(sources(files), unlinted)
    emitted: list[Event] = []
    at_work = interpreter(program, facts(), emitted.append, config)
    at_work.analyse(roots_of(at_work, modules, roots, config))
    return emitted


def beliefs(files: Files, roots: tuple[str, ...] = ("auto",), config: DynamoConfig | None = None) -> list[str]:
    """Each `reveal_type` line that states something else than what is believed; see `check`."""
    texts = sources(files)
    seen: dict[tuple[str, int], list[Value]] = {}
    for event in run(files, roots, config, interpreter=Witness):
        for value in revealed(event):
            place = event.site.location
            seen.setdefault((place.path, place.span.line), []).append(value)
    wrong = []
    stated = 0
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            found = _EXPECTED.search(line)
            if found is None:
                continue
            stated += 1
            wanted = found[1].strip()
            values = seen.get((path, number))
            placed = not _PLACEMENT.isdisjoint(re.findall(r"\w+", wanted))
            got = "not reached" if values is None else describe(join_all(values), placed)
            if got != wanted:
                wrong.append(f"{path}: {line.strip()}\n    believed: {got}")
    assert stated, "no line of the program states a belief"
    return wrong


def check(files: Files, roots: tuple[str, ...] = ("auto",), config: DynamoConfig | None = None) -> None:
    """Fail unless every `reveal_type(...)  # belief` of the program holds."""
    wrong = beliefs(files, roots, config)
    assert not wrong, "\n".join(["", *wrong])
