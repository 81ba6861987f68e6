"""Findings and roots made by hand, for the tests of the readiness report."""

from __future__ import annotations

from dataclasses import replace

from compilelint.events import DynamoConfig
from compilelint.model import CallSite, Confidence, Effect, Finding, Location, Related, Rule, Span
from compilelint.report.report import CompileRoot, Report, TorchTarget

BREAK = Rule("CL101", "branch-on-tensor", "a branch", Effect.GRAPH_BREAK)
RECOMPILE = Rule("CL701", "varying-number", "a number", Effect.RECOMPILE)
SPLIT = Rule("CL823", "cudagraph-split", "a line on the host", Effect.CUDAGRAPH)
WAIT = Rule("CL830", "read-each-step", "a read", Effect.SYNC)
WRONG = Rule("CL512", "wrong", "a wrong result", Effect.WRONG_RESULT)


def at(line: int, path: str = "/p/model.py") -> Location:
    """A place in a file."""
    return Location(path, Span(line, 5, line, 9))


def finding(rule: Rule, line: int, root: str = "Net.forward", path: str = "/p/model.py", **more: object) -> Finding:
    """A certain finding in a root."""
    made = Finding(rule, f"line {line} does it", rule.effects, Confidence.CERTAIN, at(line, path), root, roots=(root,))
    return replace(made, **more)  # type: ignore[arg-type]


def called(line: int, path: str = "/p/train.py") -> tuple[CallSite, ...]:
    """A way to a finding that begins at a line of another file."""
    return (CallSite(at(line, path), "main"),)


def beside(line: int, path: str = "/p/model.py") -> tuple[Related, ...]:
    """The compile call that a finding is about."""
    return (Related(at(line, path), "compiled here"),)


def root(name: str = "Net.forward", line: int = 1, compiled_at: int | None = None, **more: object) -> CompileRoot:
    """A forward, or a function that a call of the same file compiles."""
    kind = "forward" if compiled_at is None else "explicit"
    place = None if compiled_at is None else at(compiled_at)
    made = CompileRoot(name, at(line), place, kind, f"model:{name}", DynamoConfig(), "", 1, 1, 2)
    return made._replace(**more)  # type: ignore[arg-type]


def report(findings: tuple[Finding, ...] = (), roots: tuple[CompileRoot, ...] = ()) -> Report:
    """A report of these."""
    rules = (BREAK, RECOMPILE, SPLIT, WAIT, WRONG)
    return Report(findings, 3, TorchTarget("2.13.0", "asked for"), "/p", roots=roots, rules=rules)
