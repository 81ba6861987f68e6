"""Every graph-break id of torch against what is known of it here: benchmarks/registry.md.

python -m benchmarks.registry            # check the page; 1 if it is out of date
python -m benchmarks.registry --update   # and write it

Everything in it follows from the shipped data: the registry of each torch version, whether its source still raises the
id, and the measured programs that end with it. An id counts as predicted where at least one measured form of a call or
construct ends with it, since the interpreter answers from those forms. It loads no torch.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from compilelint.checks import rulebook
from compilelint.torchfacts import load
from compilelint.torchfacts.registry import GraphBreakEntry, entries

PAGE = Path(__file__).with_name("registry.md")
VERSIONS = ("2.13.0", "2.15.0")
_SHOWN = 3  # of the forms that end with an id


@dataclass(frozen=True, slots=True)
class Row:
    """One id: its newest entry, the versions that still raise it, the measured forms that end with it, its rules."""

    entry: GraphBreakEntry
    raised: tuple[str, ...]
    forms: tuple[str, ...]
    rules: tuple[str, ...]


def rows() -> Iterator[Row]:
    """A row for each id that one of the versions has registered, in the order of ids."""
    registered = {version: entries(version) for version in VERSIONS}
    forms = _forms()
    book = rulebook().rules
    for gb_id in sorted({one for found in registered.values() for one in found}):
        known = [registered[version][gb_id] for version in VERSIONS if gb_id in registered[version]]
        raised = tuple(v for v in VERSIONS if gb_id in registered[v] and registered[v][gb_id].live)
        rules = tuple(rule.code for rule in book if known[-1].reason.value in rule.breaks)
        yield Row(known[-1], raised, tuple(sorted(forms.get(gb_id, ()))), rules)


def _forms() -> dict[str, set[str]]:
    """By id: the keys of the fact tables whose measured verdict has it."""
    found: dict[str, set[str]] = {}
    for version in VERSIONS:
        facts = load(version)
        for key in facts.all_keys():
            verdict = facts.verdict(key)
            if verdict is not None and verdict.gb_id and not facts.is_assumed(key):
                found.setdefault(verdict.gb_id, set()).add(key)
    return found


def page() -> str:
    """The whole page."""
    table = list(rows())
    live = [row for row in table if row.raised]
    predicted = [row for row in live if row.forms]
    lines = [
        "# The registry of graph breaks",
        "",
        "Made by `python -m benchmarks.registry --update` from the shipped data; `benchmarks/registry.py` says what",
        "each column means. Which of the ids without a measured form user code can reach is not settled yet.",
        "",
        f"Of {len(table)} ids that torch {' or '.join(VERSIONS)} registers, the source of one of them still raises",
        f"{len(live)}; {len(predicted)} of those have at least one measured form that ends with them.",
        "",
        "| id | torch's type | raised in | reason here | rule | measured forms |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *map(_line, table)]) + "\n"


def _line(row: Row) -> str:
    shown = ", ".join(f"`{_escaped(key)}`" for key in row.forms[:_SHOWN])
    more = len(row.forms) - _SHOWN
    forms = f"{shown} and {more} more" if more > 0 else shown or "none"
    raised = ", ".join(version.rpartition(".")[0] for version in row.raised) or "no more"
    cells = (row.entry.gb_id, _escaped(row.entry.type), raised, row.entry.reason.value, ", ".join(row.rules), forms)
    return f"| {' | '.join(cells)} |"


def _escaped(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> int:
    """Answers the exit code: 0 the page is that of the data, 1 it is out of date."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.registry", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--update", action="store_true", help="write the page")
    text = page()
    if parser.parse_args().update:
        PAGE.write_text(text, encoding="utf-8")
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != text:
        print(f"{PAGE.name} is out of date: run `python -m benchmarks.registry --update`", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
