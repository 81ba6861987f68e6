"""The parts of README.md that the code knows better: tables of rules, configuration and options, and a real finding.

python -m benchmarks.readme                    # check the tables; 1 if README.md is out of date
python -m benchmarks.readme --update           # and write them
python -m benchmarks.readme --model            # check the finding too; fetches the sources of transformers once
python -m benchmarks.readme --model --update
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click

from benchmarks.reproduce import PINS
from compilelint import cli
from compilelint.checks import rulebook
from compilelint.config import KEYS, Options
from compilelint.report.formats.full import render as full
from compilelint.session.commands.lint import lint

README = Path(__file__).parent.parent / "README.md"
SITE = README.parent / "build" / "readme"
MODEL = "transformers/models/switch_transformers/modeling_switch_transformers.py"
_COLUMNS = 100


def rules_table() -> str:
    """One line a rule: code with its page, name, what it says, worst effect."""
    rows = ["| code | name | finds that | effect |", "|---|---|---|---|"]
    for rule in rulebook().rules:
        page = f"rules/{rule.code}-{rule.name}.md"
        rows.append(f"| [{rule.code}]({page}) | `{rule.name}` | {rule.summary} | {rule.effect.value} |")
    return "\n".join(rows) + "\n"


def keys_table() -> str:
    """One line a key of `[tool.compilelint]`."""
    rows = ["| key | what it says | without it | example |", "|---|---|---|---|"]
    for key in KEYS:
        rows.append(f"| `{key.name}` | {key.meaning} | {_cell(key.default)} | `{_cell(key.example)}` |")
    return "\n".join(rows) + "\n"


def options_table() -> str:
    """One line an option of `compilelint check`, under the headings of its help."""
    rows = ["| option | what it does |", "|---|---|"]
    heading = ""
    for option in cli.app.commands["check"].params:
        record = option.get_help_record(click.Context(cli.app.commands["check"]))
        if not isinstance(option, click.Option) or record is None:
            continue
        under = getattr(option, "heading", "")
        if under != heading:
            heading = under
            rows.append(f"| **{heading}** | |")
        rows.append(f"| `{_cell(record[0])}` | {_cell(record[1])} |")
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def model_finding() -> str:
    """What is printed for a model of transformers, whose pinned sources are fetched where they are missing."""
    version = PINS["transformers"]
    if not (SITE / f"transformers-{version}.dist-info").is_dir():
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(SITE)]
        subprocess.run([*pip, f"transformers=={version}"], check=True)
    with _folder(SITE):
        options = Options((MODEL,), select=("dynamic-shape",), torch_version="2.13", project=SITE.as_posix())
        text = full(lint(options), color=False, width=_COLUMNS, summary=True)
    lines = "\n".join(line.rstrip() for line in text.splitlines())
    return f"```\n$ compilelint {MODEL} --select dynamic-shape --torch-version 2.13\n{lines}\n```\n"


@contextlib.contextmanager
def _folder(path: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(before)


TABLES: dict[str, Callable[[], str]] = {"rules": rules_table, "keys": keys_table, "options": options_table}


def with_parts(text: str, parts: dict[str, Callable[[], str]]) -> str:
    """The README's text with each part between its marks."""
    for name, make in parts.items():
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        before, rest = text.split(begin, 1)
        text = before + begin + make() + end + rest.split(end, 1)[1]
    return text


def main(arguments: list[str]) -> int:
    """0 if the README is, or now is, up to date."""
    parser = argparse.ArgumentParser(prog="benchmarks.readme")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--model", action="store_true")
    given = parser.parse_args(arguments)
    text = README.read_text(encoding="utf-8")
    wanted = with_parts(text, {**TABLES, "model": model_finding} if given.model else TABLES)
    if given.update:
        README.write_text(wanted, encoding="utf-8")
        return 0
    if text == wanted:
        return 0
    again = " --model" if given.model else ""
    print(f"README.md is out of date; run `python -m benchmarks.readme{again} --update`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
