"""The rest of a function that reads sizes and kinds from data becomes a custom operator: one node of the graph.

Where loops, groups and list lengths are the data (`for t, h, w in grid.tolist()`, `itertools.groupby(ids.tolist())`),
no captured number helps: a branch on it ends the graph or raises. Such code mostly makes indices and positions of a few
small tensors. From the first statement on after which nothing else of the program is touched, it is moved into an
operator; `register_fake` is written from the calls that make the results (`engine.fake_outputs`), with sizes that only
a run shows, and the operator checks itself against it. Unsafe, and only tried where each fix is proven.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from compilelint.fixes.engine.code import Code, FunctionNode, is_store, names_in
from compilelint.fixes.engine.fake_outputs import looks
from compilelint.fixes.engine.imports import spell, spelled_target
from compilelint.fixes.engine.purity import draws
from compilelint.fixes.engine.registry import rewrite
from compilelint.fixes.rewrites.host_functions import kind_of
from compilelint.fixes.rewrites.operator_text import Cut, edits_of, is_sized_by_data
from compilelint.model import Finding, Fix, Safety, Span

# Modules whose functions neither draw nor keep anything.
_QUIET = ("torch.", "math.", "itertools.", "operator.")
_BUILTINS = frozenset(
    "abs all any bool dict enumerate float int isinstance iter len list max min next range reversed round set slice "
    "sorted str sum tuple zip".split()
)
_REFUSED = (
    ast.Global,
    ast.Nonlocal,
    ast.Yield,
    ast.YieldFrom,
    ast.Await,
    ast.Delete,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.Import,
    ast.ImportFrom,
    ast.Try,
    ast.Raise,
    ast.NamedExpr,
    ast.JoinedStr,
)


@rewrite("host-read", rank=2, proven=True)
@rewrite("mask", rank=2, proven=True)
@rewrite("dynamic-shape", rank=1, proven=True, rules=("CL102", "CL120"))
def operator_of_the_rest(finding: Finding, code: Code) -> Iterator[Fix]:
    """The statements of a function from some point to its one last `return` become a custom operator.

    Where a method that does not use `self` reads the data, it is those of the method that calls it. Legal where the
    function stands at the top of the file or is a method of a class there; those statements only write what they made
    themselves, call nothing but torch, itertools, math, built-in functions, methods of values, and methods of the class
    that do not use `self`, and draw no random numbers; what they take are parameters that are
    annotated as tensors, numbers or None, or numbers read from `self`; and every result is made by a call whose form
    is known (`torch.zeros(...)`, `torch.cat` of what a list was given, ...). Changes: the call is opaque to the
    compiler and has no gradient; the operator raises where results look otherwise than it says; a class that overrides
    a method that is used raises; the switch for shapes holds for the whole process where a result's size is data.
    """
    span = finding.location.span
    path = code.path(span)
    function = next((one for one in path if isinstance(one, ast.FunctionDef)), None)
    owner = path[1] if len(path) > 1 and isinstance(path[1], ast.ClassDef) else None
    torch = spell(code, "torch", span)
    if function is None or torch is None or torch.edits or torch.text != "torch":
        return
    home = code.tree.body if owner is None else owner.body
    if function not in home:
        return
    fix = _fix(function, owner, span, code)
    if fix is None and owner is not None and _is_apart(function):
        fix = next((one for one in (_fix(*caller, code) for caller in _callers(function, owner)) if one), None)
    if fix is not None:
        yield fix


def _callers(method: ast.FunctionDef, owner: ast.ClassDef) -> Iterator[tuple[ast.FunctionDef, ast.ClassDef, Span]]:
    """The methods that call one of their class, and where: what reads data in the one is read for the other."""
    for other in owner.body:
        if isinstance(other, ast.FunctionDef) and other is not method:
            for node in ast.walk(other):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == f"self.{method.name}":
                    line = node.lineno
                    yield other, owner, Span(line, 1, line, 1)


def _fix(function: ast.FunctionDef, owner: ast.ClassDef | None, span: Span, code: Code) -> Fix | None:
    """The function with an operator for what reads data at `span` and all behind it."""
    name = f"_{function.name}_op"
    if function.name.startswith("__") or not isinstance(function.body[-1], ast.Return):
        return None
    if any(isinstance(one, ast.FunctionDef) and one.name == name for one in code.tree.body):
        return None
    last = next((index for index, one in enumerate(function.body) if _holds(one, span)), -1)
    cuts = (_cut(function, owner, start, code) for start in range(_after_docstring(function), last + 1))
    cut = next((one for one in cuts if one is not None), None)
    if cut is None:
        return None
    edits = edits_of(cut, function, owner, name, code)
    return Fix(Safety.UNSAFE, "make what reads data a custom operator", edits, configures=is_sized_by_data(cut, code))


def _holds(statement: ast.stmt, span: Span) -> bool:
    return statement.lineno <= span.line <= (statement.end_lineno or statement.lineno)


def _after_docstring(function: ast.FunctionDef) -> int:
    first = function.body[0]
    return int(isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant))


# ---------------------------------------------------------------------- legality


def _cut(function: ast.FunctionDef, owner: ast.ClassDef | None, start: int, code: Code) -> Cut | None:
    """The statements from `start` on, if they may be moved out as they are."""
    region = function.body[start:]
    returned = region[-1]
    nodes = [one for statement in region for one in ast.walk(statement)]
    if any(_stays(one, returned) for one in nodes):
        return None
    taken = _taken(region, function, start, code)
    uses = uses_of_self(nodes, owner)
    if taken is None or uses is None or not _is_quiet(nodes, uses[1], code) or not writes_its_own(region, taken):
        return None
    parameters = dict(taken)
    attributes: dict[str, str] = {}
    for text in uses[0]:
        short = text.rpartition(".")[2]
        if short in parameters or any(isinstance(one, ast.Name) and one.id == short and is_store(one) for one in nodes):
            short = f"given_{short}"
        attributes[text] = short
        parameters[short] = ("Scalar", text)
    tensors = {one: kind.startswith("Tensor") for one, (kind, _) in parameters.items()}
    known = looks(region[:-1], tensors, code)
    assert isinstance(returned, ast.Return), "the caller looked"
    values = returned.value.elts if isinstance(returned.value, ast.Tuple) else [returned.value]
    results = [(one.id, known[one.id]) for one in values if isinstance(one, ast.Name) and one.id in known]
    if not parameters or not results or len(results) != len(values) or not any(tensors.values()):
        return None
    return Cut(region, parameters, attributes, uses[1], results)


def _stays(node: ast.AST, returned: ast.stmt) -> bool:
    """Whether a node keeps its statement where it is: another `return`, or a text of several lines."""
    if isinstance(node, _REFUSED) or (isinstance(node, ast.Return) and node is not returned):
        return True
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value


def _taken(
    region: list[ast.stmt], function: ast.FunctionDef, start: int, code: Code
) -> dict[str, tuple[str, str]] | None:
    """The parameters that the region reads, with their kinds; None where it takes what has no kind."""
    arguments = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    annotations = {one.arg: one.annotation for one in arguments}
    before = {one.id for statement in function.body[:start] for one in names_in(statement, is_store)}
    read = {one.id for statement in region for one in names_in(statement, lambda one: not is_store(one))}
    others = {one.arg for one in (function.args.vararg, function.args.kwarg) if one is not None}
    stored = {one.id for statement in region for one in names_in(statement, is_store)}
    module = {one.id for statement in code.tree.body for one in _module_stores(statement)}
    stale = {one for one in read & before & stored if not _bound_first(one, region)}
    if stale or read & ((before | others | module) - stored):
        return None
    found: dict[str, tuple[str, str]] = {}
    for name, annotation in annotations.items():
        if name == "self" or name not in read:
            continue
        kind = None if annotation is None else kind_of(annotation)
        if kind is None:
            return None
        found[name] = (kind, name)
    return found


def _bound_first(name: str, region: list[ast.stmt]) -> bool:
    """Whether the first statement of the region that knows the name gives it a value of its own."""
    for statement in region:
        met = list(names_in(statement, lambda one: one.id == name))
        if met:
            value = statement.value if isinstance(statement, (ast.Assign, ast.AnnAssign)) else None
            return value is not None and not any(one.id == name for one in names_in(value, lambda _: True))
    return False


def _module_stores(statement: ast.stmt) -> Iterator[ast.Name]:
    if not isinstance(statement, (*FunctionNode, ast.ClassDef)):
        yield from names_in(statement, is_store)


def uses_of_self(nodes: list[ast.AST], owner: ast.ClassDef | None) -> tuple[list[str], frozenset[str]] | None:
    """The chains `self.a.b` that are read, and the methods of the class that are called; None for any other use."""
    chains: list[str] = []
    methods: set[str] = set()
    inner: set[int] = set()
    called = {id(one.func) for one in nodes if isinstance(one, ast.Call)}
    own = {one.name: one for one in owner.body if isinstance(one, ast.FunctionDef)} if owner is not None else {}
    for node in nodes:
        if not isinstance(node, ast.Attribute) or id(node) in inner:
            continue
        base: ast.expr = node
        while isinstance(base, ast.Attribute):
            inner.add(id(base))
            base = base.value
        if not isinstance(base, ast.Name) or base.id != "self":
            continue
        inner.add(id(base))
        text = ast.unparse(node)
        if isinstance(node.ctx, ast.Load) and id(node) not in called:
            chains.extend([text] if text not in chains else [])
        elif id(node) in called and text.count(".") == 1 and _is_apart(own.get(node.attr)):
            methods.add(node.attr)
        else:
            return None
    if any(isinstance(one, ast.Name) and one.id == "self" and id(one) not in inner for one in nodes):
        return None
    return chains, frozenset(methods)


def _is_apart(method: ast.FunctionDef | None) -> bool:
    """Whether a method is plain, and uses nothing of its object."""
    if method is None or method.decorator_list or not method.args.args or method.args.args[0].arg != "self":
        return False
    return not any(one.id in ("self", "super") for one in names_in(method, lambda _: True))


def _is_quiet(nodes: list[ast.AST], methods: frozenset[str], code: Code) -> bool:
    """Whether every call only makes values: no random numbers, nothing printed, nothing of the program's own."""
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        target = spelled_target(node.func, code)
        if target is not None:
            if not target.startswith(_QUIET) or draws(target):
                return False
        elif isinstance(node.func, ast.Name):
            if node.func.id not in _BUILTINS or not hasattr(builtins, node.func.id):
                return False
        elif not isinstance(node.func, ast.Attribute) or draws(node.func.attr):
            return False
    return True


def writes_its_own(region: list[ast.stmt], taken: dict[str, tuple[str, str]]) -> bool:
    """Whether what is written in place was made by the region: in the same block, a call gave the name its value."""
    made: set[str] = set()
    for statement in region:
        for node in ast.walk(statement):
            if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
                base: ast.expr = node
                while isinstance(base, (ast.Subscript, ast.Attribute)):
                    base = base.value
                own = isinstance(base, ast.Name) and (base.id not in taken or base.id in made)
                if not own and not _made_beside(base, node, region):
                    return False
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                whose = node.func.value
                changing = node.func.attr.endswith("_") or node.func.attr in ("append", "extend", "pop", "update")
                if changing and isinstance(whose, ast.Name) and whose.id in taken:
                    return False
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call):
            made |= {one.id for one in names_in(statement, is_store)}
    return True


def _made_beside(base: ast.expr, write: ast.AST, region: list[ast.stmt]) -> bool:
    """Whether an earlier statement of the block that the write stands in binds the name again, to what a call gives."""
    if not isinstance(base, ast.Name):
        return False
    for block in _blocks(region):
        at = next((i for i, one in enumerate(block) if any(inner is write for inner in ast.walk(one))), None)
        if at is not None and isinstance(block[at], (ast.Assign, ast.AugAssign)):
            return any(
                isinstance(one, ast.Assign)
                and isinstance(one.value, ast.Call)
                and any(name.id == base.id for name in names_in(one.targets[0], is_store))
                for one in block[:at]
            )
    return False


def _blocks(region: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    yield region
    for statement in region:
        for node in ast.walk(statement):
            for name in ("body", "orelse"):
                block = getattr(node, name, None)
                if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                    yield block
