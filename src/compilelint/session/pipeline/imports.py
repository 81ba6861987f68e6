"""The import statements of a text, read without parsing it, and the modules of a project that they name.

Cheap enough for every file of a project. What a string or a comment spells like an import counts as one, so this may
decide what a run costs, and where a switch may hold, and not what an import binds (`project.index`).
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Sequence

from compilelint.model.patterns import late_pattern

_FROM = late_pattern(r"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)", re.MULTILINE)
_IMPORT = late_pattern(r"^[ \t]*import[ \t]+([^\n]+)", re.MULTILINE)
_NAME = late_pattern(r"[A-Za-z_]\w*(?:\.\w+)*")


def imports_in(text: str, package: Sequence[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Each module that a text of that package imports, with the names that it takes out of it; the dots resolved."""
    for where, names in _FROM.findall(text):
        rest = where.lstrip(".")
        level = len(where) - len(rest)
        above = package[: len(package) - level + 1] if level else ()
        yield ".".join([*above, *([rest] if rest else [])]), tuple(_NAME.findall(names))
    for names in _IMPORT.findall(text):
        yield from ((name, ()) for name in _NAME.findall(names))


def names_in(text: str, dotted: str, is_package: bool) -> Iterator[str]:
    """Each name that importing a module of that name and text may import: modules, and what is taken out of them."""
    package = dotted.split(".") if is_package else dotted.split(".")[:-1]
    for module, names in imports_in(text, package):
        yield module
        yield from (f"{module}.{one}" if module else one for one in names)


def nearest(dotted: str, known: Container[str]) -> str:
    """The longest beginning of a dotted name that is known; empty where none is."""
    while dotted and dotted not in known:
        dotted = dotted.rpartition(".")[0]
    return dotted
