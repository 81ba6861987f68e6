"""Apply the safe fixes (`--unsafe`: all) to whole packages, in memory: what changes, what is new, whether it parses.

python safe.py FOLDER... [--unsafe] [--torch-version 2.13]
"""

from __future__ import annotations

import argparse
import ast
from collections import Counter

from compilelint.config import Options
from compilelint.model import Finding
from compilelint.session.commands.fix import fix
from compilelint.session.commands.lint import lint


def main() -> None:
    """A line of the table for each folder."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("folders", nargs="+")
    asked.add_argument("--torch-version", default="2.13")
    asked.add_argument("--unsafe", action="store_true")
    given = asked.parse_args()
    print("| package | files | findings before | files changed | fixes | findings after | new | unparsable |")
    print("|---|---|---|---|---|---|---|---|")
    for folder in given.folders:
        options = Options(paths=(folder,), torch_version=given.torch_version)
        fixed = fix(options, unsafe=given.unsafe)
        before = lint(options) if fixed.texts else fixed.report  # nothing changed: what it reported is what there was
        unparsable = sum(not _parses(text) for _, text in fixed.texts.values())
        new = Counter(map(_kind, fixed.report.findings)) - Counter(map(_kind, before.findings))
        row = (
            folder.rstrip("/").rpartition("/")[2],
            before.files_checked,
            len(before.findings),
            len(fixed.texts),
            sum(fixed.applied.values()),
            len(fixed.report.findings),
            new.total(),
            unparsable,
        )
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
        for code, path, text in sorted(new):
            print(f"  new: {code} {path.removeprefix(folder)}: `{text}`", flush=True)


def _kind(finding: Finding) -> tuple[str, str, str]:
    return finding.rule.code, finding.location.path, finding.line_text.strip()


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


if __name__ == "__main__":
    main()
