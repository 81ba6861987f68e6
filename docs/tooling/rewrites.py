"""The rewrites of a rule as a part of its page: what each assumes and changes, and code before and after.

The words are those of the rewrite's own docstring (`fixes.engine.declarations`), the code that of the shortest golden
(`tests/fixes/golden`) that the rewrite is the first to change.
"""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from compilelint.fixes import code_of
from compilelint.fixes.engine.declarations import Declaration, declarations
from compilelint.fixes.engine.registry import of_rule, rewrites
from compilelint.fixes.rewrites.capture_switch import switches
from compilelint.session.commands.lint import lint
from compilelint.syntax.source import Source, read_source
from tests.fixes.goldens import FOLDER, Golden, cases_of, goldens, options

_ASKED = re.compile(r"^# roots: \w+\n")  # how a golden is linted
_BY = {False: "`--fix` where it is safe, else `--unsafe-fixes` or `compilelint fix`", True: "`compilelint fix` only"}


def section(code: str) -> list[str]:
    """The lines of the section, empty for a rule without rewrites."""
    found = declarations(of_rule(code))
    return ["## Rewrites", "", *(line for one in found for line in _rewrite(one))] if found else []


def _rewrite(one: Declaration) -> Iterator[str]:
    yield f"### {one.title.rstrip('.')} {{ #{one.name.replace('_', '-')} }}"
    yield ""
    if one.note:
        yield from (one.note, "")
    yield f"* **Assumes:** {one.assumes}"
    yield f"* **Changes:** {one.changes}"
    yield f"* **Made by:** {_BY[one.proven]}"
    yield ""
    pair = pairs().get(one.name)
    if pair is not None:
        yield from _pair(pair)


def _pair(case: Golden) -> Iterator[str]:
    """Before and after side by side, in a table of HTML: one of Markdown holds no code of several lines."""
    yield from ('<table class="pair" markdown="1">', "<thead><tr><th>Before</th><th>After</th></tr></thead>")
    yield '<tbody markdown="1"><tr markdown="1">'
    for text in (case.before, case.after or ""):
        yield from ('<td markdown="1">', "", "```python", _ASKED.sub("", text).strip(), "```", "", "</td>")
    yield from ("</tr></tbody>", "</table>", "")


@functools.cache
def pairs() -> Mapping[str, Golden]:
    """The golden to show for each rewrite, by the name of its function."""
    found: dict[str, Golden] = {}
    plain = [(case, False) for case in goldens()]
    proven = [(case, True) for path in sorted((FOLDER / "proven").glob("*.md")) for case in cases_of(path)]
    for case, needs_proof in sorted((*plain, *proven), key=lambda one: len(one[0].before)):
        if case.after is not None:
            for name in _makers(case, needs_proof):
                found.setdefault(name, case)
    return found


def _makers(case: Golden, proven: bool) -> Iterator[str]:
    """The functions that are the first to offer a change for a finding of the golden."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.py"
        path.write_text(case.before, encoding="utf-8")
        source = read_source(str(path))
        code = code_of(source) if isinstance(source, Source) else None
        for finding in lint(options(path)).findings:
            if finding.rewrite is not None and code is not None:
                makers = rewrites(finding.rewrite.name, proven=proven)
                shown = (one for one in makers if one.__module__ != switches.__module__)  # no golden shows a switch
                yield from (make.__name__ for make in shown if any(True for _ in make(finding, code)))
