"""What the interpreter believes of an expression: `reveal_type(EXPR)` in a file asks, `reveal` answers.

Nothing is imported or run. A belief is the join over all passes, contexts and roots that reach the line.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from compilelint.config import Options, UsageError
from compilelint.events import Event
from compilelint.interp import roots_of
from compilelint.interp.driver.witness import Witness, revealed
from compilelint.project.index import Program
from compilelint.session.parallel.module_cache import ModuleCache, View
from compilelint.session.pipeline.inputs import Project
from compilelint.session.run import run_of
from compilelint.syntax.stack import run_with_deep_stack
from compilelint.syntax.unreadable import Unreadable
from compilelint.values import Value, join_all
from compilelint.values.words import describe, reason

NOT_REACHED = "not reached"


class Belief(NamedTuple):
    """What is believed of an expression; `line` and `column` (both from 1) are those of `reveal_type`."""

    path: str
    line: int
    column: int
    expression: str
    belief: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.expression}: {self.belief}"


def reveal(options: Options) -> list[Belief]:
    """Every `reveal_type(EXPR)` of the linted files, in order. Raises UsageError for a file that cannot be read."""
    return run_with_deep_stack(lambda: _reveal(options))


def _reveal(options: Options) -> list[Belief]:
    run = run_of(options)
    project = Project(run.loader, run.files, options.stdin)
    module_cache = ModuleCache(run.loader, project.files, project.texts)
    program = Program(View(module_cache), frozenset(run.files.files).__contains__)
    program.compilers = dict(options.compilers)
    asked: list[tuple[str, int, int, str]] = []
    modules = []
    for file in project.files:
        text = project.texts[file.path].text
        module = module_cache.lowered(file)
        if isinstance(module, Unreadable):
            raise UsageError(f"{file.path} cannot be read: {module.message}", "compilelint dev reveal", "correct it")
        modules.append(program.add(module))
        asked += [(file.path, *one) for one in _asked(text)]
    seen: dict[tuple[str, int, int], list[Value]] = {}

    def sink(event: Event) -> None:
        for value in revealed(event):
            at = event.site.location
            seen.setdefault((at.path, at.span.line, at.span.column), []).append(value)

    interpreter = Witness(program, run.torch.facts[-1], sink, options.dynamo)
    hosting = [one for one in modules if one.ir.path in module_cache.hosting]
    specs = tuple(spec.replace(":", ".") for spec in options.roots)
    interpreter.analyse(roots_of(interpreter, modules, specs, options.dynamo, hosting))
    return [Belief(*one, _words(seen.get(one[:3], []))) for one in sorted(asked)]


def _words(values: list[Value]) -> str:
    if not values:
        return NOT_REACHED
    value = join_all(values)
    why = reason(value)
    return f"{describe(value, whole=True)}; {why}" if why else describe(value, whole=True)


def _asked(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a text asks, and of what: line and column of each `reveal_type(EXPR)`, and EXPR on one line."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and node.args and _name(node.func) == "reveal_type":
            before = lines[node.lineno - 1].encode()[: node.col_offset].decode()
            yield node.lineno, len(before) + 1, ast.unparse(node.args[0])


def _name(function: ast.expr) -> str:
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )
