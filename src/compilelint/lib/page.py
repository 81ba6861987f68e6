"""The page of a pack's rule: the Markdown file beside it, else one made of its docstring and cases."""

from __future__ import annotations

import inspect
import os
from textwrap import dedent
from typing import Any

_BESIDE = ("", "rules", "pages")


def page_text(kind: Any, file: str) -> str:
    """The text of `CODE-name.md` beside the rule's file, or in `rules/` or `pages/` there; made up where none is."""
    name = f"{kind.code}-{kind.name}.md"
    for folder in _BESIDE if file else ():
        path = os.path.join(os.path.dirname(file), folder, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as page:
                return page.read()
    return _made(kind)


def _made(kind: Any) -> str:
    """A page from what the class says: its docstring, and one case of each kind."""
    about = inspect.cleandoc(kind.__doc__) if kind.__dict__.get("__doc__") else kind.summary
    parts = [f"# {kind.code} {kind.name}: {kind.summary}", f"## What it finds\n{about}"]
    for heading, cases in (("Bad", kind.INVALID), ("Good", kind.VALID)):
        if cases:
            parts.append(f"## {heading}\n```python\n{dedent(cases[0]).strip()}\n```")
    return "\n\n".join(parts) + "\n"
