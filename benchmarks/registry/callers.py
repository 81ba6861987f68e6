"""What a user has around a program: a script that makes it, compiles it and calls it. Knows no torch.

`--roots all` takes every function for compiled and nothing for a caller. Here the caller stands in the text, and does
what `record` does: the factory is called, what it gives is compiled and called once with each of the samples. Lines of
the program keep their numbers, so that the recorded labels hold.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from benchmarks.registry.labels import PROGRAMS

_CALLER = """
{name}_function, {name}_samples = make_{name}()
{name}_compiled = torch.compile({name}_function, backend="eager")
for {name}_args, {name}_kwargs in {name}_samples:
    {name}_compiled(*{name}_args, **{name}_kwargs)
"""


def text_of(text: str, names: Iterable[str]) -> str:
    """A file of programs with the callers of those that are named; its own lines stay where they are."""
    body = "\n".join(_CALLER.format(name=name) for name in names)
    return f"{text}\n\nimport torch\n{body}" if body else text


def write(folder: Path, cases: Iterable[str], apart: bool = False) -> None:
    """Write the scripts of the cases (`AREA/NAME`) into a folder: one for an area, or one for each case."""
    areas: dict[str, list[str]] = {}
    for case in cases:
        area, _, name = case.partition("/")
        areas.setdefault(area, []).append(name)
    for area, names in areas.items():
        text = (PROGRAMS / f"{area}.py").read_text(encoding="utf-8")
        for group in [[name] for name in names] if apart else [names]:
            place = folder / group[0] if apart else folder
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{area}.py").write_text(text_of(text, group), encoding="utf-8")
