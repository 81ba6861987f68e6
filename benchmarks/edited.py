"""What an edit of one file costs, and whether it leaves anything of the file before it behind.

    python -m benchmarks.edited cost --site SITE --files 20      modeling files of transformers, each linted alone
    python -m benchmarks.edited law --edits 200 PACKAGE ...      random edits of random files, each linted alone

`cost`: CPU seconds, user and system, of the command line with an empty cache, again after one line of a `forward` was
changed (a statement put in, a number changed, a local renamed), and without a cache. `law`: after every edit, also
those that leave no Python and those that take one back, the report from the cache must be that of a run without one,
byte for byte; exits with 1 where it is not. Packages are copied: nothing named here is written to.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.measuring import COMPILELINT, measured
from benchmarks.reproduce import table_of
from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.session.commands.lint import lint

SEED = 1
Edit = Callable[[str, ast.FunctionDef, random.Random], str | None]


def forwards(text: str) -> list[ast.FunctionDef]:
    """The methods that an edit may be made in."""
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    return [node for node in found if node.name == "forward"] or found


def put_in(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """A statement before one of the body's."""
    lines = text.split("\n")
    at = chance.choice(function.body)
    lines.insert(at.lineno - 1, " " * at.col_offset + "edited = 1")
    return "\n".join(lines)


def number_changed(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """One more of a number; None where the body has none."""
    numbers = [one for one in ast.walk(function) if isinstance(one, ast.Constant) and type(one.value) is int]
    if not numbers:
        return None
    one = chance.choice(numbers)
    assert isinstance(one.value, int)
    return _with(text, {_place(one): str(one.value + 1)})


def local_renamed(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """Another name for what the body binds; None where it binds nothing."""
    names = [one for one in ast.walk(function) if isinstance(one, ast.Name)]
    locals_ = sorted({one.id for one in names if isinstance(one.ctx, ast.Store)})
    if not locals_:
        return None
    chosen = chance.choice(locals_)
    return _with(text, {_place(one): f"{chosen}_edited" for one in names if one.id == chosen})


def taken_out(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """`pass` in place of a statement."""
    one = chance.choice(function.body)
    lines = text.split("\n")
    lines[one.lineno - 1 : one.end_lineno] = [" " * one.col_offset + "pass"]
    return "\n".join(lines)


def broken(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """No Python any more."""
    lines = text.split("\n")
    lines.insert(function.lineno, "    def (:")
    return "\n".join(lines)


COSTS: Mapping[str, Edit] = {"put in": put_in, "number": number_changed, "renamed": local_renamed}
EDITS: Mapping[str, Edit] = {**COSTS, "taken out": taken_out, "broken": broken}


def _place(node: ast.expr) -> tuple[int, int, int]:
    assert node.end_col_offset is not None
    return node.lineno, node.col_offset, node.end_col_offset


def _with(text: str, changes: Mapping[tuple[int, int, int], str]) -> str:
    """The text with what stands at (line, column, end column in bytes) replaced."""
    lines = [line.encode() for line in text.split("\n")]
    for (line, column, end), new in sorted(changes.items(), reverse=True):
        row = lines[line - 1]
        lines[line - 1] = row[:column] + new.encode() + row[end:]
    return b"\n".join(lines).decode()


def edited(text: str, edit: Edit, chance: random.Random) -> str | None:
    """The text after an edit of that kind; None where there is nothing to edit, or it would leave no other text."""
    functions = forwards(text)
    after = edit(text, chance.choice(functions), chance) if functions else None
    return None if after == text else after


# ------------------------------------------------------------------------- law


def reports(file: Path, cache: Path | None) -> str:
    """The report of a file linted alone."""
    options = Options((str(file),), torch_version="2.13", no_cache=cache is None, cache_dir=str(cache))
    return render(lint(options), "json")


def differing(package: Path, count: int, chance: random.Random, folder: Path) -> Iterator[str]:
    """Edit files of a copy of the package so many times; what of it makes the cache say something else."""
    copy, cache = folder / package.name, folder / f"{package.name}-cache"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    files = sorted(path for path in copy.rglob("*.py") if path.stat().st_size > 0)
    before: dict[Path, str] = {}
    for _ in range(count):
        file, (kind, edit) = chance.choice(files), chance.choice(list(EDITS.items()))
        if file in before and chance.random() < 0.7:  # back to what it was: that outcome may still be remembered
            kind, after = "back", before.pop(file)
        else:
            before.setdefault(file, file.read_text(encoding="utf-8"))
            after = edited(before[file], edit, chance) or before[file]
        file.write_text(after, encoding="utf-8")
        linted = chance.choice([file, *before])  # the edited one, or one that may import it
        if reports(linted, cache) != reports(linted, None):
            yield f"{kind} in {file.relative_to(folder)}: {linted.relative_to(folder)}"


# ------------------------------------------------------------------------ cost


def costs(file: Path, folder: Path, chance: random.Random) -> dict[str, float]:
    """CPU seconds of the runs over one file, by what was done before; the file is as it was afterwards."""
    text = file.read_text(encoding="utf-8")
    cache = folder / "cache"
    shutil.rmtree(cache, ignore_errors=True)
    command = [*COMPILELINT, "check", str(file), "--exit-zero", "--torch-version", "2.13"]
    found = {"no cache": measured([*command, "--no-cache"]).cpu}
    kept = [*command, "--cache-dir", str(cache)]
    found["cold"] = measured(kept).cpu
    found["again"] = measured(kept).cpu
    for kind, edit in COSTS.items():
        after = edited(text, edit, chance)
        if after is not None:
            file.write_text(after, encoding="utf-8")
            found[kind] = measured(kept).cpu
    file.write_text(text, encoding="utf-8")
    return found


def modeling_files(site: Path, count: int) -> list[Path]:
    """So many modeling files of transformers, evenly among all."""
    every = sorted((site / "transformers" / "models").glob("*/modeling_*.py"))
    return every[:: max(1, len(every) // count)][:count]


def _cost(site: Path, count: int) -> int:
    chance = random.Random(SEED)
    rows: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        copy = folder / "site-packages"
        shutil.copytree(site, copy, ignore=shutil.ignore_patterns("__pycache__"))
        for file in modeling_files(copy, count):
            rows.append(costs(file, folder, chance))
            print(file.name, {kind: round(cpu, 2) for kind, cpu in rows[-1].items()}, flush=True)
    kinds = ["no cache", "cold", "again", *COSTS]
    table = []
    for kind in kinds:
        seconds = [row[kind] for row in rows if kind in row]
        shares = [row[kind] / row["no cache"] for row in rows if kind in row]
        table.append([kind, len(seconds), *(f"{value:.2f}" for value in (statistics.median(seconds), max(seconds)))])
        table[-1] += [f"{100 * value:.0f} %" for value in (statistics.median(shares), max(shares))]
    print(table_of(["run", "files", "CPU s, median", "worst", "of one without a cache, median", "worst"], table))
    return 0


def _law(packages: Sequence[Path], count: int) -> int:
    chance = random.Random(SEED)
    wrong = 0
    with tempfile.TemporaryDirectory() as name:
        for package in packages:
            for what in differing(package.resolve(), count // len(packages), chance, Path(name).resolve()):
                print(f"differs after {what}", flush=True)
                wrong += 1
            print(f"{package.name}: {count // len(packages)} edits", flush=True)
    print(f"{wrong} reports differ")
    return 1 if wrong else 0


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, or hold to the law."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="what", required=True)
    cost = kinds.add_parser("cost")
    cost.add_argument("--site", type=Path, required=True, help="a folder with transformers in it")
    cost.add_argument("--files", type=int, default=20)
    law = kinds.add_parser("law")
    law.add_argument("packages", type=Path, nargs="+")
    law.add_argument("--edits", type=int, default=200, help="in all")
    args = parser.parse_args(argv)
    return _cost(args.site, args.files) if args.what == "cost" else _law(args.packages, args.edits)


if __name__ == "__main__":
    sys.exit(main())
