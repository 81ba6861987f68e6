"""Ask the survey what it reports of small programs that live in memory, and the rules what they make of it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from compilelint.checks import rulebook
from compilelint.events import Event
from compilelint.model import Confidence, Finding
from compilelint.project.classes import ModuleInfo
from compilelint.project.index import Program
from compilelint.project.loader import load_source
from compilelint.survey.survey import survey, survey_operators
from compilelint.syntax import ir
from compilelint.syntax.source import Source, source_from_bytes
from compilelint.syntax.unreadable import Unreadable
from compilelint.torchfacts import load
from tests.support.on_trees import tree_findings

PRELUDE = "import torch; from torch import nn, Tensor; import torch._dynamo\n"
NET = """
class Net(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return x + 1

    def generate(self, x: Tensor) -> Tensor:
        return self(x)

    def describe(self) -> str:
        return "net"

"""


class _Nothing:
    """No module but the given ones is ever loaded."""

    def load(self, dotted: str) -> ir.Module | None:
        return None

    def is_package(self, dotted: str) -> bool:
        return False

    def is_there(self, dotted: str) -> bool:
        return True

    def is_in_project(self, dotted: str) -> bool:
        return False

    def is_compiled(self, dotted: str) -> bool:
        return False

    def may_bind(self, dotted: str, name: str) -> bool:
        return False


def events_of(*texts: str) -> list[Event]:
    """What the survey reports of files `m0`, `m1`, ..., each behind the prelude."""
    program, modules, _ = _program(texts)
    return [*survey(program, modules), *survey_operators(program, modules)]


def program_of(*texts: str) -> tuple[Program, list[ModuleInfo]]:
    """The files themselves, for what reads them apart from events."""
    program, modules, _ = _program(texts)
    return program, modules


def _program(texts: Iterable[str]) -> tuple[Program, list[ModuleInfo], list[Source]]:
    program = Program(_Nothing(), lambda path: True)
    modules, sources = [], []
    for number, text in enumerate(texts):
        source = source_from_bytes(f"/p/m{number}.py", (PRELUDE + textwrap.dedent(text)).encode())
        assert not isinstance(source, Unreadable)
        lowered = load_source(source, f"m{number}", False)
        assert not isinstance(lowered, Unreadable), lowered
        modules.append(program.add(lowered))
        sources.append(source)
    return program, modules, sources


def found(*texts: str) -> list[Finding]:
    """What the rules say about the files: those that judge events, and those that look at trees."""
    facts = load("2.13.0")
    book = rulebook()
    judged = [finding for event in events_of(*texts) for finding in book.findings_for(event, facts)]
    return [*judged, *tree_findings(*_program(texts), facts)]


def said(*texts: str) -> list[tuple[str, Confidence]]:
    """Codes and confidences, in the order reported."""
    return [(one.rule.code, one.confidence) for one in found(*texts)]


def codes(*texts: str) -> list[str]:
    """Codes alone."""
    return [code for code, _ in said(*texts)]
