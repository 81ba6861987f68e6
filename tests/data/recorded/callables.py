"""What can be called: unions of callees, partials, bound methods, decorated functions, generators and types."""

from __future__ import annotations

import functools
from collections import OrderedDict
from functools import cached_property, partial, wraps
from types import NoneType
from typing import Any, Callable, Optional, TypedDict

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn


class Add:
    def __init__(self, by=1):
        self.by = by

    def __call__(self, x):
        return x + self.by


class Scale(nn.Module):
    def __init__(self, by=2):
        super().__init__()
        self.by = by

    def forward(self, x):
        return x * self.by


class Both(nn.Module):
    def forward(self, x, y):
        return x * y


def one(x):
    return x.sum().item()


def two(x, y):
    return x.sum().item() + y


def three(x, *, key):
    return x


def fails(x):
    raise ValueError


TABLE = {"add": Add(), "scale": Scale(), "one": one, "two": two, "three": three, "relu": torch.relu}
CLASSES = {"add": Add, "scale": Scale, "both": Both}
PARTS = {"a": partial(one), "b": partial(two, y=3), "c": nn.ReLU()}
FAILING = {"a": fails, "b": fails}


def chosen(x: Tensor, key: str, n: int, args: tuple, kwargs: dict):
    a = TABLE[key](x)
    b = TABLE[key](x, n)
    c = TABLE[key](x, key=n)
    d = TABLE[key](*args)
    e = TABLE[key](x, **kwargs)
    f = TABLE[key](x, x=n)
    g = CLASSES[key]()
    h = CLASSES[key](3)
    i = CLASSES[key](by=3)(x)
    j = PARTS[key](x)
    k = TABLE["one"](x)
    m = TABLE.get(key, one)(x)
    o = (one if n else two)(x)
    p = (one if n else None)(x)
    return a, b, c, d, e, f, g, h, i, j, k, m, o, p


def chosen_failing(x: Tensor, key: str):
    return FAILING[key](x)


def traced(function):
    @wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)

    return wrapper


def replaced(function):
    def other(x):
        return 3

    return other


def asked(by):
    def decorator(function):
        @wraps(function)
        def wrapper(x):
            return function(x) + by

        return wrapper

    return decorator


def registered(function):
    CLASSES["f"] = function
    return function


@traced
def wrapped(x):
    return x.sum().item()


@replaced
def gone(x):
    return x.sum().item()


@asked(3)
def parametrised(x):
    return x * 2


@registered
def kept(x):
    return x


@functools.cache
def cached(n):
    return n + 1


class Owner:
    count = 0
    kinds = ("a", "b")

    def __init__(self, x, other=None):
        self.x = x
        self.other = other
        self._y = None

    @property
    def y(self):
        return self._y

    @y.setter
    def y(self, value):
        self._y = value

    @cached_property
    def slow(self):
        return self.x * 2

    @classmethod
    def made(cls, x):
        return cls(x)

    @staticmethod
    def plain(x):
        return x

    def method(self, x):
        return self.x + x

    def __enter__(self):
        return self

    def __exit__(self, *rest):
        return None

    def __getattr__(self, name):
        return 3


class Heir(Owner):
    def method(self, x):
        return super().method(x)

    def later(self, x):
        return super().missing(x)


def owned(x: Tensor, o: Owner, h: Heir, opt: Optional[Owner]):
    a = o.y
    o.y = x
    b = o.slow
    c = Owner.made(x)
    d = Owner.plain(x)
    e = o.method(x)
    f = o.method
    g = f(x)
    i = h.method(x)
    j = h.later(x)
    k = o.unheard
    m = Owner.count
    n = o.kinds[0]
    p = opt.x if opt is not None else None
    q = opt.x
    r = partial(o.method, x)()
    s = partial(partial(two, x), 3)()
    t = partial()
    u = partial(*[one])
    v = Owner.method(o, x)
    w = (lambda: x)()
    with o as z:
        aa = z.x
    Owner.count += 1
    o.other.x = 3
    ab = traced(one)(x)
    return a, b, c, d, e, g, i, j, k, m, n, p, q, r, s, t, u, v, w, aa, ab


def decorated(x: Tensor, n: int):
    a = wrapped(x)
    b = gone(x)
    c = parametrised(x)
    d = kept(x)
    e = cached(n)
    f = map(one, [x])
    g = [h(x) for h in (one, wrapped)]
    return a, b, c, d, e, f, g


def deep(n, x):
    if n > 3:
        return x
    return deep(n + 1, [x])


def around(n, x):
    return back(n - 1, x) if n else x


def back(n, x):
    return around(n, x + 1)


def growing(n):
    return growing(n * 2) if n < 1000 else n


def helper_asks():
    if torch.jit.is_scripting():
        return False
    return not torch.compiler.is_compiling() and torch.cuda.is_available()


def asks():
    return torch.compiler.is_compiling()


def maybe_asks(flag):
    if flag is None:
        return torch.compiler.is_compiling()
    return flag


def recursive(x: Tensor, n: int, flag: bool):
    a = deep(0, x)
    b = around(n, x)
    c = growing(1)
    d = deep(n, x)
    if asks():
        return a
    if maybe_asks(flag):
        return b
    if helper_asks():
        return x.item()
    return c, d


class Batch(TypedDict):
    """A record."""

    image: Tensor
    sizes: "list[int]"
    count: Optional[int]


class Words(dict):
    pass


Mask = Optional[Tensor]
Masks = "list[Mask]"
Loop = "Loop"


def annotated(
    a: None,
    b: Mask,
    c: "Tensor | None",
    d: list[Tensor],
    e: dict[str, Tensor],
    f: tuple[Tensor, int],
    g: tuple[Tensor, ...],
    h: Batch,
    i: Callable[[Tensor], Tensor],
    j: npt.NDArray[np.float32],
    k: nn.Parameter,
    m: torch.LongTensor,
    n: NoneType,
    o: Words,
    p: Owner,
    q: Any,
    r: list[list[list[list[list[list[list[list[Tensor]]]]]]]],
    s: 3,
    t: "3 +",
    u: Masks,
    v: Loop,
    w: torch.device,
    x: OrderedDict,
    y: type[Owner],
    z: "Unknown",
    *rest: Tensor,
    **named: int,
):
    aa = (a, b, c, d, e, f, g)
    ab = (h["image"], h["sizes"], h["count"], i, j, k, m)
    ac = (n, o, p, q, r, s, t, u, v, w, x, y, z)
    ad = (rest, named)
    return aa, ab, ac, ad


def takes_tensor(x: Tensor, y=None, z: int = 3):
    if y is None:
        y = x
    return y * z


def takes_untyped(x, flag=True, size=(1, 2), kind="a", *, last):
    return x, flag, size, kind, last


def passes(x, t: Tensor, thing, n: int):
    a = takes_tensor(x)
    b = takes_tensor(thing)
    c = takes_tensor(t if n else thing)
    d = takes_tensor(n)
    e = takes_untyped(t, last=n)
    f = takes_untyped(t, False, thing, last=t)
    g = takes_untyped()
    h = takes_untyped(x, n, 1, 2, 3, 4)
    i = takes_untyped(x, last=1, other=3)
    if n > 1:
        return a
    return b, c, d, e, f, g, h, i


class Reads(nn.Module):
    """Reads by name of what sits on modules and on the object itself."""

    def __init__(self, config, layer=None, act=None):
        super().__init__()
        self.layer = layer or nn.Linear(3, 3)
        self.act = act if act is not None else nn.ReLU()
        self.heads = config.heads
        self.kinds = {"a": nn.ReLU(), "b": nn.Tanh()}
        self.hidden = None
        self.config = config
        self.limit = config.limit if config is not None else None
        self.record = {"a": 1}

    def forward(self, x: Tensor, n: int, name: str):
        a = self.layer(x)
        b = self.act(x)
        c = self.kinds[name](x)
        d = getattr(self, name)(x)
        e = getattr(self, "act")(x)
        f = self.record.a
        if self.hidden is None:
            self.hidden = x
        if self.hidden is not None and self.limit is None:
            x = x + self.hidden
        if not self.heads:
            x = x + 1
        if self.config.flag:
            x = x.item()
        if self.limit:
            return a
        for i in range(self.heads):
            x = x + i
        return b, c, d, e, f, x
