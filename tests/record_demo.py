"""Record what TorchDynamo does with the demo, as truth that `benchmarks/score.py` can read.

    python -m tests.record_demo            write fixtures/demo/recorded.json
    python -m tests.record_demo --check    exit with 1 if it would change

Needs the torch that the extra `test-dynamic` names: records are made with that version only.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.demo_cases import DEMO, cases, demo_importable

RECORDED = DEMO / "recorded.json"
_CALLS = 5
COMMAND = "python -m tests.record_demo"


def recorded() -> str:
    """The record as text: JSON lines, a case a line, file names relative to the demo."""
    import torch

    from benchmarks.recompiles.record import record as record_again
    from tests.rules.recorder import record

    torch.set_num_threads(1)
    lines: list[dict[str, Any]] = []
    with demo_importable():
        for case in cases():
            seen = record(case.function, case.calls, f"{DEMO}/")
            lines.append(_row(case.name, torch.__version__, seen))
        # Made afresh: the calls above have changed what the cases hold.
        for row, case in zip(lines, cases(), strict=True):
            again = record_again(case.function, case.calls[-1:] * _CALLS, f"{DEMO}/")
            row["recompiles"] = _distinct(again.recompiles)
    return "\n".join(map(json.dumps, lines)) + "\n"


def _distinct(recompiles: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What is compiled again although the inputs stay the same: each guard once, without its numbers (clocks)."""
    found: dict[str, Mapping[str, Any]] = {}
    for one in recompiles:
        guard = re.sub(r"\d+(\.\d+)?", "N", str(one["guard"]).partition(". Guard failed")[0])
        found.setdefault(f"{one['function']} {guard}", {**one, "guard": guard})
    return list(found.values())


def _row(name: str, version: str, seen: Any) -> dict[str, Any]:
    """One case in the fields of `benchmarks/truth/README.md`. Raises RuntimeError where the demo itself fails."""
    if seen.error:
        raise RuntimeError(f"the demo's case {name} raised {seen.error}")
    traced = {_relative(file): sorted(numbers) for file, numbers in sorted(seen.traced.items())}
    breaks = [_break_row(one) for one in seen.breaks]
    return {
        "case": f"demo/{name}",
        "library": "demo",
        "version": "1",
        "torch": version.partition("+")[0],
        "label": "break" if any(one["secondary"] is None for one in breaks) else "clean",
        "traced_lines": traced,
        "breaks": breaks,
        "recompiles": [],
    }


def _break_row(one: Any) -> Mapping[str, Any]:
    return {
        "file": _relative(one.file),
        "line": one.line,
        "span": _statement(Path(one.file), one.line),
        "gb": one.gb,
        "gb_type": one.gb_type,
        "kind": "break",
        "secondary": _follows(one.frame),
        "reason": one.reason.partition("\n")[0],
    }


def _follows(frame: str) -> str | None:
    """Why a break only follows from an earlier one: it lies in a comprehension's or constructor's own frame."""
    if frame.endswith(("comp>", "<genexpr>")):
        return "comprehension-root"
    return "init-root" if frame == "__init__" else None


def _relative(file: str) -> str:
    return Path(file).relative_to(DEMO).as_posix()


def _statement(path: Path, line: int) -> Sequence[int]:
    """First and last line of the innermost statement on a line; a compound one without its body."""
    best = (line, line)
    width = sys.maxsize
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.stmt):
            continue
        body = getattr(node, "body", None)
        last = node.end_lineno or node.lineno
        if isinstance(body, list) and body:
            last = max(node.lineno, body[0].lineno - 1)
        if node.lineno <= line <= last and last - node.lineno < width:
            best, width = (node.lineno, last), last - node.lineno
    return best


def main() -> int:
    """Write the record, or compare it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="only compare")
    wanted = recorded()
    if not parser.parse_args().check:
        RECORDED.write_text(wanted, encoding="utf-8")
        return 0
    same = RECORDED.read_text(encoding="utf-8") == wanted
    sys.stderr.write("" if same else f"{RECORDED.name} is stale; run: {COMMAND}\n")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
