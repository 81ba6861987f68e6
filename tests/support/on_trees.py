"""Our own rules on trees, sent over small programs that live in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.checks import rulebook
from compilelint.lib.file_state import FileState
from compilelint.lib.run import findings_in
from compilelint.lib.scout import looks
from compilelint.model import Finding
from compilelint.project.classes import ModuleInfo
from compilelint.project.index import Program
from compilelint.syntax.source import Source
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable
from compilelint.torchfacts import TorchFacts


def tree_findings(
    program: Program, modules: Sequence[ModuleInfo], sources: Sequence[Source], facts: TorchFacts
) -> list[Finding]:
    """What the rules on trees report of files, in their order; the lint does the same for each part of a project."""
    return run_with_deep_stack(lambda: list(_found(program, modules, sources, facts)))


def _found(
    program: Program, modules: Sequence[ModuleInfo], sources: Sequence[Source], facts: TorchFacts
) -> Iterator[Finding]:
    book = rulebook()
    for module, source in zip(modules, sources, strict=True):
        wanting = [one for one in book.lib if one.wants(source.text)]
        look = looks(FileState(program, module, facts), source, wanting)
        if look is not None:
            found = findings_in(source, FileState(program, module, facts, only=look.only), look.rules)
            assert not isinstance(found, Unreadable)
            yield from found
