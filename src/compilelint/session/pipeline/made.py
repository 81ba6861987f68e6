"""What is said of CUDA graphs in models that nothing in the project makes, in layers alone, and in captures of its own.

Every `forward` is checked as if it were compiled by itself, for any may be. What a graph cannot hold matters only where
one is recorded: in what the scripts of the project make and call. So a finding about CUDA graphs becomes `possible`
where each of its roots is a class or function that scripts do not lead to, where it is about an argument of a layer
that only other layers are built of, and where the function records a graph itself.
What a call compiles, and what an option names, stays as it is, but for captures: inside of them nothing is compiled.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from compilelint.disk.read import NotReadError, read_text
from compilelint.disk.tree import leads_out
from compilelint.model import Confidence, Doubt, Effect, Finding
from compilelint.model.patterns import late_pattern
from compilelint.project.discovery import Discovery
from compilelint.report.report import CompileRoot
from compilelint.survey.constructed import Constructed, Definitions
from compilelint.survey.passed_to_parts import Passed
from compilelint.survey.scopes import expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.packed import packed, unpacked
from compilelint.syntax.walk import last_name

_GUESSED = frozenset({"forward", "autograd", "unreached"})
_UNREACHED = " (unreached)"
_INPUT, _STATE = "CL820", "CL825"
_CAPTURES = frozenset({"CUDAGraph", "make_graphed_callables"})
TOP = (".git", "pyproject.toml", "setup.py", "setup.cfg")
INSTALLED = ("pyproject.toml", "setup.py", "setup.cfg")
_CONFIGURES = (".yaml", ".yml", ".json", ".gin", ".toml")
_MOST_FILES = 2_000
_MOST_OPEN = 32  # files whose IR is held at once
_ARGUMENT = late_pattern(r"argument `(\w+)`")
_KEEPS = late_pattern(r"`(\w+)` keeps")
_UNNAMED = "annotated"  # a parameter that is known by its annotation, of which the name is not said
_WORD = late_pattern(r"[A-Za-z_]\w*")


def as_made(
    findings: Sequence[Finding],
    roots: Iterable[CompileRoot],
    files: Discovery,
    modules: Callable[[], Iterable[ir.Module]],
) -> list[Finding]:
    """The findings, those about CUDA graphs in what is not made, or in a part or a capture, `possible`.

    `modules` gives the linted files; it is asked only where a finding depends on them.
    """
    asked = [one for one in findings if _is_asked(one)]
    if not asked:
        return list(findings)
    folder = files.roots[0] if len(files.roots) == 1 and files.roots[0] in files.folders else ""
    exported = any(os.path.lexists(os.path.join(folder, name)) for name in INSTALLED)
    # Where not all of a project is linted, its scripts may lie elsewhere.
    definitions = Definitions(exported) if folder and is_whole(folder) else None
    known, passed = _Known(asked), Passed()
    for module in modules():  # one at a time: all of a large project would be gigabytes
        known.take(module)
        passed.read(module)
        if definitions is not None:
            definitions.read(module)
    made = None if definitions is None else definitions.reached(words_of(folder))
    return lowered(findings, roots, known.get, made, passed)


class _Known:
    """The files that findings lie in or lead through, packed but for the last few."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._paths = {path for one in findings for path in _paths(one)}
        self._packed: dict[str, tuple[bytes, str, bool]] = {}
        self._open: dict[str, ir.Module] = {}

    def take(self, module: ir.Module) -> None:
        """Keep one, if a finding asks for it."""
        if module.path in self._paths:
            data = packed(module)
            if data is None:
                self._open[module.path] = module
            else:
                self._packed[module.path] = zlib.compress(data, 1), module.name, module.is_package

    def get(self, path: str) -> ir.Module | None:
        """The file of a path."""
        if path not in self._open and path in self._packed:
            if len(self._open) > _MOST_OPEN:
                self._open = {path: one for path, one in self._open.items() if path not in self._packed}
            data, name, is_package = self._packed[path]
            self._open[path] = unpacked(zlib.decompress(data), path, name, is_package)
        return self._open.get(path)


def _paths(finding: Finding) -> Iterator[str]:
    yield finding.location.path
    yield from (one.location.path for one in finding.related)
    yield from (one.location.path for one in finding.call_chain)


def lowered(
    findings: Sequence[Finding],
    roots: Iterable[CompileRoot],
    known: Callable[[str], ir.Module | None],
    made: Constructed | None,
    passed: Passed,
) -> list[Finding]:
    """The same, where `known` gives the files by path, `made` what the scripts in them lead to, None where that is not
    known, and `passed` what layers are called with.
    """
    kinds: dict[str, set[str]] = {}
    for root in roots:
        kinds.setdefault(root.name, set()).add(root.kind)

    def doubt(finding: Finding) -> Doubt | None:
        module = known(finding.location.path)
        if module is not None and _records_itself(module, finding.function):
            return Doubt.RECORDS_ITSELF
        if finding.rule.code == _INPUT and _is_passed_unseen(finding, known):
            return Doubt.PASSED_UNSEEN
        names = [one.removesuffix(_UNREACHED) for one in finding.roots]
        guessed = bool(names) and all(one in kinds and kinds[one] <= _GUESSED for one in names)
        if not guessed or made is None:
            return None
        tops = [one.partition(".")[0] for one in names]
        if not any(made.is_made(one) for one in tops):
            return Doubt.MADE_BY_NOTHING
        name = _parameter(finding)
        parts = [one for one in tops if made.is_made(one)]
        if not name or not all(made.is_part(one) for one in parts):
            return None
        computed = all(passed.is_computed(one, name) for one in parts)
        first = finding.rule.code == _INPUT and _is_of_the_layer_before(finding, known)
        return Doubt.LAYER_BEFORE_MADE_IT if computed or first else None

    found: list[Finding] = []
    for one in findings:
        why = doubt(one) if _is_asked(one) else None
        found.append(one if why is None else replace(one, confidence=why.lower(one.confidence)))
    return found


def _is_asked(finding: Finding) -> bool:
    return Effect.CUDAGRAPH in finding.effects and finding.confidence >= Confidence.LIKELY


def _parameter(finding: Finding) -> str:
    """The parameter of the root that is written, or keeps a result; empty where it is no parameter."""
    if finding.rule.code == _STATE:
        named = _KEEPS.match(finding.message)
        return named[1] if named is not None else ""
    if finding.rule.code != _INPUT or not finding.related:
        return ""
    named = _ARGUMENT.match(finding.related[-1].text)
    return named[1] if named is not None else _UNNAMED


def _is_passed_unseen(finding: Finding, known: Callable[[str], ir.Module | None]) -> bool:
    """Whether what is written is a parameter of a function further in, and what its caller passes was not followed:
    `run(*given)`, a function among arguments. What comes from the root is named by the root's own parameter.
    """
    source = finding.related[-1] if finding.related else None
    module = None if source is None else known(source.location.path)
    named = None if source is None else _ARGUMENT.match(source.text)
    if source is None or module is None or named is None:
        return False
    line, root = source.location.span.line, finding.call_chain[0].function if finding.call_chain else finding.function
    around = [f for f in _functions(module) if any(p.name == named[1] for p in f.params)]
    around = [f for f in around if module.location(f.pos).span.line <= line]
    inner = max(around, key=lambda f: module.location(f.pos).span.line, default=None)
    if inner is None or inner.qualname == root or inner.name == "__init__":  # what an object was given it keeps
        return False
    above = known(finding.call_chain[0].location.path) if finding.call_chain else None
    return not any(
        f.qualname == root and _hands_on(f, inner.name) for f in (() if above is None else _functions(above))
    )


def _hands_on(function: ir.Function, name: str) -> bool:
    """Whether a function calls another by that name with a parameter of its own."""
    own = {p.name for p in function.params} - {"self", "cls"}
    return any(
        isinstance(call, ir.Call)
        and last_name(call.func) == name
        and any(isinstance(one, ir.Name) and one.id in own for one in call.args)
        for s, _ in statements(function.body)
        for call in expressions(own_expressions(s))
    )


def _is_of_the_layer_before(finding: Finding, known: Callable[[str], ir.Module | None]) -> bool:
    """Whether what is written is the first argument of a `forward`: in a model, another layer has just computed it.

    Masks, caches and tables come after it, and are often arguments of the whole model.
    """
    for one in finding.related:
        module = known(one.location.path)
        for function in () if module is None else _functions(module):
            given = [p for p in function.params if p.name not in ("self", "cls")]
            if module is None or not given or function.name != "forward":
                continue
            annotation = given[0].annotation
            if annotation is None:
                if one.text.startswith(f"argument `{given[0].name}`") and finding.function == function.qualname:
                    return True
                continue
            span, there = module.location(annotation.pos).span, one.location.span
            if (span.line, span.column) == (there.line, there.column):
                return True
    return False


def is_whole(folder: str) -> bool:
    """Whether a folder is no part of a project around it."""
    if any(os.path.lexists(os.path.join(folder, mark)) for mark in TOP):
        return True
    above = os.path.dirname(folder)
    while above != os.path.dirname(above):
        if any(os.path.lexists(os.path.join(above, mark)) for mark in TOP):
            return False
        above = os.path.dirname(above)
    return True


def words_of(folder: str) -> frozenset[str] | None:
    """The words of the configuration files below a folder; None where there are none."""
    found: set[str] = set()
    seen = 0
    for path in configurations(folder):
        seen += 1
        if seen > _MOST_FILES:
            return None
        try:
            found.update(_WORD.findall(read_text(path)))
        except NotReadError:
            continue
    return frozenset(found) if seen else None


def configurations(folder: str, more: tuple[str, ...] = ()) -> Iterator[str]:
    """The paths of configuration files below a folder, and of those that end in `more`; none that lead out of it."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(one for one in folders if not one.startswith("."))
        for name in sorted(names):
            path = os.path.join(place, name)
            if name.endswith((*_CONFIGURES, *more)) and name not in INSTALLED and not leads_out(path):
                yield path


def _records_itself(module: ir.Module, function: str) -> bool:
    """Whether the function of that name, or one around it, holds a capture of a CUDA graph."""
    return any(
        (function == s.qualname or function.startswith(f"{s.qualname}.")) and _captures(s) for s in _functions(module)
    )


def _functions(module: ir.Module) -> Iterator[ir.Function]:
    """All functions of a file, nested ones included."""
    waiting: list[ir.Body] = [module.body]
    while waiting:
        for s, _ in statements(waiting.pop()):
            if isinstance(s, ir.Function):
                yield s
            if isinstance(s, (ir.Function, ir.Class)):
                waiting.append(s.body)


def _captures(function: ir.Function) -> bool:
    return any(
        isinstance(expr, ir.Call) and last_name(expr.func) in _CAPTURES
        for s, _ in statements(function.body)
        for expr in expressions(own_expressions(s))
    )
