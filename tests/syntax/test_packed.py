"""IR that was packed is the IR that comes back, nothing else comes out, and most of it is not even read."""

from __future__ import annotations

import dataclasses
import marshal
from pathlib import Path
from typing import Any

import pytest

from compilelint.project.loader import load_source
from compilelint.syntax import ir
from compilelint.syntax.packed import NotPackedError, packed, unpacked
from compilelint.syntax.source import Source, read_source
from compilelint.syntax.stack import run_with_deep_stack
from tests.syntax.test_lowering import REAL_FILES

EVERYTHING = '''\
from __future__ import annotations
import a.b as c, d
from ..e import f as g, h
from i import *
global j
K: dict[str, int | None] = {**k, "é": 1.5, b"l": 2j, ...: None, "text": not True}

@decorated(1, *args, key=[x async for x in y if x], **rest)
class C(B[T], metaclass=M):
    """Words."""
    n: Literal["o"]
    @property
    async def p(self, q, /, r: "int" = -1, *s, t=lambda u, *, v: u, **w) -> set[str]:
        nonlocal z
        def inner(): yield from self.training
        with await q as (aa, *bb), cc: self.dd[ee:ff:gg, ...] += (hh := {1, 2})
        async for ii in {jj: kk for jj, kk in ll}: break
        else: continue
        return f"{mm!r:>{nn}} {oo}" if pp < qq <= rr is not ss else (tt and uu or vv @ ww)
    del p, x.y

if bc := 1: bd = be, [bf] = bg
elif -bh: pass
def late():
    try:
        while xx: pass
        else: raise E from yy
    except* (F, G) as zz:
        assert zz, "words"
    finally:
        match ab:
            case Tensor() if ac: ad
            case {"k": 1, **ae} | [2, *ae]: af
            case _: ag
    return ""
'''


def module(text: str, path: str = "/project/m.py") -> ir.Module:
    """The IR of a text."""
    found = load_source(Source(path, text), "m", False)
    assert isinstance(found, ir.Module), found
    return found


def again(one: ir.Module) -> ir.Module:
    """What comes back of a module, under another path and name."""
    data = packed(one)
    assert data is not None
    return unpacked(data, "/other.py", "other", True)


def content(value: Any) -> Any:
    """All that stands in IR, with the types of constants: `1`, `1.0` and `True` are equal."""
    if dataclasses.is_dataclass(value):
        return type(value), [content(getattr(value, field.name)) for field in dataclasses.fields(value)]
    return [content(one) for one in value] if isinstance(value, tuple) else (type(value), repr(value))


def test_every_construct_comes_back_as_it_was() -> None:
    before, after = module(EVERYTHING), again(module(EVERYTHING))
    assert content(after.body) == content(before.body)
    assert (after.path, after.name, after.is_package) == ("/other.py", "other", True)
    assert after.wide_lines == before.wide_lines != {}
    used = {type(one) for one in nodes(before.body)}
    every = {one for one in vars(ir).values() if dataclasses.is_dataclass(one) and one.__module__ == ir.__name__}
    assert every - used == {ir.Module, ir.Opaque}, "a construct that is not tried"


def nodes(value: Any) -> list[Any]:
    """The nodes in IR, the outermost first."""
    if isinstance(value, tuple):
        return [node for one in value for node in nodes(one)]
    if not dataclasses.is_dataclass(value):
        return []
    return [value, *nodes(tuple([getattr(value, field.name) for field in dataclasses.fields(value)]))]


@pytest.mark.parametrize("path", REAL_FILES[::5], ids=lambda path: path.name)
def test_real_files_come_back_as_they_were(path: Path) -> None:
    source = read_source(str(path))
    assert isinstance(source, Source)

    def both() -> tuple[Any, Any]:
        before = load_source(source, "m", False)
        assert isinstance(before, ir.Module)
        return content(before.body), content(again(before).body)

    before, after = run_with_deep_stack(both)
    assert after == before


def test_a_body_is_read_when_it_is_asked_for() -> None:
    (function,) = again(module("def f(x):\n    return x + 1\n")).body
    assert isinstance(function, ir.Function)
    assert function.name == "f"
    assert hasattr(type(function), "later")
    waiting = function.later
    assert [one.name for one in function.params] == ["x"]
    assert waiting is not None
    assert not hasattr(function, "later")
    assert isinstance(function.body[0], ir.Return)


def test_a_function_that_was_lowered_has_nothing_to_come() -> None:
    (function,) = module("def f(x): pass\n").body
    assert not hasattr(function, "later")
    with pytest.raises(AttributeError, match="Function has no colour"):
        function.colour  # type: ignore[union-attr]  # noqa: B018


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"no marshal", id="other bytes"),
        pytest.param(marshal.dumps((1, ())), id="no lines"),
        pytest.param(marshal.dumps(({}, ([0, 1, "x"],))), id="an expression where a statement belongs"),
        pytest.param(marshal.dumps(({}, ([99, 1],))), id="a node that there is not"),
        pytest.param(marshal.dumps(({}, compile("1", "m", "eval"))), id="code"),
        pytest.param(marshal.dumps(({"1": 2}, ())), id="lines of other types"),
    ],
)
def test_other_bytes_are_no_module(data: bytes) -> None:
    with pytest.raises(NotPackedError):
        unpacked(data, "/m.py", "m", False)


def test_a_constant_is_a_constant() -> None:
    data = packed(module("x = 1\n"))
    assert data is not None
    wide, ((number, pos, targets, (const, at, _)),) = marshal.loads(data)
    for other in ([1], (1,), compile("1", "m", "eval")):
        with pytest.raises(NotPackedError):
            unpacked(marshal.dumps((wide, ([number, pos, targets, [const, at, other]],))), "/m.py", "m", False)


def test_what_is_nested_too_deeply_is_not_packed() -> None:
    deep: ir.Expr = ir.Name(1, "x")
    for _ in range(3_000):
        deep = ir.Unary(1, "-", deep)
    one = ir.Module("/m.py", "m", False, (ir.ExprStmt(1, deep),), {})
    assert run_with_deep_stack(lambda: packed(one)) is None
