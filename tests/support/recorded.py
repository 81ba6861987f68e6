"""What is believed and reported of many small programs, as text: one line a root, belief, event or finding.

The programs are recorded cases of which real Dynamo says what happens (`benchmarks/truth/micro`) and some written for
this (`tests/data/recorded`: both sides of what the engine can distinguish). A room pins its part of it in files of its
folder `golden`: the interpreter its roots, beliefs and events, the rules their findings, the survey its events, the
rewrites what they offer. `python -m tests.support.recorded` writes them again; the difference is what a change does to
hundreds of programs, to be read line by line.
"""

from __future__ import annotations

import ast
import enum
import functools
import runpy
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as Dictionary
from dataclasses import fields, is_dataclass
from pathlib import Path

from compilelint.checks import rulebook
from compilelint.events import Context, DynamoConfig, Event, Site
from compilelint.fixes.engine import registry
from compilelint.fixes.engine.code import Code
from compilelint.fixes.engine.laws import Offer
from compilelint.interp import Interpreter, roots_of
from compilelint.interp.core.reached_files import Reach
from compilelint.interp.driver.witness import Witness, revealed
from compilelint.model import Finding, Location, Rule
from compilelint.project.roots import Roots
from compilelint.survey.survey import survey, survey_operators
from compilelint.syntax import ir
from compilelint.syntax.source import Source, source_from_bytes
from compilelint.syntax.unreadable import Unreadable
from compilelint.torchfacts import Fact
from compilelint.values import Origin, Value, join_all
from compilelint.values.words import describe
from tests.support.on_trees import tree_findings
from tests.support.reveal import facts, program_of

ROOT = Path(__file__).parents[2]
REWRITE_THEM = "if the new lines are right: python -m tests.support.recorded"
Line = tuple[int, str]


@functools.cache
def programs() -> dict[str, dict[str, str]]:
    """Source texts by the golden file that they belong to and their name."""
    cases = ROOT / "benchmarks" / "truth" / "micro" / "cases"
    found = {path.stem: {path.stem: path.read_text(encoding="utf-8")} for path in sorted(cases.glob("*.py"))}
    written = ROOT / "tests" / "data" / "recorded"
    found |= {path.stem: {path.stem: path.read_text(encoding="utf-8")} for path in sorted(written.glob("*.py"))}
    return found


@functools.cache
def events_of(text: str) -> list[Event]:
    """Every event that the interpreter emits for a program."""
    return _interpreted(text, Interpreter)[0]


def _interpreted(text: str, kind: type[Interpreter]) -> tuple[list[Event], Roots, Dictionary[int, Reach]]:
    emitted: list[Event] = []
    program, modules = program_of({"app.py": text})
    at_work = kind(program, facts(), emitted.append, None)
    # The recorded cases are made by functions that nothing compiles, so that each of theirs is asked for
    named = ("all",) if "def make_" in text else ("auto",)
    roots = roots_of(at_work, modules, named, None)
    return emitted, roots, at_work.analyse(roots)


def started(text: str) -> Iterator[Line]:
    """One line a root, with how far it reaches, and one a compile call: what it compiles, or why that is not known."""
    _, roots, reached = _interpreted(text, Interpreter)
    for root in (*roots.first, *roots.rest):
        reach = reached.get(id(root))
        changing = {} if root.given is None else root.given.changing(root.function, root.receiver)
        parts: list[str] = [root.kind, root.sure.label, "not run" if reach is None else f"reaches {reach.functions}"]
        parts += [] if root.owner is None else [f"of {root.owner.node.name}"]
        parts += [f"{name} changes ({how.how} in line {how.loop.span.line})" for name, how in sorted(changing.items())]
        parts += [] if root.config == DynamoConfig() else [_fields(root.config)]
        start = root.function.module.ir.location(root.function.node.pos)
        yield (root.compiled_at or start).span.line, f"root {root.name} [{', '.join(parts)}]"
    for call in roots.calls:
        yield call.location.span.line, f"{call.how} of {', '.join(call.roots) or 'nothing'} {call.reason}".rstrip()


@functools.cache
def surveyed(text: str) -> list[Event]:
    """What the survey reports of a program."""
    program, modules = program_of({"app.py": text})
    return [*survey(program, modules), *survey_operators(program, modules)]


def beliefs(text: str) -> Iterator[Line]:
    """What is believed of each assigned name and each returned value, the join of all passes over its line."""
    emitted = _interpreted(asking(text), Witness)[0]
    seen: dict[tuple[int, int], list[Value]] = {}
    for event in emitted:
        span = event.site.location.span
        for value in revealed(event):
            seen.setdefault((span.line, span.column), []).append(value)
    for (line, _), values in sorted(seen.items()):
        yield line, f"is {describe(join_all(values), whole=True)}"


def asking(text: str) -> str:
    """The program with `reveal_type(...)` of what each line assigns to a name or returns, all lines where they were."""
    lines = text.split("\n")
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, (ast.Assign, ast.Return)) or node.lineno != node.end_lineno:
            continue
        line = lines[node.lineno - 1]
        start, end = _column(line, node.col_offset), _column(line, node.end_col_offset or 0)
        match node:
            case ast.Assign(targets=[ast.Name(id=name)]):
                after = line[end:]
                lines[node.lineno - 1] = f"{line[:end]}; reveal_type({name}){after}"
            case ast.Return(value=ast.expr()):
                written = line[start:end].removeprefix("return")
                lines[node.lineno - 1] = f"{line[:start]}return reveal_type({written.strip()}){line[end:]}"
    return "\n".join(lines)


def _column(line: str, offset: int) -> int:
    """An offset in bytes as one in characters."""
    return len(line.encode()[:offset].decode())


def described(events: Iterable[Event]) -> Iterator[Line]:
    """One line an event: its kind, its site, and each field that says something."""
    for event in events:
        yield event.site.location.span.line, f"{type(event).__name__} {_site(event.site)} {_fields(event)}".rstrip()


def _fields(value: object) -> str:
    assert is_dataclass(value)
    given = (
        (one.name, _text(getattr(value, one.name)))
        for one in fields(value)
        if one.name not in ("site", "owner", "held")
    )
    return " ".join(f"{name}={text}" for name, text in given if text not in ("", "None", "False", "()", "{}"))


def _site(site: Site) -> str:
    context = site.context
    parts = [f"in {context.function}", context.root_kind, site.cap.label, *site.blocks]
    if context.root != context.function:
        parts.append(f"from {context.root}")
    parts += [f"called in line {call.location.span.line}" for call in context.chain()]
    if site.after_skip:
        parts.append("after a skip")
    if site.choice is not None:
        parts.append(f"{' or '.join(site.choice.names)} of {site.choice.of}")
    if context.config != DynamoConfig():
        parts.append(_fields(context.config))
    return f"[{', '.join(parts)}]"


def _text(value: object) -> str:
    """A field in words; enough to set two apart."""
    match value:
        case Fact():
            return f"<{'breaks' if value.breaks else 'passes'} {value.reason and value.reason.name} {value.mixed}>"
        case enum.Enum():
            return value.name
        case Location():
            return f"line {value.span.line}"
        case Context() | ir.Module():
            return ""
        case tuple() | list():
            return f"({', '.join(map(_text, value))})" if value else "()"
        case frozenset():
            return f"{{{', '.join(sorted(map(_text, value)))}}}" if value else "{}"
        case Dictionary():
            return "{" + ", ".join(f"{name}: {_text(one)}" for name, one in value.items()) + "}"
        case str() | bool() | int() | float() | None:
            return str(value)
        case _ if type(value).__module__.startswith("compilelint.values"):
            return _belief(value)  # type: ignore[arg-type]
        case _ if is_dataclass(value):
            return f"{type(value).__name__}({_fields(value)})"
    return type(value).__name__


def _belief(value: Value) -> str:
    origin = getattr(value, "origin", None)
    known = describe(value, whole=True)
    return f"`{known}`" + (f" ({_chain(origin)})" if origin is not None else "")


def _chain(origin: Origin | None) -> str:
    """What came before a value, two steps back at most, and in which lines."""
    steps: list[str] = []
    while origin is not None and len(steps) < 2:
        line = f" in line {origin.place[0].location(origin.place[1]).span.line}" if origin.place else ""
        steps.append(f"{origin.how}{line}")
        origin = origin.parent
    return " <- ".join(steps)


@functools.cache
def findings_of(text: str) -> list[Finding]:
    """All that the rules say of a program."""
    book, known = rulebook(), facts()
    judged = [one for event in (*events_of(text), *surveyed(text)) for one in book.findings_for(event, known)]
    source = source_from_bytes("app.py", text.encode())
    assert isinstance(source, Source)
    return [*judged, *tree_findings(*program_of({"app.py": text}), [source], known)]


def judged(findings: Iterable[Finding]) -> Iterator[Line]:
    """One line a finding."""
    for finding in findings:
        yield finding.location.span.line, _finding(finding)


def offered(text: str) -> Iterator[Line]:
    """One line a rewrite that answers a finding: what it would change, and what must hold for it."""
    source = source_from_bytes("app.py", text.encode())
    assert not isinstance(source, Unreadable)
    code = Code(source, ast.parse(text))
    for finding in findings_of(text):
        if finding.rewrite is None:
            continue
        name, line = finding.rewrite.name, finding.location.span.line
        makers = (*registry.rewrites(name), *registry.rewrites(name, proven=True))
        made = [one for maker in makers for one in maker(finding, code)]
        for one in made:
            offer = one if isinstance(one, Offer) else Offer(one, ())
            yield line, _offer(name, offer, code)
        if not made:
            yield line, f"{name}: nothing"


def _offer(name: str, offer: Offer, code: Code) -> str:
    edits = (f"{tuple(edit.span)} {edit.text!r}" for edit in offer.fix.edits)
    parts = [f"{name}: {offer.fix.safety.value} {offer.fix.title}", *edits, offer.unmet(code)]
    return " | ".join(part for part in parts if part)


def _finding(finding: Finding) -> str:
    rule: Rule = finding.rule
    effects = " ".join(effect.value for effect in finding.effects)
    parts = [f"{rule.code} {finding.confidence.label} {effects}: {finding.message}"]
    parts += [f"{related.location.span.line}: {related.text}" for related in finding.related]
    parts += [text for text in (finding.why, finding.help) if text]
    if finding.rewrite is not None:
        parts.append(f"rewrite {finding.rewrite.name}")
    if finding.skips_frame:
        parts.append("skips the frame")
    parts += finding.break_ids
    return " | ".join(parts)


def _lines(part: str, text: str) -> list[Line]:
    if part == "interp":
        return [*started(text), *beliefs(text), *described(events_of(text))]
    if part == "checks":
        return list(judged(findings_of(text)))
    if part == "fixes":
        return list(offered(text))
    return list(described(surveyed(text)))


def golden(part: str, file: str) -> str:
    """What the golden file `file` of a room should hold today."""
    return "\n".join(section(part, name, text) for name, text in programs()[file].items())


def section(part: str, name: str, text: str) -> str:
    """What is recorded of one program; empty where nothing is."""
    lines = [f"{line}: {words}" for line, words in sorted(set(_lines(part, text)))]
    return "\n".join([f"# {name}", *lines, ""]) if lines else ""


def path_of(part: str, file: str) -> Path:
    """Where a room keeps a golden file."""
    return ROOT / "tests" / part / "golden" / f"{file}.txt"


if __name__ == "__main__":
    for part in ("interp", "checks", "survey", "fixes"):
        for file in programs():
            path_of(part, file).parent.mkdir(exist_ok=True)
            if text := golden(part, file):
                path_of(part, file).write_text(text, encoding="utf-8")
    # All that is recorded is written by one command: a change of the engine rarely stays in one of them
    for other in (
        "tests.support.recorded_runs",
        "tests.values.test_goldens",
        "tests.report.golden_layouts",
    ):
        runpy.run_module(other, run_name="__main__")
