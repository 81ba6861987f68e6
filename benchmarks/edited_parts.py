"""Whether an edit of a project that is linted in parts leaves anything of the project before it behind.

    python -m benchmarks.edited_parts PROJECT ... --edits 60 [--characters 20000]

Parts are made as small as `--characters` of source, so that a small project has many. After every edit of one or two
random files, also those that take one back, the report of the whole from the cache must be that of a run without one,
byte for byte; exits with 1 where it is not. Besides bodies (`benchmarks.edited`) the edits change what stands around
them: lines above, functions that are added, removed, renamed, written twice or decorated, attributes and bases of
classes, imports, the order of definitions. The last line also counts how often a part was kept although a file that
it had read was edited. Projects are copied: nothing named here is written to.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import random
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.edited import EDITS, SEED, edited
from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint
from compilelint.session.incremental import part_cache
from compilelint.session.parallel import split

Change = Callable[[list[str], ast.Module, random.Random], None]


def line_above(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """A comment, constant or import above everything, or a star import."""
    lines.insert(0, chance.choice(["# a line", "EDITED = 3", "import math as _m", "from os.path import *"]))


def function_added(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """One more function at the end, or one that answers for missing names."""
    name = chance.choice(["added", "__getattr__"])
    lines += ["", "", f"def {name}(x):", "    return x.item()", ""]


def function_removed(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """`pass` in place of a function or method."""
    one = chance.choice(_all(tree, ast.FunctionDef))
    lines[_first(one) - 1 : one.end_lineno] = [" " * one.col_offset + "pass"]


def function_renamed(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """Another name for a function or method."""
    one = chance.choice(_all(tree, ast.FunctionDef))
    lines[one.lineno - 1] = lines[one.lineno - 1].replace(f"def {one.name}", f"def {one.name}_edited", 1)


def function_twice(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """A function or method once more behind itself."""
    one = chance.choice(_all(tree, ast.FunctionDef))
    assert one.end_lineno is not None
    lines[one.end_lineno : one.end_lineno] = ["", *lines[_first(one) - 1 : one.end_lineno]]


def decorated(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """One more decorator."""
    one = chance.choice(_all(tree, ast.FunctionDef))
    new = chance.choice(["@torch.no_grad()", "@staticmethod", "@torch.compile"])
    lines.insert(_first(one) - 1, " " * one.col_offset + new)


def attribute_added(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """A statement among those of a class."""
    one = chance.choice(chance.choice(_all(tree, ast.ClassDef)).body)
    new = chance.choice(["edited = 1", "training = False", "forward = None"])
    lines.insert(_first(one) - 1, " " * one.col_offset + new)


def base_added(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """One more base of a class."""
    one = chance.choice(_all(tree, ast.ClassDef))
    lines[one.lineno - 1] = lines[one.lineno - 1].replace(f"class {one.name}(", f"class {one.name}(dict, ", 1)


def import_removed(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """An import less."""
    one = chance.choice([one for one in tree.body if isinstance(one, (ast.Import, ast.ImportFrom))])
    lines[one.lineno - 1 : one.end_lineno] = []


def definitions_swapped(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """Two statements of the top level in the other order."""
    at = chance.randrange(len(tree.body) - 1)
    one, other = ((_first(s) - 1, s.end_lineno) for s in tree.body[at : at + 2])
    lines[one[0] : other[1]] = [*lines[other[0] : other[1]], *lines[one[1] : other[0]], *lines[one[0] : one[1]]]


def blank_lines(lines: list[str], tree: ast.Module, chance: random.Random) -> None:
    """Nothing but other places for what follows."""
    lines.insert(_first(chance.choice(tree.body)) - 1, "")


CHANGES: Mapping[str, Change] = {
    one.__name__: one
    for one in (
        line_above,
        function_added,
        function_removed,
        function_renamed,
        function_twice,
        decorated,
        attribute_added,
        base_added,
        import_removed,
        definitions_swapped,
        blank_lines,
    )
}


def _all(tree: ast.Module, kind: type[Any]) -> list[Any]:
    return [one for one in ast.walk(tree) if isinstance(one, kind)]


def _first(node: ast.stmt) -> int:
    """The first line of a statement, decorators included."""
    above = node.decorator_list if isinstance(node, (ast.FunctionDef, ast.ClassDef)) else []
    return min([node.lineno, *[one.lineno for one in above]])


def changed(text: str, kind: str, chance: random.Random) -> str | None:
    """The text after an edit of that kind; None where there is nothing to edit."""
    with contextlib.suppress(SyntaxError, IndexError):
        if kind in EDITS:
            return edited(text, EDITS[kind], chance)
        lines = text.split("\n")
        CHANGES[kind](lines, ast.parse(text), chance)
        return "\n".join(lines)
    return None


def report(project: Path, cache: Path | None) -> str:
    """The report of the whole project, fixes included."""
    options = Options((str(project),), torch_version="2.13", no_cache=cache is None, cache_dir=str(cache))
    return render(lint(options, fixes=True), "json")


def differing(project: Path, count: int, chance: random.Random, folder: Path, kept: Counter[bool]) -> Iterator[str]:
    """Edit a copy of the project so many times; the edits after which the cache says something else."""
    copy, cache = folder / project.name, folder / f"{project.name}-cache"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("__pycache__", ".git", "*.ipynb"))
    files = sorted(path for path in copy.rglob("*.py") if path.stat().st_size > 0)
    before: dict[Path, str] = {}
    moved = part_cache._moved

    def counting(*args: Any) -> Any:
        found = moved(*args)
        kept[found is not None] += 1
        return found

    with mock.patch.object(part_cache, "_moved", counting):
        report(copy, cache)
        for _ in range(count):
            said = [_edit(chance.choice(files), before, chance, copy) for _ in range(chance.choice((1, 1, 1, 2)))]
            if report(copy, cache) != report(copy, None):
                yield ", ".join(said)


def _edit(file: Path, before: dict[Path, str], chance: random.Random, copy: Path) -> str:
    """Edit one file, or take an edit back; which, in words."""
    if before and chance.random() < 0.25:
        file = chance.choice(sorted(before))
        file.write_text(before.pop(file), encoding="utf-8")
        return f"back in {file.relative_to(copy)}"
    kind = chance.choice([*EDITS, *CHANGES])
    text = file.read_text(encoding="utf-8")
    after = changed(text, kind, chance)
    if after is not None:
        before.setdefault(file, text)
        file.write_text(after, encoding="utf-8")
    return f"{kind} in {file.relative_to(copy)}"


def main() -> int:
    """Hold projects to the law."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("projects", type=Path, nargs="+")
    parser.add_argument("--edits", type=int, default=60, help="of each project")
    parser.add_argument("--characters", type=int, default=20_000, help="of source in a part, about")
    args = parser.parse_args()
    chance, wrong = random.Random(SEED), 0
    small = mock.patch.multiple(split, PART_CHARACTERS=args.characters, _MOST_PARTS=1000)
    with small, tempfile.TemporaryDirectory() as name:
        for project in args.projects:
            kept: Counter[bool] = Counter()
            for what in differing(project.resolve(), args.edits, chance, Path(name).resolve(), kept):
                print(f"differs after {what}", flush=True)
                wrong += 1
            print(f"{project.name}: {args.edits} edits; parts kept {kept[True]}, run again {kept[False]}", flush=True)
    print(f"{wrong} reports differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
