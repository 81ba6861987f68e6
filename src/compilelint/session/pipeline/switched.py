"""Where a switch of Dynamo that a file sets holds: in the files that are imported where it is.

`torch._dynamo.config.capture_scalar_outputs = True` at the top of a module holds for its process. A module that is
imported together with it is compiled under it; the other scripts of the project, which never import it, are not. Set
in a function or for a block, it is believed of that file alone. Read off the import statements, without analysing any
file. Does not belong here: what a switch is (`survey.switches`), and what it changes (`torchfacts.switches`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from compilelint.events import Event, Setting
from compilelint.project.file_kinds import is_benchmark, is_test
from compilelint.session.pipeline.imports import names_in, nearest
from compilelint.session.pipeline.inputs import Linted
from compilelint.torchfacts import Capture
from compilelint.torchfacts.switches import Switch, switch
from compilelint.values import Const

_CONFIG = "torch._dynamo.config."
AnySwitch: TypeAlias = Capture | Switch


class SetIn(NamedTuple):
    """The files that set a switch when they are imported, and those that set it for themselves alone."""

    importing: set[str]
    alone: set[str]


def switches_of(events: Iterable[Event], versions: Sequence[str]) -> dict[AnySwitch, SetIn]:
    """The switches that linted files set, and which do; `versions` of torch say what a switch changes."""
    found: dict[AnySwitch, SetIn] = {}
    for event in events:
        if not isinstance(event, Setting) or not event.name.startswith(_CONFIG):
            continue
        known = _switch(event, versions)
        if known is not None:
            paths = found.setdefault(known, SetIn(set(), set()))
            alone = bool(event.site.context.function) or event.passing
            (paths.alone if alone else paths.importing).add(event.site.location.path)
    return found


def _switch(event: Setting, versions: Sequence[str]) -> AnySwitch | None:
    name = event.name.removeprefix(_CONFIG)
    value = event.value.value if isinstance(event.value, Const) else None
    for capture in Capture:
        if capture.value == name:
            return capture if value is True else None
    return switch(name, value, event.functions, versions)


def switched(
    switches: Mapping[AnySwitch, SetIn], files: Sequence[Linted], text_of: Callable[[Linted], str]
) -> dict[AnySwitch, frozenset[str]]:
    """The paths of the files that each switch holds for, of those of a project.

    A test and a benchmark switch for themselves: the models that they import run elsewhere, too.
    """
    if not switches:
        return {}
    paths = {file.dotted: file.path for file in files}
    imported = {file.path: list(_imported(file, text_of(file), paths)) for file in files}
    return {one: _held_for(setting.importing, imported) | setting.alone for one, setting in switches.items()}


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
    own = file.dotted.split(".")[:-1]
    package = file.dotted.split(".") if file.is_package else own
    yield from _with_packages(".".join(own), paths)
    here = ".".join(package)
    for name in names_in(text, file.dotted, file.is_package):
        beside = nearest(f"{here}.{name}" if here else name, paths)  # a script finds what lies beside it
        yield from _with_packages(nearest(name, paths) or (beside if beside != here else ""), paths)


def _with_packages(dotted: str, paths: Mapping[str, str]) -> Iterator[str]:
    """The files of a module and of the packages around it."""
    while dotted:
        if dotted in paths:
            yield paths[dotted]
        dotted = dotted.rpartition(".")[0]
