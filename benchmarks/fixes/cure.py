"""What `fix --verify` cures of recorded models, judged fix by fix: a row a case, and the share of breaks that are gone.

    python -m benchmarks.fixes.cure --site SITE-PACKAGES --truth TRUTH.jsonl.gz... [--half read|unread] [--sample N]

A case is built from its recipe (`benchmarks/verify/recipes.jsonl.gz`) in a scratch folder in which the library consists
of links, but for the files that hold its recorded breaks and those of its model. They are linted, and every fix is
tried as `fix --verify` tries it: kept only where a break is gone and every exercise is equal, eager and compiled, in
training and evaluation. No switch of Dynamo's configuration is tried. `before` and `after` count the distinct
statements that break. A case that does not run is a row of its own and counts in no share. transformers and diffusers
must be importable by the interpreter that runs this, with their dependencies; `--site` holds the recorded versions.

A case belongs to the half (`benchmarks.fixes.halves`) of the first of its files that hold breaks; `--sample` takes the
cases whose names have the least hash, so that a larger sample holds the smaller one. `--record` adds a JSON line a case
to a file and passes over the cases that it holds; `benchmarks.fixes.misses` says from it why the rest still breaks.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.fixes.halves import HALVES, half_of, rank
from benchmarks.verify.rebuild import recipes
from compilelint.config import Options, UsageError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import NoTorchError, sharing
from compilelint.dynamic.targets import Target
from compilelint.model import Fate, TargetRun
from compilelint.session.fixing.prove import Proven, prove

HERE = Path(__file__).resolve().parents[1]
_TARGETS = """import json
from pathlib import Path

from rebuild import built

RECIPE = json.loads(Path(__file__).with_name("recipe.json").read_text())


def target():
    return built(RECIPE)
"""


def main() -> None:
    """Print a row for each case as it is done, then the sums."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--site", required=True)
    asked.add_argument("--truth", nargs="+", required=True)
    asked.add_argument("--cases", nargs="*")
    asked.add_argument("--half", choices=HALVES, help="only the cases of one half")
    asked.add_argument("--sample", type=int, help="only so many cases, those with the least hash of their names")
    asked.add_argument("--record", type=Path, help="a file to add a JSON line a case to")
    asked.add_argument("--timeout", type=float, default=120.0)
    given = asked.parse_args()
    broken = _broken(given.truth)
    known = recipes()
    wanted = given.cases or chosen(
        {case: files for case, files in broken.items() if case in known}, given.half, given.sample
    )
    done = _recorded(given.record)
    total: Counter[str] = Counter()
    print(
        "| case | before | after | fixes kept | dropped | not exercised | seconds | CPU |\n" + "|---" * 8 + "|",
        flush=True,
    )
    waiting = [case for case in wanted if case not in done]
    shared: contextlib.ExitStack | None = None
    library = ""
    for case in sorted(waiting, key=lambda case: _library(broken[case])):
        if shared is None or _library(broken[case]) != library:  # what one library is to another is not shared
            if shared is not None:
                shared.close()
            shared, library = contextlib.ExitStack(), _library(broken[case])
            shared.enter_context(sharing())
            site = shared.enter_context(_repository(Path(given.site).resolve() / library))
        started, spent = time.monotonic(), _cpu_seconds()
        proven = _proven(known[case], broken[case], site, given.timeout)
        cpu = round(_cpu_seconds() - spent, 1)
        row = Counter({"cases": 1}) if isinstance(proven, str) else _row(proven)
        seconds = f"{time.monotonic() - started:.0f}"
        if given.record:
            with given.record.open("a", encoding="utf-8") as file:
                entry = {**entry_of(case, proven, float(seconds), broken[case]), "cpu": cpu}
                file.write(json.dumps(entry) + "\n")
        if isinstance(proven, str):
            print(f"| {case} | {proven[:120]} | | | | | {seconds} | {cpu} |", flush=True)
            continue
        cells = [row[name] for name in ("before", "after", "kept", "dropped", "not exercised")]
        print(f"| {case} | {' | '.join(map(str, cells))} | {seconds} | {cpu} |", flush=True)
        for tried in proven.ledger:
            word = "kept" if tried.kept else "dropped"
            print(f"  {word}: {tried.finding.rule.code} {tried.fix.title}: {tried.reason[:200]}", file=sys.stderr)
        total += row
    if shared is not None:
        shared.close()
    gone = total["before"] - total["after"]
    print(
        f"\n{total['ran']} of {len(wanted)} cases ran: {gone} of {total['before']} breaking statements gone, all equal;"
    )
    print(f"{total['cured']} of {total['ran']} cases entirely")


def _library(files: list[str]) -> str:
    return files[0].partition("/")[0]


@contextlib.contextmanager
def _repository(library: Path) -> Iterator[Path]:
    """A site folder that holds the library alone, inside of a repository, since a lint follows no link out of one."""
    with tempfile.TemporaryDirectory(prefix="cure-") as folder:
        (Path(folder) / ".git").mkdir()
        shutil.copytree(library, Path(folder) / "site" / library.name)
        yield Path(folder) / "site"


def _cpu_seconds() -> float:
    """What this process and all below it have used so far, those that ended too (Linux)."""
    fields: dict[int, list[str]] = {}
    for one in Path("/proc").iterdir():
        if one.name.isdigit():
            with contextlib.suppress(OSError):
                fields[int(one.name)] = (one / "stat").read_text().rpartition(")")[2].split()
    own = {os.getpid()}
    while True:
        more = {pid for pid, found in fields.items() if int(found[1]) in own} - own
        if not more:
            break
        own |= more
    return sum(sum(map(int, fields[pid][11:15])) for pid in own if pid in fields) / os.sysconf("SC_CLK_TCK")


def chosen(broken: dict[str, list[str]], half: str | None, sample: int | None) -> list[str]:
    """The cases of a half, as many as asked for, in the order of the hashes of their names."""
    of_half = [case for case, files in broken.items() if half is None or half_of(files[0]) == half]
    return sorted(of_half, key=rank)[:sample]


def entry_of(case: str, proven: Proven | str, seconds: float, files: list[str]) -> dict[str, Any]:
    """One case as `--record` keeps it: what broke before and after, by statement, and what became of each fix."""
    if isinstance(proven, str):
        return {"case": case, "seconds": seconds, "not_run": proven}
    return {
        "case": case,
        "seconds": seconds,
        "before": _statements(proven.before[0], files),
        "after": _statements(proven.after[0], files),
        "ledger": [
            {
                "code": one.finding.rule.code,
                "path": _below_site(one.finding.location.path, files),
                "line": one.finding.line_text.strip(),
                "title": one.fix.title,
                "kept": one.kept,
                "reason": one.reason,
            }
            for one in proven.ledger
        ],
    }


def _below_site(path: str, files: list[str]) -> str:
    """The name that the truth has for a file of the scratch folder."""
    return next((file for file in files if path.endswith(f"/{file}")), path)


def _statements(run: TargetRun, files: list[str]) -> list[dict[str, str]]:
    return [
        {"path": _below_site(one.path, files), "function": one.function, "statement": one.statement, "id": one.break_id}
        for one in run.own_breaks
    ]


def _recorded(record: Path | None) -> frozenset[str]:
    if record is None or not record.exists():
        return frozenset()
    return frozenset(json.loads(line)["case"] for line in record.read_text(encoding="utf-8").splitlines())


def _broken(truth: list[str]) -> dict[str, list[str]]:
    """By case the files that hold its recorded breaks, under the site folder, then those of its model that it traced.

    What breaks in a file that models share is reached from the model's own.
    """
    found: dict[str, list[str]] = {}
    for path in truth:
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for case in map(json.loads, lines):
                files = {one["file"] for one in case["breaks"] if not one.get("secondary")}
                own = {file for file in case["traced_lines"] if "/models/" in file or "/schedulers/" in file}
                if files:
                    found[case["case"]] = [*sorted(files), *sorted(own - files)]
    return found


def _proven(recipe: dict[str, Any], files: list[str], site: Path, timeout: float) -> Proven | str:
    """What came of one case, or why nothing did, in words."""
    with tempfile.TemporaryDirectory(prefix="case-", dir=site.parent) as folder:
        root = Path(folder)
        for file in files:
            if (site / file).is_file():
                with_own_file(root, site, Path(file))
        shutil.copy(HERE / "verify" / "rebuild.py", root)
        (root / "recipe.json").write_text(json.dumps(recipe), encoding="utf-8")
        (root / "case_target.py").write_text(_TARGETS, encoding="utf-8")
        target = Target("case_target:target", mode=recipe["mode"], timeout=timeout)
        settings = Settings(python=sys.executable, paths=(folder,), cwd=folder)
        options = Options(paths=tuple(str(root / one) for one in files if (root / one).is_file()), roots=("auto",))
        before = Path.cwd()
        os.chdir(folder)
        try:
            proven = prove(options, [target], settings, lambda entry: None)
        except (UsageError, NoTorchError) as error:
            return f"not run: {error}"
        finally:
            os.chdir(before)
        run = proven.before[0]
        return proven if run.fate is Fate.RAN else f"not run: {run.fate.value}: {run.detail.partition(chr(10))[0]}"


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


def _row(proven: Proven) -> Counter[str]:
    before, after = proven.before[0].own_breaks, proven.after[0].own_breaks
    kept = sum(one.kept for one in proven.ledger)
    missed = sum(one.reason.startswith("not exercised") for one in proven.ledger if not one.kept)
    row = Counter({"cases": 1, "ran": 1, "before": len(before), "after": len(after), "kept": kept})
    row.update({"dropped": len(proven.ledger) - kept, "not exercised": missed, "cured": int(not after)})
    return row


if __name__ == "__main__":
    main()
