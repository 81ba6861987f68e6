"""Probes: one key of the table and the smallest function that shows it. Nothing is compiled here."""

from __future__ import annotations

import importlib
import linecache
import re
import sys
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from compilelint.torchfacts.generate.groups import CUDA, FILES
from compilelint.torchfacts.generate.inputs import INPUTS, OF_PACKAGES, PACKAGES, inputs_in

SNIPPETS = Path(__file__).with_name("snippets")
_MODULE = "probed_module"
_PREAMBLE = "probed_module.py"


@dataclass(frozen=True, slots=True)
class Probe:
    """A function body to compile, for one key.

    `parameters` names the arguments, `arguments` makes new ones; `outside` is source that runs before, in the
    module; `names` are further globals.
    """

    key: str
    body: str
    parameters: tuple[str, ...]
    arguments: Callable[[], Sequence[Any]]
    outside: str = ""
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def source(self) -> str:
        """The whole function; a body without `return` is put between two tensor operations, so that a break shows."""
        lines = self.body.splitlines()
        if not re.search(r"^\s*return ", self.body, re.MULTILINE):
            lines = ["x = x + 1", *lines, "return x * 2"]
        text = "".join(f"    {line}\n" for line in lines)
        return f"def f({', '.join(self.parameters)}):\n{text}"


def sections(text: str) -> Iterator[tuple[list[str], str, str]]:
    """Keys, outside lines and body of every section of a snippet file; sections stand apart by one empty line."""
    for section in text.split("\n\n"):
        lines = [line for line in section.splitlines() if line]
        keys = [line[3:] for line in lines if line.startswith("## ")]
        outside = "\n".join(line[2:] for line in lines if line.startswith("@ "))
        body = "\n".join(line for line in lines if not line.startswith(("## ", "@ ")))
        if keys:
            yield keys, outside, body


def snippet_probes(*files: str) -> Iterator[Probe]:
    """The probes written by hand, in the order of the files; of all files where none is named."""
    for name in files or (*FILES, CUDA):
        for keys, outside, body in sections((SNIPPETS / f"{name}.txt").read_text(encoding="utf-8")):
            parameters = inputs_in(body)
            for key in keys:
                yield Probe(key, body, parameters, _maker(parameters), outside)


def _maker(parameters: tuple[str, ...]) -> Callable[[], list[torch.Tensor]]:
    return lambda: [INPUTS[name]() for name in parameters]


class Module:
    """The module that probes live in, made once a process; `function` gives each probe a fresh code object.

    The module has the name and file of user code: Dynamo skips or inlines by file.
    """

    def __init__(self) -> None:
        self._count = 0
        module = types.ModuleType(_MODULE)
        module.__file__ = _PREAMBLE
        sys.modules[_MODULE] = module
        self.names = module.__dict__
        self._run((SNIPPETS / "preamble.txt").read_text(encoding="utf-8"), _PREAMBLE)
        for package in PACKAGES:
            try:
                importlib.import_module(package)
            except ImportError:
                continue
            top = package.partition(".")[0]
            self.names[top] = sys.modules[top]
        for line in OF_PACKAGES:
            try:
                self._run(line, _PREAMBLE)
            except (NameError, AttributeError, ImportError):
                continue

    def function(self, probe: Probe) -> Callable[..., Any]:
        """The probe's function, compiled again. Raises whatever the probe's outside lines raise."""
        self._count += 1
        if probe.outside:
            self._run(probe.outside, f"probed_outside_{self._count}.py")
        self.names.update(probe.names)
        self._run(probe.source, f"probed_{self._count}.py")
        function: Callable[..., Any] = self.names["f"]
        return function

    def _run(self, source: str, file: str) -> None:
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        exec(compile(source, file, "exec"), self.names)
