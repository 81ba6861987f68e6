"""The rule table of the README, made from the rules themselves.

`python -m benchmarks.readme --update` writes it; without the option it says whether the README is up to date, and
exits 1 if it is not.
"""

from __future__ import annotations

import sys
from pathlib import Path

from compilelint.checks import rulebook

README = Path(__file__).resolve().parent.parent / "README.md"
_BEGIN, _END = "<!-- rules:begin -->\n", "<!-- rules:end -->"


def table() -> str:
    """One line a rule: code with its page, name, what it says, worst effect."""
    rows = ["| code | name | finds that | effect |", "|---|---|---|---|"]
    for rule in rulebook().rules:
        page = f"rules/{rule.code}-{rule.name}.md"
        rows.append(f"| [{rule.code}]({page}) | `{rule.name}` | {rule.summary} | {rule.effect.value} |")
    return "\n".join(rows) + "\n"


def with_table(text: str) -> str:
    """The README's text with the table between its marks."""
    before, rest = text.split(_BEGIN, 1)
    return before + _BEGIN + table() + _END + rest.split(_END, 1)[1]


def main(arguments: list[str]) -> int:
    """0 if the README is, or now is, up to date."""
    text = README.read_text(encoding="utf-8")
    wanted = with_table(text)
    if arguments == ["--update"]:
        README.write_text(wanted, encoding="utf-8")
        return 0
    if text == wanted:
        return 0
    print("README.md: the rule table is out of date; run `python -m benchmarks.readme --update`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
