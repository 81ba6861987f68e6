"""How arguments, closures, unions of callees and containers hand tensors on."""
import functools

import torch
from torch import Tensor, nn
from torch.nn import functional as F


def takes(a, b=1, *rest, c=None, **more):
    if a is None:
        return b
    if rest:
        return rest[0]
    return more.get("d", c)


def stars(x: Tensor, args: tuple, kwargs: dict):
    a = takes(x, *args)
    b = takes(x, **kwargs)
    c = takes(*args, **kwargs)
    d = takes(None, x)
    e = takes(x, 1, x)
    f = takes(x, c=x)
    g = takes(x, d=x)
    h = takes(a=x, b=x)
    i = takes(*[x, x])
    j = takes(**{"a": x, "d": 3})
    return a, b, c, d, e, f, g, h, i, j


def words(names: list[str], x: Tensor, key: str):
    a = "|".join(["x", "y"])
    b = "|".join(names)
    c = "|".join(["x", key])
    d = "-".join({"x": 1, "y": 2})
    e = ",".join(str(n) for n in names)
    f = f"{key}.w"
    g = "a.b".split(".")
    h = "a" + "b"
    i = "a" * 3
    j = "%s" % key
    k = "abc"[1]
    m = "abc".upper()
    o = key.startswith("a")
    p = "ab" in "cab"
    return x, a, b, c, d, e, f, g, h, i, j, k, m, o, p


def containers(x: Tensor, y: Tensor, n: int, d: dict):
    a = [x, y]
    a.append(1)
    b = a[0]
    c = a[-1]
    e = a[n]
    f = a[:2]
    g = a.pop()
    h = {"x": x, "n": n}
    i = h["x"]
    j = h.get("x")
    k = h.get("z")
    m = h.get(d, 1)
    o = h.pop("n")
    h["y"] = y
    p = list(h)
    q = list(h.values())
    r = dict(h, z=3)
    s = {**h, "w": 1}
    t = tuple(v for v in (x, y))
    u = [len(v) for v in (x, y)]
    v = dict(zip(("a", "b"), (x, y)))
    w = list(enumerate([x]))
    z = sorted([3, 1, 2])
    first, *rest = (x, y, n)
    (one, two), three = (x, y), n
    total = sum([x, y])
    best = max(n, 3)
    both = all(isinstance(v, Tensor) for v in (x, y))
    return b, c, e, f, g, i, j, k, m, o, p, q, r, s, t, u, v, w, z, first, rest, one, two, three, total, best, both


def choose(x: Tensor, kind: str, flag: bool, n: int):
    act = F.relu if flag else torch.tanh
    a = act(x)
    b = {"a": F.gelu, "b": F.silu}[kind](x)
    c = x if flag else None
    d = x if flag else n
    e = c if c is not None else 0
    f = d if isinstance(d, Tensor) else torch.tensor(d)
    g = x or n
    h = flag and x
    i = (print if flag else str)(x)
    j = (takes if flag else words)(x, n)
    return a, b, c, d, e, f, g, h, i, j


def nested(x: Tensor, n: int):
    count = 0

    def inner(y, scale=n):
        nonlocal count
        count += 1
        return y * scale

    a = inner(x)
    b = functools.partial(inner, scale=2)(x)
    c = (lambda v: v + 1)(x)
    d = list(map(inner, [x, x]))
    e = [inner(v) for v in (x, x)]
    f = functools.reduce(lambda s, v: s + v, [x, x])
    return a, b, c, d, e, f, count


def loops(x: Tensor, n: int):
    out = None
    for i in range(n):
        out = x if out is None else out + x
    for i, row in enumerate(x):
        if i > 3:
            break
        out = row
    else:
        out = x
    k = 0
    while k < 3:
        k += 1
        if k == 2:
            continue
    try:
        y = x.view(n)
    except RuntimeError:
        y = None
    finally:
        k = 5
    with torch.no_grad():
        z = x * 2
    return out, i, k, y, z


class Held:
    scale = 2

    def __init__(self, x=None):
        self.x = x
        self.made = torch.zeros(3)

    @property
    def doubled(self):
        return self.x * self.scale

    @classmethod
    def of(cls, x):
        return cls(x)

    @staticmethod
    def plain(x):
        return x

    def __call__(self, y):
        return self.x + y

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return self.x[i]


class Inner(Held, nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        self.held = Held()
        self.calls = 0
        self.names = []
        self.cache = None
        self.w = nn.Parameter(torch.ones(3))
        self.register_buffer("seen", torch.zeros(1))
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(2)])
        self.by_name = nn.ModuleDict({"a": nn.ReLU()})
        self.x = None

    def forward(self, x: Tensor, mask: Tensor | None = None, kind: str = "a"):
        self.calls += 1
        self.names.append(kind)
        if self.cache is None:
            self.cache = x
        self.seen += 1
        h = Held(x)
        a = h.doubled
        b = Held.of(x).x
        c = h.plain(x)
        d = h(x)
        e = len(h)
        f = h[0]
        g = self.held.made
        i = self.held.x
        j = self.w * x
        for layer in self.layers:
            x = layer(x)
        k = self.by_name[kind](x)
        m = getattr(self, "w")
        o = getattr(self, kind, None)
        p = hasattr(self, "cache")
        q = self.training and mask is not None
        if mask is not None:
            x = x.masked_fill(mask, 0)
        if x.sum() > self.calls:
            return self.seen
        return a, b, c, d, e, f, g, i, j, k, m, o, p, q, x
