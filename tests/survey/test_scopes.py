"""What stands in an expression is found by a table; it must be what its fields hold."""

from __future__ import annotations

from typing import get_args

from compilelint.survey import scopes
from compilelint.survey.scopes import expressions, own_expressions, parts, statements
from compilelint.syntax import ir
from tests.support.reveal import lowered

_TEXT = """\
a.b(c, *d, e=f, **g)[h, 1:i:2, ...] = -j + (k @ l if m and not n else {o: p, **q})
r += [s for t in u if v for w in x if y]
z: int = (lambda aa, bb=cc: dd + ee)(f"{ff!r:>{gg}} {hh}", {ii, jj}, (kk := ll))
mm < nn is not oo
def pp(qq=rr):
    yield ss
    ts = yield from tt
    return uu
def vv():
    return
async def ww():
    await xx
"""


def test_the_parts_of_every_kind_are_what_its_fields_hold() -> None:
    met = set()
    bodies = [lowered(_TEXT).body]
    while bodies:
        for s, _ in statements(bodies.pop()):
            if isinstance(s, ir.Function):
                bodies.append(s.body)
            for one in (s, *expressions(own_expressions(s))):
                met.add(type(one))
                if not isinstance(one, (ir.Lambda, ir.Function)):
                    assert list(parts(one)) == scopes._read(one), one
    assert met >= set(get_args(ir.Expr)) - {ir.Opaque}


def test_expressions_come_in_the_order_of_the_text() -> None:
    (statement,) = lowered("f(a, g(b.c, *d), key=e, **h) + (i, lambda j: k)\n").body
    names = [e.id for e in expressions(own_expressions(statement)) if isinstance(e, ir.Name)]
    assert names == list("fagbdehik")


def test_every_kind_of_expression_but_a_leaf_is_in_the_table() -> None:
    assert set(get_args(ir.Expr)) - set(scopes._PARTS) == {ir.Name, ir.Const, ir.Opaque}
