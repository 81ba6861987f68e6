"""What becomes of the lines of a function: which share a graph, where graphs end, what is left to Python.

Of a target that ran, the lines are those that Dynamo went through; of a root that was only read, those of its
function.
Parts are distinguished by the order of lines: a loop that breaks counts once here and more often in a run. Where it is
known which lines compute, a part in which none does is no graph.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from compilelint.model import Finding, Location, Span, TargetRun
from compilelint.report.layout.graph_count import graph_count
from compilelint.report.layout.reached import ReachedRoots, RootKey, key_of
from compilelint.report.report import CompileRoot, Report
from compilelint.syntax.source import Source, read_source
from compilelint.syntax.unreadable import Unreadable

_MOST_LINES = 2000


@dataclass(frozen=True, slots=True)
class Stretch:
    """Lines that share a fate: `kind` is `graph` (its `part` of the function counts from 1), `break`, `python`, or
    `nothing` where no operation would be captured.
    """

    kind: Literal["graph", "break", "python", "nothing"]
    lines: tuple[int, ...]
    part: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Strip:
    """The stretches of one function, in order of lines.

    `varies` says how many graphs a call of it comes to, in words, where that depends on the call: then not every part
    is one in each. `line` is that of the root's `def`, 0 for a function of a run.
    """

    path: str
    name: str
    stretches: tuple[Stretch, ...]
    varies: str = ""
    line: int = 0


def observed(run: TargetRun) -> tuple[list[Strip], int]:
    """The strips of the functions in which graphs of a target ended, and how many others Dynamo went through."""
    found, others = [], 0
    for path, lines in run.traced:
        ends = {one.line: (one.words, one.skips_frame) for one in run.own_breaks if one.path == path}
        for name, first, last in _functions(path):
            inside = {line: fate for line, fate in ends.items() if first <= line <= last}
            mine = sorted({line for line in (*lines, *inside) if first < line <= last})
            if inside:
                found.append(Strip(path, name, _split(mine, inside)))
            else:
                others += bool(mine)
    return found, others


def _functions(path: str) -> list[tuple[str, int, int]]:
    """Name, first and last line of every function of a file that holds no other; none if it cannot be read."""
    source = read_source(path)
    tree = source.tree() if isinstance(source, Source) else source
    if isinstance(tree, Unreadable):
        return []
    found: list[tuple[str, int, int]] = []
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, around = waiting.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found.append((f"{around}{child.name}", child.lineno, child.end_lineno or child.lineno))
            elif isinstance(child, (ast.ClassDef, ast.If, ast.Try, ast.With)):
                waiting.append((child, f"{around}{child.name}." if isinstance(child, ast.ClassDef) else around))
    return sorted(found, key=lambda one: one[1])


def expected(report: Report, line_of: Callable[[Location, int], str]) -> Iterator[Strip]:
    """The strips that the static findings lead one to expect, for the roots that have any, each root once.

    Those with most breaks come first; each strip is made when it is asked for.
    """
    by_function: dict[RootKey, list[Finding]] = {}
    reached = ReachedRoots(report)
    for finding in report.findings:
        if finding.ends_graph and finding.location.cell is None:
            for key in reached.of(finding):
                if key[1] == finding.location.path:
                    by_function.setdefault(key, []).append(finding)
    roots: dict[RootKey, CompileRoot] = {}
    for root in report.roots:
        key = key_of(root)
        if root.location.cell is None and key in by_function:
            roots.setdefault(key, root)
    for key in sorted(roots, key=lambda one: -len({found.location.span.line for found in by_function[one]})):
        root = roots[key]
        lines = list(_body(root.location, line_of))
        ends = {
            one.location.span.line: (one.message, one.skips_frame)
            for one in by_function[key]
            if lines and lines[0] <= one.location.span.line <= lines[-1]
        }
        if ends:
            count = graph_count([root])
            varies = "" if count.is_exact else count.words
            yield Strip(root.location.path, root.name, _split(lines, ends, root.captured), varies, key[2])


def _split(
    lines: list[int], ends: dict[int, tuple[str, bool]], captured: Container[int] | None = None
) -> tuple[Stretch, ...]:
    """Lines cut at those that end a graph; where one of them skips its frame, the piece it stands in, from the break
    before it to the end, is Python's, and so is one without a line that is captured.
    """
    skip = min((line for line, (_, skips) in ends.items() if skips), default=None)
    python_from = None if skip is None else max((line for line in ends if line < skip), default=-1) + 1
    runs: list[tuple[int, list[int]]] = []  # lines that share a part, 0 for a break, -1 for Python
    part = 1
    for line in lines:
        if line in ends:
            runs.append((0, [line]))
            part += 1
            continue
        number = -1 if python_from is not None and line >= python_from else part
        if runs and runs[-1][0] == number:
            runs[-1][1].append(line)
        else:
            runs.append((number, [line]))
    parts = _numbered(runs, ends, captured)
    return tuple(_stretch(number, parts.get(number, 0), found, ends) for number, found in runs)


def _numbered(
    runs: list[tuple[int, list[int]]], ends: dict[int, tuple[str, bool]], captured: Container[int] | None
) -> dict[int, int]:
    """Which graph each part is, those left out that compute nothing; a line that ends a graph computes for it too."""
    computing = {
        part for part, found in runs if part > 0 and (captured is None or any(one in captured for one in found))
    }
    if captured is not None:
        computing |= {part for part, line in enumerate(sorted(ends), 1) if line in captured}
    return {part: number for number, part in enumerate(sorted(computing), 1)}


def _stretch(part: int, graph: int, lines: list[int], ends: dict[int, tuple[str, bool]]) -> Stretch:
    if part == 0:
        return Stretch("break", (lines[0],), 0, ends[lines[0]][0])
    if part < 0:
        return Stretch("python", tuple(lines))
    return Stretch("graph", tuple(lines), graph) if graph else Stretch("nothing", tuple(lines))


def _body(place: Location, line_of: Callable[[Location, int], str]) -> Iterable[int]:
    """The lines of a function that hold anything, from its `def` on, by their indentation."""
    start = place.span.line
    indent: int | None = None
    for number in range(start, start + _MOST_LINES):
        text = line_of(place, number)
        if not text or text.isspace():
            if _ended(place, number, line_of):
                return
            continue
        bare = text.lstrip()
        depth = len(text) - len(bare)
        if indent is None:
            indent = depth
        elif depth <= indent and not bare.startswith((")", "]", "}", "#")):
            return
        yield number


def _ended(place: Location, number: int, line_of: Callable[[Location, int], str]) -> bool:
    """Whether nothing follows: ten empty lines, as behind the end of a file."""
    here = Location(place.path, Span(number, 1, number, 1))
    return not any(line_of(here, number + more).strip() for more in range(10))
