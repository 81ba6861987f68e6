"""What is asked of the code: to compile (the default), to be exported, or to be packaged by AOTInductor.

Strict export goes through TorchDynamo and makes one graph or none: every break stops it. By default export runs the
Python code itself over fake tensors: side effects and calls of all kinds pass, and what needs the data of a tensor
fails. Which rule's finding stops which was recorded (`benchmarks/export`), and stands in `export_rules.json`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from compilelint.config import Options
from compilelint.disk.data import json_of
from compilelint.disk.read import read_bytes
from compilelint.model import Confidence, Effect, Finding, Notice, Severity
from compilelint.torchfacts import Capture

_WAYS = {"export": "non-strict", "export-strict": "strict", "aoti": "non-strict"}
_KEPT = frozenset({Effect.WRONG_RESULT, Effect.ERROR, Effect.TOOL})
_AROUND_COMPILING = "CL8"  # rules about calls of `torch.compile` and their results
_GUESSED = " (unreached)"
_CATCH_ALL = frozenset({"CL690"})  # whatever has no rule of its own: one page of it says nothing of the others
# Of the programs of `benchmarks/export` that were held out, on torch 2.13.
_KNOWN = {
    "non-strict": "of 12 recorded programs that are refused, 3 were found",
    "strict": "of 24 recorded programs that are refused, 15 were found",
}
_DRAWN = " a random number"  # of Python's `random`, which is a number while Python runs


def as_asked(options: Options) -> Options:
    """The options with Dynamo set as export sets it, where an export is asked for."""
    if options.purpose not in _WAYS:
        return options
    asked = replace(options.dynamo, export=True, fullgraph=True, mode=None, captures=frozenset(Capture))
    return replace(options, dynamo=asked)


def viewed(findings: Iterable[Finding], purpose: str) -> list[Finding]:
    """The findings that hold for a purpose, those that stop it worded so; what only slows compiled code is left out."""
    way = _WAYS.get(purpose)
    if way is None:
        return list(findings)
    return [found for one in findings if (found := _viewed(one, way)) is not None]


def _viewed(finding: Finding, way: str) -> Finding | None:
    code = finding.rule.code
    if code.startswith(_AROUND_COMPILING):
        return None
    if Effect.GRAPH_BREAK not in finding.effects:
        return finding if finding.effect in _KEPT else None
    if not stops(code, way) or (way == "non-strict" and _DRAWN in finding.message):
        return None
    why = "Strict export makes one graph or none, so it stops the export."
    if way == "non-strict":
        why = f"It stops the export, which runs this code over tensors without data. {table()[code]['why']}".strip()
    guessed = all(name.endswith(_GUESSED) for name in finding.roots) and bool(finding.roots)
    is_error = finding.confidence >= Confidence.LIKELY and not guessed
    return replace(
        finding,
        effects=tuple(dict.fromkeys((Effect.ERROR, *finding.effects))),
        message=f"{finding.message}, which stops the export",
        why=why,
        configured=finding.configured or (Severity.ERROR if is_error else None),
    )


def stops(code: str, way: str) -> bool:
    """Whether findings of a rule stop an export: as recorded; strict export is stopped by all that was not recorded."""
    row = None if code in _CATCH_ALL else table().get(code)
    if row is None:
        return way == "strict"
    refused, recorded = row[way]
    return bool(2 * refused > recorded)


def left_out(findings: Sequence[Finding], purpose: str) -> Iterable[Notice]:
    """What is not judged: the part of what stops an export that is not known, and rules without a recorded export."""
    way = _WAYS.get(purpose)
    if way is None:
        return
    yield Notice("export", f"only a part of what stops an export is known ({_KNOWN[way]}); export it to be sure")
    if way != "non-strict":
        return
    breaks = [one for one in findings if Effect.GRAPH_BREAK in one.effects and one.confidence >= Confidence.LIKELY]
    codes = sorted({one.rule.code for one in breaks} - table().keys())
    if codes:
        left = ", ".join(codes)
        text = f"rules whose effect on export was never recorded are left out: {left}; --for export-strict shows them"
        yield Notice("configuration", text)


@cache
def table() -> dict[str, Any]:
    """By rule and way, how many recorded programs were refused of how many; why, where export says it."""
    found: dict[str, Any] = json_of(read_bytes(str(Path(__file__).with_name("export_rules.json"))))
    return found
