"""Statements that read data become a custom operator, as soon as all that lives on is tensors: fitted to runs.

A region begins at the statement that reads data, in its function or in one that calls it, and ends at the first place
where every name that it binds and that is read behind it held a tensor of one dtype and rank in every run. What it
takes has the kinds that runs showed; the sizes of its results are fitted to those of its inputs, and of other tensors
of the function, over runs of at least three sizes. What fits nothing is a size that only the data has. The operator
checks its results against that in every run, and the proof drops it where they differ. It is opaque to the compiler,
and reading data waits for the device as before, so it is offered behind all other rewrites.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from compilelint.fixes.engine.code import Code, is_store, names_in
from compilelint.fixes.engine.fake_outputs import Look
from compilelint.fixes.engine.fitted_sizes import Size, fitted
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.laws import Offer, OnlyRuns
from compilelint.fixes.engine.observed import Passage, Value
from compilelint.fixes.engine.purity import draws
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.host_functions import kind_of
from compilelint.fixes.rewrites.outline_text import Outline, edits_of, is_sized_by_data
from compilelint.fixes.rewrites.rest_as_operator import uses_of_self, writes_its_own
from compilelint.fixes.rewrites.run_while_tracing import ways
from compilelint.model import Edit, Finding, Fix, Safety, Span

_STAYS = (
    ast.Return,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Global,
    ast.Nonlocal,
    ast.Delete,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Lambda,
)
_LOOPS = (ast.For, ast.While, ast.Try)
_LOUD = ("warnings.", "logging.", "sys.", "os.", "time.")
_SCHEMA = {"tensor": "Tensor", "int": "SymInt", "bool": "bool", "float": "float", "str": "str"}
_SCHEMA |= {"device": "Device", "dtype": "ScalarType"}
_NONE = Value("none")
_LOUD_CALLS = frozenset({"print", "open", "input"})


@rewrite("branch", rank=90, proven=True, runs=True, rules=("CL101", "CL102", "CL120"))
@rewrite("host-read", rank=90, proven=True, runs=True)
@rewrite("host-random", rank=90, proven=True, runs=True)
@rewrite("mask", rank=90, proven=True, runs=True)
@rewrite("dynamic-shape", rank=90, proven=True, runs=True)
def outlined(finding: Finding, code: Code) -> Iterator[Offer]:
    """Statements from one that reads data to where only tensors live on become a custom operator.

    Legal where the program was run at three or more sizes and each result had one dtype, one rank and no gradient; the
    statements stand in no loop, do not return, write only what they made themselves, and take tensors, numbers, texts,
    devices and numbers of `self`. Changes: nothing in eager code; compiled, the call is opaque to the compiler, waits
    for the device where the statements did, and has no gradient; where a result looks otherwise than in the runs, it
    raises RuntimeError, but for inputs of other ranks and empty ones, which end the graph as before.
    """
    if code.observed is None:
        return
    for path, there, span in ways(finding, code):
        there.observed = code.observed
        for offer in _offers(there, span):
            edits = tuple(Edit(one.span, one.text, path) for one in offer.fix.edits)
            yield Offer(replace(offer.fix, edits=edits), offer.assumes)


def _offers(code: Code, span: Span) -> Iterator[Offer]:
    """The regions of the function around a place, the innermost first."""
    path = code.path(span)
    owner = path[1] if len(path) > 1 and isinstance(path[1], ast.ClassDef) else None
    at = 1 if owner is None else 2
    function = path[at] if len(path) > at else None
    torch = spell(code, "torch", span)
    if not isinstance(function, ast.FunctionDef) or torch is None or torch.edits or torch.text != "torch":
        return
    inner = [one for one in path[at + 1 :] if isinstance(one, (ast.stmt, ast.Lambda))]
    if any(isinstance(one, _STAYS) for one in inner):
        return
    for depth in range(len(inner) - 1, -1, -1):
        if any(isinstance(one, _LOOPS) for one in inner[:depth]):
            continue
        block = _block_of(inner[depth], function if depth == 0 else inner[depth - 1])
        offer = None if block is None else _best(block, function, owner, code)
        if offer is not None:
            yield offer


def _block_of(statement: ast.AST, above: ast.AST) -> list[ast.stmt] | None:
    """The statements from one on, to the end of their block."""
    for name in ("body", "orelse"):
        block = getattr(above, name, None)
        if isinstance(block, list) and statement in block:
            return block[block.index(statement) :]
    return None


def _best(block: list[ast.stmt], function: ast.FunctionDef, owner: ast.ClassDef | None, code: Code) -> Offer | None:
    """The beginning of a block behind which only tensors live on: the shortest, or one that holds more breaks.

    What reads data comes in rows: behind the first statement stand others that break, on what it made.
    """
    found: Outline | None = None
    covered = -1
    for count in range(1, len(block) + 1):
        region = block[:count]
        if any(isinstance(one, _STAYS) for one in ast.walk(region[-1])) or not _stays_in_line(region[-1], code):
            break
        broken = _breaks_in(region, code)
        outline = _cut(region, function, owner, code) if broken > covered else None
        if outline is not None:
            found, covered = outline, broken
    if found is None:
        return None
    name = _free(f"_{found.results[0][0]}_of_{function.name.strip('_')}", code)
    title = "make what reads data a custom operator while compiling, fitted to the runs"
    edits = edits_of(found, function, owner, name, code)
    fix = Fix(Safety.UNSAFE, title, edits, configures=is_sized_by_data(found))
    return Offer(fix, (OnlyRuns("what runs showed of kinds and shapes may not hold for others"),))


def _breaks_in(region: list[ast.stmt], code: Code) -> int:
    """How many statements that broke in the runs stand in a region."""
    assert code.observed is not None, "asked at the beginning"
    first, last = region[0].lineno, region[-1].end_lineno or region[-1].lineno
    text = " ".join(" ".join(code.source.lines[first - 1 : last]).split())
    return sum(one in text for one in code.observed.broken)


def _stays_in_line(statement: ast.stmt, code: Code) -> bool:
    """Whether a statement has its lines for itself, and no text of several lines that would move."""
    if code.source.line(statement.lineno)[: statement.col_offset].strip():
        return False
    texts = (one.value for one in ast.walk(statement) if isinstance(one, ast.Constant))
    return not any(isinstance(one, str) and "\n" in one for one in texts)


def _free(name: str, code: Code) -> str:
    taken = {one.name for one in code.tree.body if isinstance(one, ast.FunctionDef)}
    return next(one for one in (name, *(f"{name}_{number}" for number in range(2, 99))) if one not in taken)


# ---------------------------------------------------------------------- what goes in and what comes out


def _cut(region: list[ast.stmt], function: ast.FunctionDef, owner: ast.ClassDef | None, code: Code) -> Outline | None:
    """The region as an operator, if runs say enough of it."""
    assert code.observed is not None, "asked at the beginning"
    every = [one for one in code.observed.passages(code.source.path, function, region) if one.after is not None]
    names = _read(region, every)
    passages, forms = _of_one_form(every, names)
    results = _living(region, function, passages)
    if not results:
        return None
    nodes = [one for statement in region for one in ast.walk(statement)]
    uses = uses_of_self(nodes, owner)
    taken = None if uses is None else _taken(names, function, passages)
    device = next((f"{one}.device" for one, kind in (taken or {}).items() if kind == "Tensor"), None)
    if taken is None or uses is None or device is None or not _is_quiet(nodes, code):
        return None
    if not writes_its_own(region, {one: (kind, one) for one, kind in taken.items()}):
        return None
    attributes: dict[str, tuple[str, str]] = {}
    for text in uses[0]:
        attributes[text] = (_beside(text.rpartition(".")[2], taken, region), "Scalar")
    known = _sizes(taken, passages)
    sizes: dict[str, str] = {}
    looks: list[tuple[str, Look]] = []
    for name, values in results:
        fits = [fitted([one.sizes[axis] for one in values], known, axis) for axis in range(len(values[0].sizes))]
        of = [one for fit in fits if fit is not None for one in fit.of]
        sizes |= {one.parameter: one.passed for one in of if one.parameter}
        looks.append((name, Look(tuple(None if fit is None else fit.text for fit in fits), values[0].dtype, device)))
    draws = _may_draw(nodes, code)
    return Outline(region, taken, attributes, tuple(sorted(uses[1])), sizes, looks, forms, draws)


def _read(region: list[ast.stmt], passages: list[Passage]) -> list[str]:
    """The names of the function that a region reads."""
    read = dict.fromkeys(one.id for statement in region for one in names_in(statement, lambda one: not is_store(one)))
    return [one for one in read if one != "self" and any(one in passage.before for passage in passages)]


def _of_one_form(passages: list[Passage], names: list[str]) -> tuple[list[Passage], tuple[str, ...]]:
    """Those whose tensors have as many dimensions as in the first one, and hold something; what says so of a call."""
    if not passages:
        return [], ()
    tensors = [one for one in names if passages[0].before.get(one, _NONE).kind == "tensor"]
    ranks = {one: len(passages[0].before[one].sizes) for one in tensors}
    kept = []
    for passage in passages:
        held = {one: passage.before.get(one, _NONE) for one in tensors}
        alike = all(one.kind != "tensor" or len(one.sizes) == ranks[name] for name, one in held.items())
        if alike and all(0 not in one.sizes for one in held.values()):
            kept.append(passage)
    dims = [f"{one}.dim() == {rank}" for one, rank in ranks.items()]
    return kept, (*dims, *(f"{one}.numel() > 0" for one in tensors)) if len(kept) < len(passages) else ()


def _living(
    region: list[ast.stmt], function: ast.FunctionDef, passages: list[Passage]
) -> list[tuple[str, list[Value]]] | None:
    """The names that live on with what they held behind the region; None where one was no tensor of one form."""
    last = region[-1].end_lineno or region[-1].lineno
    bound = dict.fromkeys(one.id for statement in region for one in names_in(statement, is_store))
    read = {one.id for one in names_in(function, lambda one: not is_store(one)) if one.lineno > last}
    found = []
    for name in bound:
        if name not in read:
            continue
        values = [one.after.get(name) for one in passages if one.after is not None]
        forms = {(one.dtype, len(one.sizes)) for one in values if one is not None and one.kind == "tensor"}
        if len(forms) != 1 or any(one is None or one.kind != "tensor" or one.gradient for one in values):
            return None
        found.append((name, [one for one in values if one is not None]))
    return found


def _taken(names: list[str], function: ast.FunctionDef, passages: list[Passage]) -> dict[str, str] | None:
    """What the region reads of the function, with its kinds in a schema; None where something has none."""
    annotations = {one.arg: one.annotation for one in [*function.args.args, *function.args.kwonlyargs]}
    found: dict[str, str] = {}
    for name in names:
        values = [one.before.get(name) for one in passages]
        kind = _schema_of([one for one in values if one is not None], annotations.get(name))
        if kind is None or None in values:
            return None
        found[name] = kind
    return found


def _schema_of(values: list[Value], annotation: ast.expr | None) -> str | None:
    """The kind in a schema of what held these values."""
    kinds = {one.kind for one in values}
    gradient = any(one.gradient for one in values)
    optional = "?" if "none" in kinds else ""
    kinds -= {"none"}
    if not kinds:
        known = None if annotation is None else kind_of(annotation)
        return known if known is not None and known.endswith("?") else None
    if kinds == {"items"}:
        inner = {item.kind for one in values for item in one.items}
        whole = {frozenset({"int"}): "SymInt[]", frozenset({"tensor"}): "Tensor[]"}.get(frozenset(inner))
        return None if optional or any(item.gradient for one in values for item in one.items) else whole
    if kinds == {"int", "float"}:
        return f"Scalar{optional}"
    if len(kinds) > 1 or (optional and gradient):
        return None
    kind = _SCHEMA.get(next(iter(kinds)))
    return None if kind is None else f"{kind}{optional}"


def _beside(name: str, taken: dict[str, str], region: list[ast.stmt]) -> str:
    used = {one.id for statement in region for one in names_in(statement, lambda _: True)}
    return name if name not in taken and name not in used else f"given_{name}"


def _is_quiet(nodes: list[ast.AST], code: Code) -> bool:
    """Whether nothing prints or logs by the text; what calls of other functions do, the proof compares."""
    for node in nodes:
        if isinstance(node, ast.Call):
            target = spelled_target(node.func, code) or ""
            base = node.func
            while isinstance(base, ast.Attribute):
                base = base.value
            loud = isinstance(base, ast.Name) and base.id in ("logger", "super")
            if loud or target.startswith(_LOUD) or ast.unparse(node.func) in _LOUD_CALLS:
                return False
    return True


def _may_draw(nodes: list[ast.AST], code: Code) -> bool:
    """Whether a call draws random numbers, or is of the program's own, which may."""
    own = {one.name for one in code.tree.body if isinstance(one, ast.FunctionDef)}
    for node in nodes:
        if isinstance(node, ast.Call):
            target = spelled_target(node.func, code)
            if draws(target or ast.unparse(node.func)):
                return True
            if isinstance(node.func, ast.Name) and (
                node.func.id in own or not (target or "torch.").startswith("torch.")
            ):
                return True
    return False


# ---------------------------------------------------------------------- sizes


def _sizes(taken: dict[str, str], passages: list[Passage]) -> list[Size]:
    """The numbers that were there before the region in every run: of what it takes first, then of other tensors."""
    found: list[Size] = []
    for name in [*taken, *(one for one in passages[0].before if one not in taken)]:
        values = [one.before.get(name) for one in passages]
        known = [one for one in values if one is not None]
        own = name in taken
        if len(known) < len(values):
            continue
        if all(one.kind == "int" for one in known):
            found.append(Size(name, tuple(one.number for one in known), "" if own else name, "" if own else name))
        ranks = {len(one.sizes) for one in known} if all(one.kind == "tensor" for one in known) else set()
        for axis in range(min(ranks, default=0)):
            text, held = f"{name}.shape[{axis}]", f"{name}_{axis}"
            numbers = tuple(one.sizes[axis] for one in known)
            found.append(Size(text, numbers, axis=axis) if own else Size(held, numbers, held, text, axis))
    return found
