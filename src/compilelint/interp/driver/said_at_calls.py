"""Breaks of a compiled function whose file is not linted, as findings of the compile call in a file that is.

A hook lints the files of a commit: one that compiles a function of another file of the project is where its breaks are
seen. What lies in installed packages is not reported in this way. Does not belong here: what a linted function calls
(`calls/inlining.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compilelint.events import Context, Event, Site
from compilelint.interp.core.summary import Summary
from compilelint.model import weakest
from compilelint.project.index import Program
from compilelint.project.roots import Root


def said_at_call(program: Program, root: Root, summary: Summary) -> Iterator[Event]:
    """The events that left a root's file, each at the call that compiles the root."""
    code = root.function
    if root.called_from is None or code.module.linted or not program.is_in_project(code.module.ir.name):
        return
    module, pos = root.called_from
    if not module.linted:
        return
    context = Context(module.ir, root.name, True, root.name, root.kind, config=root.config)
    for event in summary.escaped:
        site = Site(context, pos, cap=weakest(root.sure, event.site.cap), inner=event.site, compiles=True)
        yield replace(event, site=site)
