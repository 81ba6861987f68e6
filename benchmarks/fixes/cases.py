"""Recorded cases that break, what builds them again, and where their files are: shared by the measurements of fixes.

A factories file is a module with `recipes()`, a recipe by case, each with its `mode`, and `built(recipe)`, which gives
what to compile and its calls: `benchmarks/verify/rebuild.py` for transformers and diffusers,
`benchmarks/fixes/packages.py` for five packages. It is copied beside the target, so it imports nothing of ours.
"""

from __future__ import annotations

import contextlib
import gzip
import importlib.util
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.fixes.halves import half_of, rank

FACTORIES = Path(__file__).resolve().parents[1] / "verify" / "rebuild.py"


def recipes_of(factories: Path) -> dict[str, dict[str, Any]]:
    """The recipes of a factories file, by case."""
    spec = importlib.util.spec_from_file_location("case_factories", factories)
    assert spec is not None, factories
    assert spec.loader is not None, factories
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, dict[str, Any]] = module.recipes()
    return found


def broken_cases(truth: list[str]) -> dict[str, list[str]]:
    """By case the files of its library that hold its recorded breaks, then those of its model that it traced.

    Names are those below the site folder. What breaks in a file that models share is reached from the model's own. What
    a case breaks in other libraries than its own is left out.
    """
    found: dict[str, list[str]] = {}
    for path in truth:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                home = f"{case['library']}/"
                files = {one["file"] for one in case["breaks"] if not one.get("secondary")}
                files = {file for file in files if file.startswith(home)}
                traced = {file for file in case["traced_lines"] if file.startswith(home)}
                own = {file for file in traced if "/models/" in file or "/schedulers/" in file} or traced
                if files:
                    found[case["case"]] = [*sorted(files), *sorted(own - files)]
    return found


def chosen(broken: dict[str, list[str]], half: str | None, sample: int | None) -> list[str]:
    """The cases of a half, as many as asked for, in the order of the hashes of their names."""
    of_half = [case for case, files in broken.items() if half is None or half_of(files[0]) == half]
    return sorted(of_half, key=rank)[:sample]


def library_of(files: list[str]) -> str:
    """The library that files belong to."""
    return files[0].partition("/")[0]


@contextlib.contextmanager
def repository(library: Path) -> Iterator[Path]:
    """A site folder that holds the library alone, inside of a repository, since a lint follows no link out of one."""
    with tempfile.TemporaryDirectory(prefix="cure-") as folder:
        (Path(folder) / ".git").mkdir()
        shutil.copytree(library, Path(folder) / "site" / library.name)
        yield Path(folder) / "site"


def with_own_file(root: Path, site: Path, file: Path) -> None:
    """A folder of links to what the library holds, in which the file and the folders above it are real."""
    for part in reversed(file.parents):
        if part == Path("."):
            continue
        place = root / part
        if place.is_symlink():
            place.unlink()
        if not place.exists():
            place.mkdir()
            for one in (site / part).iterdir():
                (place / one.name).symlink_to(one)
    (root / file).unlink()
    shutil.copy(site / file, root / file)


def below_site(path: str, files: list[str]) -> str:
    """The name that the truth has for a file: below the scratch folder, or below where another library is installed."""
    own = next((file for file in files if path.endswith(f"/{file}")), None)
    if own is not None:
        return own
    library = library_of(files)
    if f"/{library}/" in path:
        return library + path.rpartition(f"/{library}")[2]
    homes = sorted((f"{os.path.abspath(one)}/" for one in sys.path if one), key=len, reverse=True)
    return next((path.removeprefix(home) for home in homes if path.startswith(home)), path)
