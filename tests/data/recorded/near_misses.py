"""What rewrites of branches, masks, views and placement take, and beside it what they must leave alone."""
import copy
import logging
import warnings

import torch
import torch.nn.functional as F
from torch import Tensor, nn

logger = logging.getLogger(__name__)


def expressions(x: Tensor, y: Tensor, n: int, i: Tensor, other, t: float):
    m = torch.zeros(3, 4)
    a = x + 1 if m.sum() > 0 else x - 1
    b = x if not (m.sum() > 0) else y
    c = None if m.sum() > 0 else x
    d = "a" if m.sum() > 0 else "b"
    e = 1 if m.sum() > 0 else 2
    f = (x, y) if m.sum() > 0 else x
    g = print(x) if m.sum() > 0 else x
    h = x[n] if (m.sum() > 0) and n else y
    j = m[i] if i < 3 else y
    k = m[i] if i >= 0 else y
    o = x / t if m.sum() != 0 else x
    p = m / i if i != 0 else m
    q = m if i == 0 else m / i
    r = m / i if i > 0 else 0.0
    s = (m / i) * 2 if (i > 0) else m
    u = x if 0 < m.sum() < 3 else y
    v = x if (m.sum() > 0 and n) else y
    w = x if m.sum() else y
    z = x if other > 0 else y
    aa = True if m.sum() > 0 else x
    ab = x if m[0, 0] > 0 else y  # a comment
    ac = (
        x
        if m.sum() > 0  # inside
        else y
    )
    ad = x.add_(1) if m.sum() > 0 else x
    ae = [x if m.sum() > 0 else y]
    af = x if (m > 0).all() else y
    ag = m.abs() if m.sum() > 0 else m.neg()
    ah = m.sqrt() if m.sum() > 0 else m
    ai = m / 2 if m.sum() > 0 else m / 0
    return a, b, c, d, e, f, g, h, j, k, o, p, q, r, s, u, v, w, z, aa, ab, ac, ad, ae, af, ag, ah, ai


def both_arms(x: Tensor, y: Tensor, n: int):
    m = torch.zeros(3)
    test = m.sum() > 0
    if test:
        a = x + 1
    else:
        a = x - 1
    if test:
        b = x + 1
        c = y
    else:
        c = y * 2
        b = x
    if test:
        d = x
    if not test:
        x = x + 1
    if test:
        x = x * 2
    elif n:
        x = x * 3
    if test:
        # a comment
        y = y + 1
    if test:
        y = y + 1
        print(y)
    if test:
        y += 1
    if test:
        e, f = x, y
    else:
        e, f = y, x
    if test:
        g = None
    else:
        g = x
    if test:
        unused = x
    if test:
        h = x
        h = h + 1
    else:
        h = y
    if test:
        x = x + 1
        y = x + y
    if test:
        i1 = i2 = x
    else:
        i1 = i2 = y
    if test: j = x
    else: j = y
    if test:
        k1, = (x,)
    if test:
        a = x + 1
        b = x + 1
        c = x + 1
        e = x + 1
        f = x + 1
        g = x + 1
        h = x + 1
    if 0 < m.sum() < 3:
        x = x + 1
    if n:
        if test:
            x = x - 1
    return a, b, c, d, e, f, g, h, x, y, i1, j


def guarded_index(x: Tensor, i: Tensor, n: int):
    i = i.argmax()
    if i < 3:
        x = x[i]
    if i >= 0:
        x = x[i]
    if i < n:
        y = x[i] + 1
    else:
        y = x
    return y


def returns_either(x: Tensor, y: Tensor):
    if x.sum() > 0:
        return y
    return x


def returns_else(x: Tensor, y: Tensor):
    m = torch.zeros(3)
    if m.sum() > 0:
        return m.abs()
    else:
        return m.neg()  # behind


def returns_none(x: Tensor):
    m = torch.zeros(3)
    if m.sum() > 0:
        return None
    return x


def returns_nothing(x: Tensor):
    m = torch.zeros(3)
    if m.sum() > 0:
        return
    return x


def returns_far(x: Tensor):
    m = torch.zeros(3)
    if m.sum() > 0:
        return m + 1
    print(x)
    return m


def returns_with_comment(x: Tensor):
    m = torch.zeros(3)
    if m.sum() > 0:
        # why
        return m + 1
    # and why not
    return m


def returns_two(x: Tensor):
    m = torch.zeros(3)
    if m.sum() > 0:
        x = x + 1
        return m + 1
    return m


def returns_in_a_loop(x: Tensor):
    m = torch.zeros(3)
    for _ in range(3):
        if m.sum() > 0:
            return m + 1
    return m


def returns_divided(x: Tensor, y: Tensor):
    n = torch.zeros(3).sum()
    if n != 0:
        return x / n
    return x


def returns_in_try(x: Tensor):
    m = torch.zeros(3)
    try:
        x = x + 1
    finally:
        if m.sum() > 0:
            return m + 1
        return m


def returns_over_lines(x: Tensor):
    m = torch.zeros(3)
    if m.sum() > 0: return m + 1
    return (
        m
        - 1
    )


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.other = nn.Linear(3, 3)
        self.drop = nn.Dropout()
        self.layers = nn.ModuleList([nn.Linear(3, 3) for _ in range(3)])
        self.p = 0.5

    def forward(self, x: Tensor, y: Tensor, n: int):
        m = torch.zeros(3)
        test = m.sum() > 0
        if test:
            x = self.layer(x)
        if test:
            x = self.layer(x)
        else:
            x = self.other(x)
        if test:
            x = self.layer(x)
        else:
            y = self.other(y)
        if test:
            z = self.layer(x)
        if not test:
            x = self.layer(x)
        if test:
            x = F.dropout(x)
        else:
            x = self.layer(x)
        if test:
            x = x.add_(1)
        else:
            x = self.layer(x)
        if test:
            x = self.layer(x)  # a comment
        else:
            x = self.other(x)
        if 0 < m.sum() < 3:
            x = self.layer(x)
        if m.sum() > 0:
            x = self.layer((q := x))
        if m[0] > 0:
            x = self.layer(x)
        if (m > 0).any():
            x = self.layer(
                x
            )
        if test:
            x = -x
        else:
            x = self.layer(x)
        return x, z, y

    def skipped(self, x: Tensor, mask: Tensor):
        for layer in self.layers:
            drawn = torch.rand([])
            if drawn < self.p:
                continue
            x = layer(x)
        for layer in self.layers:
            if torch.rand([]) < 0.5:  # drawn
                continue
            x = layer(x, mask)
        for layer in self.layers:
            if self.training:
                drawn = torch.rand([])
                if drawn < self.p:
                    continue
            x = layer(x)
        for layer in self.layers:
            drawn = torch.rand([])
            skip = True if self.training and drawn < self.p else False
            if not skip:
                x = layer(x)
        for layer in self.layers:
            drawn = torch.rand([])
            keep = drawn > self.p
            if keep or not self.training:
                x = layer(x)
        for layer in self.layers:
            if mask.sum() > 0:
                continue
            x = layer(x)
        for layer in self.layers:
            if torch.rand([]) < 0.5:
                continue
            x = layer(mask)
        for layer in self.layers:
            if torch.rand([]) < 0.5:
                continue
            x = layer(x)
            print("a")
        for layer in self.layers:
            if torch.rand([]) < 0.5:
                break
            x = layer(x)
        return x

    def leaves_out(self, x: Tensor, mask: Tensor, other: Tensor):
        m = mask > 0
        if not m.any():
            mask = None
        if m.all():
            m = None
        if not m.any():
            other = None
        if m.all():
            m = 3
        for layer in self.layers:
            x = layer(x)
            if m.any():
                continue
        for layer in self.layers:
            if not m.any():
                continue
            x = layer(x)
        return x, m, mask, other


def guarded(x: Tensor, n: int, flag: bool, xs: list):
    print("a")
    print(x.shape, n)
    print(x.sum().item())
    print(f"{n} {x.mean()}")
    print(*xs)
    print(str(n), type(x), repr(n, 3))
    print(xs.append(1))
    a = print("a")
    xs.append(print("a"))
    logger.info("a %s", n)
    logger.warning("a", exc_info=True)
    logger.setLevel(3)
    warnings.warn("a")
    print("a"); print("b")
    # above
    print("c")  # behind
    x.requires_grad = True
    x.requires_grad = flag
    x.requires_grad = y = True
    b = torch.zeros_like(x, requires_grad=True)
    c = torch.zeros_like(x, requires_grad=flag)
    d = torch.zeros_like(x, requires_grad=n > 3 or flag)
    e = torch.zeros_like(x, requires_grad=lambda: 3)
    torch._check_tensor_all(x > 0)
    torch._check_tensor_all(x > 0, "a")
    torch._check_tensor_all(x > 0, message="a")
    torch._check_tensor_all(*xs)
    f = torch._check_tensor_all(x > 0)
    return a, b, c, d, e, f


def checked(x: Tensor, y: Tensor, n: int):
    m = torch.zeros(3)
    if m.sum() > 0:
        raise ValueError("a")
    if m.sum() > 0 or n:
        raise ValueError("a")
    if m.sum() > 0 and n:
        print("a")
        raise ValueError("a")
    if (m.sum() > 0) if n else n:
        raise ValueError("a")
    if m.sum() > 0:
        x = x + 1
        raise ValueError("a")
    if m.sum() > 0:
        raise ValueError("a")
    else:
        x = x + 1
    if torch.isnan(m).any():
        if n:
            raise ValueError("a")
    assert m.sum() > 0
    assert m.sum() > 0, "a"
    assert m.sum() > 0, f"a {n}"
    assert m.sum() > 0 and n, "a"
    assert m.sum() > 0 and (x > 0).all() and n  # why
    assert (m.sum() > 0
            and (x > 0).all()), "a"
    assert m.sum() > 0 and n, f"a {n}"
    assert m.sum() > 0 or n, "a"
    assert not m.sum() > 0, f"a {n}"
    assert (m > 0).all(), n
    return x


def compared(x: Tensor, low: Tensor, n: int, k: float):
    m = torch.zeros(3).sum()
    a = 0 < m < 3
    b = (0 < m < 3) & (m != 1)
    if 0 < m < 3:
        x = x + 1
    c = not 0 < m < 3
    d = 0 < m < 3 and n
    e = x if 0 < m < 3 else low
    f = 0 < n < 3
    g = [0 < m < 3]
    h = print(0 < m < low < 3)
    i = 0 < m.add_(1) < 3
    j = (0 < m  # why
         < 3)
    g1 = torch.where(m > 0, k, 0.0)
    if g1 > 0:
        x = x + 1
    g2 = torch.where(m > 0, n, 1)
    if g2 > 0:
        x = x + 1
    g3 = torch.where(m > 0, len(x), -1)
    y = x + 1
    if g3 > 0:
        x = y
    g4 = torch.where(m > 0, n + 1, min(n, k))
    if g4 >= 2:
        x = x + 1
    g5 = torch.where(m > 0, 0, 0.0)
    if g5 > 0:
        x = x + 1
    g6 = torch.where(m > 0, k, 0.0)
    print(g6)
    if g6 > 0:
        x = x + 1
    g7 = torch.where(m > 0, x, 0.0)
    if g7.sum() > 0:
        x = x + 1
    g8 = torch.where(m > 0, k, 0.0)
    if g8 > n:
        x = x + 1
    g9 = torch.where(m > 0, True, 0.0)
    if g9 > 0:
        x = x + 1
    return a, b, c, d, e, f, g, h, i, j, x


def masked(x: Tensor, y: Tensor, n: int, many: Tensor):
    m = torch.zeros(3, 4)
    k = m > 0
    row = torch.zeros(3) > 0
    m[k] = m[k] + 1
    m[k] += 1
    m[k] = -m[k]
    m[k] = m[k].exp()
    m[k] = m[k].clamp(0, 1)
    m[k] = m[k] @ m[k]
    m[k] = n
    m[k] = 0.0
    m[k] *= m[k] + 2
    m[row] = m[row] + 1
    m[k] = y[k] * 2
    m[k] = y[row] * 2
    m[k] = not m[k]
    m[k] = "a"
    m[k] = z = m[k]
    m[k, 0] = m[k, 0]
    m.data[k] = m.data[k] + 1
    m[m > 0] = m[m > 0].sqrt()
    m[
        k
    ] = m[k] + 1
    m[k] = (m[k]  # why
            + 1)
    a = m[k].sum()
    b = m[k].sum(0)
    c = m[row].sum()
    d = m[k].mean()
    e = m[k]
    f = m[k].sum() + m[m < 0].sum()
    g = x[k].sum()
    h = m[~k].sum()
    i = m[x].sum()
    return a, b, c, d, e, f, g, h, i, z


def indexed(x: Tensor, table: Tensor, rows: list, n: int):
    i = x.argmax()
    a = table[i]
    b = table[i + 1]
    c = table[-i]
    d = table[i:]
    e = table[i, 0]
    f = rows[i]
    table[i] = 1
    g = table[x.sum()]
    h = table[(i)]
    j = table[x.argmax(0)]
    k = (table[i]) + 1
    m = table[i if n else 0]
    o = table[x.sum() > 0]
    p = table[
        i
    ]
    q = table[i].item()
    r = "abc"[i]
    del rows[i]
    s = table[x[0]]
    return a, b, c, d, e, f, g, h, j, k, m, o, p, q, r, s


def shown(x: Tensor, n: int, repeats: list[int], other: list, y: Tensor, idx: Tensor):
    a = x.view(3).transpose(0, 1).view(-1)
    z = torch.zeros(3, 4)
    b = z.transpose(0, 1).view(12)
    c = z.t().view(-1).sum()
    d = torch.Tensor.view(z.t(), -1)
    e = F.one_hot(x.argmax(-1))
    f = F.one_hot(x.argmax(dim=1))
    g = F.one_hot(x.argmax())
    h = F.one_hot(x.argmax(-1), 3)
    i = F.one_hot(idx % 4)
    j = F.one_hot(idx % n)
    k = F.one_hot(idx % 0)
    m = F.one_hot(idx)
    o = x.argmax(-1)
    p = F.one_hot(o)
    q = F.one_hot((x + 1).argmax(-1))
    r = F.one_hot(x.argmax(-1, True))
    s = torch.repeat_interleave(x, torch.tensor([2, 3]))
    t = torch.repeat_interleave(x, torch.tensor([2, -3]))
    u = torch.repeat_interleave(x, torch.tensor([2]))
    v = torch.repeat_interleave(x, torch.tensor(repeats))
    w = torch.repeat_interleave(x, torch.tensor(other))
    aa = torch.repeat_interleave(x, torch.tensor(repeats), dim=0)
    ab = torch.repeat_interleave(x, torch.tensor(repeats), output_size=3)
    ac = torch.repeat_interleave(x, torch.tensor([2, n]))
    ad = torch.repeat_interleave(x, y)
    ae = torch.repeat_interleave(x, torch.tensor(repeats, dtype=torch.int64))
    af = torch.repeat_interleave(
        x, torch.tensor([2, 3])
    )
    ag = x.repeat_interleave(torch.tensor([2, 3]), 0)
    x = x + 1
    ah = F.one_hot(o)
    return a, b, c, d, e, f, g, h, i, j, k, m, p, q, r, s, t, u, v, w, aa, ab, ac, ad, ae, af, ag, ah


def copied(x: Tensor, d: dict, thing, xs: list):
    a = copy.copy(d)
    b = copy.copy(thing)
    c = copy.copy({"a": x})
    e = copy.copy(*xs)
    f = copy.copy(xs + xs)
    g = copy.copy([x])
    h = copy.copy(x)
    torch._dynamo.graph_break()
    torch._dynamo.graph_break()  # why
    torch._dynamo.graph_break(); i = 3
    if thing:
        torch._dynamo.graph_break()
    j = torch._dynamo.graph_break()
    return a, b, c, e, f, g, h, i, j


def placed(x: Tensor, y: Tensor, n: int, device, cpu: Tensor):
    a = torch.arange(4).to(x.device)
    b = torch.zeros(3).cuda()
    c = torch.rand(3).to(x.device)
    d = torch.arange(n).to(device=x.device)
    e = torch.arange(0.0, 1.0, 0.1).to(x.device)
    f = torch.zeros(3).to(x)
    g = torch.zeros(3).to(torch.float16)
    h = torch.zeros(3).to("cuda")
    i = torch.zeros(3, dtype=torch.int64).to(x.device)
    j = torch.zeros(3, requires_grad=True).to(x.device)
    k = torch.zeros(3).to(x.device, torch.float16)
    m = torch.zeros(*n).to(x.device)
    o = torch.zeros(3).to(device())
    p = (torch.zeros(3)).to(x.device)
    q = torch.zeros(3,).to(x.device)
    r = torch.zeros(3, 4,).cuda()
    s = torch.zeros(  # why
        3
    ).to(x.device)
    t = torch.tensor([1, 2]).cuda(0)
    u = torch.zeros(3).cuda(non_blocking=True)
    v = torch.randn(3).cuda()
    w = torch.tensor(n).to(x.device) + torch.eye(3).to(y.device)
    aa = torch.zeros(3, device="cuda")
    ab = torch.zeros(3, device="cuda:0")
    ac = y.cuda()
    ad = y.to("cuda")
    ae = y.to("cuda", non_blocking=True)
    af = x.cuda()
    ag = torch.zeros(3, device="cpu")
    ah = y.to("cuda", torch.float16)
    ai = y.cuda(n)
    aj = torch.zeros(3, device=torch.device("cuda"))
    ak = x.cpu().numpy()
    al = x.cpu().to(x.device)
    am = x.cpu().sum().to(x.device)
    an = x.cpu().sum().to(y.device)
    ao = x.to("cpu").abs().cuda()
    ap = x.cpu()
    aq = ap.to(x.device)
    ar = y.cpu()
    at = ar + 1
    au = at.to(y.device)
    av = x.detach().cpu().numpy().sum()
    aw = x.cpu().to(x.device, non_blocking=True)
    ax = (x.cpu()).to(x.device)
    ay = x.cpu().index_select(0, y).to(x.device)
    return a, b, c, d, e, f, g, h, i, j, k, m, o, p, q, r, s, t, u, v, w, aa, ab, ac, ad, ae, af, ag, ah, ai, aj


def alone(y: Tensor):
    return torch.zeros(3, device="cuda"), y.cuda(), y.to("cuda")


def found(x: Tensor, mask: Tensor, idx: Tensor, n: int):
    m = torch.zeros(3) > 0
    a = x[m.nonzero()[:, 0]]
    b = m.nonzero()
    c = m.nonzero(as_tuple=True)[0]
    d = x[m.nonzero(as_tuple=True)]
    e = x[torch.nonzero(m).squeeze()]
    f = torch.nonzero(m)[0]
    g = m.nonzero().shape[0]
    h = len(m.nonzero())
    i = torch.where(m)[0]
    j = torch.where(m)[0][0]
    k = m.nonzero()[0, 0]
    o = m.nonzero(as_tuple=False)[-1]
    p = torch.argwhere(m)
    q = m.nonzero().numel() > 0
    r = x.index_select(0, m.nonzero()[:, 0])
    rows = m.nonzero()
    s = rows[0] if len(rows) > 0 else 3
    t = rows[0] if len(rows) >= 1 else n
    u = m.nonzero(as_tuple=n)
    v = torch.unique(x)
    w = torch.masked_select(x, m)
    length = len(w)
    z = torch.masked_select(x, m).shape
    y = torch.bincount(idx)
    for one in m.nonzero():
        x = x + one
    return a, b, c, d, e, f, g, h, i, j, k, o, p, q, r, s, t, u, v, length, z, y


def resized(x: Tensor, sizes: Tensor, lengths: Tensor):
    out = []
    for h, w in sizes.tolist():
        out.append(F.interpolate(x, size=(h, w)))
        y = x.reshape(h, w, -1)
        z = x.view([h * 2, w + 1, -1])
        a = x.reshape(h, w)
        b = x.reshape(-1, -1, h)
        c = F.interpolate(x, size=h)
        d = F.interpolate(x, (h, w))
        e = x.reshape(shape=(h, -1))
        f = x.reshape(len(out), h, -1)
        if h:
            g = x.reshape(h, -1)
    n = lengths.max().item()
    i = x.reshape(n, -1)
    j = x.reshape(3, -1)
    parts = torch.split(x, lengths.tolist())
    k = sizes.tolist()
    for q in [sizes.sum().item()]:
        x = x.reshape(q, -1)
    return out, y, z, a, b, c, d, e, f, g, i, j, parts, k


def attends(q: Tensor, k: Tensor, v: Tensor, lengths: Tensor, mask):
    splits = [torch.split(t, lengths.tolist(), dim=2) for t in (q, k, v)]
    outs = [
        F.scaled_dot_product_attention(a, b, c, attn_mask=None) for a, b, c in zip(*splits)
    ]
    return torch.cat(outs, dim=2)


def attends_masked(q: Tensor, k: Tensor, v: Tensor, lengths: Tensor, mask, attention):
    parts = [torch.split(t, lengths.tolist(), 2) for t in (q, k, v)]
    outs = []
    for a, b, c in zip(*parts):
        outs.append(attention(a, b, c, attention_mask=mask, is_causal=False))
    return torch.cat(outs, dim=2)


def attends_causal(q: Tensor, k: Tensor, lengths: Tensor, attention):
    parts = [torch.split(t, lengths.tolist(), dim=2) for t in (q, k)]
    return [attention(a, b, attention_mask=None, is_causal=True) for a, b in zip(*parts)]


def attends_other(q: Tensor, k: Tensor, lengths: Tensor, attention):
    parts = [torch.split(t, lengths.tolist(), dim=2) for t in (q, k) if t is not None]
    return [attention(a, b, attention_mask=3, is_causal=False) for a, b in zip(*parts)]


def attends_elsewhere(q: Tensor, k: Tensor, lengths: Tensor, attention):
    parts = [torch.split(t, lengths.tolist(), dim=0) for t in (q, k)]
    return [attention(a, b, attention_mask=None, is_causal=False) for a, b in zip(*parts)]


def attends_to_a_part(q: Tensor, k: Tensor, lengths: Tensor, attention):
    parts = [torch.split(t, lengths.tolist(), dim=2) for t in (q, k)]
    outs = [attention(a, attention_mask=None, is_causal=False) for a, b in zip(*parts)]
    return outs, parts
