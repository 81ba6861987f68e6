"""What a keystroke costs in an editor, and whether what is kept from one to the next changes what is said.

    python -m benchmarks.editor law --edits 1000 PACKAGE ...           random edits, each held against a fresh run
    python -m benchmarks.editor type --edits 30 FILE_OR_FOLDER ...     types into files, a character at a time

`law`: in memory, over copies of packages: statements put in and taken out, numbers changed, locals renamed, remarks,
suppressions and docstrings, functions moved between files, files renamed and saved, and texts that are no Python on
the way; after every edit the report must be that of a run that knows nothing of the ones before, byte for byte. Exits
with 1 where it is not.
`type`: CPU milliseconds of the process from a change of a text to its report, as the server asks for it
(`server.projects`), by what the text was after the change; the first report; the peak of memory.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.edited import EDITS, Edit, edited, forwards
from benchmarks.reproduce import table_of
from compilelint.config import Options
from compilelint.report.formats import render
from compilelint.report.report import Report
from compilelint.server.projects import Project
from compilelint.server.settings import settings_of
from compilelint.session.live import Live
from compilelint.syntax.source import Source, source_from_bytes
from compilelint.syntax.unreadable import Unreadable

SEED = 1
TORCH = "2.13"
TYPED = ("scale = hidden.sum()\n", "if scale > 0:\n", "# a comment\n", "x = 1\n")
"""What is typed before a statement of a `forward`: a line each, indented like it."""


def source_of(path: Path, text: str) -> Source:
    """A text as an editor hands it over."""
    source = source_from_bytes(path.as_posix(), text.encode("utf-8", "surrogatepass"))
    assert isinstance(source, Source)
    return source


# ------------------------------------------------------------------------- law


def rendered(report: Report) -> str:
    """All that is said, as JSON."""
    return render(report, "json")


def _remark(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """A remark behind a line of the body, one that suppresses findings among them; it may be inside a text."""
    lines = text.split("\n")
    at = chance.choice(function.body).lineno - 1
    lines[at] += chance.choice(("  # edited", "  ", "  # compilelint: ignore", "  # compilelint: ignore[CL101]"))
    return "\n".join(lines)


def _described(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """A word more in the docstring, else a docstring."""
    lines = text.split("\n")
    first = function.body[0]
    if ast.get_docstring(function) is None:
        lines.insert(first.lineno - 1, " " * first.col_offset + '"""Edited: torch.compile of what it yields."""')
    else:
        lines[first.lineno - 1] = lines[first.lineno - 1].replace('"""', '"""Edited ', 1)
    return "\n".join(lines)


REMARKS: Mapping[str, Edit] = {"remark": _remark, "docstring": _described}

STATEMENTS = (
    "scale = x.sum()",
    "if x.sum() > 0:\n    x = x + 1",
    "x = 1",
    "y = x.item()",
    "return x",
    "print(x)",
    "self.edited = 1",
    "x = self.forward(x)",
    "for q in range(3):\n    x = x * q",
    "z = [v for v in x]",
    "import os",
    "x = x.cpu().numpy()",
    "h = lambda q: q",
    "assert x.max() > 0",
    "a, b = x.shape",
    "x = torch.nonzero(x)",
    "global gg\ngg = x",
    "del x",
    "with torch.no_grad():\n    y = x",
    "torch._dynamo.graph_break()",
    "raise ValueError(x)",
    "self.count += 1",
    "x = super().forward(x)",
    "try:\n    x = x.item()\nexcept Exception:\n    pass",
    "x = UnknownName(x)",
    "x = F.relu(x)",
    "while x.any():\n    x = x - 1",
    "def inner(q):\n    return q + x",
    "yield x",
    "x = x if x.sum() else None",
    "x: torch.Tensor = x",
    "d = {}\nd[x] = 1",
)
"""What the law puts before statements of a body; `x` stands for one of the parameters."""


def _statement(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """A statement that means something to the interpreter."""
    at = chance.choice(function.body)
    names = [one.arg for one in function.args.args if one.arg != "self"]
    name = chance.choice(names) if names and chance.random() < 0.7 else "x"
    new = re.sub(r"\bx\b", name, chance.choice(STATEMENTS)).split("\n")
    lines = text.split("\n")
    lines[at.lineno - 1 : at.lineno - 1] = [" " * at.col_offset + line for line in new]
    return "\n".join(lines)


def _deleted(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """A statement less."""
    if len(function.body) < 2:
        return None
    one = chance.choice(function.body)
    lines = text.split("\n")
    del lines[one.lineno - 1 : one.end_lineno]
    return "\n".join(lines)


def _swapped(text: str, function: ast.FunctionDef, chance: random.Random) -> str | None:
    """Two statements, the other way round."""
    if len(function.body) < 2:
        return None
    at = chance.randrange(len(function.body) - 1)
    one, other = function.body[at : at + 2]
    lines = text.split("\n")
    first, second = lines[one.lineno - 1 : one.end_lineno], lines[other.lineno - 1 : other.end_lineno]
    between = lines[one.end_lineno : other.lineno - 1]
    lines[one.lineno - 1 : other.end_lineno] = [*second, *between, *first]
    return "\n".join(lines)


BODIES: Mapping[str, Edit] = {"statement": _statement, "deleted": _deleted, "swapped": _swapped}


class Edited:
    """A copy of a package, changed in memory and on the disk, and the texts that are not saved."""

    def __init__(self, copy: Path, chance: random.Random, on_disk: bool = True) -> None:
        self.folder = copy
        self.chance = chance
        self.on_disk = on_disk
        self.texts: dict[Path, str] = {}
        self.before: dict[Path, str] = {}

    def text(self, path: Path) -> str:
        """What an editor shows of a file."""
        return self.texts.get(path) or path.read_text(encoding="utf-8")

    def step(self) -> tuple[str, bool]:
        """Make one edit; what it was, and whether files came or went."""
        files = [self.folder] if self.folder.is_file() else sorted(self.folder.rglob("*.py"))
        files = [path for path in files if path.stat().st_size > 0]
        file, draw = self.chance.choice(files), self.chance.random()
        name = file.relative_to(self.folder)
        if file in self.before and draw < 0.5:
            self.texts[file] = self.before.pop(file)
            return f"back in {name}", False
        if draw > 0.95 and self.on_disk:
            new = file.with_name(f"{file.stem}_renamed{self.chance.randrange(100)}.py")
            file.rename(new)
            for known in (self.texts, self.before):
                if file in known:
                    known[new] = known.pop(file)
            return f"rename {name} to {new.name}", True
        if draw > 0.9:
            return self._move(file, self.chance.choice(files)), False
        if draw > 0.87 and self.on_disk:
            self.texts.pop(file, None)
            file.write_text(self.text(file) + "\n\ndef appended(x):\n    return x.sum().item()\n", encoding="utf-8")
            return f"saved {name}", True
        kind, edit = self.chance.choice([*EDITS.items(), *REMARKS.items(), *BODIES.items(), *BODIES.items()])
        text = self.text(file)
        try:
            after = _edited(text, edit, self.chance)
        except SyntaxError:
            after = None
        if after is not None:
            self.before.setdefault(file, text)
            self.texts[file] = after
        return f"{kind} in {name}", False

    def _move(self, file: Path, to: Path) -> str:
        """Take a method out of one file and put it, as a function, into another."""
        try:
            functions = forwards(self.text(file))
        except SyntaxError:
            functions = []
        if not functions:
            return "nothing"
        one = self.chance.choice(functions)
        lines = self.text(file).split("\n")
        body = [line[one.col_offset :] for line in lines[one.lineno - 1 : one.end_lineno]]
        lines[one.lineno - 1 : one.end_lineno] = [" " * one.col_offset + "pass"]
        self.before.setdefault(file, self.text(file))
        self.texts[file] = "\n".join(lines)
        if to != file:
            self.texts[to] = self.text(to) + "\n\n" + "\n".join(body) + "\n"
        return f"move {one.name} from {file.name} to {to.name}"


def differing(
    package: Path, count: int, chance: random.Random, folder: Path, quick: list[bool] | None = None
) -> Iterator[str]:
    """Edit a copy of the package so many times; after what of it the report is another than a fresh one.

    A file is linted where it lies, and edited in memory alone. `quick` gathers whether a report cost no run.
    """
    copy = package if package.is_file() else folder / package.name
    if not package.is_file():
        shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    options = Options((copy.as_posix(),), torch_version=TORCH)
    live, state = Live(options), Edited(copy, chance, package.is_dir())
    modules = live.modules
    for _ in range(count):
        what, on_disk = state.step()
        if on_disk:
            live = Live(options, modules)
        texts = {path.as_posix(): source_of(path, text) for path, text in state.texts.items()}
        if rendered(live.report(texts)) != rendered(Live(options).report(texts)):
            yield what
        if quick is not None:
            quick.append(live.is_quick)


def _edited(text: str, edit: Edit, chance: random.Random) -> str | None:
    """The text after an edit: of some `forward` half the time, else of any function."""
    if chance.random() < 0.5:
        return edited(text, edit, chance)
    functions = [one for one in ast.walk(ast.parse(text)) if isinstance(one, ast.FunctionDef)]
    after = edit(text, chance.choice(functions), chance) if functions else None
    return None if after == text else after


def _law(packages: Sequence[Path], count: int, seed: int) -> int:
    chance = random.Random(seed)
    wrong = 0
    quick: list[bool] = []
    with tempfile.TemporaryDirectory() as name:
        for package in packages:
            each = count // len(packages)
            for what in differing(package.resolve(), each, chance, Path(name).resolve(), quick):
                print(f"differs after {what}", flush=True)
                wrong += 1
            print(f"{package.name}: {each} edits", flush=True)
    print(f"{wrong} reports differ; {sum(quick)} of {len(quick)} cost no run of everything")
    return 1 if wrong else 0


# ------------------------------------------------------------------------ type


def keystrokes(text: str, chance: random.Random) -> Iterator[str]:
    """The texts after each character of a line that is typed before a statement of some `forward`."""
    function = chance.choice(forwards(text))
    at = chance.choice(function.body)
    line = chance.choice(TYPED)
    lines = text.split("\n")
    indent = " " * at.col_offset
    if line.startswith("if "):
        lines[at.lineno - 1] = f"    {lines[at.lineno - 1]}" if at.lineno == at.end_lineno else lines[at.lineno - 1]
    for end in range(1, len(line)):
        typed = [*lines[: at.lineno - 1], indent + line[:end], *lines[at.lineno - 1 :]]
        yield "\n".join(typed)


def typing(target: Path, edits: int, chance: random.Random) -> tuple[float, dict[str, list[float]]]:
    """CPU milliseconds of the first report of a file (or of the files of a folder), and by kind of those after keys."""
    folder = target if target.is_dir() else target.parent
    mode = "workspace" if target.is_dir() else "openFiles"
    project = Project(folder.as_posix(), None, settings_of({"diagnosticMode": mode, "torchVersion": TORCH}))
    files = [target] if target.is_file() else [one for one in sorted(target.rglob("*.py")) if _has_forward(one)]
    found: dict[str, list[float]] = {"typed": [], "no Python": []}
    opened: dict[str, Source] = {}
    begin = time.process_time()
    file = chance.choice(files)
    opened[file.as_posix()] = source_of(file, file.read_text(encoding="utf-8"))
    project.results(opened)
    first = 1000 * (time.process_time() - begin)
    for _ in range(edits):
        file = chance.choice(files)
        text = file.read_text(encoding="utf-8")
        for after in keystrokes(text, chance):
            begin = time.process_time()
            source = source_of(file, after)
            kind = "no Python" if isinstance(source.tree(), Unreadable) else "typed"
            if kind == "typed":  # else what was found stays (`server.app`)
                project.results({**opened, file.as_posix(): source})
            found[kind].append(1000 * (time.process_time() - begin))
    return first, found


def _has_forward(path: Path) -> bool:
    try:
        return bool(forwards(path.read_text(encoding="utf-8")))
    except (SyntaxError, UnicodeDecodeError):
        return False


def _type(targets: Sequence[Path], edits: int, seed: int) -> int:
    rows = []
    for target in targets:
        first, found = typing(target.resolve(), edits, random.Random(seed))
        every = [one for some in found.values() for one in some]
        for kind, costs in (*found.items(), ("all", every)) if every else ():
            if costs:
                cut = statistics.quantiles(costs, n=20)[-1] if len(costs) > 1 else costs[0]
                peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                values = (statistics.median(costs), cut, max(costs))
                rows.append([target.name, kind, len(costs), f"{first:.0f}", *(f"{value:.0f}" for value in values)])
                rows[-1].append(f"{peak:.0f}")
    columns = ["target", "after the key", "keys", "first, CPU ms", "median", "p95", "worst", "peak MB"]
    print(table_of(columns, rows))
    return 0


def main(argv: Sequence[str] | None = None) -> int:
    """Hold to the law, or type."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="what", required=True)
    law = kinds.add_parser("law")
    law.add_argument("packages", type=Path, nargs="+")
    law.add_argument("--edits", type=int, default=300, help="in all")
    law.add_argument("--seed", type=int, default=SEED)
    typed = kinds.add_parser("type")
    typed.add_argument("targets", type=Path, nargs="+")
    typed.add_argument("--edits", type=int, default=20, help="lines that are typed into each")
    typed.add_argument("--seed", type=int, default=SEED)
    args = parser.parse_args(argv)
    if args.what == "law":
        return _law(args.packages, args.edits, args.seed)
    return _type(args.targets, args.edits, args.seed)


if __name__ == "__main__":
    sys.exit(main())
