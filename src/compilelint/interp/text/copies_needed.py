"""Copies to the host whose result the host needs: no tensor operation goes on with it.

`x.cpu().numpy()`, lengths for a packed sequence, rows that Python goes over, what is saved to a file. Read off the text
of one function. Does not belong here: where a tensor lies (`models.placement`).
"""

from __future__ import annotations

from collections.abc import Iterator

from compilelint.events import RootKind
from compilelint.project.classes import FunctionInfo
from compilelint.survey.scopes import expressions, own_expressions, parts
from compilelint.syntax import ir
from compilelint.syntax.facts import fact
from compilelint.syntax.walk import last_name, statements_of

ASKED = frozenset({"explicit", "all", "glob"})
"""Kinds of roots that a call compiles or an option names; the others only might be compiled."""
_COPIES = frozenset({"cpu", "to"})
_SAME = frozenset(
    {"detach", "contiguous", "clone", "cpu", "to", "float", "double", "long", "int", "flatten", "squeeze"}
)
_LEAVES = frozenset({"numpy", "tolist", "item"})
_TAKES = frozenset(
    {
        "pack_padded_sequence",
        "unpad_sequence",
        "save",
        "savez",
        "dump",
        "asarray",
        "array",
        "fromarray",
        "linear_sum_assignment",
    }
)
_SOLVES = frozenset({"linear_sum_assignment"})  # on the host, of the rows of a matrix: whatever is copied
_READS = frozenset({"int", "float", "bool", "list", "range", "zip", "enumerate", "len"})


def needed_on_host(function: FunctionInfo | None, root: RootKind, pos: int) -> bool:
    """Whether the host needs what a call at a place of the function copies to it.

    Of what is compiled, or asked about by name, the copy is worth saying all the same: there it splits a graph that
    is wanted whole.
    """
    return function is not None and root not in ASKED and pos in fact(function.node, _needed)


def _needed(node: ir.Function) -> frozenset[int]:
    """The places of the calls that copy for the host."""
    roots = [one for s in statements_of(node.body) for one in own_expressions(s)]
    above = {id(part): one for one in expressions(roots) for part in parts(one)}
    over = {id(s.iterable) for s in statements_of(node.body) if isinstance(s, ir.For)}
    for one in expressions(roots):
        if isinstance(one, ir.Comp):
            over.update(id(clause.iterable) for clause in one.clauses)
    read = {
        name.id for name in expressions(roots) if isinstance(name, ir.Name) and _read(name, above, over, through=True)
    }
    copies = [one for one in expressions(roots) if isinstance(one, ir.Call) and _copies(one)]
    if any(isinstance(one, ir.Call) and last_name(one.func) in _SOLVES for one in expressions(roots)):
        return frozenset(call.pos for call in copies)
    kept = {id(value): names for s in statements_of(node.body) for value, names in _bound(s)}
    found: set[int] = set()
    for call in copies:
        last = _last_of(call, above)
        if _read(last, above, over, through=False) or not read.isdisjoint(kept.get(id(last), ())):
            found.add(call.pos)
    return frozenset(found)


def _copies(call: ir.Call) -> bool:
    """Whether a call may copy a tensor to the host."""
    if not isinstance(call.func, ir.Attr) or call.func.name not in _COPIES:
        return False
    given = [*call.args, *(value for _, value in call.keywords)]
    return call.func.name == "cpu" or any(isinstance(one, ir.Const) and one.value == "cpu" for one in given)


def _last_of(expr: ir.Expr, above: dict[int, ir.Expr]) -> ir.Expr:
    """The end of a chain of calls that give the same tensor on: `x.cpu().detach()`."""
    while True:
        attribute = above.get(id(expr))
        if not isinstance(attribute, ir.Attr) or attribute.name not in _SAME:
            return expr
        call = above.get(id(attribute))
        if not isinstance(call, ir.Call) or call.func is not attribute:
            return expr
        expr = call


def _read(expr: ir.Expr, above: dict[int, ir.Expr], over: set[int], *, through: bool) -> bool:
    """Whether the host reads an expression: as an array or number, in a loop, or because a function asks for it.

    `through` items of it, too, as of a name whose rows Python goes over.
    """
    one = expr
    while True:
        if id(one) in over:
            return True
        outer = above.get(id(one))
        if isinstance(outer, ir.Attr):
            if outer.name in _LEAVES:
                return True
            call = above.get(id(outer))
            if outer.name not in _SAME or not isinstance(call, ir.Call):
                return False
            one = call
        elif isinstance(outer, ir.Star) or (isinstance(outer, ir.Index) and through and outer.value is one):
            one = outer
        else:
            return isinstance(outer, ir.Call) and outer.func is not one and last_name(outer.func) in _TAKES | _READS


def _bound(s: ir.Stmt) -> Iterator[tuple[ir.Expr, set[str]]]:
    """The values that a statement gives names, with these names."""
    if isinstance(s, ir.Assign):
        for target in s.targets:
            if isinstance(target, ir.Name):
                yield s.value, {target.id}
            elif isinstance(target, ir.Display) and isinstance(s.value, ir.Display):
                for one, value in zip(target.items, s.value.items, strict=False):
                    if isinstance(one, ir.Name):
                        yield value, {one.id}
