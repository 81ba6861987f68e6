"""Feed compilelint what no human would write, and everything that humans did: no crash, no hang, bounded memory.

    python -m benchmarks.robustness                            the hostile inputs
    python -m benchmarks.robustness --packages SITE --stdlib   also every package of a site-packages folder, and our
                                                               own standard library
    python -m benchmarks.robustness --nodes                    also ask LibCST for the node of every finding made on
                                                               the recorded small cases
    python -m benchmarks.robustness ... --update               and write what was measured to benchmarks/robustness.md

A hostile input is generated, linted in a process of its own, and held against its budget and against what must be
said about it: lines that end in `# CL...` must be reported under that code, and no other line under any code of a
graph break. Packages are linted a folder at a time; there only crashes, time and memory count.
"""

from __future__ import annotations

import argparse
import json
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measuring import TORCH, Cost, machine, measured, megabytes, sources
from benchmarks.reproduce import ROOT, SMALL_CASES, replaced, table_of

PAGE = ROOT / "benchmarks" / "robustness.md"
MOST_MB = 2000.0
PACKAGE_SECONDS = 900.0
SLOWEST = 1.0  # CPU seconds a MB above which a package is worth a row of its own
CHUNK_MB = 45.0

Files = dict[str, str]
Maker = Callable[[int], Files]
HEAD = "import torch\n\n\n"
BREAK = "x.sum() > 0:  # CL101\n"


@dataclass(frozen=True)
class Case:
    """A hostile input of a size: `make(size)` gives its files.

    `budget` is in CPU seconds at the full `size`; tests use the `small` one.
    """

    name: str
    make: Callable[[int], Files]
    size: int
    small: int
    budget: float = 10.0


CASES: list[Case] = []


def case(name: str, size: int, small: int, budget: float = 10.0) -> Callable[[Callable[[int], str]], Maker]:
    """Decorator: this function makes the text of a case's only file."""

    def put(text: Callable[[int], str]) -> Maker:
        def make(count: int) -> Files:
            return {"hostile.py": text(count)}

        CASES.append(Case(name, make, size, small, budget))
        return make

    return put


def forward(body: str, parameters: str = "x: torch.Tensor") -> str:
    """A module with one function over a tensor."""
    return f"{HEAD}def run({parameters}):\n{body}"


def indented(depth: int, text: str) -> str:
    """A line, `depth` blocks deep (one space a block keeps deep towers small)."""
    return " " * depth + text


# ---------------------------------------------------------------------- size


@case("function of 10,000 lines", 10_000, 300)
def _(count: int) -> str:
    lines = "".join(f"    y{n} = x * {n} + torch.relu(x)\n" for n in range(count))
    return forward(f"{lines}    if {BREAK}        x = x + 1\n    return x\n")


@case("5 MB of generated functions", 4_900_000, 30_000, budget=60.0)
def _(count: int) -> str:
    text = "def f{n}(x: torch.Tensor, n: int = {n}):\n    y = torch.relu(x) * n\n    return y.reshape(-1)\n\n\n"
    functions = "".join(text.format(n=n) for n in range(count // (len(text) + 5)))
    return f"{HEAD}{functions}def last(x: torch.Tensor):\n    if {BREAK}        return x\n"


@case("20 MB of generated functions (too long)", 20_000_000, 5_100_000)
def _(count: int) -> str:
    text = "def f{n}(x: torch.Tensor, n: int = {n}):\n    y = torch.relu(x) * n\n    return y.reshape(-1)\n\n\n"
    return "import torch  # CL901\n\n\n" + "".join(text.format(n=n) for n in range(count // len(text)))


@case("dict of 100,000 entries", 100_000, 500, budget=15.0)
def _(count: int) -> str:
    entries = "".join(f"    'key{n}': {n},\n" for n in range(count))
    return (
        f"{HEAD}TABLE = {{\n{entries}}}\n\n\ndef run(x: torch.Tensor, k: str):\n    if {BREAK}        return TABLE[k]\n"
    )


@case("list of 200,000 numbers, looped over", 200_000, 500, budget=15.0)
def _(count: int) -> str:
    return forward(f"    for n in [{', '.join(map(str, range(count)))}]:\n        x = x + n\n    return x\n")


@case("call with 5,000 arguments", 5_000, 100)
def _(count: int) -> str:
    names = ", ".join(f"a{n}" for n in range(count))
    given = ", ".join(["x"] * count)
    return f"{HEAD}def take({names}):\n    return a0\n\n\ndef run(x: torch.Tensor):\n    return take({given})\n"


@case("class of 5,000 methods", 5_000, 50, budget=15.0)
def _(count: int) -> str:
    text = "    def m{n}(self, x: torch.Tensor):\n        return self.m{after}(x)\n\n"
    methods = "".join(text.format(n=n, after=(n + 1) % count) for n in range(count))
    return f"{HEAD}class Net(torch.nn.Module):\n{methods}    def forward(self, x):\n        return self.m0(x)\n"


@case("line of 1 MB", 1_000_000, 5_000)
def _(count: int) -> str:
    return forward(f"    y = '{'a' * count}'\n    if {BREAK}        return y\n")


# --------------------------------------------------------------------- depth


@case("99 blocks in each other", 97, 20)
def _(count: int) -> str:
    tower = "".join(indented(n + 1, "if a:\n") for n in range(count))
    deepest = indented(count + 1, f"if {BREAK}") + indented(count + 2, "return x\n")
    return forward(tower + deepest, "x: torch.Tensor, a: int")


@case("101 blocks in each other (Python refuses them)", 101, 101)
def _(count: int) -> str:
    tower = "".join(indented(n, "if a:  # CL901\n" if n == 100 else "if a:\n") for n in range(count))
    return tower + indented(count, "pass\n")


@case("150 brackets in each other", 150, 20)
def _(count: int) -> str:
    lists, tuples = f"{'[' * count}x{']' * count}", f"{'(' * count}x{')' * count}"
    return forward(f"    y = {lists}\n    if {tuples}.sum() > 0:  # CL101\n        return y\n")


@case("250 brackets in each other (Python refuses them)", 250, 250)
def _(count: int) -> str:
    return f"y = {'(' * count}1{')' * count}  # CL901\n"


@case("sum of 20,000 terms", 20_000, 200)
def _(count: int) -> str:
    return forward(f"    y = x{' + 1' * count}\n    if {BREAK}        return y\n")


@case("chain of 3,000 method calls", 3_000, 100)
def _(count: int) -> str:
    return forward(f"    y = x{'.abs()' * count}\n    if {BREAK}        return y\n")


@case("chain of 3,000 attributes", 3_000, 100)
def _(count: int) -> str:
    return forward(f"    return x{'.part' * count}\n", "x")


@case("90 nested calls", 90, 20)
def _(count: int) -> str:
    return forward(f"    return {'torch.relu(' * count}x{')' * count}\n")


@case("2,000 `elif`", 2_000, 50)
def _(count: int) -> str:
    arms = "".join(f"    elif n == {k}:\n        y = x + {k}\n" for k in range(count))
    return forward(
        f"    y = x\n    if n < 0:\n        y = -x\n{arms}    if {BREAK}        return y\n", "x: torch.Tensor, n: int"
    )


@case("1,000 conditional expressions in each other", 1_000, 50)
def _(count: int) -> str:
    arms = "".join(f"x + {k} if n == {k} else " for k in range(count))
    return forward(f"    return {arms}x\n", "x: torch.Tensor, n: int")


@case("60 lambdas in each other", 60, 10)
def _(count: int) -> str:
    return forward(f"    f = {'lambda: ' * count}x\n    return f{'()' * count}\n")


@case("18 functions in each other", 18, 5)
def _(count: int) -> str:
    tower = "".join(indented(n + 1, f"def f{n}(x):\n") for n in range(count))
    calls = "".join(indented(n + 1, f"return f{n}(x)\n") for n in reversed(range(count)))
    return forward(f"{tower}{indented(count + 1, 'return x')}\n{calls}")


# ----------------------------------------------------------------- branching


@case("30 conditions one after the other, in a loop", 30, 5)
def _(count: int) -> str:
    arms = "".join(f"        if a[{n}]:\n            y = y + {n}\n            z = (z, {n})\n" for n in range(count))
    return forward(f"    y = z = x\n    for i in range(9):\n{arms}    return y, z\n", "x: torch.Tensor, a: list")


@case("30 conditions in each other, each way one call", 30, 5)
def _(count: int) -> str:
    arms = "".join(indented(n + 1, f"if on[{n}]:\n") + indented(n + 2, f"x = f{n}(x, on)\n") for n in range(count))
    body = "    if on[0]:\n        return f{after}(x, on)\n    return f{after}(x + {n}, on)\n\n\n"
    helpers = "".join(f"def f{n}(x, on: list):\n" + body.format(n=n, after=n + 1) for n in range(count))
    last = f"def f{count}(x, on: list):\n    return x\n\n\n"
    return f"{HEAD}{helpers}{last}def run(x: torch.Tensor, on: list):\n{arms}    return x\n"


@case("40 functions that call the next one four times", 40, 6)
def _(count: int) -> str:
    text = """
def f{n}(x, y):
    f{after}(x, 1)
    f{after}(x, None)
    f{after}([x], y)
    return f{after}(x, x)
"""
    calls = "".join(text.format(n=n, after=n + 1) for n in range(count))
    return f"{HEAD}{calls}def f{count}(x, y):\n    return x\n\n\ndef run(x: torch.Tensor):\n    return f0(x, x)\n"


@case("18 loops in each other", 18, 4, budget=20.0)
def _(count: int) -> str:
    tower = "".join(indented(n + 1, f"for i{n} in a:\n") for n in range(count))
    return forward(
        f"{tower}{indented(count + 1, 'x, y, z = y, z, x + 1')}\n return x\n", "x: torch.Tensor, y, z, a: list"
    )


@case("16 `try` in each other, with handlers", 16, 4, budget=20.0)
def _(count: int) -> str:
    tower = "".join(indented(n + 1, "try:\n") for n in range(count))
    ends = "".join(
        indented(n + 1, "except ValueError:\n")
        + indented(n + 2, f"x = x + {n}\n")
        + indented(n + 1, "finally:\n")
        + indented(n + 2, "y = x\n")
        for n in reversed(range(count))
    )
    return forward(f"{tower}{indented(count + 1, 'x = x * 2')}\n{ends} return y\n")


@case("1,000 values for one name", 1_000, 20)
def _(count: int) -> str:
    arms = "".join(f"    if n == {k}:\n        y = ({k}, 'a{k}', [x])\n" for k in range(count))
    return forward(f"    y = None\n{arms}    return y\n", "x: torch.Tensor, n: int")


@case("400 conditions joined by `and` and `or`", 400, 20)
def _(count: int) -> str:
    terms = " or ".join(f"(a[{n}] is None and a[{n}] != {n})" for n in range(count))
    return forward(f"    if {terms}:\n        return x\n", "x: torch.Tensor, a: list")


# ----------------------------------------------------------------- recursion


@case("2,000 functions, each calling the next", 2_000, 40)
def _(count: int) -> str:
    calls = "".join(f"def f{n}(x: torch.Tensor):\n    return f{n + 1}(x)\n\n\n" for n in range(count))
    return f"{HEAD}{calls}def f{count}(x: torch.Tensor):\n    if {BREAK}        return x\n"


@case("200 functions that all call each other", 200, 8, budget=30.0)
def _(count: int) -> str:
    def body(n: int) -> str:
        return "".join(f"    x = f{(n + step) % count}(x, {step})\n" for step in (1, 3, 7, 20))

    return HEAD + "\n\n".join(f"def f{n}(x: torch.Tensor, k):\n{body(n)}    return x\n" for n in range(count))


@case("recursion with an ever larger argument", 1, 1)
def _(count: int) -> str:
    bodies = ("[y]", "(y, y)", "{'a': y}", "lambda: y", "{**y, 'b': y}")
    return HEAD + "\n\n".join(
        f"def grow{n}(x: torch.Tensor, y):\n    return grow{n}(x, {body})\n" for n, body in enumerate(bodies)
    )


@case("classes that are each other's attribute, base and factory", 40, 4)
def _(count: int) -> str:
    text = """
class A{n}(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.next = A{after}()
        self.peers = [A{after}() for _ in range(3)]

    def forward(self, x):
        for peer in self.peers:
            x = peer(x)
        return self.next(x)
"""
    loop = """
class Loop(Pool):
    pass

class Pool(Loop):
    def forward(self, x):
        return super().forward(x)
"""
    return HEAD + "".join(text.format(n=n, after=(n + 1) % count) for n in range(count)) + loop


@case("500 classes, each a subclass of the one before", 500, 20)
def _(count: int) -> str:
    first = f"""
class A0(torch.nn.Module):
    def forward(self, x):
        if {BREAK}            return x
        return -x
"""
    text = """
class A{after}(A{n}):
    def forward(self, x):
        return super().forward(x) + {n}
"""
    return HEAD + first + "".join(text.format(n=n, after=n + 1) for n in range(count))


@case("200 decorators on one function", 200, 10)
def _(count: int) -> str:
    wrap = "def wrap(f):\n    def inner(*args, **kwargs):\n        return f(*args, **kwargs)\n    return inner\n\n\n"
    return HEAD + wrap + "@wrap\n" * count + "def run(x: torch.Tensor):\n    return x + 1\n"


# --------------------------------------------------------------- cheap to say


@case("constants that grow when computed", 1, 1)
def _(count: int) -> str:
    lines = (
        "a = 10 ** 10 ** 9",
        "b = 'a' * 10 ** 12",
        "c = [0] * 10 ** 12",
        "d = 1 << 10 ** 12",
        "e = list(range(10 ** 12))",
        "f = '%1000000000d' % 1",
        "g = f'{1:1000000000}'",
        "h = (1,) * 10 ** 9 + (2,) * 10 ** 9",
        "i = b'a' * 10 ** 12",
        "j = -(2 ** 10 ** 9) // 3",
        "k = '{:>1000000000}'.format(1)",
        "l = 'a'.ljust(10 ** 12)",
    )
    inside = "".join(f"    {line}\n" for line in lines)
    outside = "".join(f"{line.upper()}\n" for line in lines if "(" not in line)
    return f"{HEAD}{outside}\n\ndef run(x: torch.Tensor):\n{inside}    if {BREAK}        return x\n"


@case("strings and tuples doubled 200 times", 200, 40)
def _(count: int) -> str:
    lines = "    s = s + s\n    t = (t, t)\n    u = [*u, *u]\n    v = {**v, len(v): v}\n    w = w * w + 1\n" * count
    return forward(f"    s, t, u, v, w = 'ab', (x,), [x], {{}}, 3\n{lines}    return t\n")


@case("loops over very long ranges", 1, 1)
def _(count: int) -> str:
    lines = """    s, t = "", ()
    for i in range(10 ** 12):
        x = x + i
    while n > 0:
        n -= 1
        s = s + "a"
        t = (*t, n)
    y = [x for i in range(10 ** 9) for j in range(10 ** 9)]
    return y, s, t
"""
    return forward(lines, "x: torch.Tensor, n: int")


@case("containers that hold themselves", 50, 5)
def _(count: int) -> str:
    head = """
class Net(torch.nn.Module):
    def forward(self, x, a=[], b={}):
"""
    lines = """        a.append(a)
        b["b"] = b
        b["a"] = a
        a = a + a
        self.x = self
        self.y = [self.y, self.x]
"""
    return f"{HEAD}{head}{lines * count}        return a, b\n"


@case("bytes that are no Python", 1, 1)
def _(count: int) -> str:
    return "\x00\x01 = [  # CL901\n"


def modules(count: int) -> Files:
    """Modules that all import each other, by name and by star."""
    text = """import torch
from hostile{after} import *
from hostile{far} import f{far}


def f{n}(x: torch.Tensor):
    return f{far}(x)
"""
    return {f"hostile{n}.py": text.format(n=n, after=(n + 1) % count, far=(n * 7 + 3) % count) for n in range(count)}


CASES.append(Case("500 modules that import each other", modules, 500, 8, 20.0))


# ----------------------------------------------------------------- execution


@dataclass(frozen=True)
class Outcome:
    """What came of a case or a package: `complaints` is empty where all is well."""

    name: str
    size: float
    cost: Cost
    findings: int
    complaints: tuple[str, ...]


def marks(files: Mapping[str, str]) -> set[tuple[str, int, str]]:
    """(file, line, code) of every line that ends in `# CL...`."""
    return {
        (name, number, line.rpartition("# ")[2])
        for name, text in files.items()
        for number, line in enumerate(text.split("\n"), 1)
        if line[-7:-3] == "# CL"
    }


def wrong(marked: set[tuple[str, int, str]], report: Mapping[str, object]) -> Iterator[str]:
    """What a report says too much or too little."""
    rows = report["findings"]
    assert isinstance(rows, list)
    found = {
        (Path(row["path"]).name, row["line"], row["rule"])
        for row in rows
        if "graph-break" in row["effects"] or row["rule"].startswith("CL9")
    }
    yield from (f"missing {code} at {name}:{line}" for name, line, code in sorted(marked - found)[:3])
    yield from (f"wrongly {code} at {name}:{line}" for name, line, code in sorted(found - marked)[:3])


def linted(paths: Sequence[Path], report: Path, limit: float, *more: str) -> Cost:
    """Lint in a process of its own."""
    named = [str(path) for path in paths]
    options = ["--torch-version", TORCH, "--no-cache", "--output", f"json:{report}", "--exit-zero", *more]
    return measured([sys.executable, "-m", "compilelint", "check", *named, *options], limit)


def over(cost: Cost, seconds: float) -> Iterator[str]:
    """In what a run went beyond its bounds."""
    if cost.code != 0:
        yield f"exit code {cost.code}"
    if cost.cpu > seconds:
        yield f"{cost.cpu:.1f} CPU s, budget {seconds:.0f}"
    if cost.peak > MOST_MB:
        yield f"{cost.peak:.0f} MB, budget {MOST_MB:.0f}"


def run_case(one: Case, folder: Path, report: Path) -> Outcome:
    """Generate, lint and judge a hostile input."""
    files = one.make(one.size)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    report.unlink(missing_ok=True)
    cost = linted([folder], report, one.budget * 6, "--roots", "all")
    complaints = list(over(cost, one.budget))
    rows = 0
    if cost.code == 0:
        reported = json.loads(report.read_text(encoding="utf-8"))
        rows = len(reported["findings"])
        complaints += wrong(marks(files), reported)
    size = sum(len(text) for text in files.values()) / 1e6
    return Outcome(one.name, size, cost, rows, tuple(complaints))


def chunks(site: Path) -> Iterator[tuple[str, list[Path]]]:
    """The packages of a folder: large ones alone, small ones together, nothing left out."""
    few: list[Path] = []
    size = 0.0
    for path in sorted(site.iterdir()):
        if not (path.suffix == ".py" or path.is_dir()) or not (files := [path] if path.is_file() else sources(path)):
            continue
        if (mine := megabytes(files)) > CHUNK_MB / 4:
            yield path.name, [path]
            continue
        if few and size + mine > CHUNK_MB:
            yield f"{few[0].name} to {few[-1].name}", few
            few, size = [], 0.0
        few.append(path)
        size += mine
    if few:
        yield f"{few[0].name} to {few[-1].name}", few


def run_packages(name: str, paths: Sequence[Path], report: Path, python: str) -> Outcome:
    """Lint packages, whatever they are."""
    files = [file for path in paths for file in ([path] if path.is_file() else sources(path))]
    report.unlink(missing_ok=True)
    cost = linted(paths, report, PACKAGE_SECONDS, "--python", python)
    complaints = list(over(cost, PACKAGE_SECONDS))
    rows = 0
    if cost.code == 0:
        reported = json.loads(report.read_text(encoding="utf-8"))["findings"]
        rows = len(reported)
        failed = [row for row in reported if row["name"] == "failed-check"]
        complaints += [f"{len(failed)} failed checks: {failed[0]['message']}"] if failed else []
    return Outcome(f"{name} ({len(files):,} files)", megabytes(files), cost, rows, tuple(complaints))


def nodeless() -> tuple[int, list[str]]:
    """How many findings the recorded small cases give, and what keeps any of them from standing on a LibCST node."""
    from compilelint.config import Options
    from compilelint.session.commands.lint import lint, unfounded

    report = lint(Options(paths=(str(SMALL_CASES),), roots=("all",), torch_version=TORCH))
    return len(report.findings), [f"{notice.path}: {notice.text}" for notice in unfounded(report.findings)]


def table(outcomes: Sequence[Outcome]) -> str:
    """What was measured, a row an outcome."""
    rows = []
    for one in outcomes:
        cost = one.cost
        verdict = "; ".join(one.complaints) or "as it must be"
        rows.append(
            [
                one.name,
                f"{one.size:.2f}",
                f"{cost.cpu:.1f}",
                f"{cost.wall:.1f}",
                f"{cost.peak:.0f}",
                one.findings,
                verdict,
            ]
        )
    return table_of(["input", "MB", "CPU s", "wall s", "peak MB", "findings", "verdict"], rows)


def main(argv: Sequence[str] | None = None) -> int:
    """Run what was asked for; 1 if anything went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="WORD", help="cases whose name holds this word")
    parser.add_argument("--packages", type=Path, metavar="SITE", help="a site-packages folder")
    parser.add_argument("--stdlib", action="store_true", help="the standard library of the Python that runs this")
    parser.add_argument("--nodes", action="store_true", help="hold findings against LibCST's nodes")
    parser.add_argument("--update", action="store_true", help="write the tables to benchmarks/robustness.md")
    args = parser.parse_args(argv)
    page = PAGE.read_text(encoding="utf-8")
    outcomes: list[Outcome] = []
    packages: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        for number, one in enumerate(each for each in CASES if args.only in each.name):
            place = Path(folder) / str(number)
            place.mkdir()
            outcomes.append(run_case(one, place, report))
            print(table(outcomes[-1:]).rpartition("\n")[2], flush=True)
        wanted = list(chunks(args.packages)) if args.packages else []
        if args.stdlib:
            stdlib = Path(sysconfig.get_path("stdlib"))
            parts = [
                path for path in sorted(stdlib.iterdir()) if path.name != "site-packages" and path.name != "__pycache__"
            ]
            wanted.append(("the standard library", [path for path in parts if path.suffix == ".py" or path.is_dir()]))
        python = str(args.packages.parents[2]) if args.packages else sys.executable
        for name, paths in wanted:
            packages.append(run_packages(name, paths, report, python))
            print(table(packages[-1:]).rpartition("\n")[2], flush=True)
    complaints = [text for one in (*outcomes, *packages) for text in one.complaints]
    page = replaced(page, "machine", machine(time.strftime("%Y-%m-%d", time.gmtime())))
    page = replaced(page, "hostile", table(outcomes)) if not args.only else page
    page = replaced(page, "packages", table(packages)) if packages else page
    if args.nodes:
        count, missing = nodeless()
        print(f"{count - len(missing)} of {count} findings stand on a LibCST node", *missing[:5], sep="\n")
        page = replaced(
            page,
            "nodes",
            f"{count - len(missing)} of {count} findings on the recorded small cases stand on a LibCST node.",
        )
        complaints += missing
    if args.update:
        PAGE.write_text(page, encoding="utf-8")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
