"""What rewrites of modules, attributes, functions and methods take, and beside it what they must leave alone."""
import numpy as np
import scipy.optimize
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor, nn

QUIET = torch.no_grad()
LOUD = torch.enable_grad()
TWICE = torch.no_grad()
TWICE = torch.no_grad()
MODE = torch.inference_mode(True)


class Counts(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.steps = 0
        self.seen = 0
        self.kept = 0
        self.shown = 0
        self.given = n
        self.rate = 1.0
        self.many = 0; self.few = 0
        self.double = self.single = 0
        self.named = 0
        self.shifted = 0
        self.indexed = 0
        self.added = 0

    def forward(self, x: Tensor):
        self.steps += 1
        self.seen = self.seen + 1
        self.kept += 1
        self.shown += 1
        self.given += 1
        self.rate += 0.5
        self.many += 1
        self.few -= 1
        self.double += 1
        self.named += 1
        self.shifted *= 2
        self.indexed += 1
        self.added += self.steps
        setattr(self, "named", 3)
        y = x * self.steps + x / self.seen
        if self.kept > 3:
            y = y + 1
        if self.steps > x:
            y = y - 1
        print(self.shown)
        y = y + self.given + self.rate + self.many * x + self.few + self.double + self.named + self.shifted
        return y[self.indexed] + self.added

    def reset(self):
        self.kept = 5


class Early(nn.Module):
    def __init__(self):
        self.early = 0
        super().__init__()

    def forward(self, x: Tensor):
        self.early += 1
        return x * self.early


class Plain:
    def __init__(self):
        self.plain = 0

    def forward(self, x: Tensor):
        self.plain += 1
        return x * self.plain


class Inherits(Counts):
    def __init__(self):
        super().__init__(3)
        self.inherited = 0

    def forward(self, x: Tensor):
        self.inherited += 1
        return x * self.inherited


class Enters(nn.Module):
    def __init__(self, flag):
        super().__init__()
        self.quiet = torch.no_grad()
        self.mode = torch.inference_mode(mode=True)
        self.other = torch.inference_mode(False)
        self.both = torch.no_grad() if flag else None
        self.later = torch.no_grad()
        self.cast = torch.autocast("cuda")
        self.text = torch.no_grad()

    def change(self):
        self.later = torch.enable_grad()
        return getattr(self, "text")

    def forward(self, x: Tensor, given):
        with self.quiet:
            x = x + 1
        with self.mode:
            x = x + 1
        with self.other as o:
            x = x + 1
        with self.both:
            x = x + 1
        with self.later:
            x = x + 1
        with self.cast:
            x = x + 1
        with self.text:
            x = x + 1
        with QUIET:
            x = x + 1
        with LOUD, MODE:
            x = x + 1
        with TWICE:
            x = x + 1
        with given:
            x = x + 1
        with self.quiet.inner:
            x = x + 1
        return x, o


def local_modes(x: Tensor, LOUD):
    mode = torch.no_grad()
    with mode:
        x = x + 1
    return x


class Made(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.table = torch.arange(4)
        self.other = torch.arange(4)
        self.twice = torch.arange(4)
        self.conditional = torch.zeros(3)
        self.weight = nn.Parameter(torch.zeros(3))

    def change(self):
        self.twice = torch.zeros(3)
        self.__dict__["other"] = 3

    def forward(self, x: Tensor, flag: bool):
        a = self.table.to(x.device)
        b = self.other.to(x.device)
        c = self.twice.to(x.device)
        d = self.conditional.cuda()
        e = self.missing.to(x.device)
        self.held = nn.Buffer(x)
        self.kept = nn.Buffer(x, persistent=False)
        self.wide = nn.Buffer(*x)
        self.wrong = nn.Buffer(x, other=True)
        self.pair = self.same = nn.Buffer(x)
        held = nn.Buffer(x)
        self.scale = nn.Parameter(torch.zeros(3))
        self.made = nn.Parameter(x)
        f = nn.Parameter(torch.zeros(self.size))
        g = nn.Parameter(
            torch.zeros(3)
        )
        h = nn.Linear(3, 3)(x)
        i = nn.Parameter(torch.zeros(x.shape[0]))
        j = nn.Parameter(*x)
        layer = nn.Linear(3, 3)
        if flag:
            self.late = nn.Linear(3, 3)
        return a, b, c, d, e, held, f, g, h, i, j, layer(x)


class Returns(nn.Module):
    def __init__(self):
        super().__init__()
        if self.training:
            return
        self.weight = nn.Parameter(torch.zeros(3))

    def forward(self, x: Tensor):
        self.more = nn.Parameter(torch.zeros(3))
        return x + self.more


class Follows(nn.Module):
    def __init__(self):
        super().__init__()
        self.position = 0
        self.count = 0
        self.best = None
        self.rows = torch.zeros(8, 3)
        self.register_buffer("table", torch.zeros(8, 3))

    @property
    def place(self):
        return self.position

    def plain(self):
        return self.count

    def at(self, index, *rest):
        return self.table[index]

    def later(self, index):
        return index

    def find(self, x: Tensor):
        idx = x.argmax()
        self.position = idx.item()
        self.position += 1
        a = self.table[self.position + 1]
        b = self.table[self.place]
        return a + b

    def counts(self, x: Tensor, rows: list, thing):
        n = x.argmax().item()
        a = self.table[n]
        b = self.table[n + 1]
        c = self.table[n * 2 - 1]
        return a, b, c

    def lists(self, x: Tensor):
        n = x.argmax().item()
        a = self.table[n]
        return [n, n + 1], a

    def tested(self, x: Tensor):
        n = x.argmax().item()
        if n is None:
            return self.table[0]
        return self.table[n]

    def compares(self, x: Tensor):
        n = x.argmax().item()
        if n > 3:
            return self.table[0]
        return self.table[n]

    def divides(self, x: Tensor):
        n = x.argmax().item()
        return self.table[n // 2]

    def calls(self, x: Tensor):
        n = x.argmax().item()
        return self.at(n)

    def calls_starred(self, x: Tensor, rest):
        n = x.argmax().item()
        return self.at(*rest, n)

    def calls_out(self, x: Tensor):
        n = x.argmax().item()
        return range(n), self.table[n]

    def stores(self, x: Tensor):
        n = x.argmax().item()
        self.table[n] = 1
        return n

    def shares(self, x: Tensor):
        n = x.argmax().item()

        def inner():
            return self.table[n]

        return inner()

    def steps(self, x: Tensor):
        n = x.argmax().item()
        n += 1
        n -= x.shape[0]
        return self.table[n]

    def chooses(self, x: Tensor, flag: bool):
        n = x.argmax().item() if flag else 0
        return self.table[n]

    def floats(self, x: Tensor):
        n = x.sum().item()
        return self.table[0] * n

    def reads(self, x: Tensor):
        total = x.sum().item()
        mean = x.mean().item() / 2
        y = x * total + mean
        z = x.max().item()
        w = int(x.sum())
        u = float(x.mean()) * y
        t = x.sum().item() ** 2
        s = -x.sum().item()
        r = {"a": x.sum().item()}
        q = torch.zeros(int(x.sum()))
        p = [x.sum().item()]
        x.sum().item()
        assert x.sum().item() > 3
        o = (x.sum().item())
        m = x.sum().item() if x is None else 0
        k = np.sum(x.sum().item())
        total += x.sum().item()
        self.best = x.sum().item()
        j = (x + 1).sum().item() * 2
        i = x.sum().item() > 3
        for _ in range(3):
            y = y * z
            z = x.max().item()
        return y, w, u, t, s, r, q, p, o, m, k, j, i, total

    def reads_bare(self, x: Tensor):
        return x.sum().item()

    def reads_in_parentheses(self, x: Tensor):
        return (x.sum().item()) * x + (x - 1).max().item() * x


def matches(cost: Tensor, n: int, args: list):
    a = linear_sum_assignment(cost.numpy())
    rows, columns = linear_sum_assignment(cost.detach().cpu().numpy(), maximize=True)
    b = scipy.optimize.linear_sum_assignment(cost.numpy())
    c = linear_sum_assignment(*args)
    d = linear_sum_assignment(cost.numpy(), **n)
    return a, b, c, d, rows, columns


class Matcher(nn.Module):
    @torch.no_grad()
    def forward(self, cost: Tensor):
        """Match."""
        rows, columns = linear_sum_assignment(cost.cpu().numpy())
        return torch.as_tensor(rows), torch.as_tensor(columns)

    @torch.no_grad()
    def texts(self, cost: Tensor):
        rows, columns = linear_sum_assignment(cost.cpu().numpy())
        return """several
        lines""", rows

    @torch.no_grad
    def bare(self, cost: Tensor):
        return linear_sum_assignment(cost.cpu().numpy())

    @torch.inference_mode(True)
    def given(self, cost: Tensor):
        return linear_sum_assignment(cost.cpu().numpy())

    @torch.no_grad()
    def yields(self, cost: Tensor):
        yield linear_sum_assignment(cost.cpu().numpy())

    @staticmethod
    @torch.no_grad()
    def two(cost: Tensor):
        return linear_sum_assignment(cost.cpu().numpy())

    @torch.no_grad()
    def short(self, cost: Tensor): return linear_sum_assignment(cost.cpu().numpy())


def fills(shape: tuple[int, int], prob: float, mask: Tensor, n: int = 3) -> np.ndarray:
    rows, columns = shape
    out = np.zeros((rows, columns), dtype=bool)
    for i in range(rows):
        start = np.random.randint(0, columns)
        out[i, start : start + n] = True
    return out


def fills_untyped(shape, prob: float) -> np.ndarray:
    out = np.zeros(shape)
    out[0] = np.random.rand()
    return out


def fills_twice(n: int) -> np.ndarray:
    out = np.zeros((n, 2))
    out = np.ones((n, 2))
    out[0] = np.random.rand()
    return out


def fills_more(n: int, *rest: int) -> np.ndarray:
    out = np.zeros((n, 2))
    out[0] = np.random.rand()
    return out


def fills_given(n: int, given: Tensor) -> np.ndarray:
    out = np.zeros((n, 2), dtype=np.float32)
    given[0] = np.random.rand()
    return out


def fills_by_method(n: int, given: Tensor) -> np.ndarray:
    out = np.empty((n, 2), dtype=np.int64)
    given.add_(np.random.rand())
    return out


def fills_other(n: int, kind: object) -> np.ndarray:
    out = np.zeros(n + 1)
    out[0] = np.random.rand()
    return out


def fills_in_a_list(n: int, sizes: list[int]) -> np.ndarray:
    global QUIET
    out = np.ones((n,), order="F")
    out[0] = np.random.rand()
    return out


def fills_short(n: int) -> np.ndarray: return np.zeros(n) + np.random.rand()


def fills_and_leaves(n: int) -> np.ndarray:
    out = np.zeros((n, 2))
    if np.random.rand() > 3:
        return None
    return out


def starts(x: Tensor, n: int):
    a = fills((3, 4), 0.5, x)
    b = fills_untyped((3, 4), 0.5), fills_twice(n), fills_more(n, 3), fills_given(n, x), fills_by_method(n, x)
    c = fills_other(n, 3), fills_in_a_list(n, [3]), fills_short(n), fills_and_leaves(n)
    return a, b, c


def rest(x: Tensor, n: int, flag: bool):
    m = x > 0
    out = torch.zeros(3, 4)
    for i in range(n):
        out[i] = x[m].sum()
    return out


def rest_listed(x: Tensor, lengths: Tensor, n: int):
    """Rows by length."""
    parts = []
    for i in range(n):
        parts.append(torch.zeros(3, dtype=torch.int64))
        if lengths[i].item() > 3:
            parts.append(torch.ones(3, dtype=torch.int64))
    result = torch.cat(parts)
    return result


def rest_of_text(x: Tensor, n: int):
    out = torch.zeros(3)
    out[0] = x.sum().item()
    text = """several
    lines"""
    return out


def rest_random(x: Tensor, n: int):
    out = torch.zeros(3)
    out[0] = x.sum().item() + torch.rand(3).sum()
    return out


def rest_of_others(x: Tensor, n: int):
    out = torch.zeros(3)
    out[0] = fills_short(n).sum() + x.sum().item()
    return out


def rest_untyped(x: Tensor, n):
    out = torch.zeros(3)
    out[0] = x.sum().item() + n
    return out


def rest_writing(x: Tensor, y: Tensor):
    out = torch.zeros(3)
    y.add_(x.sum().item())
    y[0] = 1
    return out


def rest_early(x: Tensor, n: int):
    out = torch.zeros(3)
    if x.sum().item() > 3:
        return out
    return out


def rest_of_looks(x: Tensor, n: int):
    a = torch.zeros(3, 4, dtype=torch.int32)
    b, c = a.long(), a.int()
    d = a.permute(1, 0)
    e = a.transpose(0, 1)
    f = a.sum()
    g = a.sum(0)
    h = a.sum((0, 1))
    i = a.max()
    j = a > 0
    k = a + c
    m = torch.unique(a)
    o = torch.nn.functional.pad(a, (1, 1))
    p = torch.stack([a, a], 0)
    q = torch.cat([a, a], dim=1)
    r = a[x > 0]
    s = torch.zeros_like(a)
    t = torch.full((n, 2), x.sum().item())
    return a, b, c, d, e, f, g, h, i, j, k, m, o, p, q, r, s, t


class Region(nn.Module):
    def __init__(self):
        super().__init__()
        self.n = 3
        self.config = None

    def helper(self, x):
        return x.abs()

    def bound(self, x):
        return x + self.n

    @staticmethod
    def fixed(x):
        return x

    def forward(self, x: Tensor, y: Tensor):
        out = torch.zeros(3)
        out[0] = self.helper(x).sum().item() * self.n + self.config.scale
        return out

    def calls_bound(self, x: Tensor):
        out = torch.zeros(3)
        out[0] = self.bound(x).sum().item()
        return out

    def calls_fixed(self, x: Tensor):
        out = torch.zeros(3)
        out[0] = self.fixed(x).sum().item()
        return out

    def hands_on(self, x: Tensor, n: int):
        n = n + 1
        out = torch.zeros(3)
        out[0] = x.sum().item() + n
        return out

    def stores(self, x: Tensor):
        out = torch.zeros(3)
        self.n = x.sum().item()
        return out
