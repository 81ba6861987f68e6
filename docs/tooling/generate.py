"""The parts of the site that follow from the code: tables in pages that people write, and whole pages.

    python -m docs.tooling.generate            # write the tables in docs/ and the JSON Schema; 0
    python -m docs.tooling.generate --check    # 1 if any of them is out of date

Tables stand between `<!-- NAME:begin -->` and `<!-- NAME:end -->`. Whole pages (a page a rule, the index of rules, the
break ids) are handed to MkDocs by `hooks.py` and are not files of the repository.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import html
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import click

from compilelint import cli, config
from compilelint.checks import rulebook
from compilelint.config.schema import schema_text
from compilelint.keys import DYNAMO_KEYS, KEYS, TARGET_KEYS, Key
from compilelint.model import Rule
from compilelint.rulebook import pages
from compilelint.torchfacts import GraphBreakEntry, available, registry
from docs.tooling import rewrites

DOCS = Path(__file__).resolve().parents[1]
SCHEMA = Path(config.__file__).parent / "schema.json"
COMMAND = "python -m docs.tooling.generate"
_NOT_SHOWN = frozenset({"Run with"})  # feeds the tests of a page


def rules_table(link: Callable[[Rule], str] = lambda rule: f"{rule.code}.md") -> str:
    """One line a rule: code with its page, name, what it says, worst effect, whether it can be fixed."""
    rows = ["| code | name | finds that | effect | fix |", "|---|---|---|---|---|"]
    for rule in rulebook().rules:
        fix = rule.fix.value if rule.fix else ""
        rows.append(f"| [{rule.code}]({link(rule)}) | `{rule.name}` | {rule.summary} | {rule.effect.value} | {fix} |")
    return "\n".join(rows) + "\n"


def keys_table(keys: Sequence[Key] = KEYS) -> str:
    """One line a key of `[tool.compilelint]`."""
    rows = ["| key | what it says | without it | example |", "|---|---|---|---|"]
    for key in keys:
        rows.append(f"| `{key.name}` | {key.meaning} | {_cell(key.default)} | `{_cell(key.example)}` |")
    return "\n".join(rows) + "\n"


def options_table() -> str:
    """One line an option of `compilelint check`, under the headings of its help."""
    under: dict[str, list[str]] = {}
    for option in cli.app.commands["check"].params:
        record = option.get_help_record(click.Context(cli.app.commands["check"]))
        if isinstance(option, click.Option) and record is not None:
            row = f"| `{_cell(record[0])}` | {_cell(record[1])} |"
            under.setdefault(getattr(option, "heading", ""), []).append(row)
    rows = ["| option | what it does |", "|---|---|"]
    for heading, some in under.items():
        rows += [f"| **{heading}** | |", *some]
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "configuration.md": {
        "keys": keys_table,
        "dynamo": lambda: keys_table(DYNAMO_KEYS),
        "targets": lambda: keys_table(TARGET_KEYS),
        "options": options_table,
    }
}


def with_parts(text: str, parts: dict[str, Callable[[], str]]) -> str:
    """A page's text with each part between its marks."""
    for name, make in parts.items():
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        before, rest = text.split(begin, 1)
        text = before + begin + make() + end + rest.split(end, 1)[1]
    return text


# ------------------------------------------------------------------ whole pages


def generated_pages() -> Iterator[tuple[str, str]]:
    """Path below docs/ and text of every page that is not a file."""
    yield (
        "rules/index.md",
        f"# Rules\n\nCodes never change their meaning. `compilelint rule CODE` prints a page.\n\n{rules_table()}",
    )
    texts = pages()
    for rule in rulebook().rules:
        yield f"rules/{rule.code}.md", _rule_page(rule, texts[rule.code].sections)
    yield "break-ids.md", _break_ids()
    yield "contributing/index.md", _contributing()


def _rule_page(rule: Rule, sections: Mapping[str, str]) -> str:
    fix = f"{rule.fix.value} fix" if rule.fix else "no fix"
    facts = [rule.effect.value, fix, f"since {rule.since}"]
    ids = [one for one in _broken().values() if one.entry.reason.value in rule.breaks]
    lines = [f"# {rule.code} {rule.name}", "", f"*{rule.summary[:1].upper()}{rule.summary[1:]}.*", ""]
    lines += [" · ".join(facts), ""]
    for heading, text in sections.items():
        if heading not in _NOT_SHOWN:
            lines += [f"## {heading}", "", text.strip(), ""]
        if heading == "Fix":
            lines += rewrites.section(rule.code)
    if ids:
        lines += ["## Break ids", "", "| id | torch calls it | torch |", "|---|---|---|"]
        for one in ids:
            link = f"[{one.entry.gb_id}](../break-ids.md#{one.entry.gb_id.lower()})"
            lines.append(f"| {link} | {_cell(_plain(one.entry.type))} | {one.spoken} |")
        lines.append("")
    lines += ["## Suppress it", "", "```python", f"...  # compilelint: ignore[{rule.code}] reason", "```", ""]
    return "\n".join(lines)


def _contributing() -> str:
    """CONTRIBUTING.md with its links as they are on the site."""
    text = (DOCS.parent / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return re.sub(r"\]\((?!docs/|https?:|#)", "](../../", text).replace("](docs/", "](../")


def _break_ids() -> str:
    by_reason: dict[str, list[Rule]] = {}
    for rule in rulebook().rules:
        for reason in rule.breaks:
            by_reason.setdefault(reason, []).append(rule)
    lines = [
        "# Your break id",
        "",
        f"Every graph break that torch {available()[-1]} or an older version reports, with its text: search this page,",
        "or the site, for the id (`GB0170`) or for words of the error message. `compilelint rule GB0170` prints it.",
        "",
    ]
    for one in _broken().values():
        entry = one.entry
        rules = ", ".join(
            f"[{rule.code} {rule.name}](rules/{rule.code}.md)" for rule in by_reason.get(entry.reason.value, ())
        )
        lines += [f"## {entry.gb_id} {_plain(entry.type)} {{ #{entry.gb_id.lower()} }}", ""]
        if " " in entry.explanation:  # a lone name is a constant of torch's source
            lines += [_plain(entry.explanation), ""]
        lines += [f"* {_plain(hint)}" for hint in entry.hints] + ([""] if entry.hints else [])
        found = (
            f"Rules that report it: {rules}." if rules else "No rule reports it; `compilelint verify` sees it in a run."
        )
        lines += [f"torch {one.spoken}. {found}", ""]
    return "\n".join(lines)


@dataclasses.dataclass(frozen=True)
class Broken:
    """A break id as the newest version that raises it has it, and the versions that raise it, oldest first."""

    entry: GraphBreakEntry
    versions: tuple[str, ...]

    @property
    def spoken(self) -> str:
        """`2.9 to 2.13`, or the one version."""
        short = [".".join(one.split(".")[:2]) for one in self.versions]
        return short[0] if len(short) == 1 else f"{short[0]} to {short[-1]}"


@functools.cache
def _broken() -> Mapping[str, Broken]:
    """Every id that some version raises, by id, in order."""
    found: dict[str, Broken] = {}
    for version in available():
        for gb_id, entry in registry.entries(version).items():
            if entry.live:
                earlier = found[gb_id].versions if gb_id in found else ()
                found[gb_id] = Broken(entry, (*earlier, version))
    return dict(sorted(found.items()))


def _plain(text: str) -> str:
    """Text of torch as text of a page: nothing of it is markup but code between backticks that come in pairs."""
    parts = " ".join(text.split()).split("`")
    if len(parts) % 2 and "|" not in text and all(parts[1::2]):
        return "".join(f"`{part}`" if number % 2 else _escaped(part) for number, part in enumerate(parts))
    return _escaped(text)


def _escaped(text: str) -> str:
    escaped = html.escape(" ".join(text.split()), quote=False)
    return "".join(f"\\{sign}" if sign in "\\`*_[]{}#|" else sign for sign in escaped)


def main(arguments: list[str]) -> int:
    """0 if the tables are, or now are, up to date."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="The generated parts of the site.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if a table is out of date")
    check = parser.parse_args(arguments).check
    stale = []
    if SCHEMA.read_text(encoding="utf-8") != schema_text(rulebook().rules):
        stale.append(SCHEMA.name)
        if not check:
            SCHEMA.write_text(schema_text(rulebook().rules), encoding="utf-8")
    for name, parts in TABLES.items():
        page = DOCS / name
        text = page.read_text(encoding="utf-8")
        wanted = with_parts(text, parts)
        if wanted != text:
            stale.append(name)
            if not check:
                page.write_text(wanted, encoding="utf-8")
    if check and stale:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run `{COMMAND}`\n")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
