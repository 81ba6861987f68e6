"""Statements: loops, handlers, matches, deletions, and what each leaves behind."""

import contextlib
import functools

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint


def fails(x):
    raise ValueError(f"bad {x}")


def exits(x: Tensor, n: int, xs: list, thing):
    a = fails(x) if n else x
    for i in range(n):
        if i:
            continue
        if x.sum() > 0:
            break
        b = i
    else:
        b = x
    while True:
        c = x
        if n:
            break
    while False:
        c = 1
    while n > 0:
        n -= 1
        if thing:
            pass
    while x.sum() > 0:
        x = x - 1
    for v in []:
        d = v
    try:
        e = x
    except (ValueError, TypeError) as error:
        e = error
    except:  # noqa: E722
        e = None
    else:
        f = e
    finally:
        g = x
    try:
        fails(x)
    except ValueError:
        h = 1
    with contextlib.suppress(ValueError), torch.no_grad() as k:
        m = x
    with thing as o:
        p = o
    with fails(x):
        q = 1
    return a, b, c, e, f, g, h, k, m, p


def dead(x: Tensor, n: int):
    if n:
        return x
    else:
        fails(x)
    y = x + 1
    return y


def dead_ends(x: Tensor, n: int, flag):
    if fails(x):
        return 1
    return 2


def dead_in_an_operand(x: Tensor, n: int):
    a = fails(x) and n
    return a


def dead_in_a_loop(x: Tensor, xs):
    for v in fails(xs):
        x = v
    return x


def dead_in_a_test(x: Tensor, n: int):
    while fails(x):
        n += 1
    return n


def dead_in_a_return(x: Tensor):
    return fails(x)


def dead_in_a_comprehension(x: Tensor, xs):
    return [fails(v) for v in xs if x is None and v]


def raises(x: Tensor, n: int):
    if x.sum() > 3:
        raise
    if n:
        raise ValueError("no " + str(x.max())) from None
    assert n, "text"
    assert n > 2
    assert x.sum() > 0
    assert x.sum() > 0, "text"
    assert x.sum() > 0, f"text {n}"
    assert x.sum() > 0, n
    assert (x > 0).all(), x
    assert isinstance(x, Tensor)
    return x


def matched(x: Tensor, n: int, thing, flag: bool):
    match n:
        case 1:
            a = x
        case 2 | 3 if flag:
            a = 1
        case k if x.sum() > 0:
            a = k
        case _:
            a = None
    match thing:
        case Tensor():
            b = thing
        case int() | str():
            b = thing
        case [c, *d]:
            b = c
        case {"a": e}:
            b = e
        case None:
            b = 0
    match x:
        case int():
            b = x
        case Tensor():
            b = x
        case 3:
            b = 1
    return a, b


class Net(nn.Module):
    def __init__(self, n, names):
        super().__init__()
        self.n = n
        self.seen = None
        self.cache = {}
        self.flag = False
        self.items = []
        self.scale = 1.0
        self.mode = "a"
        self.last = torch.zeros(3)
        self.names = names
        self.inner = nn.Linear(3, 3)
        for name in names:
            setattr(self, name, nn.Linear(3, 3))

    def forward(self, x: Tensor, key: str):
        del self.seen
        self.seen = x
        setattr(self, "flag", True)
        setattr(self, key, x)
        setattr(self.inner, "bias", None)
        self.cache[key] = x
        self.cache["a"] = 1
        self.items.append(x)
        self.items[0] = x
        self.items += [x]
        self.scale = self.scale * 0.9
        self.scale /= 2
        self.n += 1
        self.mode = "b"
        self.mode += "c"
        self.last = None
        del self.cache[key]
        if self.flag and self.n > 3 and self.scale > 0.5 and self.mode == "b":
            x = x + self.last
        if key in self.cache:
            x = x + self.cache[key]
        if len(self.items) > 3:
            x = x * 2
        return x

    def step(self, x: Tensor):
        self.flag = not self.flag
        self.last = x.mean()
        self.seen = None
        self.n = self.n + 1 if self.n is not None else 0
        self.names = self.n
        self.mode = x.shape[0]
        return x


class Recomputed(nn.Module):
    """Bodies of checkpoints write nothing that outlives them."""

    def __init__(self):
        super().__init__()
        self.count = 0
        self.kept = None
        self.table = {}
        self.rows = []

    def body(self, x):
        self.count += 1
        self.kept = x
        setattr(self, "kept", x)
        self.count = 3
        self.rows.append(x)
        self.table["a"] = x
        self.table["a"]["b"] = x
        rows = self.rows
        rows.append(x)
        rows[0] = x
        del self.kept
        mine = []
        mine.append(x)
        mine[0] = x
        return x

    def quiet(self, x):
        old = self.count
        self.count = 4
        self.count = old
        self.kept = None
        return x

    def kinds(self, x):
        self.kept = [x]
        self.kept = (1, 2)
        self.table = {}
        return x

    def forward(self, x: Tensor, out: list):
        a = checkpoint(self.body, x, use_reentrant=False)
        b = checkpoint(self.quiet, x, use_reentrant=False)
        c = checkpoint(self.kinds, x)
        found = []
        total = 0

        def inner(v):
            nonlocal total
            total += 1
            found.append(v)
            out.append(v)
            found[0] = v
            return v

        def given(v, table={}):
            table["a"] = v
            v = [v]
            v.append(1)
            return v

        d = checkpoint(inner, x)
        e = checkpoint(given, x)
        f = checkpoint()
        g = torch._higher_order_ops.wrap.wrap(inner, x)
        return a, b, c, d, e, f, g, found


def narrowed(x, n: int, mask: Tensor, t: Tensor, d: dict):
    if x is None or n is None:
        return t
    if not isinstance(x, Tensor) and not isinstance(x, list):
        a = x
    if isinstance(x, Tensor) or isinstance(x, list):
        a = x
    if x.dim() == 3:
        a = x
    if len(x.shape) == 2 and x.ndim != 4:
        a = x
    if mask.dtype == torch.bool:
        a = mask
    if mask.dtype != torch.bool:
        a = mask
    if d["a"] is not None:
        a = d["a"]
    if d.get("b"):
        a = d["b"]
    if "c" in d:
        a = d["c"]
    if (y := d.get("z")) is not None:
        a = y
    if n and (w := t.sum()) and w:
        a = w
    if not (n is None and x is None):
        a = n
    if callable(x):
        a = x
    if hasattr(x, "shape"):
        a = x
    b = t.size(0) if t.dim() > 1 else None
    return a, b


async def awaited(x: Tensor, thing):
    a = await thing(x)
    return a


def given_later(x: Tensor):
    def source():
        yield x
        b = yield 1
        yield from [x]
        yield

    c = list(source())
    for d in source():
        e = d
    return c, e


@functools.lru_cache
def remembered(n):
    return n


total = 0
table = {}
waiting = iter([1, 2])


def globally(x: Tensor, n: int):
    global total, fresh
    total += 1
    fresh = x
    table["a"] = x
    table.setdefault("b", n)
    table.update(c=x)
    a = next(waiting)
    b = [v for v in waiting]
    c = remembered(n)
    if total > 3:
        x = x + 1
    import math
    from math import sqrt, pi as p
    from os import *  # noqa: F403

    return x, a, b, c, math.pi, sqrt(n), p
