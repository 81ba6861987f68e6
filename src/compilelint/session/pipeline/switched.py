"""Where a capture switch that a file turns on holds: in the files that are imported where it is.

`torch._dynamo.config.capture_scalar_outputs = True` at the top of a module holds for its process. A module that is
imported together with it is compiled under it; the other scripts of the project, which never import it, are not.
Read off the import statements, without analysing any file. Does not belong here: what a switch is (`survey.switches`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from compilelint.events import Event, Setting
from compilelint.project.file_kinds import is_benchmark, is_test
from compilelint.session.pipeline.inputs import Linted
from compilelint.torchfacts import Capture
from compilelint.values import Const

_CONFIG = "torch._dynamo.config."
_FROM = re.compile(r"^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]*(\([^)]*\)|[^\n]*)", re.MULTILINE)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([^\n]+)", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.\w+)*")


def captures_of(events: Iterable[Event]) -> dict[Capture, frozenset[str]]:
    """The switches for data-dependent numbers and shapes that linted files turn on when they are imported: which do."""
    found: dict[Capture, set[str]] = {}
    for event in events:
        if not isinstance(event, Setting) or event.site.context.function or not event.name.startswith(_CONFIG):
            continue
        name = event.name.removeprefix(_CONFIG)
        capture = next((one for one in Capture if one.value == name), None)
        if capture is not None and isinstance(event.value, Const) and event.value.value is True:
            found.setdefault(capture, set()).add(event.site.location.path)
    return {capture: frozenset(paths) for capture, paths in found.items()}


def switched(
    captures: Mapping[Capture, Collection[str]], files: Sequence[Linted], text_of: Callable[[Linted], str]
) -> dict[Capture, frozenset[str]]:
    """The paths of the files that each switch holds for, of those of a project.

    A test and a benchmark switch for themselves: the models that they import run elsewhere, too.
    """
    if not captures:
        return {}
    paths = {file.dotted: file.path for file in files}
    imported = {file.path: list(_imported(file, text_of(file), paths)) for file in files}
    return {capture: _held_for(setting, imported) for capture, setting in captures.items()}


def _held_for(setting: Collection[str], imported: Mapping[str, list[str]]) -> frozenset[str]:
    """What is imported by anything that imports a file which sets the switch, and by that file."""
    importers: dict[str, list[str]] = {}
    for path, others in imported.items():
        for other in others:
            importers.setdefault(other, []).append(path)
    for_others = [path for path in setting if not is_test(path) and not is_benchmark(path)]
    begins = [path for path in _reached(for_others, importers) if not is_test(path) and not is_benchmark(path)]
    return frozenset(_reached(begins, imported)) | frozenset(setting)


def _reached(begin: Iterable[str], edges: Mapping[str, list[str]]) -> set[str]:
    found = set(begin)
    waiting = list(found)
    while waiting:
        new = set(edges.get(waiting.pop(), ())) - found
        found |= new
        waiting.extend(new)
    return found


def _imported(file: Linted, text: str, paths: Mapping[str, str]) -> Iterator[str]:
    """The files of the project that importing a file imports: those it names, and the packages that they lie in."""
    package = file.dotted.split(".") if file.is_package else file.dotted.split(".")[:-1]
    yield from _with_packages(file.dotted.split(".")[:-1], paths)
    for name in _named(text, package):
        parts = name.split(".")
        for known in (parts, [*package, *parts]):  # a script finds what lies beside it, without a package
            while known and ".".join(known) not in paths:
                known = known[:-1]
            if known and (known != package or not package):
                yield from _with_packages(known, paths)
                break


def _with_packages(parts: Sequence[str], paths: Mapping[str, str]) -> Iterator[str]:
    for end in range(1, len(parts) + 1):
        path = paths.get(".".join(parts[:end]))
        if path is not None:
            yield path


def _named(text: str, package: Sequence[str]) -> Iterator[str]:
    """The dotted names of modules, or of what is in them, in the import statements of a text."""
    for where, names in _FROM.findall(text):
        rest = where.lstrip(".")
        level = len(where) - len(rest)
        above = [*package[: len(package) - level + 1]] if level else []
        base = ".".join([*above, *([rest] if rest else [])])
        yield base
        yield from (f"{base}.{name}" if base else name for name in _NAME.findall(names))
    for names in _IMPORT.findall(text):
        yield from _NAME.findall(names)
