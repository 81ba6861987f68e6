"""Files of the project that linted files import and that are not linted themselves, as far as they may set a switch.

A hook is given the files of a commit. What a module that they import switches holds for them as it does where the whole
project is linted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from compilelint.project.loader import Loader
from compilelint.session.pipeline.imports import names_in
from compilelint.session.pipeline.inputs import Linted, linted_of
from compilelint.syntax.source import Source

# A commit's worth of files. Of more, all of the project is linted, and what is imported lies among them.
_MOST_FILES = 100
_MOST_LOOKED_AT = 400
_DEEPEST = 16  # parts of a name: no package is that deep, and each is looked up


def beside(files: Sequence[Linted], text_of: Callable[[Linted], str], loader: Loader) -> list[Linted]:
    """What a few linted files import from the project, and what that imports in turn."""
    if len(files) > _MOST_FILES:
        return []
    known = {file.path for file in files}
    waiting = [(file, text_of(file)) for file in files]
    looked_up: set[str] = set()
    found: list[Linted] = []
    while waiting and len(found) < _MOST_LOOKED_AT:
        file, text = waiting.pop()
        for name in _named(file, text):
            if name in looked_up:
                continue
            looked_up.add(name)
            source = loader.text(name) if loader.is_in_project(name) else None
            if isinstance(source, Source) and source.path not in known:
                known.add(source.path)
                other = linted_of(source, name, loader.is_package(name))
                found.append(other)
                waiting.append((other, source.text))
    return found


def _named(file: Linted, text: str) -> Iterator[str]:
    """The modules that importing a file may import: those it names, and the packages that they lie in."""
    here = file.dotted if file.is_package else file.dotted.rpartition(".")[0]
    for name in names_in(text, file.dotted, file.is_package):
        parts = name.split(".", _DEEPEST)[:_DEEPEST]
        yield from (".".join(parts[:end]) for end in range(1, len(parts) + 1) if parts[0])
        if here and len(parts) < _DEEPEST:  # a script finds what lies beside it
            yield f"{here}.{name}"
