"""What `fix --verify` cures of recorded models, judged fix by fix: a row a case, and the share of breaks that are gone.

    python -m benchmarks.fixes.cure --site SITE-PACKAGES --truth TRUTH.jsonl.gz... [--half read|unread] [--sample N]
        [--factories FILE.py] [--jobs N --record FILE]

A case is built from its recipe (`--factories`: `benchmarks/verify/rebuild.py`, or `packages.py` here) in a scratch
folder in which the library consists of links, but for the files that hold its recorded breaks and those of its model.
They are linted, and every fix is tried as `fix --verify` tries it: kept only where a break is gone and every exercise
is equal, eager and compiled, in training and evaluation. No switch of Dynamo's configuration is tried. `before` and
`after` count the distinct statements that break. A case that does not run is a row of its own and counts in no share.
The libraries must be importable by the interpreter that runs this, with their dependencies; `--site` holds the recorded
versions.

With `--jobs` that many cases run side by side, each in processes of its own, for `--limit` seconds by the clock; after
`--budget` seconds those that still run are ended and left for the next time. Without it all run here, one after the
other, and share the import of torch.

A case belongs to the half (`benchmarks.fixes.halves`) of the first of its files that hold breaks; `--sample` takes the
cases whose names have the least hash, so that a larger sample holds the smaller one. `--record` adds a JSON line a case
to a file and passes over the cases that it holds (with `--again`, those that ran);
`benchmarks.fixes.misses` says from it why the rest still breaks.
"""

from __future__ import annotations

import argparse
import compileall
import contextlib
import json
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.fixes import beside
from benchmarks.fixes.cases import (
    FACTORIES,
    below_site,
    broken_cases,
    chosen,
    library_of,
    recipes_of,
    repository,
    with_own_file,
)
from benchmarks.fixes.halves import HALVES
from compilelint.config import Options, UsageError
from compilelint.dynamic.no_worker import NoWorkerError
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import sharing
from compilelint.dynamic.targets import Target
from compilelint.model import Fate, TargetRun
from compilelint.session.fixing.prove import Proven, prove

_TARGETS = """import json
from pathlib import Path

from case_factories import built

RECIPE = json.loads(Path(__file__).with_name("recipe.json").read_text())


def target():
    return built(RECIPE)
"""
_HEAD = "| case | before | after | fixes kept | dropped | not exercised | seconds | CPU |\n" + "|---" * 8 + "|"


def main() -> None:
    """Print a row for each case as it is done, then the sums."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--site", required=True)
    asked.add_argument("--truth", nargs="+", required=True)
    asked.add_argument("--factories", type=Path, default=FACTORIES, help="a module that builds the cases")
    asked.add_argument("--cases", nargs="*")
    asked.add_argument("--half", choices=HALVES, help="only the cases of one half")
    asked.add_argument("--sample", type=int, help="only so many cases, those with the least hash of their names")
    asked.add_argument("--record", type=Path, help="a file to add a JSON line a case to")
    asked.add_argument("--again", action="store_true", help="run those that did not run once more")
    asked.add_argument("--timeout", type=float, default=120.0, help="seconds of one run of a target")
    asked.add_argument("--jobs", type=int, default=0, help="so many cases side by side, each in its own processes")
    asked.add_argument("--limit", type=float, default=1800.0, help="with --jobs: seconds of a case")
    asked.add_argument("--budget", type=float, default=float("inf"), help="with --jobs: seconds of all")
    asked.add_argument("--prepared", help=argparse.SUPPRESS)
    given = asked.parse_args()
    broken = broken_cases(given.truth)
    known = recipes_of(given.factories)
    wanted = given.cases or chosen(
        {case: files for case, files in broken.items() if case in known}, given.half, given.sample
    )
    done = _recorded(given.record, given.again)
    waiting = sorted((case for case in wanted if case not in done), key=lambda case: library_of(broken[case]))
    if given.jobs and given.record is None:
        asked.error("--jobs needs a --record to add to")
    print(_HEAD, flush=True)
    if given.jobs:
        rows = _side_by_side(waiting, broken, given)
    else:
        rows = _one_by_one(waiting, broken, known, given)
    total = sum((Counter(one) for one in rows), Counter())
    gone = f"{total['before'] - total['after']} of {total['before']} breaking statements gone, all equal"
    print(f"\n{total['ran']} of {len(waiting)} cases ran: {gone};")
    print(f"{total['cured']} of {total['ran']} cases entirely")


def _one_by_one(
    cases: list[str], broken: dict[str, list[str]], known: dict[str, dict[str, Any]], given: argparse.Namespace
) -> list[dict[str, int]]:
    """The cases in this process; those of one library share what was imported."""
    rows = []
    with contextlib.ExitStack() as every:
        shared, library, site = every.enter_context(contextlib.ExitStack()), "", Path(given.prepared or ".")
        for case in cases:
            if library_of(broken[case]) != library:  # what one library is to another is not shared
                shared.close()
                library = library_of(broken[case])
                shared.enter_context(sharing())
                if not given.prepared:
                    site = shared.enter_context(repository(Path(given.site).resolve() / library))
            started, spent = time.monotonic(), _cpu_seconds()
            proven = _proven(known[case], broken[case], site, given.timeout, given.factories)
            entry = entry_of(case, proven, round(time.monotonic() - started, 1), broken[case])
            entry["cpu"] = round(_cpu_seconds() - spent, 1)
            _keep(entry, given.record)
            rows.append(_shown(entry))
    return rows


def _side_by_side(cases: list[str], broken: dict[str, list[str]], given: argparse.Namespace) -> list[dict[str, int]]:
    """Each case in processes of its own, with a record of its own, from which it is added to the one asked for."""
    rows: list[dict[str, int]] = []
    until = time.monotonic() + given.budget
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cure-")))
        sites = {}
        for library in dict.fromkeys(library_of(broken[case]) for case in cases):
            sites[library] = stack.enter_context(repository(Path(given.site).resolve() / library))
            # the workers write none, and every case would compile all of its library
            compileall.compile_dir(str(sites[library]), quiet=2, workers=given.jobs)
        parts = {case: folder / f"{number}.jsonl" for number, case in enumerate(cases)}

        def command(case: str) -> list[str]:
            words = [sys.executable, "-W", "ignore", "-m", "benchmarks.fixes.cure", "--site", given.site]
            words += ["--truth", *given.truth, "--factories", str(given.factories), "--timeout", str(given.timeout)]
            words += ["--prepared", str(sites[library_of(broken[case])])]
            return [*words, "--record", str(parts[case]), "--cases", case]

        def done(case: str, seconds: float, words: str) -> None:
            text = parts[case].read_text(encoding="utf-8") if parts[case].exists() else ""
            entry = json.loads(text) if text else {"case": case, "seconds": round(seconds, 1), "not_run": words}
            _keep(entry, given.record)
            rows.append(_shown(entry))

        beside.each(cases, command, done, jobs=given.jobs, limit=given.limit, budget=until - time.monotonic())
    return rows


def _keep(entry: dict[str, Any], record: Path | None) -> None:
    if record:
        record.parent.mkdir(parents=True, exist_ok=True)
        with record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")


def _shown(entry: dict[str, Any]) -> dict[str, int]:
    """Print what came of a case; its counts."""
    seconds = f"{entry['seconds']:.0f} | {entry.get('cpu', '')}"
    if "not_run" in entry:
        print(f"| {entry['case']} | {entry['not_run'][:120]} | | | | | {seconds} |", flush=True)
        return {"cases": 1}
    row = _row(entry)
    cells = [row[name] for name in ("before", "after", "kept", "dropped", "not exercised")]
    print(f"| {entry['case']} | {' | '.join(map(str, cells))} | {seconds} |", flush=True)
    for one in entry["ledger"]:
        word = "kept" if one["kept"] else "dropped"
        print(f"  {word}: {one['code']} {one['title']}: {one['reason'][:200]}", file=sys.stderr)
    return row


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
                "path": below_site(one.finding.location.path, files),
                "line": one.finding.line_text.strip(),
                "title": one.fix.title,
                "kept": one.kept,
                "reason": one.reason,
            }
            for one in proven.ledger
        ],
    }


def _statements(run: TargetRun, files: list[str]) -> list[dict[str, str]]:
    return [
        {"path": below_site(one.path, files), "function": one.function, "statement": one.statement, "id": one.break_id}
        for one in run.own_breaks
    ]


def _recorded(record: Path | None, again: bool) -> frozenset[str]:
    """The cases that need not run: those of the record, or only those that ran."""
    if record is None or not record.exists():
        return frozenset()
    entries = map(json.loads, record.read_text(encoding="utf-8").splitlines())
    return frozenset(one["case"] for one in entries if not (again and "not_run" in one))


def _proven(recipe: dict[str, Any], files: list[str], site: Path, timeout: float, factories: Path) -> Proven | str:
    """What came of one case, or why nothing did, in words."""
    with tempfile.TemporaryDirectory(prefix="case-", dir=site.parent) as folder:
        root = Path(folder)
        for file in files:
            if (site / file).is_file():
                with_own_file(root, site, Path(file))
        shutil.copy(factories, root / "case_factories.py")
        (root / "recipe.json").write_text(json.dumps(recipe), encoding="utf-8")
        (root / "case_target.py").write_text(_TARGETS, encoding="utf-8")
        target = Target("case_target:target", mode=recipe["mode"], timeout=timeout)
        settings = Settings(python=sys.executable, paths=(folder,), cwd=folder)
        options = Options(paths=tuple(str(root / one) for one in files if (root / one).is_file()), roots=("auto",))
        before = Path.cwd()
        os.chdir(folder)
        try:
            proven = prove(options, [target], settings, lambda entry: None)
        except (UsageError, NoWorkerError) as error:
            return f"not run: {error}"
        finally:
            os.chdir(before)
        run = proven.before[0]
        return proven if run.fate is Fate.RAN else f"not run: {run.fate.value}: {run.detail.partition(chr(10))[0]}"


def _row(entry: dict[str, Any]) -> dict[str, int]:
    before, after, ledger = entry["before"], entry["after"], entry["ledger"]
    kept = sum(one["kept"] for one in ledger)
    missed = sum(one["reason"].startswith("not exercised") for one in ledger if not one["kept"])
    row = {"cases": 1, "ran": 1, "before": len(before), "after": len(after), "kept": kept}
    return {**row, "dropped": len(ledger) - kept, "not exercised": missed, "cured": int(not after)}


if __name__ == "__main__":
    main()
