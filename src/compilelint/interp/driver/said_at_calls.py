"""Breaks of a compiled function whose file is not linted, as findings of the compile call in a file that is.

Findings lie in linted files: what a library's model or another file of the project does is reported where the program
compiles it, as it is where a linted function calls it (`calls/inlining.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from compilelint.events import Context, Event, Site
from compilelint.interp.core.summary import Summary
from compilelint.model import weakest
from compilelint.project.roots import Root


def said_at_call(root: Root, summary: Summary) -> Iterator[Event]:
    """The events that left a root's file, each at the call that compiles the root."""
    if root.called_from is None or root.function.module.linted:
        return
    module, pos = root.called_from
    if not module.linted:
        return
    context = Context(module.ir, root.name, True, root.name, root.kind, config=root.config)
    for event in summary.escaped:
        sure = weakest(root.sure, event.site.cap)
        yield replace(event, site=Site(context, pos, cap=sure, inner=event.site, compiles=True))
