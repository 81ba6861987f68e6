"""Whole reports beside the small sample: of runs, of measurements, of everything, of nothing, in every format.

`python -m tests.report.golden_layouts` rewrites `golden/reports.txt`; `test_golden_layouts.py` compares. What a browser
is given once, the styles and scripts of the page, stands in the golden of the sample alone.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from compilelint import __version__
from compilelint.dynamic.merge import Side
from compilelint.model import (
    Confidence,
    Divergence,
    Edit,
    Effect,
    ExportTry,
    Fate,
    Finding,
    Fix,
    Location,
    ObservedBreak,
    Outcome,
    Parity,
    Recompile,
    Related,
    Remnant,
    Safety,
    Severity,
    SkippedFrame,
    Span,
    Step,
    TargetRun,
    Verdict,
)
from compilelint.report.formats import FORMATS, render
from compilelint.report.layout import benches, failures, target_table
from compilelint.report.layout.benches_console import bench_full
from compilelint.report.layout.benches_json import bench_json
from compilelint.report.layout.root_tree import root_data, root_tree
from compilelint.report.layout.statistics import statistics
from compilelint.report.report import Report
from tests.bench.samples import bench_of, failed, measured
from tests.report.samples import BRANCH, READ, empty, sample

GOLDEN = Path(__file__).parent / "golden" / "reports.txt"
COMMAND = "python -m tests.report.golden_layouts"
PATH = "/project/model.py"

BREAK = ObservedBreak(
    PATH, 3, 3, 4, "Net.forward", "if y:", "GB0170", "data-dependent-branch", "Data-dependent branching", "no value",
    (Step(PATH, 9, "<module>"), Step(PATH, 3, "Net.forward")), Step(PATH, 2, "Net.forward"), 0, 2,
)  # fmt: skip
AFTER = replace(BREAK, line=5, first_line=5, end_line=5, statement="return x.item()", after="GB0170", times=1)
SKIPS = replace(BREAK, line=5, first_line=5, end_line=5, statement="print(x)", skips_frame=True, break_id="")
AGAIN = Recompile(PATH, 2, "Net.forward", 1, ("L['x'].size()[0] == 2", "L['self'].n == 1"), "inputs")
STRICT = ExportTry("strict", False, "a\nb", 0)

RUNS = (
    TargetRun(
        "m:Net", Fate.RAN, torch="2.13.0", place=Step(PATH, 1, "Net"), inputs=("Tensor[2, 3]", "flag=True"),
        inputs_from="the first layer", calls=2, graphs=3, ops=(4, 2, 1), compile_seconds=1.25, seconds=2.5,
        breaks=(BREAK, AFTER, SKIPS), skipped=(SkippedFrame(PATH, 7, "helper", "a generator"),), recompiles=(AGAIN,),
        parity=Parity(2, 3), witnesses=("explain: 2, backend: 3",), max_breaks=1, output="printed\n\x1b[31mred",
    ),
    TargetRun("m:Other", Fate.RAN, graphs=1, inputs=("Tensor[2]",), inputs_from="as asked for", max_recompiles=0,
              recompiles=(AGAIN,), parity=Parity(1, 2, (Divergence("state", "self.n", 1, "1 is 2"),))),
    TargetRun("m:Odd", Fate.RAN, graphs=1, mode="train", parity=Parity(1, 0, (), "it draws numbers")),
    *(TargetRun(f"m:{one.name}", one, f"{one.value}: first line\nsecond line") for one in Fate if one is not Fate.RAN),
    TargetRun("m:Exported", Fate.RAN, inputs=("Tensor[2]",), inputs_from="as asked for",
              exports=(STRICT, ExportTry("non-strict", True, "", 7), ExportTry("draft", True, "", 9)),
              remnants=(Remnant(PATH, 4, "`torch.jit.trace`"), Remnant("", 0, "`head` is scripted"))),
)  # fmt: skip
FAST = bench_of(
    measured("eager", 2e-3), measured("default", 1e-3), measured("default+dynamic", 1.9e-3),
    measured("default", 0.9e-3, change="CL102 at net.py:3, kept"), failed("default+regional", "no block is repeated"),
)  # fmt: skip
SLOW = replace(
    bench_of(measured("eager", 1e-3), measured("default", 1.5e-3), measured("default+amp", 4e-3)), target="m:Slow"
)


def verified(folder: Path) -> Report:
    """What runs said of findings, one of each verdict."""
    report = sample(folder)
    outcomes = [Verdict(outcome, f"said by a run: {outcome.value}", ("m:Net",), ("GB0170",)) for outcome in Outcome]
    findings = [replace(report.findings[number % 2], verdict=one) for number, one in enumerate(outcomes)]
    return replace(report, findings=(*report.findings, *findings), targets=RUNS)


def everything(folder: Path) -> Report:
    """A finding of each effect and confidence, in a notebook and in files, with and without what may be beside it."""
    report = sample(folder)
    first, second = report.findings
    found: list[Finding] = []
    for number, effect in enumerate(Effect):
        for confidence in Confidence:
            place = Location(first.location.path, Span(number + 1, 2, number + 1, 4))
            if number % 3 == 2:
                place = replace(place, path=f"{folder.as_posix()}/notes.ipynb", cell=number)
            found.append(
                replace(
                    first if number % 2 else second,
                    effects=tuple(dict.fromkeys((effect, Effect.SYNC))),
                    confidence=confidence,
                    location=place,
                    function="" if number % 4 else "Net.forward",
                    torch_versions=("2.9.1", "2.13.0") if number % 3 else (),
                    configured=Severity.NOTE if number == 4 else None,
                    skips_frame=number == 2,
                    fix=Fix(Safety.SAFE, "remove it", (Edit(Span(3, 1, 3, 10), ""),)) if number == 3 else None,
                    related=tuple(Related(place, f"place {one}") for one in range(number)),
                )
            )
    many = replace(
        report, findings=tuple(found), torch_versions=("2.9.1", "2.13.0"), baselined=3, unchanged=4, hidden=1
    )
    return replace(many, asked_roots=("explicit", "a b"), min_confidence=Confidence.POSSIBLE, rules=(BRANCH, READ))


REPORTS: dict[str, Callable[[Path], Report]] = {
    "verified": verified,
    "measured": lambda folder: replace(empty(), benches=(FAST, SLOW)),
    "everything": everything,
    "nothing": lambda folder: empty(),
    "nothing looked at": lambda folder: replace(empty(), files_checked=0, roots=()),
}


def written() -> str:
    """All of them, one after the other."""
    parts: list[str] = []
    for name, made in REPORTS.items():
        for form in FORMATS:
            with tempfile.TemporaryDirectory() as temporary:
                folder = Path(temporary).resolve()
                parts += [f"# {name}, {form}", *_lines(made(folder), form, folder), ""]
    return "\n".join([*parts, *_tables()]) + "\n"


def _lines(report: Report, form: str, folder: Path) -> Iterator[str]:
    here = os.getcwd()
    os.chdir(folder)
    try:
        text = render(report, form)
    finally:
        os.chdir(here)
    text = text.replace(folder.as_posix(), "/project").replace(__version__, "VERSION")
    if form == "html":
        text = re.sub(r"(?s)<(style|script)\b.*?</\1>", "", text)
    if form in ("sarif", "json", "gitlab"):
        text = "\n".join(_json(json.loads(text)))
    yield from (line.rstrip() for line in text.splitlines() if line.strip())


def _json(document: Any, depth: int = 2) -> Iterator[str]:
    """A line an entry, down to the findings of a SARIF run."""
    pairs = document.items() if isinstance(document, dict) else [("-", one) for one in document]
    for key, value in pairs:
        if depth and isinstance(value, (dict, list)) and len(str(value)) > 100:
            yield f"{key}:"
            yield from (f"  {line}" for line in _json(value, depth - 1))
        else:
            yield f"{key}: {json.dumps(value, ensure_ascii=False)}"


def _tables() -> Iterator[str]:
    """What `verify` and `bench` print around their report."""
    sides = [Side(run, number, number // 2, number % 2) for number, run in enumerate(RUNS)]
    yield from ("# of the terminal", target_table.readiness(sides, color=False, width=None))
    yield from target_table.remarks(sides, verbose=True)
    yield target_table.exports(RUNS)
    yield from failures.of_runs(RUNS)
    yield from failures.of_benches([FAST, SLOW])
    both = (FAST, SLOW)
    yield from (benches.bench_markdown(both), bench_json(both), bench_full(both, color=False, width=100))
    with tempfile.TemporaryDirectory() as folder:
        whole = everything(Path(folder).resolve())
        texts = [statistics(whole), root_tree(whole, False, 100), root_data(whole)]
        yield from (text.replace(Path(folder).resolve().as_posix(), "/project") for text in texts)


if __name__ == "__main__":
    GOLDEN.write_text(written(), encoding="utf-8")
