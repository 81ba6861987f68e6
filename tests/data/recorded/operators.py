"""Operators, comparisons, subscripts and unpacking over values of every kind."""

from __future__ import annotations

import copy
import itertools
import math
import random
import types
from collections import OrderedDict
from typing import NamedTuple, Optional, Union

import numpy as np
import torch
from torch import Tensor, nn


class Meter:
    def __init__(self, value):
        self.value = value

    def __eq__(self, other):
        return True

    def __add__(self, other):
        return self.value

    def __lt__(self, other):
        return other

    def __neg__(self):
        return 3

    def __getitem__(self, key):
        return self.value

    def __setitem__(self, key, value):
        self.value = value

    def __iter__(self):
        return iter([self.value])

    def __len__(self):
        return 2

    def __bool__(self):
        return False

    def __call__(self, x):
        return x


class Pair(NamedTuple):
    first: Tensor
    second: int = 3


class Level(int):
    pass


class Words(dict):
    pass


def arithmetic(x: Tensor, n: int, s: str, b: bool, flag: float):
    a = -3
    c = +2.5
    d = ~4
    e = -n
    f = "%d of" % n
    g = "x" * n
    h = s + s
    i = s % x
    j = s + "b"
    k = n // 2
    m = n / 2
    o = n % 2
    p = 7 // 2
    q = 7 / 0
    r = 2**100
    t = True & b
    u = True | b
    v = False & b
    w = b ^ b
    y = b + 1
    z = n + flag
    aa = n**2
    ab = 1 << 3
    ac = 1 @ n
    ad = (1, 2) + (3,)
    ae = [x] * 2
    af = [x] + [n]
    ag = {1} | {2}
    ah = {"a": x} | {"b": n}
    ai = x @ x
    aj = x % 2
    ak = x // 2
    al = 1 - x
    am = x & True
    an = x / n
    ao = n * x
    ap = x**2
    aq = "ab"
    return a, c, d, e, f, g, h, i, j, k, m, o, p, q, r, t, u, v, w, y, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak


def with_objects(x: Tensor, m: Meter, lv: Level):
    a = m + 1
    b = 1 + m
    c = m == 1
    d = m != 1
    e = m < 3
    f = 3 > m
    g = -m
    h = +m
    i = m[0]
    m[1] = x
    j = [v for v in m]
    k = len(m)
    o = bool(m)
    p = m(x)
    q = x + m
    r = m + x
    s = x + lv
    t = x != m
    u = not m
    if m:
        u = x
    return a, b, c, d, e, f, g, h, i, j, k, o, p, q, r, s, t, u


def compared(x: Tensor, y: Tensor, n: int, s: str, f: float, opt: Optional[Tensor], thing):
    a = 3 < 4
    b = 3 < "a"
    c = n == 3
    d = s == "a"
    e = x == None  # noqa: E711
    g = x == "auto"
    h = x == [1]
    i = x < [1]
    j = x == y
    k = x is y
    m = None is None
    o = n is None
    p = True is True
    q = True is False
    r = ... is ...
    t = ... is None
    u = opt is None
    v = opt is not None
    w = torch.float32 == torch.float32
    z = torch.float32 == torch.float16
    aa = x.dtype == torch.float32
    ab = x.device == y.device
    ac = 1 in (1, 2)
    ad = 3 in (1, 2)
    ae = 3 not in (1, 2)
    af = "a" in {"a": 1}
    ag = "b" in {"a": 1}
    ah = "b" not in {"a": 1}
    ai = n in (1, 2)
    aj = thing in (1, 2)
    ak = x in (x, y)
    al = 1 < n < 3
    am = x > 0 if n > 1 else None
    an = f != f
    ao = x.shape == y.shape
    ap = x.shape[0] == 3
    aq = type(x) is Tensor
    return a, b, c, d, e, g, h, i, j, k, m, o, p, q, r, t, u, v, w, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al


def wide(x: Tensor, a: Union[int, str, float, Tensor], b: Union[int, str, float, Tensor]):
    c = a + b
    d = a < b
    e = -a
    f = a[0]
    g = a.shape
    h = (a + 1) + (b + 1)
    return x, c, d, e, f, g, h


def indexed(x: Tensor, n: int, i: Tensor, mask: Tensor, d: dict, p: Pair, thing, *rest):
    m = x > 0
    a = x[0]
    b = x[None]
    c = x[..., 0]
    e = x[True]
    f = x[n]
    g = x[1:2]
    h = x[0, :, 1]
    j = x[m]
    k = x[[0, 1]]
    o = x[n > 1]
    q = thing[m]
    r = p[0]
    s = p[1]
    t = p[7]
    u = p[n]
    v = p[:1]
    w = d["a"]
    y = rest[0]
    z = rest[n]
    aa = rest[:1]
    ab = "abc"[1]
    ac = x.shape[0]
    ad = x.shape[-1]
    ae = x.size()[n]
    af = [x, n][1]
    ag = [x, n][n]
    ah = (x, n)[5]
    ai = {"a": x}["a"]
    aj = {"a": x}["b"]
    ak = x[slice(1)]
    al = x[slice(1, n, 2)]
    am = x[x.argmax()]
    an = x[x.sum() > 0]
    ao = x[x.argmax() :]
    x[0] = 1
    x[m] = 0.0
    x[x.argmax()] = 2
    x[x.argmax() :] = 3
    x[0] += 1
    del d["a"]
    return a, b, c, e, f, g, h, j, k, o, q, r, s, t, u, v, w, y, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al


def unpacked(x: Tensor, pairs: list, opt: Optional[tuple[Tensor, int]], p: Pair, n: int):
    a, b = x
    c, d = x.shape
    e, *f = [x, n, 3]
    g, (h, i) = n, (x, 2)
    j, k = p
    m, o = opt
    q, r = (x, 1) if n else (2, x)
    s, t = (x, 1) if n else (2, x, 3)
    [u, v] = x.chunk(2)
    for w, y in pairs:
        z = w + y
    (aa) = x.size()
    bb, cc, dd = x.size()
    for ee, ff in zip([x], [n]):
        gg = ee
    hh = ii = x
    jj: Tensor = n
    kk: int
    return a, b, c, d, e, f, g, h, i, j, k, m, o, q, r, s, t, u, v, aa, bb, hh, jj


def built(x: Tensor, n: int, xs: list[Tensor], d: dict[str, Tensor], w: Words):
    a = [*xs, x]
    b = [*(x, n), 1]
    c = (*xs,)
    e = {*xs}
    f = {**d, "z": n}
    g = {k: v for k, v in d.items()}
    h = [v for v in xs if v is None]
    i = [u for v in xs for u in v if n]
    j = (v for v in xs)
    k = [(last := v) for v in xs]
    m = f"{n}{x}"
    o = lambda v: v + x  # noqa: E731
    p = o(n)
    q = x if n else None
    r = n and x
    s = n or x
    t = None or x
    u = x and n
    v = 0 and x
    y = w["a"]
    z = OrderedDict(a=x)["a"]
    aa = [v for v in d]
    ab = [v for v in "abc"]
    ac = [v for v in range(3)]
    ad = [i for i, v in enumerate(xs)]
    ae = [None for v in xs if n > 0 and v is not None]
    af = {n: x for n in (1, 2)}
    ag = max(v.shape[0] for v in xs)
    ah = isinstance(w, dict)
    return a, b, c, e, f, g, h, i, j, k, m, p, q, r, s, t, u, v, y, z, aa, ab, ac, ad, ae, last, af, ag, ah


def numbers(x: Tensor, n: int, f: float, s: str, thing, arr: np.ndarray):
    a = int(3.7)
    b = float("inf")
    c = float(2)
    d = int(float("inf"))
    e = bool(0)
    g = int()
    h = int(f)
    i = complex(1)
    j = int(x)
    k = float(x.sum())
    m = bool(x.any())
    o = round(f)
    p = round(f, 2)
    q = round(2.5)
    r = pow(n, 2)
    t = pow(x, 2)
    u = abs(-3)
    v = abs(x)
    w = len()
    y = len(thing)
    z = math.sqrt(n)
    aa = math.sqrt(4)
    ab = random.randint(0, n)
    ac = random.random()
    ad = n.bit_length()
    ae = s.find("a")
    af = s.format(x)
    ag = s.format(n)
    ah = divmod(n, 2)
    ai = sum([1, 2])
    aj = sum([x, x])
    ak = min(x, n)
    al = max(x, x)
    am = max([x, n], key=lambda v: v)
    an = max([n, 3], key=None)
    ao = max(n, 3)
    ap = min(thing, x)
    aq = max(*[n, 2])
    ar = sorted([x, x])
    at = sorted([n], key=lambda v: (v, x))
    au = list(filter(None, [n, None]))
    av = list(filter(lambda v: v > 0, [x]))
    aw = list(map(lambda v: v + 1, [x]))
    ax = map()
    ay = list(zip(*[[x], [n]]))
    az = slice()
    ba = itertools.tee([x])
    bb = list(itertools.chain([x], [n]))
    bc = list(itertools.product([x], [n]))
    bd = next(iter([x]))
    be = next(thing)
    bf = next(iter([x]), None)
    bg = type(thing)
    bh = type(x)
    bi = np.shape(arr)
    bj = np.float32(3)
    bk = np.ndenumerate(arr)
    bl = np.sum(arr)
    bm = np.random.rand(3)
    bn = np.where(arr > 0)
    bo = arr.size
    bp = arr.shape
    bq = np.ones(3) + arr
    br = arr.sum()
    return a, b, c, d, e, g, h, i, j, k, m, o, p, q, r, t, u, v, w, y, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak


def kinds(x: Tensor, n: int, s: str, thing, m: Meter, f: nn.Linear):
    a = isinstance(x, Tensor)
    b = isinstance(x)
    c = isinstance(n, (int, float))
    d = isinstance(s, str)
    e = isinstance(kinds, types.FunctionType)
    g = isinstance(m.__len__, types.FunctionType)
    h = isinstance(m, Meter)
    i = isinstance(m, dict)
    j = isinstance(m, nn.Module)
    k = isinstance({}, dict)
    o = isinstance([], list)
    p = isinstance((), list)
    q = isinstance(None, type(None))
    r = issubclass(Level, int)
    t = issubclass(Pair, tuple)
    u = issubclass(Level)
    v = hasattr(m, "value")
    w = hasattr(m, "other")
    y = hasattr(thing, "value")
    z = hasattr(Words(), "a")
    aa = getattr(m, "value")
    ab = getattr(m, "missing", False)
    ac = getattr(thing, "missing", True)
    ad = getattr(thing, "missing", None)
    ae = callable(thing)
    af = type(f)
    ag = type(m)
    ah = copy.deepcopy(x)
    ai = copy.deepcopy([x])
    aj = copy.deepcopy({"a": (n, x)})
    ak = copy.copy(n)
    if isinstance(thing, dict):
        al = thing
    elif isinstance(thing, type(None)):
        al = thing
    elif isinstance(thing, (list, tuple)):
        al = thing
    elif isinstance(thing, str):
        al = thing
    elif isinstance(thing, Meter):
        al = thing
    elif torch.is_tensor(thing):
        al = thing
    else:
        al = thing
    return a, b, c, d, e, g, h, i, j, k, o, p, q, r, t, u, v, w, y, z, aa, ab, ac, ad, ae, af, ag, ah, ai, aj, ak, al
