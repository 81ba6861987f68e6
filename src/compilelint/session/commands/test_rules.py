"""The cases of packs' rules, tried: what `VALID` and `INVALID` promise, and that fixes cure what was found.

An invalid case carries `# TEAM001` on each line that is to be found, as a page's Bad code does; a valid one has no
finding of the rule. Cases are linted as any file is. Under TorchDynamo a case is run too where it says how: a function
`f` (or a module class `M`) and a function `inputs` that gives the arguments.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import NamedTuple

from compilelint import checks
from compilelint.config import Options
from compilelint.dynamic.protocol import Settings
from compilelint.dynamic.runner import observe
from compilelint.dynamic.targets import InputSet, Target
from compilelint.dynamic.worker_process import Work
from compilelint.fixes.engine.edits import rewritten
from compilelint.model import Confidence, Effect, Finding, TargetRun
from compilelint.model.observation import Fate
from compilelint.rulebook import FAILED_CHECK, LibRule
from compilelint.session.commands.lint import lint
from compilelint.syntax.parse import parse
from compilelint.syntax.source import Source, read_source
from compilelint.syntax.unreadable import Unreadable


class Tried(NamedTuple):
    """One case: its rule, `VALID` or `INVALID`, its number from 1, and what is wrong with it, in words.

    `ran` says that TorchDynamo has run it.
    """

    code: str
    kind: str
    number: int
    faults: tuple[str, ...] = ()
    ran: bool = False

    def __str__(self) -> str:
        return f"{self.code} {self.kind} {self.number}: {'; '.join(self.faults) or 'as it says'}"


def tried(
    packs: Sequence[str], words: Sequence[str] = (), dynamo: bool = False, torch_version: str | None = None
) -> list[Tried]:
    """Every case of the rules of packs (installed ones, and the files and folders named); `words` are codes."""
    book = checks.rulebook(packs)
    foreign = [one for one in book.lib if one.rule.pack]
    rules = [one for one in foreign if not words or one.rule.code in words or one.rule.name in words]
    options = Options((), packs=tuple(packs), torch_version=torch_version, min_confidence=Confidence.POSSIBLE)
    with tempfile.TemporaryDirectory() as folder:
        linted = [one for rule in rules for one in _of_rule(rule, options, folder)]
        runs = _runs([path for _, _, path in linted if path]) if dynamo else {}
        return [
            case._replace(faults=(*case.faults, *_run_faults(rule, path, runs[path])), ran=True)
            if path in runs
            else case
            for case, rule, path in linted
        ]


def _of_rule(rule: LibRule, options: Options, folder: str) -> Iterator[tuple[Tried, LibRule, str]]:
    """Every case as a lint finds it, with the path of one that TorchDynamo can run."""
    code = rule.rule.code
    kind = rule.make
    cases = {name: tuple(getattr(kind, name, ())) for name in ("VALID", "INVALID")}
    for name, texts in cases.items():
        if not texts:
            none = f"there is no case: a rule without {name} cases is not tried"
            yield Tried(code, name, 0, (none,)), rule, ""
        for number, text in enumerate(texts, 1):
            path = os.path.join(folder, f"{code}_{name.lower()}_{number}.py")
            Path(path).write_text(dedent(text).strip("\n") + "\n", encoding="utf-8")
            faults = _faults(rule, replace(options, paths=(path,), select=(code,)), name == "INVALID")
            yield Tried(code, name, number, tuple(faults)), rule, path if _says_how(text) else ""


def _faults(rule: LibRule, options: Options, invalid: bool) -> Iterator[str]:
    """What a lint of the case says against it."""
    code = rule.rule.code
    (path,) = options.paths
    report = lint(options)
    for one in report.findings:
        if one.rule.code == FAILED_CHECK.code:
            yield one.message
    found = [one for one in report.findings if one.rule.code == code]
    wanted = _marked(path, code)
    if invalid and not wanted:
        yield f"no line is marked `# {code}`"
    if not invalid and wanted:
        yield f"a line is marked `# {code}`, though the case is valid"
    lines = {one.location.span.line for one in found}
    yield from (f"line {line} is marked and not found" for line in sorted(wanted - lines))
    yield from (f"line {line} is found and not marked" for line in sorted(lines - wanted))
    fixed = [one for one in found if one.fix is not None]
    if fixed:
        yield from _fix_faults(fixed, options)


def _fix_faults(found: Sequence[Finding], options: Options) -> Iterator[str]:
    """What is wrong with the fixes: they leave Python behind, and not what was found."""
    path = options.paths[0]
    source = read_source(path)
    assert isinstance(source, Source)
    result = rewritten(source, [one.fix for one in found if one.fix is not None])
    if isinstance(parse(result.text, path), Unreadable):
        yield "the fix leaves no valid Python"
        return
    after = lint(replace(options, stdin=result.text.encode("utf-8")))
    left = [one for one in after.findings if one.rule.code == found[0].rule.code]
    if len(left) > len(found) - len(result.applied):
        yield f"the fix does not cure line {left[0].location.span.line}"


def _marked(path: str, code: str) -> set[int]:
    return {number for number, line in enumerate(_text(path).splitlines(), 1) if f"# {code}" in line}


def _text(path: str) -> str:
    source = read_source(path)
    assert isinstance(source, Source)
    return source.text


def _says_how(text: str) -> bool:
    return "def inputs(" in text and ("def f(" in text or "class M(" in text)


def _runs(paths: Sequence[str]) -> dict[str, TargetRun]:
    """What TorchDynamo does with each case: torch is loaded once, and no case meets what another did."""
    work = []
    for path in paths:
        name = "f" if "def f(" in _text(path) else "M"
        work.append(Work(Target(f"{path}:{name}", (InputSet(function=f"{path}:inputs"),)), apart=True))
    return dict(zip(paths, observe(work, Settings()), strict=True))


def _run_faults(rule: LibRule, path: str, run: TargetRun) -> Iterator[str]:
    """What TorchDynamo says against a case: graph breaks are where a rule about them has its marks, and nowhere else.

    Of a rule with another effect the case must run, and come to the same as eager Python.
    """
    if run.fate is not Fate.RAN:
        yield f"TorchDynamo did not run it: {run.fate.value} {run.detail}".strip()
        return
    if rule.rule.effect is Effect.GRAPH_BREAK:
        lines = {one.line for one in run.own_breaks if os.path.basename(one.path) == os.path.basename(path)}
        marked = _marked(path, rule.rule.code)
        yield from (f"TorchDynamo breaks at line {line}, which is not marked" for line in sorted(lines - marked))
        yield from (f"TorchDynamo does not break at line {line}" for line in sorted(marked - lines))
