"""Computations that are written out where torch has one operator for them: attention, arithmetic tensor by tensor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compilelint.survey.practices.practice import TRAINING, Practice
from compilelint.survey.practices.steps import Steps
from compilelint.survey.practices.written import is_method, names_in
from compilelint.survey.scopes import Scope, Spot, expressions, own_expressions, statements
from compilelint.syntax import ir
from compilelint.syntax.walk import last_name

_PRODUCTS = frozenset({"matmul", "bmm", "einsum", "baddbmm"})
_WRITES = frozenset({"mul_", "add_", "sub_", "div_", "lerp_", "addcmul_", "addcdiv_"})
_SOFTMAX = "softmax"
FUSED_ATTENTION = "scaled_dot_product_attention"


def written_out(scope: Scope, seen: Sequence[Spot], fused: bool, steps: Steps) -> Iterator[Practice]:
    """What a function spells out; no attention where the file has the operator for it (`fused`), for other devices."""
    if scope.function is None:
        return
    if not fused and (at := _attention(scope, seen)) is not None:
        yield Practice("attention", scope.site(at.pos).location)
    for s, _ in statements(scope.body):
        if isinstance(s, ir.For) and scope.function.node.name != "__init__" and _is_arithmetic(s):
            yield Practice("tensor loop", scope.site(s.pos).location, detail=TRAINING if steps.has(scope) else "")


def _attention(scope: Scope, seen: Sequence[Spot]) -> ir.Expr | None:
    """The softmax of a product that is the factor of another product; values are followed by their names, in order."""
    softmax = next((spot.expr for spot in seen if last_name(spot.expr).lower() == _SOFTMAX and _is_call(spot)), None)
    if softmax is None:
        return None
    products, weights = set[str](), set[str]()
    for s, _ in statements(scope.body):
        for one in expressions(own_expressions(s)):
            if _is_softmax(one) and _mentions(one, products, _is_product):
                if _is_factor(s, one):
                    return one
                weights |= _stored(s)
        if isinstance(s, (ir.Assign, ir.AugAssign, ir.Return)):
            value = s.value
            if value is not None and any(_is_product(one) and _mentions(one, weights) for one in expressions([value])):
                return softmax
            if value is not None and _mentions(value, products, _is_product):
                products |= _stored(s)
            if value is not None and _mentions(value, weights):
                weights |= _stored(s)
    return None


def _is_call(spot: Spot) -> bool:
    return isinstance(spot.expr, ir.Call)


def _is_softmax(expr: ir.Expr) -> bool:
    return isinstance(expr, ir.Call) and last_name(expr.func).lower() == _SOFTMAX


def _is_product(expr: ir.Expr) -> bool:
    if isinstance(expr, ir.Binary):
        return expr.op == "@"
    return isinstance(expr, ir.Call) and last_name(expr.func) in _PRODUCTS


def _is_factor(s: ir.Stmt, softmax: ir.Expr) -> bool:
    """Whether a softmax stands in a product of the same statement."""
    return any(
        _is_product(one) and one is not softmax and any(part is softmax for part in expressions([one]))
        for one in expressions(own_expressions(s))
    )


def _mentions(expr: ir.Expr, names: set[str], kind: object = None) -> bool:
    return any(
        (isinstance(one, ir.Name) and one.id in names) or (kind is _is_product and _is_product(one))
        for one in expressions([expr])
    )


def _stored(s: ir.Stmt) -> set[str]:
    targets = s.targets if isinstance(s, ir.Assign) else (s.target,) if isinstance(s, ir.AugAssign) else ()
    return {one.id for one in targets if isinstance(one, ir.Name)}


def _is_arithmetic(loop: ir.For) -> bool:
    """Whether each pass changes one of the items in place: as many small kernels as there are items."""
    items = names_in(loop.target)
    return any(
        is_method(one, *_WRITES) and isinstance(one, ir.Call) and bool(items & _owners(one))
        for s, _ in statements(loop.body)
        for one in expressions(own_expressions(s))
    )


def _owners(call: ir.Call) -> set[str]:
    """The name whose tensor a method writes: `p` of `p.data.mul_(x)`."""
    value: ir.Expr = call.func
    while isinstance(value, (ir.Attr, ir.Call)):
        value = value.value if isinstance(value, ir.Attr) else value.func
    return {value.id} if isinstance(value, ir.Name) else set()
