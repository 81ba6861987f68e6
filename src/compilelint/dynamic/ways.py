"""What would exercise a line that no run came to: read from its text, in words for the user.

Names are followed through the assignments of one function, in any order: this is advice, and decides nothing. Does not
belong here: which lines must be exercised (`sides`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_CHOOSING = frozenset({"where", "cond", "masked_fill", "masked_fill_"})
_MOST = 3  # names that are said


def way_to(tree: ast.Module, node: ast.AST, head: ast.AST, ran: Callable[[ast.AST], bool]) -> str:
    """What to give a run so that a node takes the side that it did not; empty where the text does not say."""
    above = _above(tree, node)
    function = next((one for one in reversed(above) if isinstance(one, _FUNCTIONS)), None)
    if function is None:
        return ""
    name = ".".join(one.name for one in above if isinstance(one, (*_FUNCTIONS, ast.ClassDef)))
    if not any(ran(one) for one in function.body):
        return f"no run calls `{name}`: name a target that does"
    condition = _condition(node)
    wanted = ""
    if condition is None or not ran(head):
        for outer, inner in zip(reversed(above), reversed([*above[1:], node]), strict=True):
            if outer is function:
                break
            if isinstance(outer, (ast.If, ast.While)) and inner is not outer.test and not ran(_first(outer, inner)):
                condition = outer.test
                wanted = f"where `{_text(condition)}` is {'false' if inner in outer.orelse else 'true'}"
                break
    if condition is None:
        return ""
    return _words(wanted, _behind(function, condition), name)


def _words(wanted: str, behind: Sequence[str], name: str) -> str:
    if not behind:
        return f"give --input {wanted}" if wanted else ""
    given = [one for one in behind if not one.startswith("self.")]
    names = _listed(given or behind)
    if given:
        return f"give --input {wanted or 'that takes the other side'}: in `{name}` it depends on {names}"
    return f"name a target {wanted or 'that takes the other side'}: in `{name}` it depends on {names}"


def _listed(names: Sequence[str]) -> str:
    quoted = [f"`{one}`" for one in names[:_MOST]]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def _above(tree: ast.Module, node: ast.AST) -> list[ast.AST]:
    """What encloses a node, from the outermost, without the module."""
    parents = {id(child): one for one in ast.walk(tree) for child in ast.iter_child_nodes(one)}
    found: list[ast.AST] = []
    while (parent := parents.get(id(node))) is not None and parent is not tree:
        found.append(node := parent)
    return found[::-1]


def _condition(node: ast.AST) -> ast.expr | None:
    """What decides between the sides of a node itself."""
    if isinstance(node, (ast.If, ast.While, ast.IfExp)):
        return node.test
    if isinstance(node, ast.BoolOp):
        return node.values[0]
    if isinstance(node, ast.Call) and node.args:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return node.args[0] if name in _CHOOSING else None
    return None


def _first(outer: ast.If | ast.While, inner: ast.AST) -> ast.AST:
    return outer.orelse[0] if inner in outer.orelse else outer.body[0]


def _text(node: ast.AST) -> str:
    return ast.unparse(node)[:60]


def _behind(function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.AST) -> list[str]:
    """The parameters and the attributes of `self` that a value of a function depends on, parameters first."""
    names = function.args
    parameters = [one.arg for one in (*names.posonlyargs, *names.args, *names.kwonlyargs)]
    sources: dict[str, list[ast.AST]] = {}
    for one in ast.walk(function):
        for target, value in _bindings(one):
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    sources.setdefault(name.id, []).append(value)
    reached: dict[str, None] = {}
    pending: list[ast.AST] = [node]
    met: set[str] = set()
    while pending:
        for read in _read(pending.pop()):
            if read in met:
                continue
            met.add(read)
            if read in parameters or read.startswith("self."):
                reached[read] = None
            pending += sources.get(read, ())
    return sorted((one for one in reached if one != "self"), key=lambda one: one.startswith("self."))


def _bindings(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)) and node.value is not None:
        yield node.target, node.value
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars is not None:
        yield node.optional_vars, node.context_expr


def _read(node: ast.AST) -> Iterator[str]:
    """Names that are read, and attributes of `self` as `self.name`; no name of a function that is called."""
    called = {id(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)}
    for one in ast.walk(node):
        if isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name) and one.value.id == "self":
            if id(one) not in called:
                yield f"self.{one.attr}"
        elif isinstance(one, ast.Name) and one.id != "self":
            yield one.id
