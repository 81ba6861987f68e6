"""What gets compiled, as a tree: compile calls with their configuration and functions, then what is judged beside them.

How far a root reaches counts the functions that were followed from it and their files, the root itself included. Where
something that was found ends its graph, the graphs that are expected stand beside them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from compilelint.events import DynamoConfig
from compilelint.model import Location
from compilelint.report.layout.graph_count import graph_count
from compilelint.report.layout.judged import judged_data, judged_words, place
from compilelint.report.layout.page import Page
from compilelint.report.layout.reached import UNREACHED, ReachedRoots, RootKey, key_of
from compilelint.report.layout.styled import Text
from compilelint.report.layout.text import counted, escaped, shown_path, shown_place, spoken
from compilelint.report.report import CompileRoot, Report

SCHEMA_VERSION = 1
_MOST_CLASSES = 3
_GROUPS = (
    ("forward", "Module forwards"),
    ("autograd", "Methods of autograd functions"),
    ("glob", "Named by --roots"),
    ("unreached", "If compiled: nothing that was found compiles or reaches them"),
    ("all", "If compiled, by --roots all"),
)


def root_tree(report: Report, color: bool, width: int | None) -> str:
    """The tree for people, and at its end what the run judged."""
    page = Page(color, width)
    broken = _broken(report)
    _put_calls(page, report, broken)
    for kind, title in _GROUPS:
        found = [root for root in report.roots if root.kind == kind]
        if found:
            _put_files(page, f"{title} ({len({root.location for root in found}):,})", found, broken)
    if report.unjudged:
        title = f"Not checked, though they look like entry points ({len(report.unjudged):,})"
        _put_files(page, title, report.unjudged, broken)
    for head, body in judged_words(report):
        page.paragraph(Text(f"{head}: ", style="bold"), body, indent=6)
    return page.text()


def root_data(report: Report) -> str:
    """The same for programs: paths absolute with `/`, lines and columns from 1."""
    calls = [
        {**_place_with_column(call.location), "call": call.how, "resolved": call.resolved, "why": call.reason}
        for call in report.calls
    ]
    broken = _broken(report)
    document = {
        "schema_version": SCHEMA_VERSION,
        "compile_calls": calls,
        "roots": [_root(root, broken) for root in report.roots],
        "not_judged": [_root(root, broken) for root in report.unjudged],
        "judged": judged_data(report),
    }
    return json.dumps(document, indent=1) + "\n"


def _broken(report: Report) -> frozenset[RootKey]:
    """The roots that have a graph break."""
    reached = ReachedRoots(report)
    keys = (key for finding in report.findings if finding.ends_graph for key in reached.of(finding))
    return frozenset((name.removesuffix(UNREACHED), path, line) for name, path, line in keys)


def _put_calls(page: Page, report: Report, broken: frozenset[RootKey]) -> None:
    by_place: dict[Location, list[CompileRoot]] = {}
    for root in report.roots:
        if root.compiled_at is not None:
            by_place.setdefault(root.compiled_at, []).append(root)
    calls = {call.location: call for call in report.calls}
    every = sorted({*by_place, *calls}, key=lambda at: (at.path, at.cell or 0, at.span))
    if not every:
        return
    page.put(Text(f"Compile calls ({len(every):,})", style="bold"))
    for at in every:
        call, roots = calls.get(at), by_place.get(at, [])
        how = "compiled" if call is None else call.how
        options = _options(roots[0].config) if roots else ""
        page.put(Text(f"  {shown_place(at)}  {escaped(how)}{f'({options})' if options else ''}"))
        if call is not None and not call.resolved:
            missing = "in part not resolved" if roots else "not resolved, not checked"
            page.put(Text(f"    {missing}: {escaped(call.reason)}", style="yellow"))
        elif not roots:
            page.put(Text("    nothing of these files"))
        for same in _folded(roots):
            page.put(Text(f"    {_line(same, shown_place(same[0].location), broken)}"))
    page.put(Text())


def _put_files(page: Page, title: str, roots: Sequence[CompileRoot], broken: frozenset[RootKey]) -> None:
    page.put(Text(title, style="bold"))
    by_path: dict[str, list[CompileRoot]] = {}
    for root in roots:
        by_path.setdefault(root.location.path, []).append(root)
    for path, found in by_path.items():
        page.put(Text(f"  {shown_path(path)}"))
        for same in _folded(found):
            where = spoken(same[0].location).lstrip(":")
            page.put(Text(f"    {_line(same, where, broken)}"))
    page.put(Text())


def _folded(roots: Iterable[CompileRoot]) -> Iterator[list[CompileRoot]]:
    """One function is one line, whatever instances it is checked with."""
    by_place: dict[tuple[Location, str], list[CompileRoot]] = {}
    for root in roots:
        by_place.setdefault((root.location, root.name), []).append(root)
    yield from by_place.values()


def _line(same: Sequence[CompileRoot], where: str, broken: frozenset[RootKey]) -> str:
    """`Net.forward  model.py:12:5  3 functions in 2 files, 1 to 3 graphs`; what was not judged has its option instead.

    A function that several classes inherit names those; how far they reach is that of the farthest.
    """
    root = max(same, key=lambda one: (one.functions, one.files))
    classes = list(dict.fromkeys(one.of for one in same if one.of))
    more = f" and {len(classes) - _MOST_CLASSES:,} more" if len(classes) > _MOST_CLASSES else ""
    of = f" of {', '.join(map(escaped, classes[:_MOST_CLASSES]))}{more}" if classes else ""
    if not root.functions:
        return f"{escaped(root.name)}{of}  {where}  --roots {escaped(root.spec)}"
    reach = f"{counted(root.functions, 'function')} in {counted(root.files, 'file')}"
    most = "up to " if len({(one.functions, one.files) for one in same}) > 1 else ""
    graphs = f", {graph_count(same).words}" if key_of(root) in broken else ""
    return f"{escaped(root.name)}{of}  {where}  {most}{reach}{graphs}"


def _options(config: DynamoConfig) -> str:
    """`fullgraph=True, mode="max-autotune"`: what differs from torch's defaults."""
    return ", ".join(f"{name}={value!r}" for name, value in configured(config))


def configured(config: DynamoConfig) -> Iterator[tuple[str, Any]]:
    """The settings that differ from torch's defaults."""
    plain: Iterable[tuple[str, Any]] = (
        ("fullgraph", config.fullgraph or None),
        ("dynamic", config.dynamic),
        ("mode", config.mode),
        ("export", config.export or None),
        *((name, True) for name in sorted(capture.value for capture in config.captures)),
        *((name, "set") for name in sorted(switch.name for switch in config.switches)),
    )
    yield from ((name, value) for name, value in plain if value is not None)


def _root(root: CompileRoot, broken: frozenset[RootKey]) -> dict[str, Any]:
    by = root.compiled_at
    reach: dict[str, Any] | None = None
    if root.functions:
        reach = {"functions": root.functions, "files": root.files}
        if key_of(root) in broken:
            count = graph_count([root])
            reach |= {"graphs": count.most, "fewest_graphs": count.fewest, "more_graphs": count.again}
    return {
        "name": root.name,
        "class": root.of or None,
        "roots": root.spec,
        "kind": root.kind,
        **_place_with_column(root.location),
        "compiled_at": None if by is None else _place_with_column(by),
        "configuration": dict(configured(root.config)),
        "reach": reach,
    }


def _place_with_column(location: Location) -> dict[str, Any]:
    return {**place(location), "column": location.span.column}
