"""Why recorded breaks are still there after `fix --verify`: the records of `benchmarks.fixes.cure`, by cause and half.

    python -m benchmarks.fixes.misses RECORD.jsonl...

A statement that broke is `gone`; or it is left, and the ledger's last word on its line says why: refused by the proof
(what differs, what was not exercised, another break behind it), or without any fix that could be tried. A case that did
not run counts in no share and is listed with its reason.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.fixes.halves import HALVES, half_of

GONE = "gone, everything equal"
REWRITTEN = "gone with others, for one break in their place"
NO_FIX = "no rewrite that could be tried"
# What a reason of the ledger begins with (where a space ends it) or holds: the gravest first, as the proof asks them.
_CAUSES = (
    ("does not run with it", "refused: it does not run"),
    ("cannot be compared", "refused: not comparable"),
    ("exception ", "refused: another exception"),
    ("state ", "refused: state differs"),
    ("gradient ", "refused: a gradient differs"),
    ("output ", "refused: a result differs"),
    ("input ", "refused: an input is changed otherwise"),
    ("not exercised", "refused: not exercised"),
    ("recompiles more often", "refused: it recompiles more often"),
    ("the break stays", "refused: it breaks all the same"),
    ("another break shows", "refused: another break shows"),
    ("no break was removed", "refused: it breaks all the same"),
)


def cause_of(reason: str) -> str:
    """The kind of a reason for which a fix was dropped."""
    for words, cause in _CAUSES:
        if reason.startswith(words) if words.endswith(" ") else words in reason:
            return cause
    return f"refused: {reason[:40]}"


def outcomes(case: dict[str, Any]) -> list[tuple[str, str]]:
    """Of each statement of a case that broke, its half and what became of it; every statement counts once.

    Where a rewritten statement of the function breaks, one of those that are gone does not count as gone.
    """
    left = Counter(map(_key, case["after"]))
    before = {_key(one): one for one in case["before"]}
    rewritten = Counter(one["function"] for one in {_key(one): one for one in case["after"]}.values()
                        if _key(one) not in before)  # fmt: skip
    found = []
    for key, one in before.items():
        outcome = GONE if not left[key] else _why(one, case["ledger"])
        if outcome == GONE and rewritten[one["function"]]:
            rewritten[one["function"]] -= 1
            outcome = REWRITTEN
        found.append((half_of(one["path"]), outcome))
    return found


def _key(one: dict[str, str]) -> tuple[str, str, str]:
    return one["path"], one["function"], " ".join(one["statement"].split())


def _why(one: dict[str, str], ledger: list[dict[str, Any]]) -> str:
    text = " ".join(one["statement"].split())
    of_line = [
        entry for entry in ledger if not entry["kept"] and entry["line"] and " ".join(entry["line"].split()) in text
    ]
    return cause_of(of_line[-1]["reason"]) if of_line else NO_FIX


def _group(case: dict[str, Any]) -> str:
    """The library whose statements broke, and the mode that a case was recorded in."""
    library = case["before"][0]["path"].partition("/")[0] if case["before"] else "-"
    return f"{library}, {'train' if '/train' in case['case'] else 'eval'}"


def _row(name: str, cases: list[dict[str, Any]]) -> str:
    of_all = [outcome for case in cases for _, outcome in outcomes(case)]
    gone = of_all.count(GONE)
    cpu = [case["cpu"] for case in cases if "cpu" in case]
    share = f"{100 * gone / len(of_all):.0f} %" if of_all else "-"
    mean = f"{sum(cpu) / len(cpu):.0f}" if cpu else "-"
    cured = sum(not case["after"] for case in cases)
    return f"| {name} | {len(cases)} | {cured} | {len(of_all)} | {gone} | {share} | {mean} |"


def main() -> None:
    """Print the table, the cases that are cured entirely, and those that did not run."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("records", nargs="+", type=Path)
    given = asked.parse_args()
    lines = [line for path in given.records for line in path.read_text(encoding="utf-8").splitlines()]
    cases = list({case["case"]: case for case in map(json.loads, lines)}.values())  # the last word on each
    ran = [case for case in cases if "not_run" not in case]
    counts = Counter(outcome for case in ran for outcome in outcomes(case))
    print("| what became of a statement that broke | " + " | ".join(HALVES) + " | both |\n|---|---|---|---|")
    for name, _ in Counter(outcome for _, outcome in counts.elements()).most_common():
        each = [counts[half, name] for half in HALVES]
        print(f"| {name} | " + " | ".join(map(str, [*each, sum(each)])) + " |")
    total = [sum(count for (of, _), count in counts.items() if of == half) for half in HALVES]
    print("| all | " + " | ".join(map(str, [*total, sum(total)])) + " |")
    print(
        "\n| library, mode | cases | entirely | statements | gone | share | CPU seconds a case |\n" + "|---" * 7 + "|"
    )
    for group in dict.fromkeys(map(_group, sorted(ran, key=_group))):
        print(_row(group, [case for case in ran if _group(case) == group]))
    print(_row("all", ran))
    cured = sum(not case["after"] for case in ran)
    print(f"\n{cured} of {len(ran)} cases entirely; {len(cases) - len(ran)} of {len(cases)} did not run:")
    for case in cases:
        if "not_run" in case:
            print(f"- {case['case']}: {case['not_run'][:160]}")


if __name__ == "__main__":
    main()
