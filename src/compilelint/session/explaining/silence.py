"""Why nothing is reported at a line: not read, not reached, or reached and accepted; a sentence each."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from compilelint.interp.calls.inlining import keeps_out
from compilelint.interp.driver.explained import LineQuestion
from compilelint.project.classes import CONSTRUCTORS
from compilelint.report.explanation import Way
from compilelint.report.layout.text import shown_path
from compilelint.session.pipeline.merge import Analysis
from compilelint.syntax import ir

_MOST_CALLERS = 5
_LARGEST = 2_000_000  # characters of a file that is searched for calls


class Caller(NamedTuple):
    """A line that calls something of a name."""

    path: str
    line: int
    function: str


def unread(analysis: Analysis, path: str, linted: Sequence[str]) -> str:
    """Why the file was not analysed; empty where it was."""
    for one in analysis.findings:
        if one.location.path == path and one.rule.name == "unparsable-file":
            return f"the file is not analysed: {one.message}"
    if path not in linted:
        return "the file is not linted: it is not among the paths, or an ignore rule or `exclude` leaves it out"
    return ""


def no_code(text: str, line: int) -> str:
    """Why the line holds nothing to judge; empty where it does."""
    lines = text.splitlines()
    if line > len(lines):
        return f"the file ends on line {len(lines)}" if lines else "the file is empty"
    stripped = lines[line - 1].strip()
    if not stripped or stripped.startswith("#"):
        return "there is no code on the line"
    return ""


def not_in_region(module: ir.Module, question: LineQuestion) -> str:
    """Why a line outside of functions, or at the head of one, is no compiled code; empty for lines of a body."""
    if not question.functions:
        return "the line runs at module or class level, once, before anything is compiled"
    function = question.functions[-1]
    if question.line < module.span(function.body[0].pos).line:
        return f"the line is the head of `{function.qualname}` or its docstring; ask about a line of its body"
    return ""


def not_run(question: LineQuestion, analysis: Analysis, spec: str, callers: Sequence[Caller]) -> Iterator[str]:
    """Why no compile root reaches the function around the line."""
    function = question.functions[-1]
    name = function.qualname
    for one in function.decorators:
        if keeps_out(one):
            yield f"Dynamo does not enter `{name}`: a decorator keeps it out (line {question.line_of(one.pos)})"
            return
    yield from (one.text for one in analysis.notices if one.kind == "defect" and one.path == question.path)
    if question.given_up:
        named = ", ".join(sorted(question.given_up)[:_MOST_CALLERS])
        yield f"the roots of this file took longer than `--timeout` allows, and were skipped: {named}"
    if name in question.beyond:
        yield f"`{name}` is called, but the budget of its root was used up before; its annotations stand for it"
    if name in question.leading:
        yield f"`{name}` leads to a compile call: it runs around compiled code, not in it"
    if function.name in CONSTRUCTORS:
        yield f"`{name}` is a constructor: it runs before the object is compiled"
        return
    if any(root.location.path == question.path and root.spec == spec for root in analysis.unjudged):
        yield f"`{name}` looks like an entry point, but no linted code compiles it"
    else:
        yield f"no compile root reaches `{name}`"
    if question.no_guess:
        yield f"it is not checked as if it were compiled, since {question.no_guess}"
    for caller in callers[:_MOST_CALLERS]:
        inside = f" in `{caller.function}`" if caller.function else " at module level"
        yield f"a call of that name is at {shown_path(caller.path)}:{caller.line}{inside}"
    if len(callers) > _MOST_CALLERS:
        yield f"and {len(callers) - _MOST_CALLERS} more calls of that name"
    if not callers:
        yield "no call of that name is in the linted files"
    yield f"`--roots auto --roots '{spec}'` checks it as if it were compiled"


def passed_by(ways: Sequence[Way]) -> Iterator[str]:
    """Why no way to the function reaches the line."""
    stops = dict.fromkeys(way.stop for way in ways)
    for stop in stops:
        yield f"the function is run, but the line is not reached: {stop}"


def accepted(ways: Sequence[Way]) -> Iterator[str]:
    """Why what was reached is no finding."""
    events = [event for way in ways for event in way.happened]
    said = [event for event in events if event.said]
    ending = dict.fromkeys(event.what for event in events if event.fact.startswith("ends") and not event.said)
    for what in ending:
        yield f"a graph ends here ({what}), but no rule that takes part says so"
    if said or ending:
        return
    facts = dict.fromkeys(f"Dynamo accepts what happens here: {e.what}: {e.fact}" for e in events if e.fact)
    calls = [event.what for event in events if not event.fact and event.what.startswith("call ")]
    unknown = dict.fromkeys(f"what Dynamo does there is not known, and so nothing is claimed: {what}" for what in calls)
    yield from (*facts, *unknown)
    if facts or unknown:
        return
    values = [belief.value.partition(", since ")[0] for way in ways for belief in way.beliefs]
    if any("tensor" in value or "array" in value for value in values):
        yield "nothing on the line needs the data of a tensor or leaves the graph: operations on tensors are recorded"
    elif any("?" in value for value in values):
        yield "what the values of the line are is unknown, and nothing says that one of them is a tensor"
    else:
        yield "no value of the line is a tensor or depends on the data of one"


def callers_of(name: str, texts: Iterable[tuple[str, str]]) -> list[Caller]:
    """The calls of anything of that name in the linted files, by spelling; what cannot be parsed holds none."""
    found = []
    for path, text in texts:
        if name not in text or len(text) > _LARGEST:
            continue
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        found += [Caller(path, line, function) for line, function in _calls(tree, name)]
    return found


def _calls(tree: ast.AST, name: str) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    stack: list[tuple[ast.AST, str]] = [(tree, "")]
    while stack:
        node, around = stack.pop()
        if isinstance(node, ast.Call):
            called = node.func
            spelled = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if spelled == name:
                found.append((node.lineno, around))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            around = f"{around}.{node.name}" if around else node.name
        stack.extend((child, around) for child in ast.iter_child_nodes(node))
    return sorted(found)
