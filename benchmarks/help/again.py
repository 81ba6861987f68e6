"""Run what the help proposes: does it break again? The `after` of every idiom and the Good of every rule page.

    python -m benchmarks.help.again          # to again-VERSION.jsonl, for the torch of this interpreter

A row is one proposal: the graph breaks and the error of its run under TorchDynamo, with the arguments that its program
names. Pages that measure something other than breaks are run by their own tests. `broke` of an idiom says whether its
`before` breaks under this torch: where it does not, there is nothing to help against.
"""

from __future__ import annotations

import json
import linecache
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compilelint.checks import rulebook
from compilelint.model import Effect
from compilelint.rulebook import pages
from tests.checks.idioms import programs as idioms
from tests.rules import pages as rules
from tests.rules.recorder import record

FOLDER = Path(__file__).resolve().parent


def rows_of(version: str) -> Path:
    """The file of rows of a version of torch."""
    return FOLDER / f"again-{version}.jsonl"


def _names(text: str, path: Path) -> dict[str, Any]:
    path.write_text(text, encoding="utf-8")
    linecache.checkcache(str(path))
    names: dict[str, Any] = {"__name__": path.stem}
    exec(compile(text, str(path), "exec"), names)
    return names


def _row(what: str, function: Any, calls: list[tuple[Any, ...]], path: Path) -> dict[str, Any]:
    seen = record(function, calls, str(path))
    return {"help": what, "breaks": [one.gb for one in seen.breaks], "error": seen.error}


def of_idioms(folder: Path) -> Iterator[dict[str, Any]]:
    """A row for each program of an idiom."""
    path = folder / "idiom.py"
    for title, program in idioms.programs().items():
        names = _names(program.source, path)
        calls = [names.get("after_args", names["args"]), *names.get("more", [])]
        before = record(names["before"], [names["args"], *names.get("more", [])], str(path))
        yield {**_row(f"idiom {title}", names["after"], calls, path), "broke": bool(before.breaks)}


def of_pages(folder: Path) -> Iterator[dict[str, Any]]:
    """A row for each page of a rule about graph breaks."""
    import torch

    path = folder / "page.py"
    known = {rule.code for rule in rulebook().rules if rule.effect is not Effect.TOOL}
    for code, page in sorted(pages().items()):
        program = rules.program_of(page) if code in known else None
        if program is None or program.measured:
            continue
        names = _names(program.good, path)
        torch.manual_seed(0)
        function = names.get("f") or names["M"]()
        run = _names(program.run, folder / "run.py")
        calls = [run.get("good_args", run["args"]), *run.get("good_more", run.get("more", []))]
        yield _row(f"page {code}", function, calls, path)


def main() -> int:
    """Write the rows; 1 where a proposal breaks again."""
    import torch
    import torch._dynamo

    torch.set_num_threads(1)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for row in (*of_idioms(Path(folder)), *of_pages(Path(folder))):
            rows.append(row)
            if row["breaks"] or row["error"]:
                print(row["help"], row["breaks"], row["error"], flush=True)
    version = ".".join(torch.__version__.split(".")[:2])
    rows_of(version).write_text("".join(json.dumps(row) + "\n" for row in rows))
    wrong = sum(bool(row["breaks"] or row["error"]) for row in rows)
    print(f"torch {version}: {wrong} of {len(rows)} break again")
    return bool(wrong)


if __name__ == "__main__":
    raise SystemExit(main())
